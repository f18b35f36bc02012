/*
 * itt.c: Intel's Instrumentation and Tracing interface, which is in the program itself and loads the
 * library that INTEL_LIBITTNOTIFY64 names; the functions are then found by their names. Structures
 * and calls: the ITT API reference in Intel's VTune documentation. Tasks and events are regions of
 * their thread, a frame is a time step; itt_values.c has the rest.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

struct domain { volatile int flags; const char *name; void *wide; int extra1; void *extra2, *next; };
struct string { const char *name; void *wide; int extra1; void *extra2, *next; };
struct id { uint64_t d1, d2, d3; };

static struct domain *domains;
static struct string *strings;
static int lists;

static int locked(void) { return jm_take_lock(&lists); }
static void unlock(void) { __atomic_store_n(&lists, 0, __ATOMIC_RELEASE); }

/* Its presence means that the functions below may be found by name. */
JM_EXPORT const char *__itt_api_version(void) { return "joulemark"; }

JM_EXPORT void *__itt_domain_create(const char *name) {
    struct domain *d;
    if (!name || !locked()) return NULL;
    for (d = domains; d && strcmp(d->name, name) != 0; d = (struct domain *)d->next) continue;
    if (!d && (d = (struct domain *)calloc(1, sizeof *d)) != NULL) {
        d->name = strdup(name);
        /* Without the flag the program's macros do not call at all. */
        d->flags = (jm_on & JM_ITT) && joulemark__state_9.mode != 1;
        d->next = domains;
        if (d->name) domains = d;
    }
    unlock();
    return d;
}

JM_EXPORT void *__itt_string_handle_create(const char *name) {
    struct string *s;
    if (!name || !locked()) return NULL;
    for (s = strings; s && strcmp(s->name, name) != 0; s = (struct string *)s->next) continue;
    if (!s && (s = (struct string *)calloc(1, sizeof *s)) != NULL) {
        s->name = strdup(name);
        s->next = strings;
        if (s->name) strings = s;
    }
    unlock();
    return s;
}

/* A domain's track: kept in a field of it that the interface leaves to the tool. */
static uint32_t track_of(const void *domain) {
    struct domain *d = (struct domain *)(uintptr_t)domain;
    if (!d) return jm_track(JM_ITT);
    if (!d->extra1) d->extra1 = (int)jm_domain_track(JM_ITT, d->name);
    return (uint32_t)d->extra1;
}

static void begin(struct joulemark__thread *t, const void *domain, const char *name) {
    jm_enter(t, jm_of(track_of(domain), joulemark__lookup(t, name ? name : "")));
}

JM_EXPORT void __itt_task_begin(const void *domain, struct id task, struct id parent,
                                const struct string *name) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 1);
    if (t) begin(t, domain, name ? name->name : NULL);
}

JM_EXPORT void __itt_task_end(const void *domain) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 0);
    if (t) jm_leave(t, track_of(domain));
}

/* The same with a function in place of a name: its dynamic symbol, else MODULE+0xOFFSET. */
JM_EXPORT void __itt_task_begin_fn(const void *domain, struct id task, struct id parent, void *fn) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 1);
    char text[128];
    Dl_info where;
    const char *name = text;
    int saved = errno;
    if (!t) return;
    if (!dladdr(fn, &where) || !where.dli_fname) {
        snprintf(text, sizeof text, "%p", fn);
    } else if (where.dli_sname && where.dli_saddr == fn) {
        name = where.dli_sname;
    } else {
        const char *base = strrchr(where.dli_fname, '/');
        snprintf(text, sizeof text, "%.99s+0x%lx", base ? base + 1 : where.dli_fname,
                 (unsigned long)((uintptr_t)fn - (uintptr_t)where.dli_fbase));
    }
    begin(t, domain, name);
    errno = saved;
}

/* 48 bits of an id's three words. */
static uint64_t number_of(struct id id) {
    uint64_t h = (id.d1 ^ (id.d2 + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull) + id.d3;
    h = (h ^ h >> 29) * 0x94d049bb133111ebull;
    return (h ^ h >> 32) & 0xffffffffffffull;
}

/* Tasks that overlap, and ITT's own regions, begin and end by id, on any thread: spans. */
static void span_begin(const void *domain, struct id id, const struct string *name,
                       enum jm_space space) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 0);
    const char *text = name && name->name ? name->name : "";
    if (t) jm_span_begin(t, jm_of(track_of(domain), joulemark__lookup(t, text)), number_of(id), space);
}

static void span_end(const void *domain, struct id id, enum jm_space space) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 0);
    if (t) jm_span_end(t, track_of(domain), number_of(id), space);
}

JM_EXPORT void __itt_task_begin_overlapped(const void *domain, struct id task, struct id parent,
                                           const struct string *name) {
    span_begin(domain, task, name, JM_SPANS_ITT_TASKS);
}

JM_EXPORT void __itt_task_end_overlapped(const void *domain, struct id task) {
    span_end(domain, task, JM_SPANS_ITT_TASKS);
}

JM_EXPORT void __itt_region_begin(const void *domain, struct id id, struct id parent,
                                  const struct string *name) {
    span_begin(domain, id, name, JM_SPANS_ITT_REGIONS);
}

JM_EXPORT void __itt_region_end(const void *domain, struct id id) {
    span_end(domain, id, JM_SPANS_ITT_REGIONS);
}

/*
 * The same with a time of the program's own clock, which is not known here: they count at the call.
 */
JM_EXPORT void __itt_task_begin_ex(const void *domain, void *clock, uint64_t time, struct id task,
                                   struct id parent, const struct string *name) {
    __itt_task_begin(domain, task, parent, name);
}

JM_EXPORT void __itt_task_begin_fn_ex(const void *domain, void *clock, uint64_t time,
                                      struct id task, struct id parent, void *fn) {
    __itt_task_begin_fn(domain, task, parent, fn);
}

JM_EXPORT void __itt_task_end_ex(const void *domain, void *clock, uint64_t time) {
    __itt_task_end(domain);
}

JM_EXPORT void __itt_task_begin_overlapped_ex(const void *domain, void *clock, uint64_t time,
                                              struct id task, struct id parent,
                                              const struct string *name) {
    __itt_task_begin_overlapped(domain, task, parent, name);
}

JM_EXPORT void __itt_task_end_overlapped_ex(const void *domain, void *clock, uint64_t time,
                                            struct id task) {
    __itt_task_end_overlapped(domain, task);
}

/* A frame that is over already. */
JM_EXPORT void __itt_frame_submit_v3(const void *domain, struct id *id, uint64_t begin,
                                     uint64_t end) {
    if (jm_thread(JM_ITT, 0)) joulemark_epoch();
}

JM_EXPORT void __itt_frame_begin_v3(const void *domain, const struct id *id) {
    if (jm_thread(JM_ITT, 0)) joulemark_epoch();
}

JM_EXPORT void __itt_frame_end_v3(const void *domain, const struct id *id) {
}

/* Events of the older interface: a number for a name, then start and end by it. */
JM_EXPORT int __itt_event_create(const char *name, int length) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 0);
    char text[JM_ROOM(length)];
    if (!t) return 0;
    return (int)joulemark__find(t, jm_fortran(name, length, text), JOULEMARK_HINT_UNKNOWN);
}

/* Events may overlap, and nest with no task. */
static uint32_t event_track(void) {
    static uint32_t track;
    if (!track) track = jm_domain_track(JM_ITT, "events");
    return track;
}

JM_EXPORT int __itt_event_start(int event) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 1);
    if (t) jm_enter(t, jm_of(event_track(), joulemark__checked((uint64_t)(uint32_t)event)));
    return 0;
}

JM_EXPORT int __itt_event_end(int event) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 0);
    if (t) jm_exit_alone(t, jm_of(event_track(), joulemark__checked((uint64_t)(uint32_t)event)));
    return 0;
}
