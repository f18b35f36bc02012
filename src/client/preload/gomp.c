/*
 * gomp.c: OpenMP by GCC's runtime, libgomp, which has no tools interface: its entry points are
 * answered, so that programs of gcc and gfortran need no recompilation. Truth: GCC's libgomp/libgomp_g.h.
 *
 * A loop with a static schedule calls nothing, so the work of a thread is its part of the parallel
 * region without the waits in it. Where threads other than the one that began the region wait at its
 * end nobody can see: that is not counted. Nor are explicit tasks, whose data the runtime copies, and
 * singles, which have no end of their own.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "openmp.h"

#define LIBRARY "libgomp"
#define HERE __builtin_return_address(0)

/* What each thread of a parallel region does, and where it began. */
struct part { void (*function)(void *); void *data; const void *owner; };

static int listens(void) {
    return jm_is_on(JM_OMPT) && !jm_omp_has_ompt && joulemark__state_5.mode != 1;
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

static void run_part(void *pointer) {
    struct part part = *(struct part *)pointer;
    jm_omp_thread(part.owner == (void *)&joulemark__self_5 ? "initial" : "worker");
    joins();
    jm_omp_begin(JM_OMP_IMPLICIT);
    jm_omp_begin(JM_OMP_OTHER_WORK);
    parts++;
    part.function(part.data);
    parts--;
    jm_omp_end(JM_OMP_OTHER_WORK);
    jm_omp_end(JM_OMP_IMPLICIT);
    jm_omp_leaves();
    if (part.owner == (void *)&joulemark__self_5) jm_omp_begin(JM_OMP_BARRIER_IMPLICIT);
}

/* The region's end, on the thread that began it. */
static void finished(uint32_t region) {
    jm_omp_end(JM_OMP_BARRIER_IMPLICIT);
    jm_omp_parallel_end(region);
}

/* One that begins, runs and ends in one call. */
#define PARALLEL(type, otherwise, symbol, more, more_types, more_args)                             \
    JM_EXPORT type symbol(void (*fn)(void *), void *data, unsigned threads more);                  \
    JM_EXPORT type symbol(void (*fn)(void *), void *data, unsigned threads more) {                 \
        static void *slot;                                                                         \
        type (*real)(void (*)(void *), void *, unsigned more_types) =                              \
            (type (*)(void (*)(void *), void *, unsigned more_types))jm_next(&slot, #symbol,       \
                                                                             LIBRARY);             \
        struct part part = {fn, data, &joulemark__self_5};                                         \
        uint32_t region;                                                                           \
        if (!real) return otherwise;                                                               \
        if (!listens() || !(region = jm_omp_parallel(HERE)))                        \
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
PARALLEL(void, , GOMP_parallel, COMMA unsigned flags, COMMA unsigned, COMMA flags)
PARALLEL(unsigned, 0, GOMP_parallel_reductions, COMMA unsigned flags, COMMA unsigned, COMMA flags)
PARALLEL(void, , GOMP_parallel_sections, COMMA unsigned count COMMA unsigned flags,
         COMMA unsigned COMMA unsigned, COMMA count COMMA flags)
#define LOOP_CHUNK(symbol)                                                                         \
    PARALLEL(void, , symbol,                                                                       \
             COMMA long start COMMA long end COMMA long step COMMA long chunk COMMA unsigned flags, \
             COMMA long COMMA long COMMA long COMMA long COMMA unsigned,                           \
             COMMA start COMMA end COMMA step COMMA chunk COMMA flags)
#define LOOP_RUNTIME(symbol)                                                                       \
    PARALLEL(void, , symbol, COMMA long start COMMA long end COMMA long step COMMA unsigned flags, \
             COMMA long COMMA long COMMA long COMMA unsigned,                                      \
             COMMA start COMMA end COMMA step COMMA flags)
LOOP_CHUNK(GOMP_parallel_loop_static)
LOOP_CHUNK(GOMP_parallel_loop_dynamic)
LOOP_CHUNK(GOMP_parallel_loop_guided)
LOOP_CHUNK(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP_CHUNK(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* What gcc made before 4.9: the region is open between two calls, and threads are not told apart. */
JM_TLS uint32_t open_region[16];
JM_TLS int open_regions;

JM_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
JM_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads) {
    uint32_t region = listens() ? jm_omp_parallel(HERE) : 0;
    if (open_regions < 16) open_region[open_regions] = region;
    open_regions++;
    JM_FORWARD_VOID("GOMP_parallel_start", LIBRARY, (void (*)(void *), void *, unsigned),
                    (fn, data, threads));
}

JM_EXPORT void GOMP_parallel_end(void);
JM_EXPORT void GOMP_parallel_end(void) {
    JM_FORWARD_VOID("GOMP_parallel_end", LIBRARY, (void), ());
    if (open_regions > 0 && --open_regions < 16 && open_region[open_regions])
        jm_omp_parallel_end(open_region[open_regions]);
}

/* ---------------------------------------------------------------- waits inside */

/* A wait is no work: work ends before it, and begins again. */
static int wait_begins(enum jm_omp_kind kind) {
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

#define WAIT(type, symbol, kind, parameters, types, args)                                          \
    JM_EXPORT type symbol parameters;                                                              \
    JM_EXPORT type symbol parameters {                                                             \
        static void *slot;                                                                         \
        type(*real) types = (type(*) types)jm_next(&slot, #symbol, LIBRARY);                       \
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

WAIT(void, GOMP_barrier, JM_OMP_BARRIER_EXPLICIT, (void), (void), ())
WAIT(_Bool, GOMP_barrier_cancel, JM_OMP_BARRIER_EXPLICIT, (void), (void), ())
WAIT(void, GOMP_loop_end, JM_OMP_BARRIER_IMPLICIT, (void), (void), ())
WAIT(_Bool, GOMP_loop_end_cancel, JM_OMP_BARRIER_IMPLICIT, (void), (void), ())
WAIT(void, GOMP_sections_end, JM_OMP_BARRIER_IMPLICIT, (void), (void), ())
WAIT(_Bool, GOMP_sections_end_cancel, JM_OMP_BARRIER_IMPLICIT, (void), (void), ())
WAIT(void, GOMP_taskwait, JM_OMP_TASKWAIT, (void), (void), ())
WAIT(void, GOMP_taskwait_depend, JM_OMP_TASKWAIT, (void **depend), (void **), (depend))
WAIT(void, GOMP_taskgroup_end, JM_OMP_TASKGROUP, (void), (void), ())
WAIT(void, GOMP_atomic_start, JM_OMP_WAIT_ATOMIC, (void), (void), ())
WAIT(void, GOMP_ordered_start, JM_OMP_WAIT_ORDERED, (void), (void), ())
WAIT(void, omp_set_lock, JM_OMP_WAIT_LOCK, (void *lock), (void *), (lock))
WAIT(void, omp_set_lock_, JM_OMP_WAIT_LOCK, (void *lock), (void *), (lock))
WAIT(void, omp_set_nest_lock, JM_OMP_WAIT_LOCK, (void *lock), (void *), (lock))
WAIT(void, omp_set_nest_lock_, JM_OMP_WAIT_LOCK, (void *lock), (void *), (lock))

#define CRITICAL(start, end, parameters, types, args)                                              \
    JM_EXPORT void start parameters;                                                               \
    JM_EXPORT void start parameters {                                                              \
        int waits = wait_begins(JM_OMP_WAIT_CRITICAL);                                             \
        JM_FORWARD_VOID(#start, LIBRARY, types, args);                                             \
        wait_ends(waits, JM_OMP_WAIT_CRITICAL);                                                    \
        if (waits) jm_omp_begin(JM_OMP_CRITICAL);                                                  \
    }                                                                                              \
    JM_EXPORT void end parameters;                                                                 \
    JM_EXPORT void end parameters {                                                                \
        JM_FORWARD_VOID(#end, LIBRARY, types, args);                                               \
        jm_omp_end(JM_OMP_CRITICAL);                                                               \
    }
CRITICAL(GOMP_critical_start, GOMP_critical_end, (void), (void), ())
CRITICAL(GOMP_critical_name_start, GOMP_critical_name_end, (void **name), (void **), (name))
