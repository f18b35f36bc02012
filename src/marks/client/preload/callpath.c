/*
 * callpath.c: which functions called each other down to a mark, reported around it: `callpath.names`,
 * and `callpath.addresses` where CALI_CALLPATH_USE_ADDRESS is true, each one string with the
 * outermost first. Caliper's service callpath makes its attributes of them.
 *
 * backtrace(3) walks the stack; what it finds is looked up by its addresses, so that names are made
 * once for each path. A path that finds no room is left out, never reported in part.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"
#include "symbol.h"

/* In glibc alone; weak, so that another libc has a library without call paths. */
extern int backtrace(void **, int) __attribute__((weak));

#define FRAMES 64      /* of a stack, our own among them */
#define NAME_BYTES 99  /* of a function's name, as Caliper cuts them */
#define TEXT_BYTES 4095 /* of a path */
#define PATHS 32768    /* different ones of a process; a quarter of the names that a ring has */
#define PATH_BYTES (16u << 20) /* of all of them */
#define SYMBOLS 16384  /* addresses whose names are kept; a power of two, as is twice PATHS */
#define NO_NUMBER UINT32_MAX /* of a path that is left out for good */
#define BETWEEN '\x1f'
#define CUT_OFF "..."  /* the outermost, where there were more */

/* Of a value that belongs to one snapshot: asvalue, thread, skip_events. */
#define PROPERTIES (1 + 20 + 64)
/* Records around a mark: begins of two words and ends of one, the mark itself, those of alloc.c. */
#define RECORDS 40

enum { NAMES, ADDRESSES, VALUES };

static int with_addresses;
static const void *own_base;
static uint32_t path_count, said_full;

/* Paths by a hash of their addresses: 1 in 10^10 that any two of so many share all 64 bits. */
static struct { uint64_t key; uint32_t numbers[VALUES]; } paths[2 * PATHS];

/* What is reported and has to be ended. */
JM_TLS uint32_t told;

/* ------------------------------------------------------------------ names, once for each place */

/* By address, under the lock of the slow paths; empty: a frame that is not the program's. */
static struct { const void *at; const char *name; } symbols[SYMBOLS];
static uint32_t symbol_count;
static char texts[1 << 20];
static size_t texts_used;

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

/* The function of a call, MODULE+0xOFFSET where it has no name, nothing for us and for Caliper. */
static void find_name(const void *at, char into[NAME_BYTES + 1]) {
    /* A call may be the last of its function: what it returns to is behind it then. */
    const void *call = (const char *)at - 1;
    char symbol[512], *plus;
    Dl_info info;
    const char *module;
    into[0] = 0;
    if (!dladdr(call, &info)) {
        snprintf(into, NAME_BYTES + 1, "0x%llx", (unsigned long long)(uintptr_t)at);
        return;
    }
    module = base_name(info.dli_fname);
    if (info.dli_fbase == own_base || strncmp(module, "libcaliper", 10) == 0) return;
    if (info.dli_sname) {
        snprintf(into, NAME_BYTES + 1, "%s", info.dli_sname);
        return;
    }
    if (!jm_symbol(call, 0, symbol, sizeof symbol)) {
        snprintf(into, NAME_BYTES + 1, "%.70s+0x%llx", module,
                 (unsigned long long)((const char *)at - (const char *)info.dli_fbase));
        return;
    }
    plus = strrchr(symbol, '+');
    if (plus) *plus = 0;
    snprintf(into, NAME_BYTES + 1, "%.*s", NAME_BYTES, symbol);
}

/* NULL where it cannot be had now. What takes the place of an unloaded library keeps its names. */
static const char *name_of(const void *at, char into[NAME_BYTES + 1]) {
    uint32_t slot = (uint32_t)((uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15ull >> 40);
    const char *name = into;
    size_t length;
    /* Reading files for names is no I/O of the program's: io.c and alloc.c know the lock. */
    if (!joulemark__lock()) return NULL;
    while (symbols[slot &= SYMBOLS - 1].at && symbols[slot].at != at) slot++;
    if (symbols[slot].at) name = symbols[slot].name;
    else {
        find_name(at, into);
        length = strlen(into) + 1;
        if (symbol_count < SYMBOLS / 2 && texts_used + length <= sizeof texts) {
            name = memcpy(texts + texts_used, into, length);
            texts_used += length;
            symbols[slot].at = at;
            symbols[slot].name = name;
            symbol_count++;
        }
    }
    joulemark__unlock();
    return name;
}

/* ------------------------------------------------------------------ a path's number */

/* Fills `into` from its end; what is outermost gives way where there is no room for all. */
static const char *text_of(void *const *at, int n, int which,
                           char into[TEXT_BYTES + 1]) {
    char *start = into + TEXT_BYTES, own[NAME_BYTES + 1], digits[20];
    int i, cut = n > FRAMES;
    *start = 0;
    for (i = 0; i < n && i < FRAMES; i++) {
        const char *name = name_of(at[i], own);
        size_t length;
        if (!name) return NULL;
        if (!*name) continue;
        if (which == ADDRESSES) {
            snprintf(digits, sizeof digits, "%llx", (unsigned long long)(uintptr_t)at[i]);
            name = digits;
        }
        length = strlen(name);
        if ((size_t)(start - into) < length + 1 + sizeof CUT_OFF) {
            cut = 1;
            break;
        }
        if (*start) *--start = BETWEEN;
        start -= length;
        memcpy(start, name, length);
    }
    if (*start && cut && which == NAMES) {
        *--start = BETWEEN;
        start -= sizeof CUT_OFF - 1;
        memcpy(start, CUT_OFF, sizeof CUT_OFF - 1);
    }
    return start;
}

static uint32_t full(void) {
    if (!__atomic_exchange_n(&said_full, 1, __ATOMIC_RELAXED))
        jm_remark("call paths: more different ones than are kept; further ones are left out");
    return NO_NUMBER;
}

static __attribute__((noinline, cold)) uint32_t make(struct joulemark__thread *t, void *const *at,
                                                     int n, int which) {
    static uint64_t bytes;
    char into[TEXT_BYTES + 1];
    const char *text = text_of(at, n, which, into);
    size_t length = text ? strlen(text) : 0;
    if (!length) return 0;
    /* Regions have to find room for their names as well. */
    if (__atomic_load_n(&joulemark__state_9.count, __ATOMIC_RELAXED) >= PATHS ||
        __atomic_add_fetch(&bytes, length, __ATOMIC_RELAXED) > PATH_BYTES)
        return full();
    return joulemark__find(t, text, JOULEMARK_HINT_UNKNOWN);
}

static uint64_t hash(void *const *at, int n) {
    uint64_t h = (uint64_t)n;
    int i;
    for (i = 0; i < n; i++) {
        h = (h ^ (uint64_t)(uintptr_t)at[i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h ? h : 1;
}

/* Place of a path among those known, or NULL. */
static uint32_t *numbers_of(uint64_t key) {
    uint32_t slot = (uint32_t)(key >> 40) & (2 * PATHS - 1);
    for (;; slot = (slot + 1) & (2 * PATHS - 1)) {
        uint64_t there = __atomic_load_n(&paths[slot].key, __ATOMIC_RELAXED);
        if (there == key) return paths[slot].numbers;
        if (there) continue;
        if (__atomic_load_n(&path_count, __ATOMIC_RELAXED) >= PATHS) return NULL;
        if (__atomic_compare_exchange_n(&paths[slot].key, &there, key, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            __atomic_add_fetch(&path_count, 1, __ATOMIC_RELAXED);
            return paths[slot].numbers;
        }
        if (there == key) return paths[slot].numbers;
    }
}

/* ------------------------------------------------------------------ around marks */

static uint32_t attribute(struct joulemark__thread *t, int which) {
    static const char *const names[VALUES] = {"callpath.names", "callpath.addresses"};
    static uint32_t numbers[VALUES];
    return jm_number(t, names[which], &numbers[which]);
}

/* Paths hold around the mark, so that what is noted at its moment has them and nothing else. */
static void around(struct joulemark__thread *t, int after) {
    void *at[FRAMES + 1];
    uint32_t *numbers;
    int n, which;
    if (after) {
        for (which = VALUES; which-- > 0; told &= ~(1u << which)) {
            if (told >> which & 1)
                joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_END, attribute(t, which), 0, 0, 0);
        }
        return;
    }
    told = 0;
    if (!joulemark__room(t, RECORDS)) return;
    n = backtrace(at, FRAMES + 1);
    if (n <= 0) return;
    numbers = numbers_of(hash(at, n));
    if (__builtin_expect(!numbers, 0)) {
        (void)full();
        return;
    }
    for (which = 0; which <= with_addresses; which++) {
        uint32_t number = __atomic_load_n(&numbers[which], __ATOMIC_RELAXED);
        if (__builtin_expect(!number, 0)) {
            number = make(t, at, n, which);
            __atomic_store_n(&numbers[which], number, __ATOMIC_RELAXED);
        }
        if (!joulemark__checked(number)) continue;
        joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, attribute(t, which),
                         JOULEMARK__TYPE_STRING, PROPERTIES, number);
        told |= 1u << which;
    }
}

static __attribute__((constructor)) void start(void) {
    const char *wish = getenv("CALI_CALLPATH_USE_ADDRESS");
    void *at[1];
    Dl_info info;
    int locked;
    if (!(jm_asked & JM_CALLPATH) || !getenv(JOULEMARK__SESSION_VARIABLE) || !backtrace) return;
    with_addresses = wish && (*wish == 't' || *wish == 'T' || atoi(wish) != 0);
    if (dladdr((const void *)(uintptr_t)around, &info)) own_base = info.dli_fbase;
    /* The first one loads libgcc_s, which alloc.c is not to count; those at marks allocate nothing. */
    locked = joulemark__lock();
    (void)backtrace(at, 1);
    if (locked) joulemark__unlock();
    jm_hear_marks(around);
}
