/*
 * tau.c: TAU's instrumentation interface, C and Fortran: "TAU Instrumentation API" in its manual.
 * Timers and phases are regions, user events and metadata are attributes that are set. The real library
 * always gets the calls too.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "libTAU"

/* A timer of ours, where no TAU makes one: found again by its address. */
struct timer { uint32_t region; char name[256]; };

#define NAMED(symbol, mark)                                                                        \
    JM_EXPORT void symbol(const char *name);                                                       \
    JM_EXPORT void symbol(const char *name) {                                                      \
        JM_MARK_AND_FORWARD(JM_TAU, mark(JM_TAU, name), void, , #symbol, LIBRARY, (const char *),  \
                            (name));                                                               \
    }
NAMED(Tau_start, jm_begin_name)
NAMED(Tau_stop, jm_end_name)
NAMED(Tau_pure_start, jm_begin_name)
NAMED(Tau_pure_stop, jm_end_name)
NAMED(Tau_static_phase_start, jm_begin_name)
NAMED(Tau_static_phase_stop, jm_end_name)

#define DYNAMIC(symbol, mark)                                                                      \
    JM_EXPORT void symbol(const char *name, int phase);                                            \
    JM_EXPORT void symbol(const char *name, int phase) {                                           \
        mark(JM_TAU, name);                                                                        \
        JM_FORWARD_VOID(#symbol, LIBRARY, (const char *, int), (name, phase));                     \
    }
DYNAMIC(Tau_dynamic_start, jm_begin)
DYNAMIC(Tau_dynamic_stop, jm_end)

static struct timer *new_timer(const char *name) {
    struct timer *timer = (struct timer *)calloc(1, sizeof *timer);
    if (timer) snprintf(timer->name, sizeof timer->name, "%s", name ? name : "");
    return timer;
}

JM_EXPORT void Tau_profile_c_timer(void **handle, const char *name, const char *type,
                                   uint64_t group, const char *group_name);
JM_EXPORT void Tau_profile_c_timer(void **handle, const char *name, const char *type,
                                   uint64_t group, const char *group_name) {
    static void *slot;
    void (*real)(void **, const char *, const char *, uint64_t, const char *) =
        (void (*)(void **, const char *, const char *, uint64_t, const char *))jm_next(
            &slot, "Tau_profile_c_timer", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 0);
    if (*handle) return;
    if (real) {
        real(handle, name, type, group, group_name);
        if (t) jm_keep_id((uint64_t)(uintptr_t)*handle,
                          joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN));
    } else {
        *handle = new_timer(name);
    }
}

/* A profiler by its name; TAU_PROFILER_START is Tau_start_timer. */
JM_EXPORT void *Tau_get_profiler(const char *name, const char *type, uint64_t group,
                                 const char *group_name);
JM_EXPORT void *Tau_get_profiler(const char *name, const char *type, uint64_t group,
                                 const char *group_name) {
    static void *slot;
    void *(*real)(const char *, const char *, uint64_t, const char *) =
        (void *(*)(const char *, const char *, uint64_t, const char *))jm_next(
            &slot, "Tau_get_profiler", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 0);
    void *handle = real ? real(name, type, group, group_name) : new_timer(name);
    if (real && t)
        jm_keep_id((uint64_t)(uintptr_t)handle, joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN));
    return handle;
}

/* A timer or phase of each iteration: NAME [ITERATION], as TAU calls it. */
JM_EXPORT void Tau_profile_dynamic_auto(int iteration, void **handle, char *name, char *type,
                                        uint64_t group, char *group_name, int phase);
JM_EXPORT void Tau_profile_dynamic_auto(int iteration, void **handle, char *name, char *type,
                                        uint64_t group, char *group_name, int phase) {
    static void *slot;
    void (*real)(int, void **, char *, char *, uint64_t, char *, int) =
        (void (*)(int, void **, char *, char *, uint64_t, char *, int))jm_next(
            &slot, "Tau_profile_dynamic_auto", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 0);
    char text[256];
    snprintf(text, sizeof text, "%.240s [%d]", name ? name : "", iteration);
    if (real) real(iteration, handle, name, type, group, group_name, phase);
    else *handle = new_timer(text);
    if (real && t)
        jm_keep_id((uint64_t)(uintptr_t)*handle, joulemark__find(t, text, JOULEMARK_HINT_UNKNOWN));
}

/* Ends the timer that was started last. */
JM_EXPORT void Tau_global_stop(void);
JM_EXPORT void Tau_global_stop(void) {
    jm_pop(JM_TAU);
    JM_FORWARD_VOID("Tau_global_stop", LIBRARY, (void), ());
}

/* Region of a timer: TAU's own are known by the address that it gave them. */
static uint32_t region_of(struct joulemark__thread *t, void *handle, int is_real) {
    struct timer *timer = (struct timer *)handle;
    uint32_t region;
    if (is_real) {
        region = jm_take_id((uint64_t)(uintptr_t)handle);
        if (region) jm_keep_id((uint64_t)(uintptr_t)handle, region);
        return joulemark__checked(region);
    }
    if (!timer) return 0;
    if (!timer->region) timer->region = joulemark__find(t, timer->name, JOULEMARK_HINT_UNKNOWN);
    return joulemark__checked(timer->region);
}

JM_EXPORT void Tau_start_timer(void *handle, int phase, int tid);
JM_EXPORT void Tau_start_timer(void *handle, int phase, int tid) {
    static void *slot;
    void (*real)(void *, int, int) =
        (void (*)(void *, int, int))jm_next(&slot, "Tau_start_timer", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 1);
    if (t) jm_enter(t, jm_of(jm_track(JM_TAU), region_of(t, handle, real != NULL)));
    if (real) real(handle, phase, tid);
}

JM_EXPORT int Tau_stop_timer(void *handle, int tid);
JM_EXPORT int Tau_stop_timer(void *handle, int tid) {
    static void *slot;
    int (*real)(void *, int) = (int (*)(void *, int))jm_next(&slot, "Tau_stop_timer", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 0);
    if (t) jm_exit(t, jm_of(jm_track(JM_TAU), region_of(t, handle, real != NULL)));
    return real ? real(handle, tid) : 0;
}

/* What TAU_PROFILE_START and TAU_PROFILE_STOP are in TAU's header. */
JM_EXPORT void Tau_lite_start_timer(void *handle, int phase);
JM_EXPORT void Tau_lite_start_timer(void *handle, int phase) {
    static void *slot;
    void (*real)(void *, int) =
        (void (*)(void *, int))jm_next(&slot, "Tau_lite_start_timer", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 1);
    if (t) jm_enter(t, jm_of(jm_track(JM_TAU), region_of(t, handle, real != NULL)));
    if (real) real(handle, phase);
}

JM_EXPORT void Tau_lite_stop_timer(void *handle);
JM_EXPORT void Tau_lite_stop_timer(void *handle) {
    static void *slot;
    void (*real)(void *) = (void (*)(void *))jm_next(&slot, "Tau_lite_stop_timer", LIBRARY);
    struct joulemark__thread *t = jm_thread(JM_TAU, 0);
    if (t) jm_exit(t, jm_of(jm_track(JM_TAU), region_of(t, handle, real != NULL)));
    if (real) real(handle);
}

/* Fortran's timers and static phases: a handle that is zero at first, then start and stop by it. */
#define FORTRAN_TIMER(symbol)                                                                      \
    JM_EXPORT void symbol(void **handle, const char *name, int length);                            \
    JM_EXPORT void symbol(void **handle, const char *name, int length) {                           \
        static void *slot;                                                                         \
        void (*real)(void **, const char *, int) =                                                 \
            (void (*)(void **, const char *, int))jm_next(&slot, #symbol, LIBRARY);                \
        struct joulemark__thread *t = jm_thread(JM_TAU, 0);                                        \
        char text[256];                                                                            \
        if (*handle) return;                                                                       \
        jm_fortran(name, length, text);                                                            \
        if (real) real(handle, name, length);                                                      \
        else *handle = new_timer(text);                                                            \
        if (real && t)                                                                             \
            jm_keep_id((uint64_t)(uintptr_t)*handle,                                               \
                       joulemark__find(t, text, JOULEMARK_HINT_UNKNOWN));                          \
    }
FORTRAN_TIMER(tau_profile_timer_)
FORTRAN_TIMER(tau_phase_create_static_)

#define FORTRAN_MARK(symbol, mark, begins)                                                         \
    JM_EXPORT void symbol(void **handle);                                                          \
    JM_EXPORT void symbol(void **handle) {                                                         \
        static void *slot;                                                                         \
        void (*real)(void **) = (void (*)(void **))jm_next(&slot, #symbol, LIBRARY);               \
        struct joulemark__thread *t = jm_thread(JM_TAU, begins);                                   \
        if (t) mark(t, jm_of(jm_track(JM_TAU), region_of(t, *handle, real != NULL)));              \
        if (real) real(handle);                                                                    \
    }
FORTRAN_MARK(tau_profile_start_, jm_enter, 1)
FORTRAN_MARK(tau_profile_stop_, jm_exit, 0)
FORTRAN_MARK(tau_phase_start_, jm_enter, 1)
FORTRAN_MARK(tau_phase_stop_, jm_exit, 0)

#define FORTRAN(symbol, mark)                                                                      \
    JM_EXPORT void symbol(const char *name, int length);                                           \
    JM_EXPORT void symbol(const char *name, int length) {                                          \
        char text[256];                                                                            \
        mark(JM_TAU, jm_fortran(name, length, text));                                              \
        JM_FORWARD_VOID(#symbol, LIBRARY, (const char *, int), (name, length));                    \
    }
FORTRAN(tau_start_, jm_begin)
FORTRAN(tau_stop_, jm_end)

/* ---------------------------------------------------------------- user events, metadata */

/* Names of events that a real TAU gave out, by its own handles; the latest stand. */
static struct { void *event; char name[120]; } known_events[256];
static uint32_t known_next;

static void *new_event(void *real, const char *name) {
    uint32_t at;
    if (!real) return new_timer(name);
    at = __atomic_fetch_add(&known_next, 1, __ATOMIC_RELAXED) % 256;
    snprintf(known_events[at].name, sizeof known_events[at].name, "%s", name ? name : "");
    __atomic_store_n(&known_events[at].event, real, __ATOMIC_RELEASE);
    return real;
}

/* A value of an event: an attribute of its name that is set. */
static void happened(void *event, double data, int is_real) {
    const char *name = event && !is_real ? ((struct timer *)event)->name : NULL;
    int i;
    for (i = 0; is_real && !name && i < 256; i++) {
        if (__atomic_load_n(&known_events[i].event, __ATOMIC_ACQUIRE) == event)
            name = known_events[i].name;
    }
    if (name && jm_thread(JM_TAU, 1)) joulemark_set_double(name, data);
}

JM_EXPORT void *Tau_get_userevent(const char *name);
JM_EXPORT void *Tau_get_userevent(const char *name) {
    static void *slot;
    void *(*real)(const char *) = (void *(*)(const char *))jm_next(&slot, "Tau_get_userevent", LIBRARY);
    return new_event(real ? real(name) : NULL, name);
}

JM_EXPORT void Tau_get_context_userevent(void **event, const char *name);
JM_EXPORT void Tau_get_context_userevent(void **event, const char *name) {
    static void *slot;
    void (*real)(void **, const char *) =
        (void (*)(void **, const char *))jm_next(&slot, "Tau_get_context_userevent", LIBRARY);
    if (real) real(event, name);
    if (!real && *event) return;
    *event = new_event(real ? *event : NULL, name);
}

#define EVENT(symbol)                                                                              \
    JM_EXPORT void symbol(void *event, double data);                                               \
    JM_EXPORT void symbol(void *event, double data) {                                              \
        static void *slot;                                                                         \
        void (*real)(void *, double) = (void (*)(void *, double))jm_next(&slot, #symbol, LIBRARY); \
        happened(event, data, real != NULL);                                                       \
        if (real) real(event, data);                                                               \
    }
EVENT(Tau_userevent)
EVENT(Tau_context_userevent)

#define METADATA(symbol)                                                                           \
    JM_EXPORT void symbol(const char *name, const char *value);                                    \
    JM_EXPORT void symbol(const char *name, const char *value) {                                   \
        if (name && value && jm_thread(JM_TAU, 1)) joulemark_set_string(name, value);              \
        JM_FORWARD_VOID(#symbol, LIBRARY, (const char *, const char *), (name, value));            \
    }
METADATA(Tau_metadata)
METADATA(Tau_phase_metadata)
METADATA(Tau_context_metadata)
