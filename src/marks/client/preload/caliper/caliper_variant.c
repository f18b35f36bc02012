/*
 * caliper_variant.c: values, types and properties of Caliper's, as cali_variant.h and cali_types.h
 * declare them. They read and make values and touch nothing else, so nothing is forwarded.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>

#include "caliper.h"

enum { INV = 0, PTR = 9, NUMERIC = 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 };

typedef struct jm_variant variant;

static uint32_t type_of(variant v) {
    uint32_t type = (uint32_t)(v.type_and_size & 0xff);
    return type <= PTR ? type : INV;
}

static int is_bytes(uint32_t type) {
    return type == CALI_USR || type == CALI_STRING;
}

static size_t size_of(variant v) {
    static const uint8_t sizes[] = {0, 0, 8, 8, 0, 8, 8, sizeof(bool), 4, sizeof(void *)};
    uint32_t type = type_of(v);
    return is_bytes(type) ? v.type_and_size >> 32 : sizes[type];
}

/* Bytes somewhere else: their number, and a small hash of the first, middle and last of them. */
static variant bytes_of(uint32_t type, const void *at, size_t size) {
    const unsigned char *bytes = at;
    variant v = {type | (uint64_t)size << 32, {0}};
    v.value.at = at;
    if (size > 0)
        v.type_and_size |= (uint64_t)bytes[0] << 24 | (uint64_t)bytes[size / 2] << 16 |
                           (uint64_t)bytes[size - 1] << 8;
    return v;
}

JM_EXPORT variant cali_make_variant(int type, const void *at, size_t size) {
    variant v = {(uint64_t)type & 0xff, {0}};
    if (is_bytes((uint32_t)type)) return bytes_of((uint32_t)type, at, size);
    if (type == PTR) v.value.at = at;
    else if (type == CALI_BOOL) v.value.flag = *(const unsigned char *)at;
    else if (type == CALI_TYPE) v.value.bits = *(const uint32_t *)at;
    else if (NUMERIC >> type & 1) memcpy(&v.value, at, 8);
    return v;
}

JM_EXPORT variant cali_make_empty_variant(void) {
    variant v = {0, {0}};
    return v;
}

#define MAKE(name, given, code, as)                                                                \
    JM_EXPORT variant cali_make_variant_from_##name(given value) {                                 \
        variant v = {code, {0}};                                                                   \
        v.value.as = value;                                                                        \
        return v;                                                                                  \
    }
MAKE(bool, bool, CALI_BOOL, flag)
MAKE(int, int, CALI_INT, integer)
MAKE(int64, int64_t, CALI_INT, integer)
MAKE(uint, uint64_t, CALI_UINT, bits)
MAKE(double, double, CALI_DOUBLE, real)
MAKE(type, uint32_t, CALI_TYPE, bits)
MAKE(ptr, void *, PTR, at)

JM_EXPORT variant cali_make_variant_from_string(const char *text) {
    return bytes_of(CALI_STRING, text, strlen(text));
}

JM_EXPORT bool cali_variant_is_empty(variant v) { return v.type_and_size == 0; }
JM_EXPORT int cali_variant_get_type(variant v) { return (int)(v.type_and_size & 0xff); }
JM_EXPORT size_t cali_variant_get_size(variant v) { return size_of(v); }

JM_EXPORT const void *cali_variant_get_data(const variant *v) {
    uint32_t type = type_of(*v);
    if (type == INV) return NULL;
    return is_bytes(type) || type == PTR ? v->value.at : &v->value;
}

JM_EXPORT void *cali_variant_get_ptr(variant v) {
    union { const void *at; void *given; } as = {v.value.at};
    return v.type_and_size == PTR ? as.given : NULL;
}

/* A number of any kind in all the forms that it has; 0: it is none. */
struct number { int is_whole, is_negative; int64_t integer; uint64_t bits; double real; };

static int number_of(variant v, struct number *n) {
    uint32_t type = type_of(v);
    memset(n, 0, sizeof *n);
    if (!(NUMERIC >> type & 1)) return 0;
    if (type == CALI_DOUBLE) {
        n->real = v.value.real;
        return 1;
    }
    n->is_whole = 1;
    n->bits = type == CALI_BOOL ? v.value.flag != 0 : type == CALI_TYPE ? v.value.bits & UINT32_MAX
                                                                     : v.value.bits;
    n->integer = (int64_t)n->bits;
    n->is_negative = type == CALI_INT && n->integer < 0;
    n->real = type == CALI_INT ? (double)n->integer : (double)n->bits;
    return 1;
}

/* Is an integer in a range of signed ones? */
static int is_within(const struct number *n, int64_t least, int64_t most) {
    if (n->is_negative) return n->integer >= least;
    return n->bits <= (uint64_t)most;
}

#define CONVERT(name, result, fits, whole, real_one)                                               \
    JM_EXPORT result cali_variant_to_##name(variant v, bool * done) {                              \
        struct number n;                                                                           \
        int is_right = number_of(v, &n) && (!n.is_whole || (fits));                                \
        if (done) *done = is_right;                                                                \
        if (!is_right) return 0;                                                                   \
        return n.is_whole ? (result)(whole) : (result)(real_one);                                  \
    }
CONVERT(int, int, is_within(&n, INT_MIN, INT_MAX), n.integer, n.real)
CONVERT(int64, int64_t, is_within(&n, INT64_MIN, INT64_MAX), n.integer, n.real)
CONVERT(uint, uint64_t, !n.is_negative, n.bits, n.real)
CONVERT(double, double, 1, n.real, n.real)

JM_EXPORT bool cali_variant_to_bool(variant v, bool *done) {
    struct number n;
    int is_right = number_of(v, &n) && n.is_whole && type_of(v) != CALI_TYPE;
    if (done) *done = is_right;
    return is_right && n.bits != 0;
}

JM_EXPORT int cali_variant_to_type(variant v, bool *done) {
    int is_right = type_of(v) == CALI_TYPE;
    if (done) *done = is_right;
    return is_right ? (int)v.value.bits : INV;
}

static int order_of_bytes(variant a, variant b) {
    int in_a = (int)size_of(a), in_b = (int)size_of(b), most = in_a < in_b ? in_a : in_b;
    int order = type_of(a) == CALI_STRING ? strncmp(a.value.at, b.value.at, (size_t)most)
                                          : memcmp(a.value.at, b.value.at, (size_t)most);
    return order ? order : in_a - in_b;
}

JM_EXPORT int cali_variant_compare(variant a, variant b) {
    uint32_t type = type_of(a);
    if (type != type_of(b)) return (int)type - (int)type_of(b);
    switch (type) {
    case CALI_USR:
    case CALI_STRING: return order_of_bytes(a, b);
    case CALI_DOUBLE: return (a.value.real > b.value.real) - (a.value.real < b.value.real);
    case CALI_UINT:
    case CALI_ADDR: return (a.value.bits > b.value.bits) - (a.value.bits < b.value.bits);
    case CALI_BOOL: return (a.value.flag != 0) - (b.value.flag != 0);
    /* The lower half of the difference, as Caliper has it. */
    default: return (int)(uint32_t)(a.value.bits - b.value.bits);
    }
}

JM_EXPORT bool _cali_variant_value_eq(variant a, variant b) {
    if (!is_bytes((uint32_t)(a.type_and_size & 0xff)) || a.value.at == b.value.at)
        return a.value.bits == b.value.bits;
    return memcmp(a.value.at, b.value.at, a.type_and_size >> 32) == 0;
}

JM_EXPORT bool cali_variant_eq(variant a, variant b) {
    return a.type_and_size == b.type_and_size && _cali_variant_value_eq(a, b);
}

/* Seven bits a byte, the lowest first; the highest bit is set where more follow. */
static size_t pack(uint64_t value, unsigned char *bytes) {
    size_t n = 0;
    for (; value > 0x7f; value >>= 7) bytes[n++] = (unsigned char)(value & 0x7f) | 0x80;
    bytes[n++] = (unsigned char)value;
    return n;
}

static uint64_t unpack(const unsigned char *bytes, size_t *n) {
    uint64_t value = 0;
    int i = 0;
    do value |= (uint64_t)(bytes[i] & 0x7f) << 7 * i;
    while (bytes[i++] & 0x80 && i < 10);
    *n += (size_t)i;
    return value;
}

JM_EXPORT size_t cali_variant_pack(variant v, unsigned char *bytes) {
    size_t n = pack(v.type_and_size, bytes);
    return n + pack(v.value.bits, bytes + n);
}

JM_EXPORT variant cali_variant_unpack(const unsigned char *bytes, size_t *count, bool *done) {
    size_t n = 0;
    variant v = {unpack(bytes, &n), {0}}, none = {0, {0}};
    int is_right = (v.type_and_size & 0xff) <= PTR;
    if (done) *done = is_right;
    if (!is_right) return none;
    v.value.bits = unpack(bytes + n, &n);
    if (count) *count += n;
    return v;
}

static const char *const types[] = {"inv",  "usr",    "int",  "uint", "string",
                                    "addr", "double", "bool", "type", "ptr"};

JM_EXPORT const char *cali_type2string(int type) {
    return types[(unsigned)type <= PTR ? type : INV];
}

JM_EXPORT int cali_string2type(const char *text) {
    int type;
    for (type = 0; type <= PTR; type++)
        if (strcmp(text, types[type]) == 0) return type;
    return INV;
}

/* Properties, and their bits. */
static const struct { const char *name; int bits, mask; } properties[] = {
    {"default", 0, 0},
    {"asvalue", 1, 1},
    {"nomerge", 2, 2},
    {"process_scope", 12, 60},
    {"thread_scope", 20, 60},
    {"task_scope", 24, 60},
    {"skip_events", 64, 64},
    {"hidden", 128, 128},
    {"nested", 256, 256},
    {"global", 512, 512},
    {"unaligned", 1024, 1024},
    {"aggregatable", 2048, 2048},
    {"level_0", 0x00000, 0x70000},
    {"level_1", 0x10000, 0x70000},
    {"level_2", 0x20000, 0x70000},
    {"level_3", 0x30000, 0x70000},
    {"level_4", 0x40000, 0x70000},
    {"level_5", 0x50000, 0x70000},
    {"level_6", 0x60000, 0x70000},
    {"level_7", 0x70000, 0x70000},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

JM_EXPORT int cali_prop2string(int bits, char *text, size_t room) {
    size_t n = 0;
    int i;
    for (i = 0; i < PROPERTIES; i++) {
        size_t length = strlen(properties[i].name);
        if ((bits & properties[i].mask) != properties[i].bits) continue;
        if (n + (n > 0) + length + 1 > room) return -1;
        if (n > 0) text[n++] = ':';
        memcpy(text + n, properties[i].name, length + 1);
        n += length;
    }
    return (int)n;
}

JM_EXPORT int cali_string2prop(const char *text) {
    int bits = 0, i;
    for (i = 0; i < PROPERTIES; i++) {
        const char *at = strstr(text, properties[i].name);
        size_t length = strlen(properties[i].name);
        if (at && (at == text || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[length]))
            bits |= properties[i].bits;
    }
    return bits;
}
