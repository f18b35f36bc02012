/*
 * openmp.h: what the two OpenMP runtimes have in common: LLVM's, which has OMPT, and GCC's, whose calls
 * are answered. Regions are the parallel ones on the thread that begins them, as GEOPM has it. What all
 * threads do inside is added up by kind for the report, and reported as Caliper's attributes where a
 * channel or a recording of the run requests them.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_OPENMP_H
#define JOULEMARK_PRELOAD_OPENMP_H

#include "core.h"

/* Kinds of time: names are Caliper's values of omp.work and omp.sync where it has them. */
enum jm_omp_kind {
    JM_OMP_PARALLEL, JM_OMP_IMPLICIT, JM_OMP_TASK, JM_OMP_TARGET,
    JM_OMP_LOOP, JM_OMP_SECTIONS, JM_OMP_SINGLE, JM_OMP_SINGLE_OTHER, JM_OMP_WORKSHARE,
    JM_OMP_DISTRIBUTE, JM_OMP_TASKLOOP, JM_OMP_SCOPE, JM_OMP_OTHER_WORK,
    JM_OMP_BARRIER, JM_OMP_BARRIER_IMPLICIT, JM_OMP_BARRIER_EXPLICIT, JM_OMP_BARRIER_RUNTIME,
    JM_OMP_TASKWAIT, JM_OMP_TASKGROUP, JM_OMP_REDUCTION, JM_OMP_OTHER_SYNC,
    JM_OMP_WAIT_CRITICAL, JM_OMP_WAIT_LOCK, JM_OMP_WAIT_ATOMIC, JM_OMP_WAIT_ORDERED,
    JM_OMP_CRITICAL, JM_OMP_KINDS
};

/* The calling thread's time in a kind begins, or ends: the innermost of its kind. */
JM_HIDDEN void jm_omp_begin(enum jm_omp_kind kind);
JM_HIDDEN void jm_omp_end(enum jm_omp_kind kind);

/* A parallel region begins at a place of the program. @returns Its region; 0 is that of names without room. */
#define JM_OMP_UNHEARD UINT32_MAX /* no listener: it does not end either */
JM_HIDDEN uint32_t jm_omp_parallel(const void *at);
JM_HIDDEN void jm_omp_parallel_end(uint32_t region);

/* What thread this is, "initial" or "worker"; its number in a team while it is in one. */
JM_HIDDEN void jm_omp_thread(const char *type);
JM_HIDDEN void jm_omp_joins(int number, int threads);
JM_HIDDEN void jm_omp_leaves(void);

/* The state of this thread by the runtime itself, by name. */
JM_HIDDEN void jm_omp_state(const char *state);
/* Do attributes go anywhere? */
JM_HIDDEN int jm_omp_tells(void);

/* OMPT is at work: calls of GCC's runtime come from LLVM's then. */
extern JM_HIDDEN int jm_omp_has_ompt;

#endif /* JOULEMARK_PRELOAD_OPENMP_H */
