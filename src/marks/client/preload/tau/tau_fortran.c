/*
 * tau_fortran.c: TAU's timers and phases as Fortran has them, by names with one underscore. Names come
 * with their lengths, iterations as arguments that TAU itself does not look at.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "tau.h"

/*
 * Timers and phases: a handle that is zero at first, then start and stop by it. Where the program has put an
 * iteration into the name, each call makes a timer.
 */
#define TIMER(symbol, is_new, parameters, args)                                                    \
    JM_EXPORT void symbol parameters {                                                             \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        char text[JM_ROOM(length)];                                                                \
        if (real) JM_TAU_REAL(real args);                                                          \
        else if (is_new) *handle = jm_new_timer(jm_fortran(name, length, text));                   \
    }
#define PLAIN(symbol, is_new)                                                                      \
    TIMER(symbol, is_new, (void **handle, const char *name, int length), (handle, name, length))
PLAIN(tau_profile_timer_, !*handle)
PLAIN(tau_phase_create_static_, !*handle)
PLAIN(tau_profile_timer_dynamic_, 1)
PLAIN(tau_phase_create_dynamic_, 1)
TIMER(tau_profile_timer_group_, !*handle,
      (void **handle, const char *name, int *group, int length), (handle, name, group, length))

/* NAME [ITERATION], as TAU calls it. */
#define ITERATION(symbol)                                                                          \
    JM_EXPORT void symbol(int *iteration, void **handle, const char *name, int length) {           \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        char text[JM_ROOM(length)], whole[sizeof text + 16];                                       \
        if (real) {                                                                                \
            JM_TAU_REAL(real(iteration, handle, name, length));                                    \
            return;                                                                                \
        }                                                                                          \
        snprintf(whole, sizeof whole, "%s [%d]", jm_fortran(name, length, text), *iteration);      \
        *handle = jm_new_timer(whole);                                                             \
    }
ITERATION(tau_profile_dynamic_iter_)
ITERATION(tau_phase_dynamic_iter_)

#define MARK(symbol, mark)                                                                         \
    JM_EXPORT void symbol(void **handle) {                                                         \
        JM_REAL(symbol, JM_TAU_LIBRARY);                                                           \
        mark(*handle, real != NULL, -1);                                                           \
        if (real) JM_TAU_REAL(real(handle));                                                       \
    }
MARK(tau_profile_start_, jm_tau_begin)
MARK(tau_profile_stop_, jm_tau_end)
MARK(tau_phase_start_, jm_tau_begin)
MARK(tau_phase_stop_, jm_tau_end)

static void begin(const char *name, int length) {
    char text[JM_ROOM(length)];
    jm_begin_name(JM_TAU, jm_fortran(name, length, text));
}
static void end(const char *name, int length) {
    char text[JM_ROOM(length)];
    jm_end_name(JM_TAU, jm_fortran(name, length, text));
}

#define NAMED(symbol, mark)                                                                        \
    JM_EXPORT void symbol(const char *name, int length) {                                          \
        JM_TAU_CALL(symbol, mark(name, length), (name, length));                                   \
    }
NAMED(tau_start_, begin)
NAMED(tau_stop_, end)
NAMED(tau_pure_start_, begin)
NAMED(tau_pure_stop_, end)
NAMED(tau_static_timer_start_, begin)
NAMED(tau_static_timer_stop_, end)
NAMED(tau_static_phase_start_, begin)
NAMED(tau_static_phase_stop_, end)

#define OF_ITERATION(symbol, mark)                                                                 \
    JM_EXPORT void symbol(void *iteration, const char *name, int length) {                         \
        JM_TAU_CALL(symbol, mark(name, length), (iteration, name, length));                        \
    }
OF_ITERATION(tau_dynamic_timer_start_, begin)
OF_ITERATION(tau_dynamic_timer_stop_, end)
OF_ITERATION(tau_dynamic_phase_start_, begin)
OF_ITERATION(tau_dynamic_phase_stop_, end)
