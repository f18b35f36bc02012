/*
 * tau.h: what the files of TAU's interface share.
 *
 * TAU's own functions call one another by the names that programs call: a call that is on its way
 * within the real library is not the program's, and marks nothing.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_TAU_H
#define JOULEMARK_PRELOAD_TAU_H

#include "core.h"

#define JM_TAU_LIBRARY "libTAU"

/* A timer of ours, where no TAU makes one: found again by its address. */
struct jm_timer { uint32_t region; char name[]; };

/* Calls of the real library that this thread is in. */
extern JM_HIDDEN __thread __attribute__((tls_model("initial-exec"))) int jm_tau_inside;

/* Calling thread's state where the call is the program's and marks go somewhere; NULL otherwise. */
static inline __attribute__((unused)) struct joulemark__thread *jm_tau_thread(int begins) {
    return jm_tau_inside ? NULL : jm_thread(JM_TAU, begins);
}

/* A statement that calls the real library. */
#define JM_TAU_REAL(call)                                                                          \
    do {                                                                                           \
        jm_tau_inside++;                                                                           \
        call;                                                                                      \
        jm_tau_inside--;                                                                           \
    } while (0)

JM_HIDDEN struct jm_timer *jm_new_timer(const char *name);

/* Begins and ends a timer by its handle, ours or the real library's; `task`: of TAU's own task. */
JM_HIDDEN void jm_tau_begin(void *handle, int is_real, int task);
JM_HIDDEN void jm_tau_end(void *handle, int is_real, int task);
JM_HIDDEN void jm_tau_begin_name(const char *name, int task);
JM_HIDDEN void jm_tau_end_name(const char *name, int task);

/* A call by a name: the mark, then the real library. Nothing is put on the stack for neither. */
#define JM_TAU_CALL(function, mark, args)                                                          \
    do {                                                                                           \
        static void *jm_slot;                                                                      \
        __typeof__(&function) jm_real;                                                             \
        if (__builtin_expect(!(jm_on & JM_TAU) && jm_slot == (void *)&jm_slot, 1)) return;         \
        if (__builtin_expect(!jm_tau_inside && jm_slot == (void *)&jm_slot, 1)) {                  \
            mark;                                                                                  \
            return;                                                                                \
        }                                                                                          \
        if (jm_is_on(JM_TAU) && !jm_tau_inside) mark;                                              \
        jm_real = (__typeof__(&function))jm_next(&jm_slot, #function, JM_TAU_LIBRARY);             \
        if (jm_real) JM_TAU_REAL(jm_real args);                                                    \
    } while (0)

#endif /* JOULEMARK_PRELOAD_TAU_H */
