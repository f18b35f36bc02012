/*
 * mpi.c: MPI calls as regions, named like the C function, with the NETWORK hint. Calls and their
 * arguments: the MPI standard, version 4.0; the list is that of GEOPM's own interposition.
 *
 * One binary serves every MPI library. Handles are pointers in one and integers in another, but all
 * arguments of these calls are integers, handles and addresses: on x86-64 and AArch64 each takes
 * one register or one 8-byte place on the stack, so they are passed on as they came.
 *
 * A call inside another one, as Fortran's in some libraries, is one visit. MPI_Finalize ends the
 * process for the report, unless a region is open around it.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define MPI_ERROR 16 /* MPI_ERR_OTHER of most libraries: there is no MPI behind us */
#define LIBRARY "libmpi"

struct call { const char *name; uint32_t region; };

/* Is this thread inside an interposed call already? */
JM_TLS int inside;

static inline __attribute__((always_inline)) struct joulemark__thread *enter_here(struct call *c) {
    struct joulemark__thread *t;
    if (inside) return NULL;
    t = jm_thread(JM_MPI, 1);
    if (!t) return NULL;
    if (__builtin_expect(!c->region, 0))
        c->region = joulemark__find(t, c->name, JOULEMARK_HINT_NETWORK);
    inside = 1;
    joulemark__enter(t, jm_of(jm_track(JM_MPI), joulemark__checked(c->region)));
    return t;
}

static inline __attribute__((always_inline)) void leave_here(struct joulemark__thread *t,
                                                             struct call *c) {
    inside = 0;
    joulemark__exit(t, jm_of(jm_track(JM_MPI), joulemark__checked(c->region)));
}

/* For Fortran, whose two hundred names would take seconds to compile otherwise. */
static __attribute__((noinline)) struct joulemark__thread *enter(struct call *c) {
    return enter_here(c);
}
static __attribute__((noinline)) void leave(struct joulemark__thread *t, struct call *c) {
    leave_here(t, c);
}

#define P1 long a
#define P2 P1, long b
#define P3 P2, long c
#define P4 P3, long d
#define P5 P4, long e
#define P6 P5, long f
#define P7 P6, long g
#define P8 P7, long h
#define P9 P8, long i
#define P10 P9, long j
#define P11 P10, long k
#define P12 P11, long l
#define P13 P12, long m
#define T1 long
#define T2 T1, long
#define T3 T2, long
#define T4 T3, long
#define T5 T4, long
#define T6 T5, long
#define T7 T6, long
#define T8 T7, long
#define T9 T8, long
#define T10 T9, long
#define T11 T10, long
#define T12 T11, long
#define T13 T12, long
#define A1 a
#define A2 A1, b
#define A3 A2, c
#define A4 A3, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A13 A12, m

#define FORTRAN(symbol, call, n)                                                                   \
    JM_EXPORT void symbol(P##n);                                                                   \
    JM_EXPORT void symbol(P##n) {                                                                  \
        static void *slot;                                                                         \
        void (*real)(T##n) = (void (*)(T##n))jm_next(&slot, #symbol, LIBRARY);                     \
        struct joulemark__thread *t = enter(&call);                                                \
        if (real) real(A##n);                                                                      \
        if (t) leave(t, &call);                                                                    \
    }

/* All that compilers make of a Fortran name, and what the module mpi_f08 calls. */
#define FORTRAN_NAMES(lower, UPPER, call, n)                                                       \
    FORTRAN(lower, call, n)                                                                        \
    FORTRAN(lower##_, call, n)                                                                     \
    FORTRAN(lower##__, call, n)                                                                    \
    FORTRAN(UPPER, call, n)                                                                        \
    FORTRAN(lower##_f08_, call, n)                                                                 \
    FORTRAN(lower##_f08ts_, call, n)

/* n arguments in C, and one more in Fortran. */
#define REGION(Name, lower, UPPER, n, n_fortran)                                                   \
    static struct call call_##lower = {"MPI_" #Name, 0};                                           \
    JM_EXPORT int MPI_##Name(P##n);                                                                \
    JM_EXPORT int MPI_##Name(P##n) {                                                               \
        static void *slot;                                                                         \
        int (*real)(T##n) = (int (*)(T##n))jm_next(&slot, "MPI_" #Name, LIBRARY);                  \
        struct joulemark__thread *t = enter_here(&call_##lower);                                   \
        int result = real ? real(A##n) : MPI_ERROR;                                                \
        if (t) leave_here(t, &call_##lower);                                                       \
        return result;                                                                             \
    }                                                                                              \
    FORTRAN_NAMES(mpi_##lower, MPI_##UPPER, call_##lower, n_fortran)

REGION(Allgather, allgather, ALLGATHER, 7, 8)
REGION(Allgatherv, allgatherv, ALLGATHERV, 8, 9)
REGION(Allreduce, allreduce, ALLREDUCE, 6, 7)
REGION(Alltoall, alltoall, ALLTOALL, 7, 8)
REGION(Alltoallv, alltoallv, ALLTOALLV, 9, 10)
REGION(Alltoallw, alltoallw, ALLTOALLW, 9, 10)
REGION(Barrier, barrier, BARRIER, 1, 2)
REGION(Bcast, bcast, BCAST, 5, 6)
REGION(Bsend, bsend, BSEND, 6, 7)
REGION(Bsend_init, bsend_init, BSEND_INIT, 7, 8)
REGION(Exscan, exscan, EXSCAN, 6, 7)
REGION(Gather, gather, GATHER, 8, 9)
REGION(Gatherv, gatherv, GATHERV, 9, 10)
REGION(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7, 8)
REGION(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8, 9)
REGION(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7, 8)
REGION(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9, 10)
REGION(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 9, 10)
REGION(Recv, recv, RECV, 7, 8)
REGION(Reduce, reduce, REDUCE, 7, 8)
REGION(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7)
REGION(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7)
REGION(Rsend, rsend, RSEND, 6, 7)
REGION(Rsend_init, rsend_init, RSEND_INIT, 7, 8)
REGION(Scan, scan, SCAN, 6, 7)
REGION(Scatter, scatter, SCATTER, 8, 9)
REGION(Scatterv, scatterv, SCATTERV, 9, 10)
REGION(Send, send, SEND, 6, 7)
REGION(Sendrecv, sendrecv, SENDRECV, 12, 13)
REGION(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9, 10)
REGION(Ssend, ssend, SSEND, 6, 7)
REGION(Wait, wait, WAIT, 2, 3)
REGION(Waitall, waitall, WAITALL, 3, 4)
REGION(Waitany, waitany, WAITANY, 4, 5)
REGION(Waitsome, waitsome, WAITSOME, 5, 6)

/* GEOPM has one name for both. */
static struct call call_init = {"MPI_Init_thread", 0};

JM_EXPORT int MPI_Init(P2);
JM_EXPORT int MPI_Init(P2) {
    static void *slot;
    int (*real)(T2) = (int (*)(T2))jm_next(&slot, "MPI_Init", LIBRARY);
    struct joulemark__thread *t = enter(&call_init);
    int result = real ? real(A2) : MPI_ERROR;
    if (t) leave(t, &call_init);
    return result;
}

JM_EXPORT int MPI_Init_thread(P4);
JM_EXPORT int MPI_Init_thread(P4) {
    static void *slot;
    int (*real)(T4) = (int (*)(T4))jm_next(&slot, "MPI_Init_thread", LIBRARY);
    struct joulemark__thread *t = enter(&call_init);
    int result = real ? real(A4) : MPI_ERROR;
    if (t) leave(t, &call_init);
    return result;
}

FORTRAN_NAMES(mpi_init, MPI_INIT, call_init, 1)
FORTRAN_NAMES(mpi_init_thread, MPI_INIT_THREAD, call_init, 3)

static void finalized(void) {
    struct joulemark__thread *t = jm_thread(JM_MPI, 0);
    if (t && t->process && t->depth == 0) joulemark_shutdown();
}

JM_EXPORT int MPI_Finalize(void);
JM_EXPORT int MPI_Finalize(void) {
    static void *slot;
    int (*real)(void) = (int (*)(void))jm_next(&slot, "MPI_Finalize", LIBRARY);
    int result = real ? real() : MPI_ERROR;
    if (!inside) finalized();
    return result;
}

#define FINALIZE(symbol)                                                                           \
    JM_EXPORT void symbol(P1);                                                                     \
    JM_EXPORT void symbol(P1) {                                                                    \
        static void *slot;                                                                         \
        void (*real)(T1) = (void (*)(T1))jm_next(&slot, #symbol, LIBRARY);                         \
        if (real) real(A1);                                                                        \
        finalized();                                                                               \
    }
FINALIZE(mpi_finalize)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize__)
FINALIZE(MPI_FINALIZE)
FINALIZE(mpi_finalize_f08_)
FINALIZE(mpi_finalize_f08ts_)
