/*
 * nvtx.c: NVTX version 3, which is in the program itself and loads the library that
 * NVTX_INJECTION64_PATH names: "Tool injection" in NVIDIA's NVTX documentation, whose tables of
 * numbers these are. Pushed ranges are regions of their thread; started ranges are spans. Each domain is a track of its own; its ranges keep their plain names.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"
#include <wchar.h>

/* A program's attributes of a range. */
struct event {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type; /* 1: text, 2: wide text, 3: registered before */
    const void *message;
};

typedef void (*function)(void);
struct callbacks {
    size_t size;
    int (*table)(int module, function ***table, unsigned *size);
};

/* A string registered before, or a domain: what its handle points to. */
struct text { uint32_t track; char name[]; };

/* Track of a domain: NULL is the default one. Only where marks go somewhere. */
static uint32_t track_of(struct text *domain) {
    if (!domain) return jm_track(JM_NVTX);
    if (!domain->track) domain->track = jm_domain_track(JM_NVTX, domain->name);
    return domain->track;
}

/* Room for the text of an event where it is a wide one. */
static size_t room_for(const struct event *e) {
    return e && e->message_type == 2 ? jm_narrow_room((const wchar_t *)e->message) : 1;
}

static const char *message_of(const struct event *e, char *into, size_t room) {
    if (!e) return NULL;
    if (e->message_type == 1) return (const char *)e->message;
    if (e->message_type == 2 && e->message)
        return jm_narrow((const wchar_t *)e->message, into, room);
    if (e->message_type == 3 && e->message) return ((const struct text *)e->message)->name;
    return NULL;
}

/* UTF-8 of a wide name, in `text`. */
static const char *narrow(const wchar_t *name, char *text, size_t room) {
    return name ? jm_narrow(name, text, room) : NULL;
}

static int push(struct text *domain, const char *name) {
    struct joulemark__thread *t = jm_thread(JM_NVTX, 1);
    uint32_t track;
    if (!t) return -2; /* NVTX_NO_PUSH_POP_TRACKING */
    track = track_of(domain);
    jm_enter(t, jm_of(track, joulemark__lookup(t, name ? name : "")));
    return (int)joulemark__levels(t, track) - 1;
}

static int pop(struct text *domain) {
    struct joulemark__thread *t = jm_thread(JM_NVTX, 0);
    uint32_t track;
    if (!t) return -2;
    track = track_of(domain);
    jm_leave(t, track);
    return (int)joulemark__levels(t, track);
}

static uint64_t start(struct text *domain, const char *name) {
    struct joulemark__thread *t = jm_thread(JM_NVTX, 0);
    uint64_t id = joulemark__next_span();
    if (t) {
        uint32_t region = jm_of(track_of(domain), joulemark__lookup(t, name ? name : ""));
        jm_span_begin(t, region, id, JM_SPANS_OWN);
    }
    return id;
}

static void stop(uint64_t id) {
    struct joulemark__thread *t = jm_thread(JM_NVTX, 0);
    if (t) jm_span_end(t, jm_track(JM_NVTX), id, JM_SPANS_OWN);
}

/* A moment: an attribute that is set, of recordings and channels. */
static void mark(const char *name) {
    struct joulemark__thread *t = jm_thread(JM_NVTX, 1);
    if (t)
        joulemark__set(t, joulemark__lookup(t, "nvtx.mark"), JOULEMARK__TYPE_STRING,
                       joulemark__lookup(t, name ? name : ""));
}
static void mark_w(const wchar_t *name) {
    char text[jm_narrow_room(name)];
    mark(narrow(name, text, sizeof text));
}
static void domain_mark(void *domain, const struct event *e) {
    char text[room_for(e)];
    mark(message_of(e, text, sizeof text));
}
static void mark_ex(const struct event *e) { domain_mark(NULL, e); }

static int push_a(const char *name) { return push(NULL, name); }
static int pop_own(void) { return pop(NULL); }
static int push_w(const wchar_t *name) {
    char text[jm_narrow_room(name)];
    return push(NULL, narrow(name, text, sizeof text));
}
static int domain_push(void *domain, const struct event *e) {
    char text[room_for(e)];
    return push((struct text *)domain, message_of(e, text, sizeof text));
}
static int push_ex(const struct event *e) { return domain_push(NULL, e); }
static int domain_pop(void *domain) { return pop((struct text *)domain); }
static uint64_t start_a(const char *name) { return start(NULL, name); }
static uint64_t start_w(const wchar_t *name) {
    char text[jm_narrow_room(name)];
    return start(NULL, narrow(name, text, sizeof text));
}
static uint64_t domain_start(void *domain, const struct event *e) {
    char text[room_for(e)];
    return start((struct text *)domain, message_of(e, text, sizeof text));
}
static uint64_t start_ex(const struct event *e) { return domain_start(NULL, e); }
static void domain_stop(void *domain, uint64_t id) {
    stop(id);
}
static void *register_a(void *domain, const char *name) {
    return jm_named(offsetof(struct text, name), name);
}
static void *register_w(void *domain, const wchar_t *name) {
    char text[jm_narrow_room(name)];
    return register_a(domain, narrow(name, text, sizeof text));
}
static void *create_a(const char *name) { return register_a(NULL, name); }
static void *create_w(const wchar_t *name) { return register_w(NULL, name); }

/* Modules of the tables, and the places of the calls in them. */
enum { MODULE_CORE = 1, MODULE_CORE2 = 5, TABLE_CALLBACKS = 1 };

static const struct { int module; unsigned at; function call; } calls[] = {
    {MODULE_CORE, 1, (function)mark_ex},       {MODULE_CORE, 2, (function)mark},
    {MODULE_CORE, 3, (function)mark_w},        {MODULE_CORE2, 1, (function)domain_mark},
    {MODULE_CORE, 4, (function)start_ex},      {MODULE_CORE, 5, (function)start_a},
    {MODULE_CORE, 6, (function)start_w},       {MODULE_CORE, 7, (function)stop},
    {MODULE_CORE, 8, (function)push_ex},       {MODULE_CORE, 9, (function)push_a},
    {MODULE_CORE, 10, (function)push_w},       {MODULE_CORE, 11, (function)pop_own},
    {MODULE_CORE2, 2, (function)domain_start}, {MODULE_CORE2, 3, (function)domain_stop},
    {MODULE_CORE2, 4, (function)domain_push},  {MODULE_CORE2, 5, (function)domain_pop},
    {MODULE_CORE2, 10, (function)register_a},  {MODULE_CORE2, 11, (function)register_w},
    {MODULE_CORE2, 12, (function)create_a},    {MODULE_CORE2, 13, (function)create_w},
};

JM_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id)) {
    const struct callbacks *callbacks;
    size_t i;
    if (!(jm_on & JM_NVTX) || joulemark__state_9.mode == 1) return 0;
    callbacks = (const struct callbacks *)tables(TABLE_CALLBACKS);
    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->table) return 0;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        function **table = NULL;
        unsigned size = 0;
        if (callbacks->table(calls[i].module, &table, &size) && table && calls[i].at < size &&
            table[calls[i].at])
            *table[calls[i].at] = calls[i].call;
    }
    return 1;
}
