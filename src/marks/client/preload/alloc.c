/*
 * alloc.c: what a process takes from malloc(3) and gives back, reported at the ends and beginnings of
 * regions with the names of Caliper's allocstats service. Nothing is reported, and nothing waits, in
 * the calls themselves: they count in words of their thread.
 *
 * Bytes are those of malloc_usable_size(3), since free(3) gets no size.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

/* From this much on a thread's bytes are added to the process's. */
#define STEP 4096
/* Of a value that belongs to one snapshot: asvalue, thread, skip_events, aggregatable. */
#define MEASURED (20 + 1 + 64 + 2048)
/* Records around a mark: begins of two words and ends of one, the mark itself, clock pairs. */
#define RECORDS 32

extern size_t malloc_usable_size(void *);

/* AddressSanitizer and LeakSanitizer judge an allocation by who called: nothing stands between, nothing is counted. */
extern void __lsan_do_leak_check(void) __attribute__((weak));
#define HAS_LEAK_CHECK __builtin_expect(__lsan_do_leak_check != NULL, 0)

/* The process: bytes in use, and the most of them since a mark reported it. */
static int64_t in_use, peak;

/* A thread: what it has not added yet, the most of that, and its calls since its last mark. */
JM_TLS struct {
    int64_t pending, most;
    uint64_t count, bytes, largest;
    uint32_t told;
} mine;

static __attribute__((noinline)) void add(void) {
    int64_t before = __atomic_fetch_add(&in_use, mine.pending, __ATOMIC_RELAXED);
    int64_t top = before + mine.most, known = __atomic_load_n(&peak, __ATOMIC_RELAXED);
    while (top > known && !__atomic_compare_exchange_n(&peak, &known, top, 1, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {}
    mine.pending = mine.most = 0;
}

/* Is it our own slow path, which keeps names? */
static inline int is_own(void) {
    uint64_t owner = __atomic_load_n(&joulemark__state_9.lock, __ATOMIC_RELAXED);
    return __builtin_expect(owner != 0, 0) && (owner & ~1ULL) == (uint64_t)(uintptr_t)&joulemark__self_9;
}

static inline void *taken(void *at) {
    size_t bytes;
    if (__builtin_expect(!(jm_on & JM_ALLOC) || !at || is_own(), 0)) return at;
    bytes = malloc_usable_size(at);
    mine.count++;
    mine.bytes += bytes;
    if (bytes > mine.largest) mine.largest = bytes;
    mine.pending += (int64_t)bytes;
    if (mine.pending > mine.most) mine.most = mine.pending;
    if (__builtin_expect(mine.pending > STEP, 0)) add();
    return at;
}

static inline void given_back(size_t bytes) {
    mine.pending -= (int64_t)bytes;
    if (__builtin_expect(mine.pending < -STEP, 0)) add();
}

/* ------------------------------------------------------------------ around marks */

enum { HIGH, COUNT, TALLY, AVERAGE, LARGEST, VALUES };

static uint32_t number(struct joulemark__thread *t, int which) {
    static const char *const names[VALUES] = {"alloc.region.highwatermark", "alloc.count",
                                              "alloc.tally", "avg#alloc.size", "max#alloc.size"};
    static uint32_t numbers[VALUES];
    return jm_number(t, names[which], &numbers[which]);
}

static void tell(struct joulemark__thread *t, int which, uint64_t value) {
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, number(t, which), JOULEMARK__TYPE_UINT,
                     MEASURED, value);
    mine.told++;
}

/* Values hold around the mark, so that what is noted at its moment has them and nothing else. */
static void around(struct joulemark__thread *t, int after) {
    static uint32_t said;
    if (HAS_LEAK_CHECK) {
        if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
            jm_remark("alloc: allocations are not counted in a program with AddressSanitizer or LeakSanitizer");
        return;
    }
    if (after) {
        while (mine.told)
            joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_END, number(t, (int)--mine.told), 0, 0,
                             0);
        return;
    }
    mine.told = 0;
    /* What finds no room goes with the next mark. */
    if (!joulemark__room(t, RECORDS)) return;
    add();
    {
        int64_t now = __atomic_load_n(&in_use, __ATOMIC_RELAXED);
        int64_t high = __atomic_exchange_n(&peak, now, __ATOMIC_RELAXED);
        if (high < now) high = now;
        tell(t, HIGH, high > 0 ? (uint64_t)high : 0);
    }
    if (!mine.count) return;
    tell(t, COUNT, mine.count);
    tell(t, TALLY, mine.bytes);
    tell(t, AVERAGE, mine.bytes / mine.count);
    tell(t, LARGEST, mine.largest);
    mine.count = mine.bytes = mine.largest = 0;
}

static __attribute__((constructor)) void start(void) {
    if (jm_asked & JM_ALLOC && getenv(JOULEMARK__SESSION_VARIABLE)) jm_hear_marks(around);
}

/* ------------------------------------------------------------------ the calls */

/* dlsym(3) itself may allocate, before anybody is found: from here, and never given back. */
static unsigned char first[65536] __attribute__((aligned(64)));
static size_t first_used;

static int is_first(const void *at) {
    return (const unsigned char *)at >= first && (const unsigned char *)at < first + sizeof first;
}

static void *first_of(size_t bytes) {
    size_t at = __atomic_fetch_add(&first_used, (bytes + 79) & ~(size_t)63, __ATOMIC_RELAXED);
    if (at + bytes + 16 > sizeof first) return NULL;
    memcpy(first + at, &bytes, sizeof bytes);
    return first + at + 16;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*aligned)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix)(void **, size_t, size_t);
} real;

JM_TLS int searching;

/* 0 while an entry is searched. */
static __attribute__((noinline)) int search(void) {
    if (searching) return 0;
    searching = 1;
#define FOUND(member, name) real.member = (__typeof__(real.member))dlsym(RTLD_NEXT, name)
    FOUND(calloc, "calloc");
    FOUND(realloc, "realloc");
    FOUND(free, "free");
    FOUND(aligned, "aligned_alloc");
    FOUND(memalign, "memalign");
    FOUND(posix, "posix_memalign");
    __atomic_store_n(&real.malloc, (__typeof__(real.malloc))dlsym(RTLD_NEXT, "malloc"),
                     __ATOMIC_RELEASE);
    searching = 0;
    return real.malloc != NULL;
}

#define READY                                                                                      \
    (__builtin_expect(__atomic_load_n(&real.malloc, __ATOMIC_ACQUIRE) != NULL, 1) || search())

JM_EXPORT void *malloc(size_t bytes) {
    if (HAS_LEAK_CHECK && READY) return real.malloc(bytes);
    return READY ? taken(real.malloc(bytes)) : first_of(bytes);
}

JM_EXPORT void *calloc(size_t n, size_t bytes) {
    if (HAS_LEAK_CHECK && READY) return real.calloc(n, bytes);
    if (READY) return taken(real.calloc(n, bytes));
    return n && bytes > sizeof first / n ? NULL : first_of(n * bytes);
}

JM_EXPORT void free(void *at) {
    if (!at || __builtin_expect(is_first(at), 0) || !READY) return;
    if (__builtin_expect(jm_on & JM_ALLOC, 1) && !HAS_LEAK_CHECK && !is_own()) given_back(malloc_usable_size(at));
    real.free(at);
}

JM_EXPORT void *realloc(void *at, size_t bytes) {
    size_t before = 0;
    void *now;
    if (__builtin_expect(at != NULL && is_first(at), 0)) {
        memcpy(&before, (unsigned char *)at - 16, sizeof before);
        now = malloc(bytes);
        if (now) memcpy(now, at, before < bytes ? before : bytes);
        return now;
    }
    if (!READY) return at ? NULL : first_of(bytes);
    if (HAS_LEAK_CHECK) return real.realloc(at, bytes);
    if (at && (jm_on & JM_ALLOC)) before = malloc_usable_size(at);
    now = real.realloc(at, bytes);
    /* Returned where there is something new, or nothing was requested. */
    if (before && (now || !bytes)) given_back(before);
    return taken(now);
}

/* As glibc has it, by way of realloc. */
JM_EXPORT void *reallocarray(void *at, size_t n, size_t bytes) {
    size_t all;
    if (__builtin_mul_overflow(n, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(at, all);
}

JM_EXPORT void *aligned_alloc(size_t alignment, size_t bytes) {
    if (HAS_LEAK_CHECK && READY && real.aligned) return real.aligned(alignment, bytes);
    return READY && real.aligned ? taken(real.aligned(alignment, bytes)) : NULL;
}

JM_EXPORT void *memalign(size_t alignment, size_t bytes) {
    if (HAS_LEAK_CHECK && READY && real.memalign) return real.memalign(alignment, bytes);
    return READY && real.memalign ? taken(real.memalign(alignment, bytes)) : NULL;
}

JM_EXPORT int posix_memalign(void **at, size_t alignment, size_t bytes) {
    if (HAS_LEAK_CHECK && READY && real.posix) return real.posix(at, alignment, bytes);
    int result = READY && real.posix ? real.posix(at, alignment, bytes) : ENOMEM;
    if (result == 0) (void)taken(*at);
    return result;
}
