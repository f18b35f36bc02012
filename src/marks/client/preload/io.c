/*
 * io.c: POSIX input and output that a marked process does: read(2), write(2), open(2) and their
 * relatives in libc, each reported as by Caliper's io service: `io.region` around the call, and the
 * bytes that went.
 *
 * No call makes a region: `io.region` is separate from the regions. No call makes a process one of the
 * run either, since every process reads and writes; it is the marks that do. What stdio does inside
 * libc is not recorded, nor is our own.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
/* Either would put other names in the place of the functions' own. */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include "core.h"
#include <stdarg.h>

#define THREAD_SCOPE 20
/* A value for the snapshot at the end of its call: asvalue, skip_events, aggregatable. */
#define MEASURED (THREAD_SCOPE + 1 + 64 + 2048)

struct iovec;

/* Most records of a call: begins of two words, ends of one, and clock pairs before them. */
#define RECORDS 16

/*
 * This thread, where its process marks and it is not our own slow path that reads or writes. A
 * forked child marks when it does so by itself.
 */
JM_MARK struct joulemark__thread *listener(void) {
    struct joulemark__state *s = &joulemark__state_9;
    struct joulemark__thread *t;
    uint64_t me = (uint64_t)(uintptr_t)&joulemark__self_9;
    if (s->mode != 2 || !*s->alive || __atomic_load_n(&s->lock, __ATOMIC_RELAXED) == me)
        return NULL;
    t = joulemark__thread(0);
    /* A handler's call in the middle of a mark is not heard, and no wrong: no mark is left out. */
    if (!t || t->marking) return NULL;
    if (joulemark__room(t, RECORDS)) return t;
    joulemark__lost_value();
    return NULL;
}

enum kind { READ, WRITE, OTHER };
enum { REGION = 3, READ_BYTES, WRITTEN_BYTES, NAMES };

static uint32_t numbers[NAMES];

static uint32_t number(struct joulemark__thread *t, int which) {
    static const char *const names[NAMES] = {"read", "write", "metadata",
                                             "io.region", "io.bytes.read", "io.bytes.written"};
    return jm_number(t, names[which], &numbers[which]);
}

/* joulemark__value() where there is room and the moment is known: what happens at once has one. */
static void put(struct joulemark__thread *t, uint64_t stamp, uint32_t flags, uint32_t kind,
                uint32_t name, uint32_t type, uint32_t properties, uint64_t bits) {
    const int has_value = kind == JOULEMARK__KIND_ATTRIBUTE_BEGIN;
    joulemark__write(t, 0, stamp, joulemark__word(t, kind, flags | t->process, name));
    if (has_value) joulemark__write(t, 1, bits, (uint64_t)properties << 32 | type);
    joulemark__show(t, has_value ? 2 : 1);
}

JM_MARK struct joulemark__thread *io_begin(enum kind kind) {
    int saved = errno;
    struct joulemark__thread *t = listener();
    if (t) {
        uint32_t region = number(t, REGION), value = number(t, kind), flags;
        uint64_t stamp;
        if (!joulemark__alone(t)) return NULL;
        stamp = joulemark__stamp(t, &flags);
        put(t, stamp, flags, JOULEMARK__KIND_ATTRIBUTE_BEGIN, region, JOULEMARK__TYPE_STRING,
            THREAD_SCOPE, value);
        joulemark__done(t);
    }
    errno = saved;
    return t;
}

JM_MARK void io_end(struct joulemark__thread *t, enum kind kind, long went) {
    uint32_t bytes = 0, region, flags;
    uint64_t stamp;
    /* The process may have ended its marks inside the call. */
    if (joulemark__state_9.mode != 2 || joulemark__self_9 != t || !*joulemark__state_9.alive)
        return;
    if (kind != OTHER && went > 0) bytes = number(t, kind == READ ? READ_BYTES : WRITTEN_BYTES);
    region = number(t, REGION);
    if (!joulemark__alone(t)) return;
    stamp = joulemark__stamp(t, &flags);
    if (bytes)
        put(t, stamp, flags, JOULEMARK__KIND_ATTRIBUTE_BEGIN, bytes, JOULEMARK__TYPE_UINT, MEASURED,
            (uint64_t)went);
    put(t, stamp, flags, JOULEMARK__KIND_ATTRIBUTE_END, region, 0, 0, 0);
    if (bytes) put(t, stamp, flags, JOULEMARK__KIND_ATTRIBUTE_END, bytes, 0, 0, 0);
    joulemark__done(t);
}

/* The real function, called and recorded. */
#define CALL_HEARD(kind, type, symbol, args)                                                       \
    do {                                                                                           \
        JM_REAL(symbol, NULL);                                                                     \
        struct joulemark__thread *t;                                                               \
        type result;                                                                               \
        int saved;                                                                                 \
        if (__builtin_expect(real == NULL, 0)) {                                                   \
            errno = ENOSYS;                                                                        \
            return (type)-1;                                                                       \
        }                                                                                          \
        if (!jm_is_on(JM_IO) || !(t = io_begin(kind))) return real args;                           \
        result = real args;                                                                        \
        saved = errno;                                                                             \
        io_end(t, kind, (long)result);                                                             \
        errno = saved;                                                                             \
        return result;                                                                             \
    } while (0)

/* A function of libc: what it is, its result, name and arguments. */
#define HEARD(kind, type, symbol, parameters, args)                                                \
    JM_EXPORT type symbol parameters { CALL_HEARD(kind, type, symbol, args); }

HEARD(READ, ssize_t, read, (int fd, void *into, size_t n), (fd, into, n))
HEARD(WRITE, ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))

/* At an offset: off_t is off64_t here. */
#define READ_AT(symbol)                                                                            \
    HEARD(READ, ssize_t, symbol, (int fd, void *into, size_t n, long at), (fd, into, n, at))
#define WRITE_AT(symbol)                                                                           \
    HEARD(WRITE, ssize_t, symbol, (int fd, const void *from, size_t n, long at), (fd, from, n, at))
READ_AT(pread)
READ_AT(pread64)
WRITE_AT(pwrite)
WRITE_AT(pwrite64)

#define VECTOR(what, symbol)                                                                       \
    HEARD(what, ssize_t, symbol, (int fd, const struct iovec *v, int n), (fd, v, n))
#define VECTOR_AT(what, symbol)                                                                    \
    HEARD(what, ssize_t, symbol, (int fd, const struct iovec *v, int n, long at), (fd, v, n, at))
#define VECTOR_AT_2(what, symbol)                                                                  \
    HEARD(what, ssize_t, symbol, (int fd, const struct iovec *v, int n, long at, int flags),       \
          (fd, v, n, at, flags))
VECTOR(READ, readv)
VECTOR(WRITE, writev)
VECTOR_AT(READ, preadv)
VECTOR_AT(READ, preadv64)
VECTOR_AT(WRITE, pwritev)
VECTOR_AT(WRITE, pwritev64)
VECTOR_AT_2(READ, preadv2)
VECTOR_AT_2(READ, preadv64v2)
VECTOR_AT_2(WRITE, pwritev2)
VECTOR_AT_2(WRITE, pwritev64v2)

/* What -D_FORTIFY_SOURCE makes of them. */
HEARD(READ, ssize_t, __read_chk, (int fd, void *into, size_t n, size_t room), (fd, into, n, room))
HEARD(READ, ssize_t, __pread_chk, (int fd, void *into, size_t n, long at, size_t room),
      (fd, into, n, at, room))
HEARD(READ, ssize_t, __pread64_chk, (int fd, void *into, size_t n, long at, size_t room),
      (fd, into, n, at, room))

/* ------------------------------------------------------------------ metadata */

#define DESCRIPTOR(symbol) HEARD(OTHER, int, symbol, (int fd), (fd))
#define SEEK(symbol)                                                                               \
    HEARD(OTHER, long, symbol, (int fd, long at, int from), (fd, at, from))
#define CUT(symbol) HEARD(OTHER, int, symbol, (int fd, long bytes), (fd, bytes))
#define CREATE(symbol)                                                                             \
    HEARD(OTHER, int, symbol, (const char *path, unsigned mode), (path, mode))
#define OPEN_2(symbol)                                                                             \
    HEARD(OTHER, int, symbol, (const char *path, int flags), (path, flags))
#define OPENAT_2(symbol)                                                                           \
    HEARD(OTHER, int, symbol, (int dir, const char *path, int flags), (dir, path, flags))
DESCRIPTOR(close)
DESCRIPTOR(fsync)
DESCRIPTOR(fdatasync)
SEEK(lseek)
SEEK(lseek64)
CUT(ftruncate)
CUT(ftruncate64)
CREATE(creat)
CREATE(creat64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

/* A mode comes only where a file may be made. */
#define MODE_OF(flags, mode)                                                                       \
    do {                                                                                           \
        if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {                           \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, unsigned);                                                         \
            va_end(more);                                                                          \
        }                                                                                          \
    } while (0)

#define OPEN(symbol)                                                                               \
    JM_EXPORT int symbol(const char *path, int flags, ...) {                                       \
        unsigned mode = 0;                                                                         \
        MODE_OF(flags, mode);                                                                      \
        CALL_HEARD(OTHER, int, symbol, (path, flags, mode));                                       \
    }
#define OPENAT(symbol)                                                                             \
    JM_EXPORT int symbol(int dir, const char *path, int flags, ...) {                              \
        unsigned mode = 0;                                                                         \
        MODE_OF(flags, mode);                                                                      \
        CALL_HEARD(OTHER, int, symbol, (dir, path, flags, mode));                                  \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
