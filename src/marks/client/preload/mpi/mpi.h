/*
 * mpi.h: how a call of MPI is answered, in C and by all that compilers make of a Fortran name.
 *
 * One binary serves every MPI library. Handles are pointers in one and integers in another, but all
 * arguments of these calls are integers, handles and addresses: on x86-64 and AArch64 each takes
 * one register or one 8-byte place on the stack, so they are passed on as they came. The lengths of
 * Fortran's texts come behind all others.
 *
 * A call inside another one, as Fortran's in some libraries, is one visit.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_MPI_H
#define JOULEMARK_PRELOAD_MPI_H

#include "core.h"
#include "mpi_calls.h"

#define JM_MPI_ERROR 16 /* MPI_ERR_OTHER of most libraries: there is no MPI behind us */
#define JM_MPI_LIBRARY "libmpi"

#define JM_MPI_HINT_NETWORK JOULEMARK_HINT_NETWORK
#define JM_MPI_HINT_WAIT JOULEMARK_HINT_NETWORK
#define JM_MPI_HINT_IO JOULEMARK_HINT_IO

/* What a call hands over: count, type, rank, and communicator or window, by places of arguments. */
enum jm_mpi_what {
    JM_MPI_NOTHING, JM_MPI_SENT, JM_MPI_MOVED, JM_MPI_GAVE, JM_MPI_ELEMENT, JM_MPI_FREED,
    JM_MPI_GATHERED, JM_MPI_GATHERED_LISTS, JM_MPI_SCATTERED, JM_MPI_SCATTERED_LISTS, /* rank: root */
    JM_MPI_OWN, JM_MPI_LIST, JM_MPI_EACH, JM_MPI_TYPES,
    JM_MPI_NEAR_EACH, JM_MPI_NEAR_LIST, JM_MPI_NEAR_TYPES, /* to neighbours */
    JM_MPI_NONE, JM_MPI_PARTS, JM_MPI_STARTED, JM_MPI_READY /* of requests that are started */
};

/* One call in all its languages. The last three are kept with --preload mpi=all alone. */
struct jm_mpi_call {
    const char *name;
    const char *fortran; /* between mpi_ and what compilers add */
    uint32_t hint;
    uint32_t region;
    /* `request`: the place after that of a request that keeps it; 0: the call moves it itself. */
    struct { unsigned char what, count, type, rank, where, request; } bytes;
    struct jm_mpi_call *next; /* in the list of those that were made */
    uint32_t listed;
    uint64_t calls, moved;
    uint64_t main_calls; /* of the main thread, which alone writes it */
};

/* How arguments came: Fortran's are addresses, a large count has 8 bytes. */
enum { JM_MPI_BY_ADDRESS = 1, JM_MPI_LARGE = 2 };

/* A name of a call that Fortran programs have. */
struct jm_mpi_symbol {
    struct jm_mpi_call *call;
    const char *ending; /* NULL: the four names that compilers make */
    uint32_t dialect;
    int error; /* place of the status, from 0 */
    int how;
    void *slot;
};

/* Is this thread inside an answered call already? */
extern JM_HIDDEN __thread int jm_mpi_inside __attribute__((tls_model("initial-exec")));

/* Counts a call that begins. Both of mpi_all.c alone. */
extern JM_HIDDEN void (*jm_mpi_count)(struct jm_mpi_call *call, struct joulemark__thread *t);
/* The bytes that a call which went well handed over. */
extern JM_HIDDEN void (*jm_mpi_bytes)(struct jm_mpi_call *call, const long *arguments, int how);

/* A call's first visit: its region. */
JM_HIDDEN void jm_mpi_first(struct joulemark__thread *t, struct jm_mpi_call *c);

static inline __attribute__((unused, always_inline)) struct joulemark__thread *
jm_mpi_enter_here(struct jm_mpi_call *c, uint32_t dialect) {
    struct joulemark__thread *t;
    if (jm_mpi_inside || !(jm_on & dialect)) return NULL;
    t = jm_thread(JM_MPI, 1);
    if (!t) return NULL;
    if (__builtin_expect(!c->region, 0)) jm_mpi_first(t, c);
    jm_mpi_inside = 1;
    if (jm_on & JM_MPI_ALL) {
        if (__builtin_expect(t->process && c->main_calls, 1)) c->main_calls++;
        else if (jm_mpi_count) jm_mpi_count(c, t);
    }
    joulemark__enter(t, jm_of(jm_track(JM_MPI), joulemark__checked(c->region)));
    return t;
}

static inline __attribute__((unused, always_inline)) void
jm_mpi_leave_here(struct joulemark__thread *t, struct jm_mpi_call *c) {
    jm_mpi_inside = 0;
    joulemark__exit(t, jm_of(jm_track(JM_MPI), joulemark__checked(c->region)));
}

/* The same as functions: what is called through them need not be compiled for each call. */
JM_HIDDEN struct joulemark__thread *jm_mpi_enter_on(struct jm_mpi_call *c, uint32_t dialect);
JM_HIDDEN void jm_mpi_leave(struct joulemark__thread *t, struct jm_mpi_call *c);
static inline __attribute__((unused, always_inline)) struct joulemark__thread *
jm_mpi_enter(struct jm_mpi_call *c, uint32_t dialect) {
    return __builtin_expect(jm_on & dialect, 1) ? jm_mpi_enter_on(c, dialect) : NULL;
}
/* Do the arguments of these places fit into an int? */
JM_HIDDEN int jm_mpi_are_small(const long *arguments, uint32_t places);
/* A whole call of Fortran's. */
JM_HIDDEN void jm_mpi_fortran(struct jm_mpi_symbol *symbol, const long *arguments);

#define JM_P0 void
#define JM_P1 long a
#define JM_P2 JM_P1, long b
#define JM_P3 JM_P2, long c
#define JM_P4 JM_P3, long d
#define JM_P5 JM_P4, long e
#define JM_P6 JM_P5, long f
#define JM_P7 JM_P6, long g
#define JM_P8 JM_P7, long h
#define JM_P9 JM_P8, long i
#define JM_P10 JM_P9, long j
#define JM_P11 JM_P10, long k
#define JM_P12 JM_P11, long l
#define JM_P13 JM_P12, long m
#define JM_P14 JM_P13, long o
#define JM_A0
#define JM_A1 a
#define JM_A2 JM_A1, b
#define JM_A3 JM_A2, c
#define JM_A4 JM_A3, d
#define JM_A5 JM_A4, e
#define JM_A6 JM_A5, f
#define JM_A7 JM_A6, g
#define JM_A8 JM_A7, h
#define JM_A9 JM_A8, i
#define JM_A10 JM_A9, j
#define JM_A11 JM_A10, k
#define JM_A12 JM_A11, l
#define JM_A13 JM_A12, m
#define JM_A14 JM_A13, o
#define JM_MPI_ARGUMENTS 14

/* Places of the arguments that the table calls by letters. */
enum { JM_MPI_a, JM_MPI_b, JM_MPI_c, JM_MPI_d, JM_MPI_e, JM_MPI_f, JM_MPI_g, JM_MPI_h, JM_MPI_i,
       JM_MPI_j, JM_MPI_k, JM_MPI_l, JM_MPI_m, JM_MPI_o };
#define JM_MPI_BYTES_NOTHING {JM_MPI_NOTHING, 0, 0, 0, 0, 0}
#define JM_MPI_BYTES_SENT(n, type, rank, where)                                                    \
    {JM_MPI_SENT, JM_MPI_##n, JM_MPI_##type, JM_MPI_##rank, JM_MPI_##where, 0}
#define JM_MPI_BYTES_MOVED(n, type, rank, where)                                                   \
    {JM_MPI_MOVED, JM_MPI_##n, JM_MPI_##type, JM_MPI_##rank, JM_MPI_##where, 0}
#define JM_MPI_BYTES_ELEMENT(type, rank, where)                                                    \
    {JM_MPI_ELEMENT, 0, JM_MPI_##type, JM_MPI_##rank, JM_MPI_##where, 0}
#define JM_MPI_BYTES_FREED {JM_MPI_FREED, 0, 0, 0, 0, 0}
#define JM_MPI_BYTES_GAVE(n, type) {JM_MPI_GAVE, JM_MPI_##n, JM_MPI_##type, 0, 0, 0}
#define JM_MPI_BYTES_ROOTED(what, n, type, root, comm)                                             \
    {what, JM_MPI_##n, JM_MPI_##type, JM_MPI_##root, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_GATHERED(...) JM_MPI_BYTES_ROOTED(JM_MPI_GATHERED, __VA_ARGS__)
#define JM_MPI_BYTES_GATHERED_LISTS(...) JM_MPI_BYTES_ROOTED(JM_MPI_GATHERED_LISTS, __VA_ARGS__)
#define JM_MPI_BYTES_SCATTERED(...) JM_MPI_BYTES_ROOTED(JM_MPI_SCATTERED, __VA_ARGS__)
#define JM_MPI_BYTES_SCATTERED_LISTS(...) JM_MPI_BYTES_ROOTED(JM_MPI_SCATTERED_LISTS, __VA_ARGS__)
#define JM_MPI_BYTES_OWN(n, type, comm) {JM_MPI_OWN, JM_MPI_##n, JM_MPI_##type, 0, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_LIST(n, type, comm) {JM_MPI_LIST, JM_MPI_##n, JM_MPI_##type, 0, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_EACH(n, type, comm) {JM_MPI_EACH, JM_MPI_##n, JM_MPI_##type, 0, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_TYPES(n, type, comm) {JM_MPI_TYPES, JM_MPI_##n, JM_MPI_##type, 0, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_NEAR(what, n, type, comm) {what, JM_MPI_##n, JM_MPI_##type, 0, JM_MPI_##comm, 0}
#define JM_MPI_BYTES_NEAR_EACH(...) JM_MPI_BYTES_NEAR(JM_MPI_NEAR_EACH, __VA_ARGS__)
#define JM_MPI_BYTES_NEAR_LIST(...) JM_MPI_BYTES_NEAR(JM_MPI_NEAR_LIST, __VA_ARGS__)
#define JM_MPI_BYTES_NEAR_TYPES(...) JM_MPI_BYTES_NEAR(JM_MPI_NEAR_TYPES, __VA_ARGS__)
#define JM_MPI_BYTES_KEPT(what, n, type, rank, where, request)                                     \
    {JM_MPI_##what, JM_MPI_##n, JM_MPI_##type, JM_MPI_##rank, JM_MPI_##where, JM_MPI_##request + 1}
#define JM_MPI_BYTES_STARTED {JM_MPI_STARTED, 0, 0, 0, 0, 0}
#define JM_MPI_BYTES_READY {JM_MPI_READY, 0, 0, 0, 0, 0}

/* The function of C. */
#define JM_MPI_C(symbol, call, dialect, n, how)                                                    \
    JM_EXPORT int symbol(JM_P##n) {                                                                \
        JM_REAL(symbol, JM_MPI_LIBRARY);                                                           \
        struct joulemark__thread *t = jm_mpi_enter(&call, dialect);                                \
        int result = real ? real(JM_A##n) : JM_MPI_ERROR;                                          \
        if (t) {                                                                                   \
            jm_mpi_leave(t, &call);                                                                \
            if (__builtin_expect(jm_on & JM_MPI_ALL, 0) && call.bytes.what && result == 0) {       \
                long arguments[] = {JM_A##n};                                                      \
                if (jm_mpi_bytes) jm_mpi_bytes(&call, arguments, how);                             \
            }                                                                                      \
        }                                                                                          \
        return result;                                                                             \
    }

/* A name of Fortran's. The status comes back by its argument ERROR, which the module mpi_f08 may
   leave out. All 14 places are passed on: what a function does not know it does not look at. */
#define JM_MPI_FORTRAN(symbol, call, ending, dialect, error, n, how)                               \
    JM_EXPORT void symbol(JM_P##n) {                                                               \
        static struct jm_mpi_symbol me = {&call, ending, dialect, error - 1, how, NULL};           \
        long arguments[JM_MPI_ARGUMENTS] = {JM_A##n};                                              \
        jm_mpi_fortran(&me, arguments);                                                            \
    }
#define JM_MPI_SAME(symbol, as, n)                                                                 \
    JM_EXPORT void symbol(JM_P##n) __attribute__((alias(#as)));

/* All that compilers make of a Fortran name, and what the module mpi_f08 calls. */
#define JM_MPI_FORTRAN_PLAIN(lower, UPPER, call, dialect, error, n)                                \
    JM_MPI_FORTRAN(mpi_##lower##_, call, NULL, dialect, error, n, JM_MPI_BY_ADDRESS)               \
    JM_MPI_SAME(mpi_##lower, mpi_##lower##_, n)                                                    \
    JM_MPI_SAME(mpi_##lower##__, mpi_##lower##_, n)                                                \
    JM_MPI_SAME(MPI_##UPPER, mpi_##lower##_, n)                                                    \
    JM_MPI_FORTRAN(mpi_##lower##_f08_, call, "_f08_", dialect, error, n, JM_MPI_BY_ADDRESS)        \
    JM_MPI_FORTRAN(mpi_##lower##_f08ts_, call, "_f08ts_", dialect, error, n, JM_MPI_BY_ADDRESS)
#define JM_MPI_BIG (JM_MPI_BY_ADDRESS | JM_MPI_LARGE)
#define JM_MPI_FORTRAN_LARGE(lower, UPPER, call, dialect, error, n)                                \
    JM_MPI_FORTRAN_PLAIN(lower, UPPER, call, dialect, error, n)                                    \
    JM_MPI_FORTRAN(mpi_##lower##_c_, call, "_c_", dialect, error, n, JM_MPI_BIG)                   \
    JM_MPI_FORTRAN(mpi_##lower##_f08_large_, call, "_f08_large_", dialect, error, n, JM_MPI_BIG)   \
    JM_MPI_FORTRAN(mpi_##lower##_f08ts_large_, call, "_f08ts_large_", dialect, error, n, JM_MPI_BIG)
#define JM_MPI_FORTRAN_LISTS JM_MPI_FORTRAN_LARGE
#define JM_MPI_C_PLAIN(Name, call, dialect, n, counts)                                             \
    JM_MPI_C(MPI_##Name, call, dialect, n, 0)
#define JM_MPI_C_LISTS(Name, call, dialect, n, counts)                                             \
    JM_MPI_C(MPI_##Name, call, dialect, n, 0)                                                      \
    JM_MPI_C(MPI_##Name##_c, call, dialect, n, JM_MPI_LARGE)
/* What has large numbers by value is answered by the plain call where the library has no other, as
   long as they are none: a program may ask whether there is one, and sees ours. */
#define JM_MPI_C_LARGE(Name, call, dialect, n, counts)                                             \
    JM_MPI_C_PLAIN(Name, call, dialect, n, counts)                                                 \
    JM_EXPORT int MPI_##Name##_c(JM_P##n) {                                                        \
        static void *small;                                                                        \
        long arguments[] = {JM_A##n};                                                              \
        JM_REAL(MPI_##Name##_c, JM_MPI_LIBRARY);                                                   \
        struct joulemark__thread *t = jm_mpi_enter(&call, dialect);                                \
        int result;                                                                                \
        if (!real && jm_mpi_are_small(arguments, counts))                                          \
            real = (__typeof__(real))jm_next(&small, "MPI_" #Name, JM_MPI_LIBRARY);                \
        result = real ? real(JM_A##n) : JM_MPI_ERROR;                                              \
        if (t) {                                                                                   \
            jm_mpi_leave(t, &call);                                                                \
            if ((jm_on & JM_MPI_ALL) && call.bytes.what && result == 0 && jm_mpi_bytes)            \
                jm_mpi_bytes(&call, arguments, JM_MPI_LARGE);                                      \
        }                                                                                          \
        return result;                                                                             \
    }

/* A row of the table, with all its names. */
#define JM_MPI_CALL(Name, lower, hint, bytes)                                                      \
    static struct jm_mpi_call call_##lower = {                                                     \
        "MPI_" #Name, #lower, JM_MPI_HINT_##hint, 0, JM_MPI_BYTES_##bytes, NULL, 0, 0, 0, 0};
#define JM_MPI_ANSWER(Name, lower, UPPER, n, error, nf, LARGE, counts, hint, bytes, dialect)         \
    JM_MPI_CALL(Name, lower, hint, bytes)                                                          \
    JM_MPI_C_##LARGE(Name, call_##lower, dialect, n, counts)                                    \
    JM_MPI_FORTRAN_##LARGE(lower, UPPER, call_##lower, dialect, error, nf)

#endif /* JOULEMARK_PRELOAD_MPI_H */
