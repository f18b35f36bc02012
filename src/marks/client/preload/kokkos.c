/*
 * kokkos.c: the profiling hooks of Kokkos, which loads the library that KOKKOS_TOOLS_LIBS names:
 * "Profiling hooks" in the Kokkos Tools documentation. Kernels and regions are regions; a section
 * is one from its start to its stop.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

JM_EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *info) {
    (void)jm_thread(JM_KOKKOS, 0);
}

JM_EXPORT void kokkosp_finalize_library(void) {}

JM_MARK void mark_begin(const char *name, uint64_t *id) {
    struct joulemark__thread *t = jm_thread(JM_KOKKOS, 1);
    uint32_t region;
    if (!t) return;
    region = joulemark__lookup(t, name);
    if (id) *id = region;
    jm_enter(t, jm_of(jm_track(JM_KOKKOS), region));
}

JM_MARK void mark_end(uint64_t id) {
    struct joulemark__thread *t = jm_thread(JM_KOKKOS, 0);
    if (t) jm_exit(t, jm_of(jm_track(JM_KOKKOS), joulemark__checked(id)));
}

static inline void begin(const char *name, uint64_t *id) {
    if (jm_is_on(JM_KOKKOS)) mark_begin(name, id);
}

static inline void end(uint64_t id) {
    if (jm_is_on(JM_KOKKOS)) mark_end(id);
}

#define KERNEL(kind)                                                                               \
    JM_EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *id) {         \
        begin(name, id);                                                                           \
    }                                                                                              \
    JM_EXPORT void kokkosp_end_##kind(uint64_t id) { end(id); }
KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)

/* Kokkos waits for its devices before it tells of most events, and tells of that wait as a fence too:
   it is none of the program's. */
static int is_for_tool(const char *name) {
    return name && strstr(name, "Kokkos Profile Tool Fence") != NULL;
}

/* No call has this number: a region's number has 32 bits. */
#define FENCE_FOR_TOOL UINT64_MAX

JM_EXPORT void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *id) {
    if (!is_for_tool(name)) begin(name, id);
    else if (id) *id = FENCE_FOR_TOOL;
}

JM_EXPORT void kokkosp_end_fence(uint64_t id) {
    if (id != FENCE_FOR_TOOL) end(id);
}

JM_EXPORT void kokkosp_push_profile_region(const char *name) { begin(name, NULL); }

JM_EXPORT void kokkosp_pop_profile_region(void) { jm_pop(JM_KOKKOS); }

/* A section's id is the number of its region: no table, so that a program may make any number of them. */
JM_EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *id) {
    struct joulemark__thread *t = jm_thread(JM_KOKKOS, 0);
    if (id) *id = t ? joulemark__lookup(t, name) : 0;
}

JM_EXPORT void kokkosp_destroy_profile_section(uint32_t id) { (void)id; }

/* Sections may overlap: each is its own, on a track beside that of kernels and regions. */
static uint32_t section(uint32_t id) {
    static uint32_t track;
    if (!track) track = jm_domain_track(JM_KOKKOS, "sections");
    return jm_of(track, joulemark__checked(id));
}

JM_EXPORT void kokkosp_start_profile_section(uint32_t id) {
    struct joulemark__thread *t = jm_thread(JM_KOKKOS, 1);
    if (t) jm_enter(t, section(id));
}

JM_EXPORT void kokkosp_stop_profile_section(uint32_t id) {
    struct joulemark__thread *t = jm_thread(JM_KOKKOS, 0);
    if (t) jm_exit_alone(t, section(id));
}

/* Copies between memory spaces, whose names come in structures of 64 bytes by value. */
struct space { char name[64]; };

JM_EXPORT void kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_at,
                                       struct space from, const char *from_name,
                                       const void *from_at, uint64_t bytes) {
    begin("Kokkos::deep_copy", NULL);
}

JM_EXPORT void kokkosp_end_deep_copy(void) { jm_end(JM_KOKKOS, "Kokkos::deep_copy"); }
