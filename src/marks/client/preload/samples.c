/*
 * samples.c: values of events: see samples.h. Any thread may add to a sum at any time, so each is
 * changed by compare and exchange.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "samples.h"

#define EVENTS 4096
#define TRIES 64

/* Doubles by their bits; `name` is the name's number among the client's plus 1, 0: free. */
static struct event {
    uint32_t name;
    const char *dialect;
    uint64_t count, least, most, sum, squares;
} events[EVENTS];

/* When the process began to count: a forked child has a time of its own. */
static uint64_t counting_since;
static int lock;

static double of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

enum change { ADD, LEAST, MOST };

static void change(uint64_t *word, enum change what, double value) {
    uint64_t bits = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        double now = of_bits(bits);
        if ((what == LEAST && value >= now) || (what == MOST && value <= now)) return;
        if (__atomic_compare_exchange_n(word, &bits, bits_of(what == ADD ? now + value : value), 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}

/* "3 0 3 4.5 11.25 tau bytes sent". */
static void tell(struct joulemark__thread *t) {
    char text[1200];
    uint32_t i;
    for (i = 0; i < EVENTS; i++) {
        const struct event *e = &events[i];
        if (!e->name || !e->count) continue;
        snprintf(text, sizeof text, "%llu %.17g %.17g %.17g %.17g %s %.1000s",
                 (unsigned long long)e->count, of_bits(e->least), of_bits(e->most), of_bits(e->sum),
                 of_bits(e->squares), e->dialect,
                 joulemark__copy_of(&joulemark__state_9, e->name - 1));
        jm_tell(t, JOULEMARK__VALUE_NAME, text);
    }
}

static void begin_counting(uint64_t since) {
    uint32_t i;
    if (!jm_take_lock(&lock)) return;
    if (counting_since != since) {
        for (i = 0; i < EVENTS; i++) events[i].name = 0;
        jm_tell_at_end(tell);
        __atomic_store_n(&counting_since, since, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static struct event *event_of(uint32_t name, const char *dialect) {
    uint32_t at = name * 2654435761u >> 20, tries; /* 12 bits: EVENTS */
    for (tries = 0; tries < TRIES; tries++, at = (at + 1) % EVENTS) {
        struct event *e = &events[at];
        uint32_t known = __atomic_load_n(&e->name, __ATOMIC_ACQUIRE);
        if (known == name + 1) {
            if (e->dialect == dialect) return e;
        } else if (!known) {
            if (!jm_take_lock(&lock)) return NULL;
            known = e->name;
            if (!known) {
                e->dialect = dialect;
                e->count = 0;
                e->least = bits_of(__builtin_inf());
                e->most = bits_of(-__builtin_inf());
                e->sum = e->squares = bits_of(0);
                __atomic_store_n(&e->name, name + 1, __ATOMIC_RELEASE);
            }
            __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
            if (known == 0 || (known == name + 1 && e->dialect == dialect)) return e;
        }
    }
    jm_remark("more names of values than there is room for: the others are not added up");
    return NULL;
}

JM_HIDDEN void jm_sample(struct joulemark__thread *t, const char *dialect, const char *name,
                         double value) {
    uint64_t since = JOULEMARK__U64(joulemark__state_9.header, JOULEMARK__HEADER_START_NS);
    struct event *e;
    if (!__builtin_isfinite(value)) return;
    if (__builtin_expect(__atomic_load_n(&counting_since, __ATOMIC_ACQUIRE) != since, 0))
        begin_counting(since);
    e = event_of(joulemark__lookup(t, name), dialect);
    if (!e) return;
    __atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED);
    change(&e->least, LEAST, value);
    change(&e->most, MOST, value);
    change(&e->sum, ADD, value);
    change(&e->squares, ADD, value * value);
}
