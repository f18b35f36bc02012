/*
 * openmp.c: regions, times by kind, and attributes of OpenMP: see openmp.h. A region is named for the
 * place in the program where it begins, as GEOPM names it: [OMPT]SYMBOL+0xOFFSET, without spaces.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "openmp.h"
#include "symbol.h"

#define THREAD_SCOPE 20
#define SKIP_EVENTS 64
/* Beside the regions: these need not nest with them. */
#define UNALIGNED 1024

JM_HIDDEN int jm_omp_has_ompt;

#define PLACES 1024
static struct { const void *at; uint32_t region; } places[PLACES];

static uint32_t region_at(struct joulemark__thread *t, const void *at) {
    uint32_t slot = (uint32_t)((uintptr_t)at >> 2) * 2654435761u >> 16 & (PLACES - 1), tries;
    char name[1024] = "[OMPT]", *c, *to;
    uint32_t region;
    for (tries = 0; tries < 16; tries++, slot = (slot + 1) & (PLACES - 1)) {
        const void *known = __atomic_load_n(&places[slot].at, __ATOMIC_ACQUIRE);
        if (known == at && (region = joulemark__checked(places[slot].region)) != 0) return region;
        if (!known || known == at) break;
    }
    (void)jm_symbol(at, 1, name + 6, sizeof name - 6);
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

/* ---------------------------------------------------------------- times by kind */

/* Attribute that Caliper has for a kind, and its value; the name alone is the report's. */
static const struct { const char *name; const char *attribute; } kinds[JM_OMP_KINDS] = {
    {"parallel", NULL}, {"implicit_task", NULL}, {"task", "omp.task"}, {"target", "omp.target"},
    {"loop", "omp.work"}, {"sections", "omp.work"}, {"single_executor", "omp.work"},
    {"single_other", "omp.work"}, {"workshare", "omp.work"}, {"distribute", "omp.work"},
    {"taskloop", "omp.work"}, {"scope", "omp.work"}, {"work", "omp.work"},
    {"barrier", "omp.sync"}, {"barrier_implicit", "omp.sync"}, {"barrier_explicit", "omp.sync"},
    {"barrier_implementation", "omp.sync"}, {"taskwait", "omp.sync"}, {"taskgroup", "omp.sync"},
    {"reduction", "omp.sync"}, {"sync", "omp.sync"},
    {"wait_critical", "omp.mutex"}, {"wait_lock", "omp.mutex"}, {"wait_atomic", "omp.mutex"},
    {"wait_ordered", "omp.mutex"}, {"critical", NULL},
};

/* Of the process; a thread adds what it has when a time ends. */
static struct { uint64_t count, ns; } totals[JM_OMP_KINDS];
static uint32_t threads_seen;
static int is_counting;

/* Begins of this thread that have not ended: of each kind the outermost counts. */
JM_TLS struct { uint64_t ns; uint32_t depth; } began[JM_OMP_KINDS];
JM_TLS int is_counted;

static int wanted = -1;

JM_HIDDEN int jm_omp_tells(void) {
    if (wanted < 0) {
        const char *text = getenv("JOULEMARK_OMPT_EVENTS");
        wanted = text && *text == '1';
    }
    return wanted;
}

static void attribute(const char *name, const char *value, uint32_t kind, uint32_t properties) {
    struct joulemark__thread *t;
    if (!jm_omp_tells() || !(t = jm_thread(JM_OMPT, 1))) return;
    joulemark__value(t, kind, joulemark__lookup(t, name), JOULEMARK__TYPE_STRING,
                     THREAD_SCOPE | properties,
                     value ? joulemark__lookup(t, value) : 0);
}

/* A number that is no event of its own, as its begin or, NUMBER_ENDS, its end. */
#define NUMBER_ENDS INT32_MIN
static void number(const char *name, int value) {
    struct joulemark__thread *t;
    if (!jm_omp_tells() || !(t = jm_thread(JM_OMPT, 1))) return;
    joulemark__value(t,
                     value == NUMBER_ENDS ? JOULEMARK__KIND_ATTRIBUTE_END
                                          : JOULEMARK__KIND_ATTRIBUTE_BEGIN,
                     joulemark__lookup(t, name), JOULEMARK__TYPE_INT, THREAD_SCOPE | SKIP_EVENTS | UNALIGNED,
                     (uint64_t)(int64_t)value);
}

/* Caliper's own two nest with regions. */
static uint32_t properties_of(enum jm_omp_kind kind) {
    return kind >= JM_OMP_LOOP && kind <= JM_OMP_OTHER_SYNC ? 0 : UNALIGNED;
}

JM_HIDDEN void jm_omp_begin(enum jm_omp_kind kind) {
    if (!jm_is_on(JM_OMPT) || joulemark__state_9.mode != 2) return;
    if (began[kind].depth++ > 0) return;
    if (!is_counted) {
        is_counted = 1;
        __atomic_fetch_add(&threads_seen, 1, __ATOMIC_RELAXED);
    }
    if (kinds[kind].attribute)
        attribute(kinds[kind].attribute, kinds[kind].name, JOULEMARK__KIND_ATTRIBUTE_BEGIN,
                  properties_of(kind));
    began[kind].ns = joulemark__ns();
}

JM_HIDDEN void jm_omp_end(enum jm_omp_kind kind) {
    uint64_t ns;
    if (began[kind].depth == 0 || --began[kind].depth > 0) return;
    ns = joulemark__ns() - began[kind].ns;
    __atomic_fetch_add(&totals[kind].count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&totals[kind].ns, ns, __ATOMIC_RELAXED);
    if (kinds[kind].attribute)
        attribute(kinds[kind].attribute, NULL, JOULEMARK__KIND_ATTRIBUTE_END, properties_of(kind));
}

/* One text a kind for the report, "loop 80 123456789": how often and ns of all threads. */
static void tell(struct joulemark__thread *t) {
    char text[100];
    int i;
    for (i = 0; i < JM_OMP_KINDS; i++) {
        if (!totals[i].count) continue;
        snprintf(text, sizeof text, "%s %llu %llu", kinds[i].name,
                 (unsigned long long)totals[i].count, (unsigned long long)totals[i].ns);
        jm_tell(t, JOULEMARK__OPENMP_NAME, text);
    }
    snprintf(text, sizeof text, "threads %u", threads_seen);
    jm_tell(t, JOULEMARK__OPENMP_NAME, text);
}

/* ---------------------------------------------------------------- regions and threads */

JM_HIDDEN uint32_t jm_omp_parallel(const void *at) {
    struct joulemark__thread *t = jm_thread(JM_OMPT, 1);
    uint32_t region;
    if (!t) return JM_OMP_UNHEARD;
    if (!is_counting) {
        is_counting = 1;
        jm_tell_at_end(tell);
    }
    /* The program waits while a new place gets its name: some 0.2 ms. */
    jm_omp_begin(JM_OMP_PARALLEL);
    region = region_at(t, at);
    joulemark__enter(t, jm_of(jm_track(JM_OMPT), region));
    return region;
}

JM_HIDDEN void jm_omp_parallel_end(uint32_t region) {
    struct joulemark__thread *t = jm_thread(JM_OMPT, 0);
    if (!t || region == JM_OMP_UNHEARD) return;
    jm_omp_end(JM_OMP_PARALLEL);
    joulemark__exit(t, jm_of(jm_track(JM_OMPT), joulemark__checked(region)));
}

JM_HIDDEN void jm_omp_thread(const char *type) {
    JM_TLS const char *known;
    if (known == type) return;
    known = type;
    attribute("omp.thread.type", type, JOULEMARK__KIND_ATTRIBUTE_SET, UNALIGNED);
}

JM_HIDDEN void jm_omp_joins(int n, int threads) {
    number("omp.num.threads", threads);
    number("omp.thread.id", n);
}

JM_HIDDEN void jm_omp_leaves(void) {
    number("omp.thread.id", NUMBER_ENDS);
    number("omp.num.threads", NUMBER_ENDS);
}

JM_HIDDEN void jm_omp_state(const char *state) {
    struct joulemark__thread *t;
    if (!state || !jm_omp_tells() || !(t = jm_thread(JM_OMPT, 1))) return;
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET, joulemark__lookup(t, "omp.state"),
                     JOULEMARK__TYPE_STRING, THREAD_SCOPE | SKIP_EVENTS | UNALIGNED,
                     joulemark__lookup(t, state));
}
