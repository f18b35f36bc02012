/*
 * core.c: switches, the libraries behind us, and remarks. dlsym(3), dl_iterate_phdr(3).
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#define JOULEMARK__BODIES /* here, for all files */
#include "core.h"
#include <link.h>
#include <wchar.h>

JM_HIDDEN uint32_t jm_on = ~(uint32_t)JM_BY_NAME;
JM_HIDDEN uint32_t jm_asked = ~(uint32_t)JM_BY_NAME;

JM_HIDDEN void (*jm_around)(struct joulemark__thread *, int);

/* Room for the two that there are, alloc.c and callpath.c. */
static void (*jm_hearers[2])(struct joulemark__thread *, int);

static void jm_around_all(struct joulemark__thread *t, int after) {
    jm_hearers[after](t, after);
    jm_hearers[!after](t, after);
}

JM_HIDDEN void jm_hear_marks(void (*hears)(struct joulemark__thread *, int)) {
    jm_hearers[jm_hearers[0] != NULL] = hears;
    jm_around = jm_hearers[1] ? jm_around_all : hears;
}

#define HEARD(heard, marks, what)                                                                  \
    JM_HIDDEN void heard(struct joulemark__thread *t, uint32_t what) {                             \
        jm_around(t, 0);                                                                           \
        marks(t, what);                                                                            \
        jm_around(t, 1);                                                                           \
    }
HEARD(jm_enter_heard, joulemark__enter, region)
HEARD(jm_exit_heard, joulemark__exit, region)
HEARD(jm_exit_alone_heard, joulemark__exit_alone, region)
HEARD(jm_leave_heard, joulemark__pop, track)

static const struct { const char *word; uint32_t bit; } jm_words[] = {
    {"mpi", JM_MPI},       {"pcontrol", JM_PCONTROL}, {"ompt", JM_OMPT},     {"geopm", JM_GEOPM},
    {"caliper", JM_CALIPER}, {"likwid", JM_LIKWID},   {"pm_mpi", JM_PM_MPI}, {"nvtx", JM_NVTX},
    {"roctx", JM_ROCTX},   {"itt", JM_ITT},           {"kokkos", JM_KOKKOS}, {"tau", JM_TAU},
    {"papi", JM_PAPI},     {"craypat", JM_CRAYPAT},   {"io", JM_IO},
    {"alloc", JM_ALLOC},   {"callpath", JM_CALLPATH},  {"mpi=all", JM_MPI | JM_MPI_ALL},
    {"perfstubs", JM_PERFSTUBS}, {"scorep", JM_SCOREP},
};

/* Bits of the words in a list with commas; "all" is all that need not be named. */
static uint32_t jm_bits(const char *list) {
    uint32_t bits = 0;
    while (*list) {
        size_t length = strcspn(list, ","), i;
        if (length == 3 && strncmp(list, "all", 3) == 0) bits |= ~(uint32_t)JM_BY_NAME;
        for (i = 0; i < sizeof jm_words / sizeof *jm_words; i++) {
            if (strlen(jm_words[i].word) == length && strncmp(list, jm_words[i].word, length) == 0)
                bits |= jm_words[i].bit;
        }
        list += length;
        if (*list) list++;
    }
    return bits;
}

/* Before all other constructors of the library, in whatever order its files were linked. */
static __attribute__((constructor(101))) void jm_load(void) {
    const char *list = getenv("JOULEMARK_PRELOAD");
    if (list && *list) jm_asked = jm_bits(list);
    jm_on = jm_asked;
    /* Python's own client records each mark in its order. */
    joulemark__ordered_9 = strncmp(program_invocation_short_name, "python", 6) == 0
                               ? JOULEMARK__PRELOADED | JOULEMARK__ORDERED
                               : JOULEMARK__PRELOADED;
    /* Without a session every call is one test from here on, of a word of this library's own. */
    if (joulemark__state_9.mode == 0 && !getenv(JOULEMARK__SESSION_VARIABLE)) {
        joulemark__state_9.mode = 1;
        jm_on = 0;
    }
}

JM_HIDDEN uint32_t jm_tracks[20];

JM_HIDDEN __attribute__((noinline, cold)) uint32_t jm_new_track(uint32_t bit) {
    size_t i;
    for (i = 0; i < sizeof jm_words / sizeof *jm_words; i++) {
        if (jm_words[i].bit == 1u << bit)
            return jm_tracks[bit] = joulemark__track(jm_words[i].word);
    }
    return 0;
}

JM_HIDDEN uint32_t jm_domain_track(uint32_t dialect, const char *domain) {
    uint32_t track, own = jm_track(dialect);
    char name[domain ? strlen(domain) + 32 : 1];
    if (!domain || !*domain) return own;
    snprintf(name, sizeof name, "%.30s/%s",
             joulemark__copy_of(&joulemark__state_9, joulemark__state_9.track_names[own]), domain);
    track = joulemark__track(name);
    return track ? track : own;
}

/* A name that was just looked up, with a track. */
#define ON_TRACK(bit, t, name)                                                                     \
    (joulemark__lookup(t, name) | jm_track_of((uint32_t)(bit)) << JOULEMARK__TRACK_SHIFT)

JM_HIDDEN void jm_begin_in(size_t bit, const char *name) {
    struct joulemark__thread *t = joulemark__thread(1);
    if (__builtin_expect(t != NULL, 1)) jm_enter(t, ON_TRACK(bit, t, name));
}

JM_HIDDEN void jm_end_in(size_t bit, const char *name) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (__builtin_expect(t != NULL, 1)) jm_exit(t, ON_TRACK(bit, t, name));
}

JM_HIDDEN void jm_end_alone_in(size_t bit, const char *name) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (__builtin_expect(t != NULL, 1)) jm_exit_alone(t, ON_TRACK(bit, t, name));
}

JM_HIDDEN void jm_end_innermost_in(size_t bit) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (__builtin_expect(t != NULL, 1)) jm_leave(t, jm_track_of((uint32_t)bit));
}

struct jm_search { const char *library; char path[512]; };

/* Is one of the names, with bars between them, in a file's name? */
static int jm_is_named(const char *base, const char *names) {
    while (*names) {
        size_t length = strcspn(names, "|");
        const char *at;
        for (at = base; (at = strchr(at, *names)) != NULL; at++) {
            if (strncmp(at, names, length) == 0) return 1;
        }
        names += length;
        if (*names) names++;
    }
    return 0;
}

static int jm_look(struct dl_phdr_info *info, size_t size, void *data) {
    struct jm_search *search = (struct jm_search *)data;
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!base || !jm_is_named(base, search->library)) return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

/* The file of a function: dladdr(3) looks at all its symbols for the name, which takes a call's time. */
struct jm_place { uintptr_t address; const char *path; };

static int jm_holds(struct dl_phdr_info *info, size_t size, void *data) {
    struct jm_place *place = (struct jm_place *)data;
    int i;
    for (i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || place->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
            continue;
        place->path = info->dlpi_name;
        return 1;
    }
    return 0;
}

JM_HIDDEN void *jm_find_next(const char *symbol, const char *library) {
    int saved = errno;
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found && library) {
        /* What was loaded for a plug-in alone, as Python's modules are, is not behind us. */
        struct jm_search search = {library, ""};
        if (dl_iterate_phdr(jm_look, &search)) {
            void *handle = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
            if (handle) found = dlsym(handle, symbol);
        }
    } else if (found && library) {
        struct jm_place place = {(uintptr_t)found, NULL};
        const char *base = NULL;
        if (dl_iterate_phdr(jm_holds, &place) && place.path) base = strrchr(place.path, '/');
        if (base && !jm_is_named(base, library)) {
            char text[256];
            snprintf(text, sizeof text, "%.120s answers %.60s as well, after joulemark", base + 1,
                     symbol);
            jm_remark(text);
        }
    }
    errno = saved;
    return found;
}

JM_HIDDEN int jm_has_variable(const char *start) {
    char **entry;
    for (entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, start, strlen(start)) == 0) return 1;
    }
    return 0;
}

JM_HIDDEN int jm_chained(uint32_t dialect, const char *variable) {
    const char *list = getenv("JOULEMARK_CHAIN"), *kept = getenv("JOULEMARK_KEEP");
    if (!(jm_asked & dialect)) return 1; /* not ours to keep */
    if (list) return (jm_bits(list) & dialect) != 0;
    if (kept && (jm_bits(kept) & dialect)) return 0;
    return variable && jm_has_variable(variable);
}

JM_HIDDEN void jm_tell(struct joulemark__thread *t, const char *word, const char *text) {
    char said[1400];
    snprintf(said, sizeof said, "%s %d %s", word, (int)getpid(), text);
    joulemark__find(t, said, JOULEMARK_HINT_UNKNOWN);
}

JM_HIDDEN void jm_remark(const char *text) {
    struct joulemark__thread *t = joulemark__thread(0);
    if (t) jm_tell(t, JOULEMARK__REMARK_NAME, text);
}

/* Room for those that there are: mpi_all.c, openmp.c, samples.c. */
static void (*jm_tellers[3])(struct joulemark__thread *);
static int jm_telling_pid, jm_tells_at_exit;

JM_HIDDEN void jm_tell_now(void) {
    struct joulemark__thread *t = joulemark__thread(0);
    size_t i;
    if (!t || jm_telling_pid != getpid()) return;
    for (i = 0; i < sizeof jm_tellers / sizeof *jm_tellers; i++) {
        void (*tells)(struct joulemark__thread *) =
            __atomic_exchange_n(&jm_tellers[i], NULL, __ATOMIC_ACQ_REL);
        if (tells) tells(t);
    }
}

JM_HIDDEN void jm_tell_at_end(void (*tells)(struct joulemark__thread *)) {
    size_t i;
    if (jm_telling_pid != getpid()) {
        /* What was counted before fork(2) is the parent's. */
        memset(jm_tellers, 0, sizeof jm_tellers);
        jm_telling_pid = getpid();
    }
    /* For who never comes to MPI_Finalize: before the client's own end, which was registered first. */
    if (!jm_tells_at_exit) jm_tells_at_exit = atexit(jm_tell_now) == 0;
    for (i = 0; i < sizeof jm_tellers / sizeof *jm_tellers; i++) {
        void (*none)(struct joulemark__thread *) = NULL;
        if (__atomic_compare_exchange_n(&jm_tellers[i], &none, tells, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) || none == tells) return;
    }
}

JM_HIDDEN void jm_shutdown(void) {
    jm_tell_now();
    joulemark_shutdown();
}

JM_HIDDEN int jm_take_lock(int *lock) {
    int tries;
    for (tries = 0; tries < 20000; tries++) {
        if (!__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) return 1;
        if (tries >= 100) joulemark__syscall(SYS_sched_yield);
    }
    return 0;
}

JM_HIDDEN void *jm_named(size_t before, const char *name) {
    size_t length = name ? strlen(name) : 0;
    char *made = (char *)calloc(1, before + length + 1);
    if (made && name) memcpy(made + before, name, length);
    return made;
}

JM_HIDDEN size_t jm_narrow_room(const wchar_t *wide) {
    size_t count = 0;
    while (wide && count < 65535 && wide[count]) count++;
    return 4 * count + 6;
}

JM_HIDDEN const char *jm_narrow(const wchar_t *wide, char *into, size_t room) {
    size_t at = 0;
    for (; wide && *wide && at + 5 < room; wide++) {
        uint32_t c = (uint32_t)*wide;
        if (c < 0x80) into[at++] = (char)c;
        else if (c < 0x800) {
            into[at++] = (char)(0xc0 | c >> 6);
            into[at++] = (char)(0x80 | (c & 63));
        } else {
            if (c > 0xffff) into[at++] = (char)(0xf0 | (c >> 18 & 7));
            into[at++] = c > 0xffff ? (char)(0x80 | (c >> 12 & 63)) : (char)(0xe0 | c >> 12);
            into[at++] = (char)(0x80 | (c >> 6 & 63));
            into[at++] = (char)(0x80 | (c & 63));
        }
    }
    into[at] = 0;
    return into;
}
