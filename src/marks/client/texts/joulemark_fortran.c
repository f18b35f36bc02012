/*
 * joulemark_fortran.c: what joulemark.f90 and joulemark.rs call. Names come with their length and blanks behind
 * them, and without a NUL.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "joulemark.h"

#if defined(JOULEMARK__VERSION)

/* Regions by the address of the name: a program's literals do not move. */
static __thread struct { const char *at; size_t length; uint32_t region; } jmf_cache[64];

uint32_t joulemark_fortran_region(const char *name, size_t length, uint32_t hint) {
    while (length > 0 && name[length - 1] == ' ') length--;
    /* A NUL ends a name in C, so it does here. */
    const char *end = length > 0 ? (const char *)memchr(name, 0, length) : NULL;
    if (end) length = (size_t)(end - name);
    return joulemark__thread(0) ? joulemark__number(name, length, hint) : 0;
}

static uint32_t jmf_find(const char *name, size_t length) {
    unsigned slot = (unsigned)((uintptr_t)name >> 2 ^ length) & 63;
    uint32_t region = jmf_cache[slot].region;
    if (region && jmf_cache[slot].at == name && jmf_cache[slot].length == length) {
        /* The same text still? */
        const char *known = joulemark__copy_of(&joulemark__state_9, region);
        size_t n = length;
        while (n > 0 && name[n - 1] == ' ') n--;
        if (strncmp(known, name, n) == 0 && known[n] == 0) return region;
    }
    region = joulemark_fortran_region(name, length, JOULEMARK_HINT_UNKNOWN);
    jmf_cache[slot].at = name;
    jmf_cache[slot].length = length;
    jmf_cache[slot].region = region;
    return region;
}

void joulemark_fortran_begin(const char *name, size_t length) {
    struct joulemark__thread *t = joulemark__thread(1);
    if (t) joulemark__enter(t, jmf_find(name, length));
}

void joulemark_fortran_end(const char *name, size_t length) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (t) joulemark__exit(t, jmf_find(name, length));
}

int64_t joulemark_fortran_span_begin(const char *name, size_t length) {
    struct joulemark__thread *t = joulemark__thread(0);
    uint64_t span;
    if (!t) return 0;
    span = joulemark__next_span();
    joulemark__span(t, JOULEMARK__KIND_SPAN_BEGIN, jmf_find(name, length), span, 0);
    return (int64_t)span;
}

static void jmf_set(const char *name, size_t length, uint32_t type, uint64_t bits) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (t) joulemark__set(t, jmf_find(name, length), type, bits);
}

void joulemark_fortran_set_int(const char *name, size_t length, int64_t value) {
    jmf_set(name, length, JOULEMARK__TYPE_INT, (uint64_t)value);
}

void joulemark_fortran_set_double(const char *name, size_t length, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    jmf_set(name, length, JOULEMARK__TYPE_DOUBLE, bits);
}

void joulemark_fortran_set_string(const char *name, size_t length, const char *value, size_t size) {
    jmf_set(name, length, JOULEMARK__TYPE_STRING,
            joulemark_fortran_region(value, size, JOULEMARK_HINT_UNKNOWN));
}

#else /* no ring here */

uint32_t joulemark_fortran_region(const char *name, unsigned long length, uint32_t hint) {
    return (void)name, (void)length, (void)hint, 0;
}
void joulemark_fortran_begin(const char *name, unsigned long length) { (void)name, (void)length; }
int64_t joulemark_fortran_span_begin(const char *name, unsigned long length) {
    return (void)name, (void)length, 0;
}
void joulemark_fortran_end(const char *name, unsigned long length) { (void)name, (void)length; }
void joulemark_fortran_set_int(const char *name, unsigned long length, int64_t value) {
    (void)name, (void)length, (void)value;
}
void joulemark_fortran_set_double(const char *name, unsigned long length, double value) {
    (void)name, (void)length, (void)value;
}
void joulemark_fortran_set_string(const char *name, unsigned long length, const char *value,
                                  unsigned long size) {
    (void)name, (void)length, (void)value, (void)size;
}

#endif

void joulemark_fortran_enter(uint32_t region) { joulemark_enter(region); }
void joulemark_fortran_exit(uint32_t region) { joulemark_exit(region); }
void joulemark_fortran_span_end(int64_t span) { joulemark_span_end((uint64_t)span); }
void joulemark_fortran_epoch(void) { joulemark_epoch(); }
void joulemark_fortran_progress_init(uint32_t units) { joulemark_progress_init(units); }
void joulemark_fortran_progress_post(void) { joulemark_progress_post(); }
void joulemark_fortran_overhead(double seconds) { joulemark_overhead(seconds); }
void joulemark_fortran_shutdown(void) { joulemark_shutdown(); }
