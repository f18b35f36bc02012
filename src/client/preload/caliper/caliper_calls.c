/*
 * caliper_calls.c: the rest of cali.h: snapshots, queries, configuration, channels, flushing. The
 * real library answers where it is linked; without it a program gets the results of an idle Caliper.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"

/* A call that only the real library can answer, with the result without it. */
#define ASK(type, otherwise, symbol, parameters, types, args)                                      \
    JM_EXPORT type symbol parameters;                                                              \
    JM_EXPORT type symbol parameters {                                                             \
        JM_FORWARD(type, otherwise, #symbol, JM_CALI_LIBRARY, types, args);                        \
    }
#define DO(symbol, parameters, types, args)                                                        \
    JM_EXPORT void symbol parameters;                                                              \
    JM_EXPORT void symbol parameters {                                                             \
        JM_FORWARD_VOID(#symbol, JM_CALI_LIBRARY, types, args);                                    \
    }

typedef int (*reader)(void *, cali_id, struct jm_variant);
static const struct jm_variant nothing;

/* ------------------------------------------------------------------ snapshots */

/*
 * The snapshot's own values hold around it, and begin and end without being events. A string's
 * attribute begins no region here.
 */
static void snapshot(int n, const cali_id *ids, const struct jm_variant *values) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    uint32_t names[64];
    int i, told = 0;
    if (!t) return;
    if (jm_around) jm_around(t, 0);
    for (i = 0; ids && values && i < n && i < 64; i++) {
        struct jm_attribute *a = jm_cali_find(ids[i]);
        uint64_t bits;
        uint32_t type = a ? jm_cali_value(t, &values[i], &bits) : 0;
        if (!type) continue;
        names[told] = jm_cali_number(t, a);
        joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, names[told++], type,
                         a->properties | CALI_SKIP_EVENTS, bits);
    }
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET,
                     joulemark__lookup(t, JOULEMARK__SNAPSHOT_NAME), CALI_INT, 0, 0);
    while (told)
        joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_END, names[--told], 0, 0, 0);
    if (jm_around) jm_around(t, 1);
}

JM_EXPORT void cali_push_snapshot(int scope, int n, const cali_id *ids,
                                  const struct jm_variant *values);
JM_EXPORT void cali_push_snapshot(int scope, int n, const cali_id *ids,
                                  const struct jm_variant *values) {
    snapshot(n, ids, values);
    JM_CALI_PASS("cali_push_snapshot", (int, int, const cali_id *, const struct jm_variant *),
                 (scope, n, ids, values));
}

/* Of one of the program's own channels: the real library's business. */
DO(cali_channel_push_snapshot,
   (cali_id channel, int scope, int n, const cali_id *ids, const struct jm_variant *values),
   (cali_id, int, int, const cali_id *, const struct jm_variant *),
   (channel, scope, n, ids, values))
ASK(size_t, 0, cali_channel_pull_snapshot,
    (cali_id channel, int scope, size_t room, unsigned char *into),
    (cali_id, int, size_t, unsigned char *), (channel, scope, room, into))

JM_EXPORT void cali_unpack_snapshot(const unsigned char *from, size_t *bytes, reader each,
                                    void *data);
JM_EXPORT void cali_unpack_snapshot(const unsigned char *from, size_t *bytes, reader each,
                                    void *data) {
    JM_FORWARD_VOID("cali_unpack_snapshot", JM_CALI_LIBRARY,
                    (const unsigned char *, size_t *, reader, void *), (from, bytes, each, data));
}
ASK(struct jm_variant, nothing, cali_find_first_in_snapshot,
    (const unsigned char *from, cali_id id, size_t *bytes),
    (const unsigned char *, cali_id, size_t *), (from, id, bytes))
DO(cali_find_all_in_snapshot,
   (const unsigned char *from, cali_id id, size_t *bytes, reader each, void *data),
   (const unsigned char *, cali_id, size_t *, reader, void *), (from, id, bytes, each, data))

/* ------------------------------------------------------------------ queries */

/* The innermost region of the thread that Caliper's calls began. */
JM_EXPORT const char *cali_get_current_region_or(const char *otherwise);
JM_EXPORT const char *cali_get_current_region_or(const char *otherwise) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (t && t->depth <= JOULEMARK__DEPTH) {
        uint32_t top = joulemark__top(t, jm_track(JM_CALIPER));
        if (!top) return otherwise;
        return joulemark__copy_of(&joulemark__state_7, JOULEMARK__NAME_OF(t->stack[top - 1]));
    }
    JM_FORWARD(const char *, otherwise, "cali_get_current_region_or", JM_CALI_LIBRARY,
               (const char *), (otherwise));
}

/* An id of ours means nothing to the real library. */
JM_EXPORT struct jm_variant cali_get(cali_id id);
JM_EXPORT struct jm_variant cali_get(cali_id id) {
    if (!jm_cali_chained()) return nothing;
    JM_FORWARD(struct jm_variant, nothing, "cali_get", JM_CALI_LIBRARY, (cali_id), (id));
}
ASK(struct jm_variant, nothing, cali_channel_get, (cali_id channel, cali_id id),
    (cali_id, cali_id), (channel, id))
ASK(const char *, "", cali_caliper_version, (void), (void), ())

/* ------------------------------------------------------------------ configuration and channels */

JM_EXPORT void cali_init(void);
JM_EXPORT void cali_init(void) {
    jm_cali_start_apart();
    JM_FORWARD_VOID("cali_init", JM_CALI_LIBRARY, (void), ());
}
DO(cali_mpi_init, (void), (void), ())
ASK(int, 1, cali_is_initialized, (void), (void), ())
DO(cali_flush, (int options), (int), (options))
DO(cali_config_preset, (const char *key, const char *value), (const char *, const char *),
   (key, value))
DO(cali_config_set, (const char *key, const char *value), (const char *, const char *),
   (key, value))
DO(cali_config_allow_read_env, (int allow), (int), (allow))
ASK(void *, NULL, cali_create_configset, (const char *list[][2]), (const char *[][2]), (list))
DO(cali_delete_configset, (void *set), (void *), (set))
DO(cali_configset_set, (void *set, const char *key, const char *value),
   (void *, const char *, const char *), (set, key, value))

JM_EXPORT cali_id cali_create_channel(const char *name, int flags, void *set);
JM_EXPORT cali_id cali_create_channel(const char *name, int flags, void *set) {
    jm_cali_start_apart();
    JM_FORWARD(cali_id, JM_CALI_INVALID, "cali_create_channel", JM_CALI_LIBRARY,
               (const char *, int, void *), (name, flags, set));
}
DO(cali_delete_channel, (cali_id channel), (cali_id), (channel))
DO(cali_activate_channel, (cali_id channel), (cali_id), (channel))
DO(cali_deactivate_channel, (cali_id channel), (cali_id), (channel))
ASK(int, 0, cali_channel_is_active, (cali_id channel), (cali_id), (channel))
DO(cali_channel_flush, (cali_id channel, int options), (cali_id, int), (channel, options))

/* ------------------------------------------------------------------ cali_datatracker.h */

DO(cali_datatracker_track, (const void *at, const char *label, size_t bytes),
   (const void *, const char *, size_t), (at, label, bytes))
DO(cali_datatracker_track_dimensional,
   (const void *at, const char *label, size_t element, const size_t *sizes, size_t n),
   (const void *, const char *, size_t, const size_t *, size_t), (at, label, element, sizes, n))
DO(cali_datatracker_untrack, (const void *at), (const void *), (at))
