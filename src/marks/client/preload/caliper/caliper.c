/*
 * caliper.c: marks of Caliper's C interface: cali.h and cali_macros.h in Caliper's documentation.
 * Regions, phases, loops and comm regions are regions; other attributes travel beside them with
 * their type and properties.
 *
 * The real library gets the calls too where something configures it from outside (a CALI_ variable)
 * or by JOULEMARK_CHAIN.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"

#define BYTES_MOST 4096

#define IS_ON jm_is_on(JM_CALIPER)

static int is_region(const struct jm_attribute *a) {
    return (a->properties & CALI_NESTED) && a->type == CALI_STRING;
}

static void tell(struct joulemark__thread *t, uint32_t kind, struct jm_attribute *a, uint32_t type,
                 uint32_t properties, uint64_t bits) {
    joulemark__value(t, kind, jm_number(t, a->name, &a->number), type, properties, bits);
}

/* A value that is no region's: an event of its own, so a moment that is noted. */
static void tell_alone(struct joulemark__thread *t, uint32_t kind, struct jm_attribute *a,
                       uint32_t type, uint32_t properties, uint64_t bits) {
    if (__builtin_expect(jm_around == NULL, 1)) {
        tell(t, kind, a, type, properties, bits);
        return;
    }
    jm_around(t, 0);
    tell(t, kind, a, type, properties, bits);
    jm_around(t, 1);
}

/* The bits of the regions that are open: those above were ended by another call. */
static uint64_t owing(const struct joulemark__thread *t) {
    return t->depth < JOULEMARK__DEPTH ? t->told & ((1ull << t->depth) - 1) : t->told;
}

/*
 * Begins a region whose attribute is no plain `region`: the attribute's begin, then the region's.
 * Room for both, for both ends, and for two clock pairs is looked for before; without it the region
 * goes as one without attribute.
 */
static void open_region(struct joulemark__thread *t, struct jm_attribute *a, uint32_t name) {
    uint32_t depth = t->depth, region = jm_of(jm_track(JM_CALIPER), name);
    int is_told = a != jm_cali_region && (depth == 0 || (t->pushed & 1));
    if (jm_around) jm_around(t, 0);
    t->told = owing(t);
    if (a != jm_cali_region) t->attribute = jm_number(t, a->name, &a->number);
    if (t->order == JOULEMARK__ORDER_UNDECIDED) joulemark__decide_order(t);
    if (t->order == JOULEMARK__ORDER_FOLDED) {
        joulemark__enter(t, region);
    } else if (depth < JOULEMARK__DEPTH && is_told && joulemark__room(t, 9)) {
        t->levels[depth].attribute = t->attribute;
        tell(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, a, CALI_STRING,
             a->properties | JOULEMARK__PROPERTY_ENTER_FOLLOWS, name);
        joulemark__enter(t, region);
        t->told |= 1ull << depth;
        t->reserved++;
    } else joulemark__enter(t, region);
    t->attribute = 0;
    if (jm_around) jm_around(t, 1);
}

/* Ends it, and what is open inside it: the region's end, then the attribute's. */
static void close_region(struct joulemark__thread *t, struct jm_attribute *a,
                         uint32_t region) {
    uint32_t at = joulemark__top(t, JOULEMARK__TRACK_OF(region)), owed, before;
    if (jm_around) jm_around(t, 0);
    while (at > 0 && t->stack[at - 1] != region) at--;
    t->told = owing(t);
    before = (uint32_t)__builtin_popcountll(t->told);
    owed = at > 0 && at <= JOULEMARK__DEPTH && (t->told >> (at - 1) & 1);
    joulemark__exit(t, region);
    t->told = owing(t);
    before -= (uint32_t)__builtin_popcountll(t->told);
    t->reserved -= before < t->reserved ? before : t->reserved;
    if (owed) {
        /* As an exit: its room was kept. */
        uint32_t attribute = jm_number(t, a->name, &a->number), flags;
        if (joulemark__alone(t)) {
            uint64_t stamp = joulemark__stamp(t, &flags);
            joulemark__put(t, stamp, JOULEMARK__KIND_ATTRIBUTE_END, flags | t->process, attribute);
            joulemark__done(t);
        }
    }
    if (jm_around) jm_around(t, 1);
}

JM_HIDDEN void jm_cali_begin(struct joulemark__thread *t, struct jm_attribute *a,
                             uint32_t type, uint64_t bits) {
    if (is_region(a) && type == CALI_STRING) open_region(t, a, (uint32_t)bits);
    else tell_alone(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, a, type, a->properties, bits);
}

JM_HIDDEN void jm_cali_set(struct joulemark__thread *t, struct jm_attribute *a,
                           uint32_t type, uint64_t bits) {
    tell_alone(t, JOULEMARK__KIND_ATTRIBUTE_SET, a, type, a->properties, bits);
}

JM_HIDDEN void jm_cali_end(struct joulemark__thread *t, struct jm_attribute *a) {
    if (is_region(a)) {
        uint32_t track = jm_track(JM_CALIPER), top = t->depth;
        if (top <= JOULEMARK__DEPTH) top = joulemark__top(t, track);
        close_region(t, a, top - 1 < JOULEMARK__DEPTH ? t->stack[top - 1] : jm_of(track, 0));
    } else
        tell_alone(t, JOULEMARK__KIND_ATTRIBUTE_END, a, 0, 0, 0);
}

JM_HIDDEN uint32_t jm_cali_text(struct joulemark__thread *t, const char *text, size_t length) {
    uint32_t slot = joulemark__place(text), region;
    length = strnlen(text, length);
    if (t->cache[slot].at == text && strncmp(t->cache[slot].copy, text, length) == 0 &&
        t->cache[slot].copy[length] == 0)
        return t->cache[slot].region;
    region = joulemark__number(text, length, JOULEMARK_HINT_UNKNOWN);
    if (region) {
        t->cache[slot].at = text;
        t->cache[slot].copy = joulemark__copy_of(&joulemark__state_9, region);
        t->cache[slot].region = region;
    }
    return region;
}

/* Bytes of a program's own type travel as digits, two each; of very many the first. */
static uint32_t bytes_text(const unsigned char *bytes, uint64_t size) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * BYTES_MOST];
    uint32_t i, n = size < BYTES_MOST ? (uint32_t)size : BYTES_MOST;
    for (i = 0; i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return joulemark__number(text, 2 * n, JOULEMARK_HINT_UNKNOWN);
}

JM_HIDDEN uint32_t jm_cali_value(struct joulemark__thread *t, const struct jm_variant *value,
                                 uint64_t *bits) {
    uint32_t type = (uint32_t)(value->type_and_size & 0xff);
    *bits = value->value.bits;
    switch (type) {
    case CALI_INT:
    case CALI_UINT:
    case CALI_ADDR:
    case CALI_TYPE:
    case CALI_DOUBLE: return type;
    case CALI_USR:
        if (!value->value.at) return 0;
        *bits = bytes_text(value->value.at, value->type_and_size >> 32);
        return type;
    case CALI_BOOL: *bits = value->value.flag != 0; return type;
    case CALI_STRING:
        if (!value->value.at) return 0;
        *bits = jm_cali_text(t, (const char *)value->value.at, value->type_and_size >> 32);
        return type;
    default: return 0;
    }
}

JM_HIDDEN struct jm_variant jm_cali_variant(const char *text) {
    struct jm_variant v = {CALI_STRING | (uint64_t)(text ? strlen(text) : 0) << 32, {0}};
    v.value.at = text;
    /* A small hash of first, middle and last byte, which the real library compares. */
    if (text && *text) {
        size_t size = strlen(text);
        v.type_and_size |= (uint64_t)(unsigned char)text[0] << 24 |
                           (uint64_t)(unsigned char)text[size / 2] << 16 |
                           (uint64_t)(unsigned char)text[size - 1] << 8;
    }
    return v;
}

/* ------------------------------------------------------------------ regions */

JM_MARK void begin_named(struct jm_attribute *a, const char *name, uint32_t hint) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    uint32_t slot = joulemark__place(name);
    if (!t) return;
    if (t->cache[slot].at == name && strcmp(t->cache[slot].copy, name) == 0)
        open_region(t, a, t->cache[slot].region);
    else open_region(t, a, joulemark__find(t, name, hint));
}

JM_MARK void end_named(struct jm_attribute *a, const char *name) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (t) close_region(t, a, jm_of(jm_track(JM_CALIPER), joulemark__lookup(t, name)));
}

#define REGION(symbol, mark)                                                                       \
    JM_EXPORT void symbol(const char *name) {                                                      \
        if (__builtin_expect(jm_cali_chain == 0, 1)) {                                             \
            mark;                                                                                  \
            return;                                                                                \
        }                                                                                          \
        mark;                                                                                      \
        JM_CALI_PASS(symbol, (name));                                                              \
    }
REGION(cali_begin_region, jm_begin(JM_CALIPER, name))
REGION(cali_end_region, jm_end(JM_CALIPER, name))
REGION(cali_begin_phase, if (IS_ON) begin_named(jm_cali_phase, name, JOULEMARK_HINT_UNKNOWN))
REGION(cali_end_phase, if (IS_ON) end_named(jm_cali_phase, name))
REGION(cali_begin_comm_region, if (IS_ON) begin_named(jm_cali_comm_region, name, JOULEMARK_HINT_NETWORK))
REGION(cali_end_comm_region, if (IS_ON) end_named(jm_cali_comm_region, name))

/* ------------------------------------------------------------------ attributes */

/* Begin or set. */
static inline void change(int begins, struct jm_attribute *a, uint32_t type, uint64_t bits,
                   const char *text) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    if (!t || !a) return;
    if (type == CALI_STRING) bits = joulemark__lookup(t, text);
    if (begins) jm_cali_begin(t, a, type, bits);
    else jm_cali_set(t, a, type, bits);
}

static inline void finish(struct jm_attribute *a) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    if (t && a) jm_cali_end(t, a);
}

JM_MARK void change_by_id(int begins, cali_id id, uint32_t type, uint64_t bits, const char *text) {
    change(begins, jm_cali_find(id), type, bits, text);
}

JM_MARK void finish_by_id(cali_id id) { finish(jm_cali_find(id)); }

#define SIGNED (uint64_t)(int64_t)value

#define BY_ID(symbol, type, mark)                                                                  \
    JM_EXPORT void symbol(cali_id id, type value) {                                                \
        if (__builtin_expect(jm_cali_chain == 0, 1)) {                                             \
            if (IS_ON) mark;                                                                       \
            return;                                                                                \
        }                                                                                          \
        if (IS_ON) mark;                                                                           \
        JM_CALI_PASS(symbol, (id, value));                                                         \
    }
BY_ID(cali_begin_int, int, change_by_id(1, id, CALI_INT, SIGNED, NULL))
BY_ID(cali_begin_double, double, change_by_id(1, id, CALI_DOUBLE, jm_bits_of(value), NULL))
BY_ID(cali_begin_string, const char *, change_by_id(1, id, CALI_STRING, 0, value))
BY_ID(cali_set_int, int, change_by_id(0, id, CALI_INT, SIGNED, NULL))
BY_ID(cali_set_double, double, change_by_id(0, id, CALI_DOUBLE, jm_bits_of(value), NULL))
BY_ID(cali_set_string, const char *, change_by_id(0, id, CALI_STRING, 0, value))
BY_ID(cali_safe_end_string, const char *, finish_by_id(id))

#define END(symbol, mark)                                                                          \
    JM_EXPORT void symbol(cali_id id) {                                                            \
        if (__builtin_expect(jm_cali_chain == 0, 1)) {                                             \
            if (IS_ON) mark;                                                                       \
            return;                                                                                \
        }                                                                                          \
        if (IS_ON) mark;                                                                           \
        JM_CALI_PASS(symbol, (id));                                                                \
    }
END(cali_begin, change_by_id(1, id, CALI_BOOL, 1, NULL))
END(cali_end, finish_by_id(id))

/* A value of the attribute's own type, by its address. */
JM_MARK void set_any(cali_id id, const void *value, size_t size) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 1);
    struct jm_attribute *a = jm_cali_find(id);
    struct jm_variant v = {0, {0}};
    uint64_t bits;
    uint32_t type;
    if (!t || !a || !value) return;
    v.type_and_size = a->type | (uint64_t)size << 32;
    if (a->type == CALI_STRING || a->type == CALI_USR) v.value.at = value;
    else memcpy(&v.value, value, size < 8 ? size : 8);
    /* Integers may come in four bytes. */
    if (a->type == CALI_INT && size == 4) v.value.integer = (int32_t)v.value.bits;
    if ((type = jm_cali_value(t, &v, &bits))) jm_cali_set(t, a, type, bits);
}

JM_EXPORT void cali_set(cali_id id, const void *value, size_t size) {
    if (IS_ON) set_any(id, value, size);
    JM_CALI_PASS(cali_set, (id, value, size));
}

/* By name: begins make a plain attribute, sets one that may overlap regions. */
#define BY_NAME(symbol, type, begins, cali_type, properties, bits, text)                           \
    JM_EXPORT void symbol(const char *name, type value) {                                          \
        if (IS_ON)                                                                                 \
            change(begins, jm_cali_keep(0, name, cali_type, properties), cali_type, bits, text);   \
        JM_CALI_PASS(symbol, (name, value));                                                       \
    }
BY_NAME(cali_begin_int_byname, int, 1, CALI_INT, 0, SIGNED, NULL)
BY_NAME(cali_begin_double_byname, double, 1, CALI_DOUBLE, 0, jm_bits_of(value), NULL)
BY_NAME(cali_begin_string_byname, const char *, 1, CALI_STRING, 0, 0, value)
BY_NAME(cali_set_int_byname, int, 0, CALI_INT, CALI_UNALIGNED, SIGNED, NULL)
BY_NAME(cali_set_double_byname, double, 0, CALI_DOUBLE, CALI_UNALIGNED, jm_bits_of(value), NULL)
BY_NAME(cali_set_string_byname, const char *, 0, CALI_STRING, CALI_UNALIGNED, 0, value)
BY_NAME(cali_set_global_int_byname, int, 0, CALI_INT, CALI_GLOBAL, SIGNED, NULL)
BY_NAME(cali_set_global_double_byname, double, 0, CALI_DOUBLE, CALI_GLOBAL, jm_bits_of(value), NULL)
BY_NAME(cali_set_global_string_byname, const char *, 0, CALI_STRING, CALI_GLOBAL, 0, value)
BY_NAME(cali_set_global_uint_byname, uint64_t, 0, CALI_UINT, CALI_GLOBAL, value, NULL)

#define ALONE_BY_NAME(symbol, mark)                                                                \
    JM_EXPORT void symbol(const char *name) {                                                      \
        if (IS_ON) mark;                                                                           \
        JM_CALI_PASS(symbol, (name));                                                              \
    }
ALONE_BY_NAME(cali_begin_byname, change(1, jm_cali_keep(0, name, CALI_BOOL, 0), CALI_BOOL, 1, NULL))
ALONE_BY_NAME(cali_end_byname, finish(jm_cali_named(name)))
