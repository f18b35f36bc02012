/*
 * gomp.c: OpenMP by GCC's runtime, libgomp, which has no tools interface: its entry points are
 * answered, so that programs of gcc and gfortran need no recompilation. Truth: GCC's libgomp/libgomp_g.h.
 *
 * A loop with a static schedule calls nothing, so the work of a thread is its part of the parallel
 * region without the waits in it. Where threads other than the one that began the region wait at its
 * end cannot be seen: that is not counted. A single has no end of its own: it lasts until the thread's
 * next barrier or single, or the end of its part.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "openmp.h"

/* Other runtimes answer GCC's calls as well, and have the locks under the same names. */
#define LIBRARY "libgomp|libomp|libiomp|libnvomp"
#define HERE __builtin_return_address(0)

/* What each thread of a parallel region does, and where it began. */
struct part { void (*function)(void *); void *data; const void *owner; };

static int listens(void) {
    return jm_is_on(JM_OMPT) && !jm_omp_has_ompt && joulemark__state_9.mode != 1;
}

/* A thread's number and the team's size, by the runtime itself. */
static void joins(void) {
    static void *number_slot, *threads_slot;
    int (*number)(void) = (int (*)(void))jm_next(&number_slot, "omp_get_thread_num", LIBRARY);
    int (*threads)(void) = (int (*)(void))jm_next(&threads_slot, "omp_get_num_threads", LIBRARY);
    if (jm_omp_tells()) jm_omp_joins(number ? number() : 0, threads ? threads() : 1);
}

/* Is this thread inside a parallel region's part? Waits outside of all are none of it. */
JM_TLS int parts;
/* The depth of parts that this thread's single is in; 0: it is in none. */
JM_TLS int single;

static void single_ends(void) {
    if (!single || single != parts) return;
    single = 0;
    jm_omp_end(JM_OMP_SINGLE);
}

static void single_begins(void) {
    single_ends();
    if (single || !parts || !listens()) return;
    single = parts;
    jm_omp_begin(JM_OMP_SINGLE);
}

static void run_part(void *pointer) {
    struct part part = *(struct part *)pointer;
    jm_omp_thread(part.owner == (void *)&joulemark__self_9 ? "initial" : "worker");
    joins();
    jm_omp_begin(JM_OMP_IMPLICIT);
    jm_omp_begin(JM_OMP_OTHER_WORK);
    parts++;
    part.function(part.data);
    single_ends();
    parts--;
    jm_omp_end(JM_OMP_OTHER_WORK);
    jm_omp_end(JM_OMP_IMPLICIT);
    jm_omp_leaves();
    if (part.owner == (void *)&joulemark__self_9) jm_omp_begin(JM_OMP_BARRIER_IMPLICIT);
}

/* The region's end, on the thread that began it. */
static void finished(uint32_t region) {
    jm_omp_end(JM_OMP_BARRIER_IMPLICIT);
    jm_omp_parallel_end(region);
}

/* One that begins, runs and ends in one call. */
#define PARALLEL(type, otherwise, symbol, more, more_args)                                         \
    JM_EXPORT type symbol(void (*fn)(void *), void *data, unsigned threads more) {                 \
        JM_REAL(symbol, LIBRARY);                                                                  \
        struct part part = {fn, data, &joulemark__self_9};                                         \
        uint32_t region;                                                                           \
        if (!real) return otherwise;                                                               \
        if (!listens() || (region = jm_omp_parallel(HERE)) == JM_OMP_UNHEARD)                      \
            return real(fn, data, threads more_args);                                              \
        PARALLEL_##type(real(run_part, &part, threads more_args), region)                          \
    }
#define PARALLEL_void(call, region)                                                                \
    call;                                                                                          \
    finished(region);
#define PARALLEL_unsigned(call, region)                                                            \
    unsigned result = call;                                                                        \
    finished(region);                                                                              \
    return result;

#define COMMA ,
PARALLEL(void, , GOMP_parallel, COMMA unsigned flags, COMMA flags)
PARALLEL(unsigned, 0, GOMP_parallel_reductions, COMMA unsigned flags, COMMA flags)
PARALLEL(void, , GOMP_parallel_sections, COMMA unsigned count COMMA unsigned flags,
         COMMA count COMMA flags)
#define LOOP_CHUNK(symbol)                                                                         \
    PARALLEL(void, , symbol,                                                                       \
             COMMA long start COMMA long end COMMA long step COMMA long chunk COMMA unsigned flags,\
             COMMA start COMMA end COMMA step COMMA chunk COMMA flags)
#define LOOP_RUNTIME(symbol)                                                                       \
    PARALLEL(void, , symbol, COMMA long start COMMA long end COMMA long step COMMA unsigned flags, \
             COMMA start COMMA end COMMA step COMMA flags)
LOOP_CHUNK(GOMP_parallel_loop_static)
LOOP_CHUNK(GOMP_parallel_loop_dynamic)
LOOP_CHUNK(GOMP_parallel_loop_guided)
LOOP_CHUNK(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP_CHUNK(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* What gcc made before 4.9: the region is open between two calls, and threads are not distinguished. */
JM_TLS uint32_t open_region[16];
JM_TLS int open_regions;

JM_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads) {
    uint32_t region = listens() ? jm_omp_parallel(HERE) : JM_OMP_UNHEARD;
    if (open_regions < 16) open_region[open_regions] = region;
    open_regions++;
    JM_FORWARD_VOID(GOMP_parallel_start, LIBRARY, (fn, data, threads));
}

JM_EXPORT void GOMP_parallel_end(void) {
    JM_FORWARD_VOID(GOMP_parallel_end, LIBRARY, ());
    if (open_regions > 0 && --open_regions < 16) jm_omp_parallel_end(open_region[open_regions]);
}

/* ---------------------------------------------------------------- waits inside */

/* A wait is no work: work ends before it, and begins again. */
static int wait_begins(enum jm_omp_kind kind) {
    if (kind == JM_OMP_BARRIER_EXPLICIT) single_ends();
    if (!listens() || !parts) return 0;
    jm_omp_end(JM_OMP_OTHER_WORK);
    jm_omp_begin(kind);
    return 1;
}

static void wait_ends(int waits, enum jm_omp_kind kind) {
    if (!waits) return;
    jm_omp_end(kind);
    jm_omp_begin(JM_OMP_OTHER_WORK);
}

#define WAIT(type, symbol, kind, parameters, args)                                                 \
    JM_EXPORT type symbol parameters {                                                             \
        JM_REAL(symbol, LIBRARY);                                                                  \
        int waits = wait_begins(kind);                                                             \
        WAIT_##type(real args, waits, kind)                                                        \
    }
#define WAIT_void(call, waits, kind)                                                               \
    if (real) call;                                                                                \
    wait_ends(waits, kind);
#define WAIT__Bool(call, waits, kind)                                                              \
    _Bool result = real ? call : 0;                                                                \
    wait_ends(waits, kind);                                                                        \
    return result;

WAIT(void, GOMP_barrier, JM_OMP_BARRIER_EXPLICIT, (void), ())
WAIT(_Bool, GOMP_barrier_cancel, JM_OMP_BARRIER_EXPLICIT, (void), ())
WAIT(void, GOMP_loop_end, JM_OMP_BARRIER_IMPLICIT, (void), ())
WAIT(_Bool, GOMP_loop_end_cancel, JM_OMP_BARRIER_IMPLICIT, (void), ())
WAIT(void, GOMP_sections_end, JM_OMP_BARRIER_IMPLICIT, (void), ())
WAIT(_Bool, GOMP_sections_end_cancel, JM_OMP_BARRIER_IMPLICIT, (void), ())
WAIT(void, GOMP_taskwait, JM_OMP_TASKWAIT, (void), ())
WAIT(void, GOMP_taskwait_depend, JM_OMP_TASKWAIT, (void **depend), (depend))
WAIT(void, GOMP_taskgroup_end, JM_OMP_TASKGROUP, (void), ())
WAIT(void, GOMP_atomic_start, JM_OMP_WAIT_ATOMIC, (void), ())
WAIT(void, GOMP_ordered_start, JM_OMP_WAIT_ORDERED, (void), ())
WAIT(void, omp_set_lock, JM_OMP_WAIT_LOCK, (void *lock), (lock))
WAIT(void, omp_set_lock_, JM_OMP_WAIT_LOCK, (void *lock), (lock))
WAIT(void, omp_set_nest_lock, JM_OMP_WAIT_LOCK, (void *lock), (lock))
WAIT(void, omp_set_nest_lock_, JM_OMP_WAIT_LOCK, (void *lock), (lock))

#define CRITICAL(start, end, parameters, args)                                                     \
    JM_EXPORT void start parameters {                                                              \
        int waits = wait_begins(JM_OMP_WAIT_CRITICAL);                                             \
        JM_FORWARD_VOID(start, LIBRARY, args);                                                     \
        wait_ends(waits, JM_OMP_WAIT_CRITICAL);                                                    \
        if (waits) jm_omp_begin(JM_OMP_CRITICAL);                                                  \
    }                                                                                              \
    JM_EXPORT void end parameters {                                                                \
        JM_FORWARD_VOID(end, LIBRARY, args);                                                       \
        jm_omp_end(JM_OMP_CRITICAL);                                                               \
    }
CRITICAL(GOMP_critical_start, GOMP_critical_end, (void), ())
CRITICAL(GOMP_critical_name_start, GOMP_critical_name_end, (void **name), (name))

/* ---------------------------------------------------------------- singles */

JM_EXPORT _Bool GOMP_single_start(void) {
    JM_REAL(GOMP_single_start, LIBRARY);
    _Bool mine = real ? real() : 0;
    if (mine) single_begins();
    else single_ends();
    return mine;
}

/* With copyprivate: the thread that gets NULL executes it, and reports when it has ended. */
JM_EXPORT void *GOMP_single_copy_start(void) {
    JM_REAL(GOMP_single_copy_start, LIBRARY);
    void *copied = real ? real() : NULL;
    if (real && !copied) single_begins();
    return copied;
}

JM_EXPORT void GOMP_single_copy_end(void *data) {
    single_ends();
    JM_FORWARD_VOID(GOMP_single_copy_end, LIBRARY, (data));
}

/* ---------------------------------------------------------------- explicit tasks */

/*
 * The runtime copies a task's data and calls the task's function with it, so nothing can be put beside
 * the data. Each function gets one of these places, and with it a function of ours for it; the
 * tasks of those that find none are not reported.
 */
#define PLACES 64
typedef void (*task_function)(void *);
static task_function functions[PLACES];

static void run_task(task_function function, void *data) {
    int outer = single;
    single = 0;
    jm_omp_begin(JM_OMP_TASK);
    function(data);
    jm_omp_end(JM_OMP_TASK);
    single = outer;
}

#define ONE(n) static void task_##n(void *data) { run_task(functions[n], data); }
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
#define NAMES(n) task_##n##0, task_##n##1, task_##n##2, task_##n##3, task_##n##4, task_##n##5,     \
                 task_##n##6, task_##n##7
/* By octal numbers: 00 to 077. */
EIGHT(0) EIGHT(01) EIGHT(02) EIGHT(03) EIGHT(04) EIGHT(05) EIGHT(06) EIGHT(07)
static const task_function ours[PLACES] = {NAMES(0),  NAMES(01), NAMES(02), NAMES(03),
                                           NAMES(04), NAMES(05), NAMES(06), NAMES(07)};

static task_function told(task_function function) {
    uint32_t at = (uint32_t)(((uintptr_t)function * 0x9e3779b97f4a7c15u) >> 58), i;
    if (!listens() || !function) return function;
    for (i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
        task_function none = NULL;
        if (__atomic_load_n(&functions[at], __ATOMIC_ACQUIRE) == function) return ours[at];
        if (__atomic_compare_exchange_n(&functions[at], &none, function, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) || none == function) return ours[at];
    }
    jm_remark("more than 64 functions of OpenMP tasks: the time of the others is not reported");
    return function;
}

/* Older programs hand over less, which the runtime does not look at then. */
JM_EXPORT void GOMP_task(task_function function, void *data, void (*copy)(void *, void *),
                         long size, long alignment, _Bool defer, unsigned flags, void **depend,
                         int priority, void *detach) {
    JM_FORWARD_VOID(GOMP_task, LIBRARY,
                    (told(function), data, copy, size, alignment, defer, flags, depend, priority,
                     detach));
}

#define TASKLOOP(symbol, type)                                                                     \
    JM_EXPORT void symbol(task_function function, void *data, void (*copy)(void *, void *),        \
                          long size, long alignment, unsigned flags, unsigned long tasks,          \
                          int priority, type start, type end, type step) {                         \
        JM_FORWARD_VOID(symbol, LIBRARY,                                                           \
                        (told(function), data, copy, size, alignment, flags, tasks, priority,      \
                         start, end, step));                                                       \
    }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
