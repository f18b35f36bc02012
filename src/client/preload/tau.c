/*
 * tau.c: TAU's instrumentation interface, C and Fortran: "TAU Instrumentation API" in its manual.
 * Timers and phases are regions. The real library always gets the calls too.
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
