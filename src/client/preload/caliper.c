/*
 * caliper.c: Caliper's C interface, and the C++ classes behind its macros: cali.h and cali_macros.h
 * in Caliper's documentation. Regions, phases, loops and comm regions are regions; attributes that
 * are not nested travel beside them with their type and properties.
 *
 * The real library gets the calls too where something configures it from outside (a CALI_ variable)
 * or JOULEMARK_CHAIN says so. cali::Annotation and channels stay with it.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#define LIBRARY "libcaliper"

typedef uint64_t cali_id;

/* Types and property bits of Caliper. */
enum { TYPE_INT = 2, TYPE_UINT = 3, TYPE_STRING = 4, TYPE_DOUBLE = 6, TYPE_BOOL = 7 };
enum { AS_VALUE = 1, NESTED = 256, GLOBAL = 512 + 1024 + 12, UNALIGNED = 1024 };

struct attribute { cali_id id; char *name; uint32_t type, properties; };

#define ATTRIBUTES 4096
#define OWN_ID 0x6a6d000000000000ULL /* ids of ours, where no Caliper gives any */

static struct attribute attributes[ATTRIBUTES];
static int attributes_lock;
static uint32_t attribute_count;

/* Programs read these; a real library that starts up writes its own numbers into them. */
JM_EXPORT cali_id cali_loop_attr_id = OWN_ID + 1;
JM_EXPORT cali_id cali_annotation_attr_id = OWN_ID + 2;
JM_EXPORT cali_id cali_function_attr_id = OWN_ID + 3;
JM_EXPORT cali_id cali_statement_attr_id = OWN_ID + 4;
JM_EXPORT cali_id cali_region_attr_id = OWN_ID + 5;
JM_EXPORT cali_id cali_phase_attr_id = OWN_ID + 6;
JM_EXPORT cali_id cali_comm_region_attr_id = OWN_ID + 7;

static int chained(void) {
    static int known = -1;
    if (known < 0) known = jm_chained(JM_CALIPER, "CALI_");
    return known;
}

/* Forwards to Caliper where it listens. */
#define PASS(symbol, types, args)                                                                  \
    if (chained()) JM_FORWARD_VOID(#symbol, LIBRARY, types, args)

static struct attribute *place_of(cali_id id) {
    uint32_t at = (uint32_t)(id * 2654435761u) % ATTRIBUTES, tries;
    for (tries = 0; tries < ATTRIBUTES; tries++, at = (at + 1) % ATTRIBUTES) {
        if (!attributes[at].name || attributes[at].id == id) return &attributes[at];
    }
    return NULL;
}

static int locked(void) {
    int tries;
    for (tries = 0; tries < 1000000; tries++) {
        if (!__atomic_exchange_n(&attributes_lock, 1, __ATOMIC_ACQUIRE)) return 1;
    }
    return 0;
}

static cali_id known_by_name(const char *name) {
    uint32_t at;
    for (at = 0; at < ATTRIBUTES; at++) {
        if (attributes[at].name && strcmp(attributes[at].name, name) == 0) return attributes[at].id;
    }
    return 0;
}

/* Registers an attribute; with an id of Caliper's or, 0, one of ours. */
static cali_id keep(cali_id id, const char *name, uint32_t type, uint32_t properties) {
    struct attribute *a;
    cali_id known;
    if (!name || !locked()) return id;
    known = id ? 0 : known_by_name(name);
    if (known) id = known;
    else {
        if (!id) id = OWN_ID + 100 + attribute_count;
        a = place_of(id);
        if (a && !a->name) {
            a->id = id;
            a->type = type;
            a->properties = properties;
            __atomic_store_n(&a->name, strdup(name), __ATOMIC_RELEASE);
            attribute_count++;
        }
    }
    __atomic_store_n(&attributes_lock, 0, __ATOMIC_RELEASE);
    return id;
}

/* Those that Caliper has by itself: values are names of regions, level in the higher bits. */
static struct attribute region = {0, (char *)"region", TYPE_STRING, NESTED + 20};
static struct attribute loop = {0, (char *)"loop", TYPE_STRING, NESTED + 20};
static struct attribute phase = {0, (char *)"phase", TYPE_STRING, 0x40000 + NESTED + 20};
static struct attribute comm_region = {0, (char *)"comm.region", TYPE_STRING, 0x10000 + NESTED + 20};

/* Those, and the ones that were created. */
static struct attribute *find(cali_id id) {
    struct attribute *a;
    if (id == cali_loop_attr_id) return &loop;
    if (id == cali_phase_attr_id) return &phase;
    if (id == cali_comm_region_attr_id) return &comm_region;
    if (id == cali_annotation_attr_id || id == cali_function_attr_id ||
        id == cali_statement_attr_id || id == cali_region_attr_id)
        return &region;
    a = place_of(id);
    return a && a->name ? a : NULL;
}

static int is_region(const struct attribute *a) {
    return (a->properties & NESTED) && a->type == TYPE_STRING;
}

static uint32_t lookup(struct joulemark__thread *t, const char *name, uint32_t hint) {
    uint32_t slot = joulemark__place(name);
    if (t->cache[slot].at == name && strcmp(t->cache[slot].copy, name) == 0)
        return t->cache[slot].region;
    return joulemark__find(t, name, hint);
}

static void tell(struct joulemark__thread *t, uint32_t kind, const char *name, uint32_t type,
                 uint32_t properties, uint64_t bits) {
    joulemark__value(t, kind, joulemark__lookup(t, name), type, properties, bits);
}

/* Bit d: the region open at depth d was begun with its attribute, and owes the ring its end. */
JM_TLS uint64_t jm_told;

/*
 * Begins a region whose attribute is no plain `region`: the attribute's begin, then the region's,
 * both in the ring or none. Room for two clock pairs and for both ends is looked for before.
 */
static void open_nested(struct joulemark__thread *t, const struct attribute *a, uint32_t name) {
    uint32_t depth = t->depth;
    if (depth < JOULEMARK__DEPTH) {
        jm_told &= ~(1ull << depth);
        if (a != &region && (depth == 0 || (t->pushed & 1)) && joulemark__room(t, 9)) {
            tell(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, a->name, TYPE_STRING,
                 a->properties | JOULEMARK__PROPERTY_ENTER_FOLLOWS, name);
            joulemark__enter(t, name);
            jm_told |= 1ull << depth;
            t->reserved++;
            return;
        }
    }
    joulemark__enter(t, name);
}

/* Ends it, and what is open inside it: the region's end, then the attribute's. */
static void close_nested(struct joulemark__thread *t, const struct attribute *a, uint32_t name) {
    uint32_t depth = t->depth, told = 0;
    joulemark__exit(t, name);
    for (; depth > t->depth; depth--) {
        told = depth <= JOULEMARK__DEPTH && (jm_told >> (depth - 1) & 1);
        if (told && t->reserved) t->reserved--;
    }
    if (told) tell(t, JOULEMARK__KIND_ATTRIBUTE_END, a->name, 0, 0, 0);
}

static uint32_t innermost(const struct joulemark__thread *t) {
    return t->depth - 1 < JOULEMARK__DEPTH ? t->stack[t->depth - 1] : 0;
}

/* Begin or set. */
static void change(uint32_t kind, cali_id id, uint32_t type, uint64_t bits, const char *text) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    struct attribute *a;
    if (!t || !(a = find(id))) return;
    if (text) bits = joulemark__lookup(t, text);
    if (kind == JOULEMARK__KIND_ATTRIBUTE_BEGIN && text && is_region(a))
        open_nested(t, a, (uint32_t)bits);
    else
        tell(t, kind, a->name, type, a->properties, bits);
}

static void finish(cali_id id) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    struct attribute *a;
    if (!t || !(a = find(id))) return;
    if (is_region(a)) close_nested(t, a, innermost(t));
    else tell(t, JOULEMARK__KIND_ATTRIBUTE_END, a->name, 0, 0, 0);
}

static void begin_named(const struct attribute *a, const char *name, uint32_t hint) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    if (t) open_nested(t, a, lookup(t, name, hint));
}

static void end_named(const struct attribute *a, const char *name) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (t) close_nested(t, a, joulemark__lookup(t, name));
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

#define BEGIN JOULEMARK__KIND_ATTRIBUTE_BEGIN
#define SET JOULEMARK__KIND_ATTRIBUTE_SET

/* ------------------------------------------------------------------ regions */

#define REGION(symbol, mark)                                                                       \
    JM_EXPORT void symbol(const char *name);                                                       \
    JM_EXPORT void symbol(const char *name) {                                                      \
        mark;                                                                                      \
        PASS(symbol, (const char *), (name));                                                      \
    }
REGION(cali_begin_region, jm_begin(JM_CALIPER, name))
REGION(cali_end_region, jm_end(JM_CALIPER, name))
REGION(cali_begin_phase, begin_named(&phase, name, JOULEMARK_HINT_UNKNOWN))
REGION(cali_end_phase, end_named(&phase, name))
REGION(cali_begin_comm_region, begin_named(&comm_region, name, JOULEMARK_HINT_NETWORK))
REGION(cali_end_comm_region, end_named(&comm_region, name))

/* ------------------------------------------------------------------ attributes */

JM_EXPORT cali_id cali_create_attribute(const char *name, int type, int properties);
JM_EXPORT cali_id cali_create_attribute(const char *name, int type, int properties) {
    static void *slot;
    cali_id (*real)(const char *, int, int) =
        chained() ? (cali_id(*)(const char *, int, int))jm_next(&slot, "cali_create_attribute",
                                                                LIBRARY)
                  : NULL;
    return keep(real ? real(name, type, properties) : 0, name, (uint32_t)type,
                (uint32_t)properties);
}

JM_EXPORT cali_id cali_create_attribute_with_metadata(const char *name, int type, int properties,
                                                      int n, const cali_id *keys,
                                                      const void *values);
JM_EXPORT cali_id cali_create_attribute_with_metadata(const char *name, int type, int properties,
                                                      int n, const cali_id *keys,
                                                      const void *values) {
    static void *slot;
    cali_id (*real)(const char *, int, int, int, const cali_id *, const void *) =
        chained() ? (cali_id(*)(const char *, int, int, int, const cali_id *, const void *))jm_next(
                        &slot, "cali_create_attribute_with_metadata", LIBRARY)
                  : NULL;
    return keep(real ? real(name, type, properties, n, keys, values) : 0, name, (uint32_t)type,
                (uint32_t)properties);
}

JM_EXPORT cali_id cali_make_loop_iteration_attribute(const char *loop);
JM_EXPORT cali_id cali_make_loop_iteration_attribute(const char *loop) {
    static void *slot;
    cali_id (*real)(const char *) =
        chained() ? (cali_id(*)(const char *))jm_next(
                        &slot, "cali_make_loop_iteration_attribute", LIBRARY)
                  : NULL;
    char name[256];
    snprintf(name, sizeof name, "iteration#%s", loop ? loop : "");
    return keep(real ? real(loop) : 0, name, TYPE_INT, AS_VALUE);
}

#define BY_ID(symbol, type, mark)                                                                  \
    JM_EXPORT void symbol(cali_id id, type value);                                                 \
    JM_EXPORT void symbol(cali_id id, type value) {                                                \
        mark;                                                                                      \
        PASS(symbol, (cali_id, type), (id, value));                                                \
    }
BY_ID(cali_begin_int, int, change(BEGIN, id, TYPE_INT, (uint64_t)(int64_t)value, NULL))
BY_ID(cali_begin_double, double, change(BEGIN, id, TYPE_DOUBLE, bits_of(value), NULL))
BY_ID(cali_begin_string, const char *, change(BEGIN, id, TYPE_STRING, 0, value))
BY_ID(cali_set_int, int, change(SET, id, TYPE_INT, (uint64_t)(int64_t)value, NULL))
BY_ID(cali_set_double, double, change(SET, id, TYPE_DOUBLE, bits_of(value), NULL))
BY_ID(cali_set_string, const char *, change(SET, id, TYPE_STRING, 0, value))
BY_ID(cali_safe_end_string, const char *, finish(id))

#define END(symbol, mark)                                                                          \
    JM_EXPORT void symbol(cali_id id);                                                             \
    JM_EXPORT void symbol(cali_id id) {                                                            \
        mark;                                                                                      \
        PASS(symbol, (cali_id), (id));                                                             \
    }
END(cali_begin, change(BEGIN, id, TYPE_BOOL, 1, NULL))
END(cali_end, finish(id))

/* By name: begins make a plain attribute, sets one that may overlap regions. */
#define BY_NAME(symbol, type, kind, cali_type, properties, bits, text)                             \
    JM_EXPORT void symbol(const char *name, type value);                                           \
    JM_EXPORT void symbol(const char *name, type value) {                                          \
        if (jm_on & JM_CALIPER)                                                                    \
            change(kind, keep(0, name, cali_type, properties), cali_type, bits, text);             \
        PASS(symbol, (const char *, type), (name, value));                                         \
    }
#define SIGNED (uint64_t)(int64_t)value
BY_NAME(cali_begin_int_byname, int, BEGIN, TYPE_INT, 0, SIGNED, NULL)
BY_NAME(cali_begin_double_byname, double, BEGIN, TYPE_DOUBLE, 0, bits_of(value), NULL)
BY_NAME(cali_begin_string_byname, const char *, BEGIN, TYPE_STRING, 0, 0, value)
BY_NAME(cali_set_int_byname, int, SET, TYPE_INT, UNALIGNED, SIGNED, NULL)
BY_NAME(cali_set_double_byname, double, SET, TYPE_DOUBLE, UNALIGNED, bits_of(value), NULL)
BY_NAME(cali_set_string_byname, const char *, SET, TYPE_STRING, UNALIGNED, 0, value)
BY_NAME(cali_set_global_int_byname, int, SET, TYPE_INT, GLOBAL, SIGNED, NULL)
BY_NAME(cali_set_global_double_byname, double, SET, TYPE_DOUBLE, GLOBAL, bits_of(value), NULL)
BY_NAME(cali_set_global_string_byname, const char *, SET, TYPE_STRING, GLOBAL, 0, value)
BY_NAME(cali_set_global_uint_byname, uint64_t, SET, TYPE_UINT, GLOBAL, value, NULL)

JM_EXPORT void cali_begin_byname(const char *name);
JM_EXPORT void cali_begin_byname(const char *name) {
    if (jm_on & JM_CALIPER) change(BEGIN, keep(0, name, TYPE_BOOL, 0), TYPE_BOOL, 1, NULL);
    PASS(cali_begin_byname, (const char *), (name));
}

JM_EXPORT void cali_end_byname(const char *name);
JM_EXPORT void cali_end_byname(const char *name) {
    if (jm_on & JM_CALIPER) finish(keep(0, name, TYPE_STRING, 0));
    PASS(cali_end_byname, (const char *), (name));
}

/* ------------------------------------------------------------------ C++ */

/* cali::Function and cali::ScopeAnnotation are empty: a name at the start, nothing at the end. */
#define SCOPE(begin, end)                                                                          \
    JM_EXPORT void begin(void *self, const char *name);                                            \
    JM_EXPORT void begin(void *self, const char *name) {                                           \
        jm_begin(JM_CALIPER, name);                                                                \
        PASS(begin, (void *, const char *), (self, name));                                         \
    }                                                                                              \
    JM_EXPORT void end(void *self);                                                                \
    JM_EXPORT void end(void *self) {                                                               \
        jm_pop(JM_CALIPER);                                                                        \
        PASS(end, (void *), (self));                                                               \
    }
SCOPE(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCOPE(_ZN4cali8FunctionC2EPKc, _ZN4cali8FunctionD2Ev)
SCOPE(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
SCOPE(_ZN4cali15ScopeAnnotationC2EPKc, _ZN4cali15ScopeAnnotationD2Ev)
