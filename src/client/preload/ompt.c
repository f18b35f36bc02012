/*
 * ompt.c: parallel regions of OpenMP, by the tools interface of its runtime: "OMPT Interface" in the
 * OpenMP 5.0 specification. A region is named for the place in the program where it begins, as
 * GEOPM names it: [OMPT]SYMBOL+0xOFFSET. The main thread's worksharing loops tell how many work
 * units there are; posting them is up to the program. GCC's runtime has no such interface.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "symbol.h"

/* Kinds of callbacks, and of work: numbers of the specification. */
enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4, WORK = 20 };
enum { WORK_LOOP = 1, WORK_LOOP_STATIC = 10, WORK_LOOP_OTHER = 13, SCOPE_BEGIN = 1 };

union data { uint64_t value; void *pointer; };
typedef void (*function)(void);
typedef function (*lookup_function)(const char *name);
struct tool {
    int (*initialize)(lookup_function lookup, int device, union data *data);
    void (*finalize)(union data *data);
    union data data;
};

#define PLACES 1024
static struct { const void *at; uint32_t region; } places[PLACES];

static uint32_t region_at(struct joulemark__thread *t, const void *at) {
    uint32_t slot = (uint32_t)((uintptr_t)at >> 2) * 2654435761u >> 16 & (PLACES - 1), tries;
    char name[300] = "[OMPT]", *c, *to;
    uint32_t region;
    for (tries = 0; tries < 16; tries++, slot = (slot + 1) & (PLACES - 1)) {
        const void *known = __atomic_load_n(&places[slot].at, __ATOMIC_ACQUIRE);
        if (known == at && (region = joulemark__checked(places[slot].region)) != 0) return region;
        if (!known || known == at) break;
    }
    jm_symbol(at, name + 6, sizeof name - 6);
    for (c = to = name; *c; c++) {
        if (*c != ' ') *to++ = *c;
    }
    *to = 0;
    region = joulemark__find(t, name, JOULEMARK_HINT_UNKNOWN);
    if (tries < 16) {
        places[slot].region = region;
        __atomic_store_n(&places[slot].at, at, __ATOMIC_RELEASE);
    }
    return region;
}

static void parallel_begin(union data *task, const void *frame, union data *parallel,
                           unsigned threads, int flags, const void *at) {
    struct joulemark__thread *t = jm_thread(JM_OMPT, 1);
    (void)task;
    (void)frame;
    (void)threads;
    (void)flags;
    if (!t) return;
    parallel->value = region_at(t, at);
    joulemark__enter(t, jm_of(jm_track(JM_OMPT), (uint32_t)parallel->value));
}

static void parallel_end(union data *parallel, union data *task, int flags, const void *at) {
    struct joulemark__thread *t = jm_thread(JM_OMPT, 0);
    (void)task;
    (void)flags;
    (void)at;
    if (t) joulemark__exit(t, jm_of(jm_track(JM_OMPT), joulemark__checked(parallel->value)));
}

static void work(int kind, int endpoint, union data *parallel, union data *task, uint64_t count,
                 const void *at) {
    struct joulemark__thread *t = joulemark__self_4;
    (void)parallel;
    (void)task;
    (void)at;
    if (endpoint != SCOPE_BEGIN || !t || !t->process || !(jm_on & JM_OMPT)) return;
    if (kind == WORK_LOOP || (kind >= WORK_LOOP_STATIC && kind <= WORK_LOOP_OTHER))
        joulemark_progress_init(count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
}

static int initialize(lookup_function lookup, int device, union data *data) {
    int (*set)(int event, function callback) =
        (int (*)(int, function))lookup("ompt_set_callback");
    (void)device;
    (void)data;
    if (!set) return 0;
    (void)set(PARALLEL_BEGIN, (function)parallel_begin);
    (void)set(PARALLEL_END, (function)parallel_end);
    (void)set(WORK, (function)work);
    return 1;
}

static void finalize(union data *data) { (void)data; }

JM_EXPORT struct tool *ompt_start_tool(unsigned version, const char *runtime);
JM_EXPORT struct tool *ompt_start_tool(unsigned version, const char *runtime) {
    static struct tool tool = {initialize, finalize, {0}};
    static void *slot;
    struct tool *(*other)(unsigned, const char *) =
        (struct tool * (*)(unsigned, const char *)) jm_next(&slot, "ompt_start_tool", "omp");
    /* The runtime has an empty one of its own. Without anybody to tell, it need not call at all. */
    if (!(jm_on & JM_OMPT) || joulemark__state_4.mode == 1)
        return other ? other(version, runtime) : NULL;
    return &tool;
}
