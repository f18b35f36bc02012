/*
 * caliper.h: what the files of Caliper's dialect share: attributes by id and name, and the marks
 * that their values become.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_CALIPER_H
#define JOULEMARK_PRELOAD_CALIPER_H

#include "core.h"

#define JM_CALI_LIBRARY "libcaliper"
#define JM_CALI_INVALID UINT64_MAX

typedef uint64_t cali_id;

/* Types of Caliper's. */
enum {
    CALI_USR = JOULEMARK__TYPE_USR,
    CALI_ADDR = JOULEMARK__TYPE_ADDR,
    CALI_TYPE = JOULEMARK__TYPE_TYPE,
    CALI_INT = JOULEMARK__TYPE_INT,
    CALI_UINT = JOULEMARK__TYPE_UINT,
    CALI_STRING = JOULEMARK__TYPE_STRING,
    CALI_DOUBLE = JOULEMARK__TYPE_DOUBLE,
    CALI_BOOL = JOULEMARK__TYPE_BOOL
};

/* Property bits of Caliper's. */
enum {
    CALI_AS_VALUE = 1,
    CALI_THREAD = 20,
    CALI_SKIP_EVENTS = 64,
    CALI_NESTED = 256,
    CALI_GLOBAL = 512 + 1024 + 12,
    CALI_UNALIGNED = 1024,
    CALI_AGGREGATABLE = 2048
};

/* `number`: the name's among all names, 0 before it is needed. */
struct jm_attribute { const char *name; uint32_t type, properties, number; };

/* Caliper's own attributes, whose values are names of regions. */
extern JM_HIDDEN struct jm_attribute jm_cali_attributes[];
#define jm_cali_region (&jm_cali_attributes[0])
#define jm_cali_loop (&jm_cali_attributes[1])
#define jm_cali_phase (&jm_cali_attributes[2])
#define jm_cali_comm_region (&jm_cali_attributes[3])

/* A value of Caliper's: the type in the lowest byte, a string's length in the upper half. */
struct jm_variant {
    uint64_t type_and_size;
    union { uint64_t bits; int64_t integer; double real; const void *at; unsigned char flag; } value;
};

/* Does the real library get the calls too? −1: not determined yet. */
extern JM_HIDDEN int jm_cali_chain;
JM_HIDDEN int jm_cali_chain_now(void);
/*
 * Before a channel of the program's own: where variables ask the run for profiles, the real library
 * starts without them, and has the program's channels alone.
 */
JM_HIDDEN void jm_cali_start_apart(void);
static inline __attribute__((unused, always_inline)) int jm_cali_chained(void) {
    if (__builtin_expect(jm_cali_chain == 0, 1)) return 0;
    return jm_cali_chain_now();
}

/* By id or name, NULL where there is none; and its id among ours. */
JM_HIDDEN struct jm_attribute *jm_cali_find(cali_id id);
JM_HIDDEN struct jm_attribute *jm_cali_named(const char *name);
JM_HIDDEN cali_id jm_cali_id(const struct jm_attribute *a);

/* The attribute of this name, made if it is new; `id` is the real library's, 0 without one. */
JM_HIDDEN struct jm_attribute *jm_cali_keep(cali_id id, const char *name, uint32_t type,
                                            uint32_t properties);

/* Begins, sets, ends. Bits of a string are its number among the names. */
JM_HIDDEN void jm_cali_begin(struct joulemark__thread *t, struct jm_attribute *a, uint32_t type,
                             uint64_t bits);
JM_HIDDEN void jm_cali_set(struct joulemark__thread *t, struct jm_attribute *a, uint32_t type,
                           uint64_t bits);
JM_HIDDEN void jm_cali_end(struct joulemark__thread *t, struct jm_attribute *a);

/* Number of a text that comes with its length. */
JM_HIDDEN uint32_t jm_cali_text(struct joulemark__thread *t, const char *text, size_t length);

/* The type of a value, and its bits; 0 where the ring has no such type. */
JM_HIDDEN uint32_t jm_cali_value(struct joulemark__thread *t, const struct jm_variant *value,
                                 uint64_t *bits);

/* A text as a value, as Caliper makes it. */
JM_HIDDEN struct jm_variant jm_cali_variant(const char *text);

/* Forwards to Caliper where it listens. */
#define JM_CALI_PASS(function, args)                                                               \
    if (jm_cali_chained()) JM_FORWARD_VOID(function, JM_CALI_LIBRARY, args)

static inline __attribute__((unused)) uint64_t jm_bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

#endif /* JOULEMARK_PRELOAD_CALIPER_H */
