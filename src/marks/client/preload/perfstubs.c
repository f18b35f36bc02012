/*
 * perfstubs.c: PerfStubs, the thin layer that libraries such as ADIOS2 and CAMTIMERS call: it looks for a
 * tool's functions by their names, perfstubs_api/tool.h. Timers and dynamic phases are regions, counters,
 * parameters and metadata are attributes that are set.
 *
 * Its library prints a line of its own where it finds a tool, so we are one only where we are asked by
 * name: otherwise the first of these functions, by which it looks, is hidden.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "samples.h"
#include "hide.h"

/* A timer or a counter. */
struct handle { uint32_t region; char name[]; };

static int is_first(const char *name) { return strcmp(name, "ps_tool_initialize") == 0; }

static __attribute__((constructor(102))) void perfstubs_load(void) {
    if (!(jm_on & JM_PERFSTUBS)) jm_hide(is_first);
}

JM_EXPORT void ps_tool_initialize(void) {}
JM_EXPORT void ps_tool_finalize(void) {}
JM_EXPORT void ps_tool_register_thread(void) {}

JM_EXPORT void *ps_tool_timer_create(const char *name) {
    return jm_named(offsetof(struct handle, name), name);
}

static uint32_t region_of(struct joulemark__thread *t, struct handle *handle) {
    return jm_of(jm_track(JM_PERFSTUBS), jm_number(t, handle->name, &handle->region));
}

JM_EXPORT void ps_tool_timer_start(void *handle) {
    struct joulemark__thread *t = jm_thread(JM_PERFSTUBS, 1);
    if (t && handle) jm_enter(t, region_of(t, (struct handle *)handle));
}

JM_EXPORT void ps_tool_timer_stop(void *handle) {
    struct joulemark__thread *t = jm_thread(JM_PERFSTUBS, 0);
    if (t && handle) jm_exit(t, region_of(t, (struct handle *)handle));
}

JM_EXPORT void ps_tool_start_string(const char *name) { jm_begin(JM_PERFSTUBS, name); }
JM_EXPORT void ps_tool_stop_string(const char *name) { jm_end(JM_PERFSTUBS, name); }
JM_EXPORT void ps_tool_stop_current(void) { jm_pop(JM_PERFSTUBS); }

/* A phase of each iteration: PREFIX [ITERATION]. */
static size_t room_for(const char *prefix) { return (prefix ? strlen(prefix) : 0) + 16; }

static const char *phase(const char *prefix, int iteration, char *into, size_t room) {
    snprintf(into, room, "%s [%d]", prefix ? prefix : "", iteration);
    return into;
}

JM_EXPORT void ps_tool_dynamic_phase_start(const char *prefix, int iteration) {
    char text[room_for(prefix)];
    jm_begin(JM_PERFSTUBS, phase(prefix, iteration, text, sizeof text));
}

JM_EXPORT void ps_tool_dynamic_phase_stop(const char *prefix, int iteration) {
    char text[room_for(prefix)];
    jm_end(JM_PERFSTUBS, phase(prefix, iteration, text, sizeof text));
}

JM_EXPORT void *ps_tool_create_counter(const char *name) { return ps_tool_timer_create(name); }

JM_EXPORT void ps_tool_sample_counter(void *counter, double value) {
    struct joulemark__thread *t = counter ? jm_thread(JM_PERFSTUBS, 1) : NULL;
    if (!t) return;
    jm_sample(t, "perfstubs", ((struct handle *)counter)->name, value);
    joulemark_set_double(((struct handle *)counter)->name, value);
}

JM_EXPORT void ps_tool_set_parameter(const char *name, int64_t value) {
    if (name && jm_thread(JM_PERFSTUBS, 1)) joulemark_set_int(name, value);
}

JM_EXPORT void ps_tool_set_metadata(const char *name, const char *value) {
    if (name && value && jm_thread(JM_PERFSTUBS, 1)) joulemark_set_string(name, value);
}
