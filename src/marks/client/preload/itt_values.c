/*
 * itt_values.c: Intel's ITT interface beside tasks: counters, metadata, markers, names of
 * threads. Each becomes an attribute that is set, for recordings and Caliper's channels: a counter under
 * DOMAIN.NAME, metadata under its key, `itt.marker`, `itt.thread`. The ITT API reference in Intel's
 * VTune documentation.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

/* As in itt.c: what programs see of them. */
struct domain { volatile int flags; const char *name; void *wide; int extra1; void *extra2, *next; };
struct string { const char *name; void *wide; int extra1; void *extra2, *next; };
struct id { uint64_t d1, d2, d3; };

/* __itt_metadata_type. */
enum { UNKNOWN, U64, S64, U32, S32, U16, S16, FLOAT, DOUBLE };

struct counter {
    char name[256];
    int type;
    uint64_t value; /* of one that is counted up and down */
};

static void set(const char *name, uint32_t type, uint64_t bits) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 1);
    if (t) joulemark__set(t, joulemark__lookup(t, name), type, bits);
}

static void set_text(const char *name, const char *text) {
    struct joulemark__thread *t = jm_thread(JM_ITT, 1);
    if (t) set(name, JOULEMARK__TYPE_STRING, joulemark__lookup(t, text));
}

/* A number of the program's, of the given type. */
static void set_number(const char *name, int type, const void *at) {
    double real;
    uint64_t bits = 0;
    if (!at) return;
    if (type == FLOAT || type == DOUBLE) {
        real = type == FLOAT ? (double)*(const float *)at : *(const double *)at;
        memcpy(&bits, &real, sizeof bits);
        set(name, JOULEMARK__TYPE_DOUBLE, bits);
        return;
    }
    switch (type) {
    case S64: case UNKNOWN: case U64: bits = *(const uint64_t *)at; break;
    case U32: bits = *(const uint32_t *)at; break;
    case S32: bits = (uint64_t)(int64_t) * (const int32_t *)at; break;
    case U16: bits = *(const uint16_t *)at; break;
    case S16: bits = (uint64_t)(int64_t) * (const int16_t *)at; break;
    default: return;
    }
    set(name, type == S64 || type == S32 || type == S16 ? JOULEMARK__TYPE_INT : JOULEMARK__TYPE_UINT,
        bits);
}

/* ---------------------------------------------------------------- counters */

JM_EXPORT void *__itt_counter_create_typed(const char *name, const char *domain, int type) {
    struct counter *c = (struct counter *)calloc(1, sizeof *c);
    if (!c) return NULL;
    snprintf(c->name, sizeof c->name, "%s%s%s", domain ? domain : "", domain && *domain ? "." : "",
             name ? name : "");
    c->type = type;
    return c;
}

JM_EXPORT void *__itt_counter_create(const char *name, const char *domain) {
    return __itt_counter_create_typed(name, domain, U64);
}

JM_EXPORT void *__itt_counter_create_v3(const struct domain *d, const char *name, int type) {
    return __itt_counter_create_typed(name, d ? d->name : NULL, type);
}

/* Programs may go on using it from other threads: it stays. */
JM_EXPORT void __itt_counter_destroy(void *counter) { (void)counter; }

static void change(void *counter, uint64_t by) {
    struct counter *c = (struct counter *)counter;
    if (c) set(c->name, JOULEMARK__TYPE_UINT, __atomic_add_fetch(&c->value, by, __ATOMIC_RELAXED));
}

static void assign(void *counter, const void *at) {
    struct counter *c = (struct counter *)counter;
    if (c) set_number(c->name, c->type, at);
}

#define CHANGE(symbol, parameters, by)                                                             \
    JM_EXPORT void symbol parameters { change(counter, by); }
CHANGE(__itt_counter_inc, (void *counter), 1)
CHANGE(__itt_counter_dec, (void *counter), (uint64_t)-1)
CHANGE(__itt_counter_inc_delta, (void *counter, uint64_t n), n)
CHANGE(__itt_counter_dec_delta, (void *counter, uint64_t n), (uint64_t)0 - n)
CHANGE(__itt_counter_inc_v3, (const void *domain, void *counter), 1)
CHANGE(__itt_counter_dec_v3, (const void *domain, void *counter), (uint64_t)-1)
CHANGE(__itt_counter_inc_delta_v3, (const void *domain, void *counter, uint64_t n), n)
CHANGE(__itt_counter_dec_delta_v3, (const void *domain, void *counter, uint64_t n),
       (uint64_t)0 - n)

JM_EXPORT void __itt_counter_set_value(void *counter, void *at) { assign(counter, at); }

JM_EXPORT void __itt_counter_set_value_v3(void *counter, void *at) { assign(counter, at); }

/* At a time of the program's own clock, which is not known here: it counts at the call. */
JM_EXPORT void __itt_counter_set_value_ex(void *counter, void *clock, uint64_t time, void *at) {
    assign(counter, at);
}

/* ---------------------------------------------------------------- metadata, markers, names */

JM_EXPORT void __itt_metadata_add(const void *domain, struct id id, const struct string *key,
                                  int type, size_t count, void *data) {
    /* Of a list the first number is used. */
    if (key && key->name && count > 0) set_number(key->name, type, data);
}

JM_EXPORT void __itt_metadata_str_add(const void *domain, struct id id, const struct string *key,
                                      const char *data, size_t length) {
    char text[1024];
    if (!key || !key->name || !data) return;
    /* Without a length it ends by a NUL. */
    if (length == 0) length = strlen(data);
    if (length >= sizeof text) length = sizeof text - 1;
    memcpy(text, data, length);
    text[length] = 0;
    set_text(key->name, text);
}

JM_EXPORT void __itt_marker(const void *domain, struct id id, const struct string *name, int scope) {
    if (name && name->name) set_text("itt.marker", name->name);
}

JM_EXPORT void __itt_marker_ex(const void *domain, void *clock, uint64_t time, struct id id,
                               const struct string *name, int scope) {
    __itt_marker(domain, id, name, scope);
}

JM_EXPORT void __itt_thread_set_name(const char *name) {
    if (name) set_text("itt.thread", name);
}
