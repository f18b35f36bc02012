/*
 * ompt.c: OpenMP by the tools interface of its runtime: "OMPT Interface" in the OpenMP 5.1
 * specification, as LLVM's, Intel's and NVIDIA's have it. The main thread's worksharing loops tell how
 * many work units there are; posting them is up to the program. GCC's runtime has no such interface:
 * gomp.c.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "openmp.h"

/* Kinds of callbacks: numbers of the specification. */
enum {
    THREAD_BEGIN = 1, PARALLEL_BEGIN = 3, PARALLEL_END = 4, TASK_SCHEDULE = 6, IMPLICIT_TASK = 7,
    TARGET = 8, MUTEX_RELEASED = 17, WORK = 20, SYNC_REGION = 23, MUTEX_ACQUIRE = 26,
    MUTEX_ACQUIRED = 27, TASK_CREATE = 5
};
enum { WORK_LOOP = 1, WORK_LOOP_STATIC = 10, WORK_LOOP_OTHER = 13, SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { THREAD_INITIAL = 1, THREAD_WORKER = 2, TASK_INITIAL = 1, TASK_EXPLICIT = 4 };
enum { MUTEX_CRITICAL = 5, MUTEX_ATOMIC = 6, MUTEX_ORDERED = 7 };

union data { uint64_t value; void *pointer; };
typedef void (*function)(void);
typedef function (*lookup_function)(const char *name);
struct tool {
    int (*initialize)(lookup_function lookup, int device, union data *data);
    void (*finalize)(union data *data);
    union data data;
};

/* ---------------------------------------------------------------- states */

static int (*get_state)(uint64_t *wait);
static struct { int state; const char *name; } states[64];
static int state_count;

static void tell_state(void) {
    uint64_t wait;
    int state, i;
    if (!get_state || !jm_omp_tells()) return;
    state = get_state(&wait);
    for (i = 0; i < state_count; i++) {
        if (states[i].state == state) jm_omp_state(states[i].name);
    }
}

/* ---------------------------------------------------------------- callbacks */

static void thread_begin(int type, union data *thread) {
    jm_omp_thread(type == THREAD_INITIAL ? "initial" : type == THREAD_WORKER ? "worker" : "other");
}

static void parallel_begin(union data *task, const void *frame, union data *parallel,
                           unsigned threads, int flags, const void *at) {
    parallel->value = jm_omp_parallel(at);
}

static void parallel_end(union data *parallel, union data *task, int flags, const void *at) {
    jm_omp_parallel_end((uint32_t)parallel->value);
}

static void implicit_task(int endpoint, union data *parallel, union data *task, unsigned threads,
                          unsigned index, int flags) {
    if (flags & TASK_INITIAL) return;
    if (endpoint == SCOPE_BEGIN) {
        jm_omp_joins((int)index, (int)threads);
        jm_omp_begin(JM_OMP_IMPLICIT);
        tell_state();
    } else {
        jm_omp_end(JM_OMP_IMPLICIT);
        jm_omp_leaves();
    }
}

static void work(int kind, int endpoint, union data *parallel, union data *task, uint64_t count,
                 const void *at) {
    static const enum jm_omp_kind of[] = {
        JM_OMP_OTHER_WORK, JM_OMP_LOOP, JM_OMP_SECTIONS, JM_OMP_SINGLE, JM_OMP_SINGLE_OTHER,
        JM_OMP_WORKSHARE, JM_OMP_DISTRIBUTE, JM_OMP_TASKLOOP, JM_OMP_SCOPE};
    int is_loop = kind == WORK_LOOP || (kind >= WORK_LOOP_STATIC && kind <= WORK_LOOP_OTHER);
    enum jm_omp_kind which = is_loop                ? JM_OMP_LOOP
                             : kind > 0 && kind < 9 ? of[kind]
                                                    : JM_OMP_OTHER_WORK;
    struct joulemark__thread *t = joulemark__self_9;
    if (!jm_is_on(JM_OMPT)) return;
    if (endpoint == SCOPE_BEGIN) {
        if (is_loop && t && t->process)
            joulemark_progress_init(count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
        jm_omp_begin(which);
    } else if (endpoint == SCOPE_END) jm_omp_end(which);
}

static void sync_region(int kind, int endpoint, union data *parallel, union data *task,
                        const void *at) {
    static const enum jm_omp_kind of[] = {
        JM_OMP_OTHER_SYNC, JM_OMP_BARRIER, JM_OMP_BARRIER_IMPLICIT, JM_OMP_BARRIER_EXPLICIT,
        JM_OMP_BARRIER_RUNTIME, JM_OMP_TASKWAIT, JM_OMP_TASKGROUP, JM_OMP_REDUCTION,
        JM_OMP_BARRIER_IMPLICIT, JM_OMP_BARRIER_IMPLICIT, JM_OMP_BARRIER_IMPLICIT};
    enum jm_omp_kind which = kind > 0 && kind < 11 ? of[kind] : JM_OMP_OTHER_SYNC;
    if (endpoint == SCOPE_BEGIN) {
        jm_omp_begin(which);
        tell_state();
    } else if (endpoint == SCOPE_END) jm_omp_end(which);
}

static enum jm_omp_kind wait_of(int kind) {
    return kind == MUTEX_CRITICAL  ? JM_OMP_WAIT_CRITICAL
           : kind == MUTEX_ATOMIC  ? JM_OMP_WAIT_ATOMIC
           : kind == MUTEX_ORDERED ? JM_OMP_WAIT_ORDERED
                                   : JM_OMP_WAIT_LOCK;
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t wait, const void *at) {
    jm_omp_begin(wait_of(kind));
}

static void mutex_acquired(int kind, uint64_t wait, const void *at) {
    jm_omp_end(wait_of(kind));
    if (kind == MUTEX_CRITICAL) jm_omp_begin(JM_OMP_CRITICAL);
}

static void mutex_released(int kind, uint64_t wait, const void *at) {
    if (kind == MUTEX_CRITICAL) jm_omp_end(JM_OMP_CRITICAL);
}

/* An explicit task has its creator's mark, so that those that run can be told from implicit ones. */
static void task_create(union data *task, const void *frame, union data *made, int flags,
                        int dependences, const void *at) {
    if (made) made->value = flags & TASK_EXPLICIT ? 1 : 0;
}

static void task_schedule(union data *before, int status, union data *next) {
    if (before && before->value == 1) jm_omp_end(JM_OMP_TASK);
    if (next && next->value == 1) jm_omp_begin(JM_OMP_TASK);
}

static void target(int kind, int endpoint, int device, union data *task, uint64_t id,
                   const void *at) {
    if (endpoint == SCOPE_BEGIN) jm_omp_begin(JM_OMP_TARGET);
    else if (endpoint == SCOPE_END) jm_omp_end(JM_OMP_TARGET);
}

static const struct { int event; function callback; } callbacks[] = {
    {THREAD_BEGIN, (function)thread_begin},     {PARALLEL_BEGIN, (function)parallel_begin},
    {PARALLEL_END, (function)parallel_end},     {IMPLICIT_TASK, (function)implicit_task},
    {WORK, (function)work},                     {SYNC_REGION, (function)sync_region},
    {MUTEX_ACQUIRE, (function)mutex_acquire},   {MUTEX_ACQUIRED, (function)mutex_acquired},
    {MUTEX_RELEASED, (function)mutex_released}, {TASK_CREATE, (function)task_create},
    {TASK_SCHEDULE, (function)task_schedule},   {TARGET, (function)target},
};

static int initialize(lookup_function lookup, int device, union data *data) {
    int (*set)(int event, function callback) =
        (int (*)(int, function))lookup("ompt_set_callback");
    int (*enumerate)(int, int *, const char **) =
        (int (*)(int, int *, const char **))lookup("ompt_enumerate_states");
    int state = 0x102; /* undefined: the first comes next */
    size_t i;
    if (!set) return 0;
    get_state = (int (*)(uint64_t *))lookup("ompt_get_state");
    while (enumerate && state_count < 64 &&
           enumerate(state, &states[state_count].state, &states[state_count].name))
        state = states[state_count++].state;
    for (i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        (void)set(callbacks[i].event, callbacks[i].callback);
    jm_omp_has_ompt = 1;
    return 1;
}

static void finalize(union data *data) { (void)data; }

JM_EXPORT struct tool *ompt_start_tool(unsigned version, const char *runtime) {
    static struct tool tool = {initialize, finalize, {0}};
    JM_REAL(ompt_start_tool, "omp");
    /* The runtime has an empty one of its own. Without anybody to tell, it need not call at all. */
    if (!(jm_on & JM_OMPT) || joulemark__state_9.mode == 1)
        return real ? real(version, runtime) : NULL;
    return &tool;
}
