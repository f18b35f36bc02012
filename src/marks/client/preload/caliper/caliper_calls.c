/*
 * caliper_calls.c: the rest of cali.h: snapshots, queries, configuration, channels, flushing. The
 * real library answers where it is linked; without it a program gets the results of an idle Caliper.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"

/* A call that only the real library can answer, with the result without it. */
#define ASK(type, otherwise, symbol, parameters, args)                                             \
    JM_EXPORT type symbol parameters {                                                             \
        JM_FORWARD(symbol, JM_CALI_LIBRARY, otherwise, args);                                      \
    }
#define DO(symbol, parameters, args)                                                               \
    JM_EXPORT void symbol parameters {                                                             \
        JM_FORWARD_VOID(symbol, JM_CALI_LIBRARY, args);                                            \
    }

typedef int (*reader)(void *, cali_id, struct jm_variant);
static const struct jm_variant nothing;

/* ------------------------------------------------------------------ snapshots */

/* A value of the thread's next snapshot, which changes nothing else. */
static void of_snapshot(struct joulemark__thread *t, uint32_t name, uint32_t type,
                        uint32_t properties, uint64_t bits) {
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET, name, type,
                     properties | JOULEMARK__PROPERTY_OF_SNAPSHOT, bits);
}

/* One that the program requests, or one of an event that it times itself. */
enum kind { REQUESTED, TIMED };
static void take(struct joulemark__thread *t, enum kind kind) {
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET,
                     joulemark__lookup(t, JOULEMARK__SNAPSHOT_NAME), CALI_INT, 0, kind);
}

static void snapshot(int n, const cali_id *ids, const struct jm_variant *values) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    int i;
    if (!t) return;
    if (jm_around) jm_around(t, 0);
    for (i = 0; ids && values && i < n && i < 64; i++) {
        struct jm_attribute *a = jm_cali_find(ids[i]);
        uint64_t bits;
        uint32_t type = a ? jm_cali_value(t, &values[i], &bits) : 0;
        if (type) of_snapshot(t, jm_number(t, a->name, &a->number), type, a->properties, bits);
    }
    take(t, REQUESTED);
    if (jm_around) jm_around(t, 1);
}

/* ------------------------------------------------------------------ timed events, AsyncEvent.h */

/* As the program sees it; without the real library `node` is the number of the message. */
struct timed { void *node; int64_t ns; };

/* Messages by the real library's nodes, one for each. */
static struct { void *node; uint32_t name; } timed_names[256];

static uint32_t timed_place(const void *node) {
    return (uint32_t)((uintptr_t)node * 0x9e3779b97f4a7c15u >> 56);
}

static void timed(struct joulemark__thread *t, const char *attribute, uint32_t name, uint64_t ns) {
    if (!t || !name) return;
    of_snapshot(t, joulemark__lookup(t, attribute), CALI_STRING, CALI_SKIP_EVENTS, name);
    if (ns)
        of_snapshot(t, joulemark__lookup(t, "event.duration.ns"), CALI_UINT,
                    CALI_AS_VALUE | CALI_AGGREGATABLE | CALI_SKIP_EVENTS, ns);
    take(t, TIMED);
}

static int64_t steady_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* cali::TimedAsyncEvent::begin(const char *) */
JM_EXPORT struct timed _ZN4cali15TimedAsyncEvent5beginEPKc(const char *message) {
    struct joulemark__thread *t = jm_is_on(JM_CALIPER) && message ? jm_thread(JM_CALIPER, 1) : NULL;
    uint32_t name = t ? joulemark__lookup(t, message) : 0;
    struct timed made = {(void *)(uintptr_t)name, steady_ns()};
    timed(t, "async.begin", name, 0);
    if (jm_cali_chained()) {
        JM_REAL(_ZN4cali15TimedAsyncEvent5beginEPKc, JM_CALI_LIBRARY);
        if (real) {
            uint32_t at;
            made = real(message);
            at = timed_place(made.node);
            timed_names[at].node = made.node;
            timed_names[at].name = name;
        }
    }
    return made;
}

/* cali::TimedAsyncEvent::end() */
JM_EXPORT void _ZN4cali15TimedAsyncEvent3endEv(struct timed *self) {
    struct joulemark__thread *t = jm_is_on(JM_CALIPER) ? jm_thread(JM_CALIPER, 1) : NULL;
    uint32_t name = (uint32_t)(uintptr_t)self->node;
    if (jm_cali_chained()) {
        JM_REAL(_ZN4cali15TimedAsyncEvent3endEv, JM_CALI_LIBRARY);
        if (real) {
            uint32_t at = timed_place(self->node);
            real(self);
            name = timed_names[at].node == self->node ? timed_names[at].name : 0;
        }
    }
    if (name) {
        int64_t ns = steady_ns() - self->ns;
        timed(t, "async.end", joulemark__checked(name), ns > 0 ? (uint64_t)ns : 1);
    }
}

/* ------------------------------------------------------------------ snapshots */

JM_EXPORT void cali_push_snapshot(int scope, int n, const cali_id *ids,
                                  const struct jm_variant *values) {
    snapshot(n, ids, values);
    JM_CALI_PASS(cali_push_snapshot, (scope, n, ids, values));
}

/* Of one of the program's own channels: the real library's business. */
DO(cali_channel_push_snapshot,
   (cali_id channel, int scope, int n, const cali_id *ids, const struct jm_variant *values),
   (channel, scope, n, ids, values))
ASK(size_t, 0, cali_channel_pull_snapshot,
    (cali_id channel, int scope, size_t room, unsigned char *into), (channel, scope, room, into))

JM_EXPORT void cali_unpack_snapshot(const unsigned char *from, size_t *bytes, reader each,
                                    void *data) {
    JM_FORWARD_VOID(cali_unpack_snapshot, JM_CALI_LIBRARY, (from, bytes, each, data));
}
ASK(struct jm_variant, nothing, cali_find_first_in_snapshot,
    (const unsigned char *from, cali_id id, size_t *bytes), (from, id, bytes))
DO(cali_find_all_in_snapshot,
   (const unsigned char *from, cali_id id, size_t *bytes, reader each, void *data),
   (from, id, bytes, each, data))

/* ------------------------------------------------------------------ queries */

/* The innermost region of the thread that Caliper's calls began. */
JM_EXPORT const char *cali_get_current_region_or(const char *otherwise) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (t && t->depth <= JOULEMARK__DEPTH) {
        uint32_t top = joulemark__top(t, jm_track(JM_CALIPER));
        if (!top) return otherwise;
        return joulemark__copy_of(&joulemark__state_9, JOULEMARK__NAME_OF(t->stack[top - 1]));
    }
    JM_FORWARD(cali_get_current_region_or, JM_CALI_LIBRARY, otherwise, (otherwise));
}

/* An id of ours means nothing to the real library. */
JM_EXPORT struct jm_variant cali_get(cali_id id) {
    if (!jm_cali_chained()) return nothing;
    JM_FORWARD(cali_get, JM_CALI_LIBRARY, nothing, (id));
}
ASK(struct jm_variant, nothing, cali_channel_get, (cali_id channel, cali_id id), (channel, id))
ASK(const char *, "", cali_caliper_version, (void), ())

/* ------------------------------------------------------------------ configuration and channels */

JM_EXPORT void cali_init(void) {
    jm_cali_start_apart();
    JM_FORWARD_VOID(cali_init, JM_CALI_LIBRARY, ());
}
DO(cali_mpi_init, (void), ())
ASK(int, 1, cali_is_initialized, (void), ())
DO(cali_flush, (int options), (options))
DO(cali_config_preset, (const char *key, const char *value), (key, value))
DO(cali_config_set, (const char *key, const char *value), (key, value))
DO(cali_config_allow_read_env, (int allow), (allow))
ASK(void *, NULL, cali_create_configset, (const char *list[][2]), (list))
DO(cali_delete_configset, (void *set), (set))
DO(cali_configset_set, (void *set, const char *key, const char *value), (set, key, value))

JM_EXPORT cali_id cali_create_channel(const char *name, int flags, void *set) {
    jm_cali_start_apart();
    JM_FORWARD(cali_create_channel, JM_CALI_LIBRARY, JM_CALI_INVALID, (name, flags, set));
}
DO(cali_delete_channel, (cali_id channel), (channel))
DO(cali_activate_channel, (cali_id channel), (channel))
DO(cali_deactivate_channel, (cali_id channel), (channel))
ASK(int, 0, cali_channel_is_active, (cali_id channel), (channel))
DO(cali_channel_flush, (cali_id channel, int options), (channel, options))

/* ------------------------------------------------------------------ cali_datatracker.h */

DO(cali_datatracker_track, (const void *at, const char *label, size_t bytes), (at, label, bytes))
DO(cali_datatracker_track_dimensional,
   (const void *at, const char *label, size_t element, const size_t *sizes, size_t n),
   (at, label, element, sizes, n))
DO(cali_datatracker_untrack, (const void *at), (at))
