/*
 * core.h: what all dialects of the interposition library share.
 *
 * The library answers calls that applications already have, and marks by them: joulemark.h does the
 * work. It is loaded into every process of a job, so nothing happens before the first mark: a
 * process that marks nothing is none of the run's. Where the library that a call was meant for is
 * there as well, it may get the call too: see jm_chained.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_CORE_H
#define JOULEMARK_PRELOAD_CORE_H

/* Functions have the parameters of those that they precede, and need not use all of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define JOULEMARK_LAZY
#include "joulemark.h"

#include <dlfcn.h>
#include <stdio.h>

#if !defined(JOULEMARK__VERSION)
#error "the interposition library needs 64-bit Linux and GCC or Clang"
#endif

#define JM_EXPORT __attribute__((visibility("default")))
#define JM_HIDDEN __attribute__((visibility("hidden")))
#define JM_TLS static __thread __attribute__((tls_model("initial-exec")))
/* Functions of a few instructions on the way of each mark. */
#define JM_HOT static inline __attribute__((unused, always_inline))

enum jm_dialect {
    JM_MPI = 1, JM_PCONTROL = 2, JM_OMPT = 4, JM_GEOPM = 8, JM_CALIPER = 16, JM_LIKWID = 32,
    JM_PM_MPI = 64, JM_NVTX = 128, JM_ROCTX = 256, JM_ITT = 512, JM_KOKKOS = 1024, JM_TAU = 2048,
    JM_PAPI = 4096, JM_CRAYPAT = 8192, JM_IO = 16384, JM_ALLOC = 32768, JM_CALLPATH = 65536,
    JM_PERFSTUBS = 131072,
    JM_MPI_ALL = 262144, /* of JM_MPI: all its calls */
    JM_SCOREP = 524288
};

/* What every program would pay for, so that it is there only where it is asked for by name. */
#define JM_BY_NAME (JM_IO | JM_ALLOC | JM_CALLPATH | JM_MPI_ALL | JM_PERFSTUBS | \
                    JM_SCOREP)

/* Dialects that are on: JOULEMARK_PRELOAD names them, all without it; none without a session. */
extern JM_HIDDEN uint32_t jm_on;
/* The same, with a session or without. */
extern JM_HIDDEN uint32_t jm_asked;

/*
 * Called before (0) and after (1) the mark of a region, and what else Caliper notes, by those that
 * have something to tell of the moment or of the time up to it; NULL mostly. Calls of libraries,
 * MPI and OpenMP, come and go too fast for it.
 */
extern JM_HIDDEN void (*jm_around)(struct joulemark__thread *, int after);
/* Makes jm_around() call this one too, from a constructor: the last to come tells and ends inside. */
JM_HIDDEN void jm_hear_marks(void (*hears)(struct joulemark__thread *, int after));

/* A mark of the client's, and the same where jm_around() is to hear of it: core.c. */
#define JM_MARKS(name, marks, what)                                                                \
    JM_HIDDEN void name##_heard(struct joulemark__thread *t, uint32_t what);                       \
    JM_HOT void name(struct joulemark__thread *t, uint32_t what) {                                 \
        if (__builtin_expect(jm_around != NULL, 0)) name##_heard(t, what);                         \
        else marks(t, what);                                                                       \
    }
JM_MARKS(jm_enter, joulemark__enter, region)
JM_MARKS(jm_exit, joulemark__exit, region)
/* Ends a region that need not be the innermost of its track: those inside it go on. */
JM_MARKS(jm_exit_alone, joulemark__exit_alone, region)
/* Ends the innermost region of a track. */
JM_MARKS(jm_leave, joulemark__pop, track)

/* A dialect's track, by the number of its bit; 0 before its first mark. */
extern JM_HIDDEN uint32_t jm_tracks[20];
JM_HIDDEN uint32_t jm_new_track(uint32_t bit);
/* The track of a dialect's domain; the dialect's own where there are too many. Of the attached. */
JM_HIDDEN uint32_t jm_domain_track(uint32_t dialect, const char *domain);

/* The track of the dialect with this bit. Only where marks go somewhere. */
JM_HOT uint32_t jm_track_of(uint32_t bit) {
    uint32_t track = jm_tracks[bit];
    return __builtin_expect(track != 0, 1) ? track : jm_new_track(bit);
}
JM_HOT uint32_t jm_track(uint32_t dialect) {
    return jm_track_of((uint32_t)__builtin_ctz(dialect));
}

/* Number of a name that stays, which is looked up once. It stays good in forked children. */
JM_HOT uint32_t jm_number(struct joulemark__thread *t, const char *name, uint32_t *known) {
    uint32_t number = joulemark__checked(JOULEMARK__SEE(*known));
    if (__builtin_expect(number == 0, 0)) {
        number = joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN);
        __atomic_store_n(known, number, __ATOMIC_RELAXED);
    }
    return number;
}

/* A region's name with the track that it is of. */
JM_HOT uint32_t jm_of(uint32_t track, uint32_t name) {
    return JOULEMARK__NAME_OF(name) | track << JOULEMARK__TRACK_SHIFT;
}

/* Whose numbers a span has: joulemark.h's and those of dialects that take them from there, or others. */
enum jm_space { JM_SPANS_OWN = 0, JM_SPANS_ROCTX = 1, JM_SPANS_ITT_TASKS = 2, JM_SPANS_ITT_REGIONS = 3,
                JM_SPANS_TAU = 4 };

static inline __attribute__((unused)) void jm_span_begin(struct joulemark__thread *t,
                                                         uint32_t region, uint64_t id,
                                                         enum jm_space space) {
    joulemark__span(t, JOULEMARK__KIND_SPAN_BEGIN, region, id, space);
}
static inline __attribute__((unused)) void jm_span_end(struct joulemark__thread *t, uint32_t track,
                                                       uint64_t id, enum jm_space space) {
    joulemark__span(t, JOULEMARK__KIND_SPAN_END, jm_of(track, 0), id, space);
}

/* The next library's function of this name; `library`, or one of several with `|` between them, is
   in the name of the one that it was meant for, which is found too where the program loaded it for itself alone. NULL: there is none. */
JM_HIDDEN void *jm_find_next(const char *symbol, const char *library);

/*
 * Does the real library get the calls of a dialect too? Some only count what somebody configured by
 * the environment, so without that they would cost and give nothing; others always work.
 * JOULEMARK_CHAIN=LIST says which, by the words of --preload; else JOULEMARK_KEEP=LIST which not,
 * since the run itself does what the real library would do. Calls of a dialect that nobody asked for go on.
 */
JM_HIDDEN int jm_chained(uint32_t dialect, const char *variable);
/* Is there a variable whose name begins so? */
JM_HIDDEN int jm_has_variable(const char *start);

/* Tells the report's reader something about this program, once. */
JM_HIDDEN void jm_remark(const char *text);
/* The same under another of our own words: a name that no record has, whatever room the ring has. */
JM_HIDDEN void jm_tell(struct joulemark__thread *t, const char *word, const char *text);
/* Takes a lock that is 0 while it is free. The thread that has it may wait for a CPU. 0: not for ever, since a forked
   child may have found it taken. */
JM_HIDDEN int jm_take_lock(int *lock);

/* MPI_COMM_WORLD of the MPI that is there, as C has it: mpi_world.c. 0: nobody knows. */
JM_HIDDEN int jm_mpi_world(long *world);
/* Whose relative it is. Handles are integers in MPICH's C, and as wide as addresses in the others'. */
enum jm_mpi_kind { JM_MPI_OPEN, JM_MPI_MPICH, JM_MPI_ABI };
JM_HIDDEN enum jm_mpi_kind jm_mpi_kind(void);

/*
 * Sums that a process reports at its end: at exit, or before it is over for the report at MPI_Finalize
 * and its kin. Each is called once; of a forked child only those that register in it.
 */
JM_HIDDEN void jm_tell_at_end(void (*tells)(struct joulemark__thread *t));
JM_HIDDEN void jm_tell_now(void);
/* joulemark_shutdown() after them. */
JM_HIDDEN void jm_shutdown(void);

/* Zeros, and behind them a name, however long it is; NULL where there is no memory. */
JM_HIDDEN void *jm_named(size_t before, const char *name);

/* UTF-8 of a wide string, cut where there is no room; what it needs, 256 KiB at most. */
JM_HIDDEN size_t jm_narrow_room(const wchar_t *wide);
JM_HIDDEN const char *jm_narrow(const wchar_t *wide, char *into, size_t room);

/* A function of the real library, looked up once. `slot` is static. */
static inline __attribute__((unused)) void *jm_next(void **slot, const char *symbol,
                                                    const char *library) {
    void *known = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (__builtin_expect(known == NULL, 0)) {
        known = jm_find_next(symbol, library);
        if (!known) known = (void *)slot; /* looked for and not found */
        __atomic_store_n(slot, known, __ATOMIC_RELAXED);
    }
    return known == (void *)slot ? NULL : known;
}

/* Calling thread's state where the dialect is on and marks go somewhere; NULL otherwise. */
JM_HOT struct joulemark__thread *jm_thread(uint32_t dialect, int begins) {
    if (__builtin_expect(!(jm_on & dialect), 0)) return NULL;
    return joulemark__thread(begins);
}

/*
 * Marks stand in functions of their own, so that a call that marks nothing is one load and one
 * branch: nothing is put on the stack for what is not done. jm_is_on() comes before each of them.
 */
#define JM_MARK static __attribute__((unused, noinline))
JM_HOT int jm_is_on(uint32_t dialect) {
    return __builtin_expect((jm_on & dialect) != 0, 0);
}

/* Marks by name of the dialect with this bit, and its innermost region's end. */
JM_HIDDEN void jm_begin_in(size_t bit, const char *name);
JM_HIDDEN void jm_end_in(size_t bit, const char *name);
JM_HIDDEN void jm_end_alone_in(size_t bit, const char *name);
JM_HIDDEN void jm_end_innermost_in(size_t bit);
#define jm_begin_name(dialect, name) jm_begin_in(__builtin_ctz(dialect), name)
#define jm_end_name(dialect, name) jm_end_in(__builtin_ctz(dialect), name)
#define jm_end_alone(dialect, name) jm_end_alone_in(__builtin_ctz(dialect), name)
#define jm_end_innermost(dialect) jm_end_innermost_in(__builtin_ctz(dialect))

JM_HOT void jm_begin(uint32_t dialect, const char *name) {
    if (jm_is_on(dialect)) jm_begin_name(dialect, name);
}

JM_HOT void jm_end(uint32_t dialect, const char *name) {
    if (jm_is_on(dialect)) jm_end_name(dialect, name);
}

/* Ends the innermost region. */
JM_HOT void jm_pop(uint32_t dialect) {
    if (jm_is_on(dialect)) jm_end_innermost(dialect);
}

/* A name that comes with its length, from Fortran, in `into`, which has JM_ROOM(length) bytes. */
#define JM_ROOM(length) ((length) < 0 ? 1 : (size_t)(length) + 1)
static inline __attribute__((unused)) const char *jm_fortran(const char *name, int length,
                                                             char *into) {
    if (length < 0) length = 0;
    while (length > 0 && name[length - 1] == ' ') length--;
    memcpy(into, name, (size_t)length);
    into[length] = 0;
    return into;
}

/* chained() for a file: asked once, then one load. */
#define JM_CHAINED(dialect, variable)                                                              \
    static int jm_chain = -1;                                                                      \
    static __attribute__((noinline, cold)) int jm_chain_now(void) {                                \
        if (jm_chain < 0) jm_chain = jm_chained(dialect, variable);                                \
        return jm_chain;                                                                           \
    }                                                                                              \
    static inline int chained(void) {                                                              \
        return __builtin_expect(jm_chain != 0, 0) && jm_chain_now();                               \
    }

/* A variable: the function of this name in the library that ours precedes, or NULL. */
#define JM_REAL_AS(variable, function, library)                                                    \
    static void *jm_slot;                                                                          \
    __typeof__(&function) variable = (__typeof__(&function))jm_next(&jm_slot, #function, library)
#define JM_REAL(function, library) JM_REAL_AS(real, function, library)

/* Forwards to the real library: a statement that calls it, and its value, else `otherwise`. */
#define JM_FORWARD(function, library, otherwise, args)                                             \
    do {                                                                                           \
        JM_REAL_AS(jm_real, function, library);                                                    \
        return jm_real ? jm_real args : (otherwise);                                               \
    } while (0)
#define JM_FORWARD_VOID(function, library, args)                                                   \
    do {                                                                                           \
        JM_REAL_AS(jm_real, function, library);                                                    \
        if (jm_real) jm_real args;                                                                 \
    } while (0)

/*
 * The same for a call that marks, `mark`, and always goes on where there is a real library: with
 * nothing to mark and nobody behind, it returns before anything is put on the stack.
 */
#define JM_MARK_AND_FORWARD(function, library, dialect, mark, otherwise, args)                     \
    do {                                                                                           \
        static void *jm_slot;                                                                      \
        __typeof__(&function) jm_real;                                                             \
        if (__builtin_expect(!(jm_on & (dialect)) && jm_slot == (void *)&jm_slot, 1))              \
            return otherwise;                                                                      \
        if (__builtin_expect(jm_slot == (void *)&jm_slot, 1)) {                                    \
            mark;                                                                                  \
            return otherwise;                                                                      \
        }                                                                                          \
        if (jm_is_on(dialect)) mark;                                                               \
        jm_real = (__typeof__(&function))jm_next(&jm_slot, #function, library);                    \
        if (jm_real) return jm_real args;                                                          \
        return otherwise;                                                                          \
    } while (0)

#endif /* JOULEMARK_PRELOAD_CORE_H */
