/*
 * mpi_all.c: --preload mpi=all: all calls of MPI that communicate, wait or touch files, beyond those
 * of GEOPM's list; and of each call how often it was made, within regions too, the bytes that this
 * process handed over by it, and with how many others it exchanged messages.
 *
 * Bytes are those of count and type of calls that went well, and of I/O as asked for. A type is looked
 * at only then: in a call that failed it may be none. Ranks are those of MPI_COMM_WORLD.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpi.h"
#include <sched.h>

#define CALL(Name, lower, UPPER, n, error, nf, LARGE, counts, version, hint, bytes)                 \
    JM_MPI_ANSWER(Name, lower, UPPER, n, error, nf, LARGE, counts, hint, bytes, JM_MPI_ALL)
/* Some thousand functions, all alike, in half the compiler's time. */
#pragma GCC push_options
#pragma GCC optimize("O1")
JM_MPI_MORE_CALLS(CALL)
#pragma GCC pop_options

static struct jm_mpi_call *calls; /* made at least once */
static int is_counting;

/* A function of the library behind, by its own name: others' tools need not see it. */
#define BEHIND(type, symbol, types)                                                                \
    static void *slot_##symbol;                                                                    \
    type(*symbol) types = (type(*) types)jm_next(&slot_##symbol, #symbol, JM_MPI_LIBRARY)

/* ---------------------------------------------------------------- ranks */

/* World ranks of a communicator's or window's, as asked last; each thread has its own. */
#define PEERS 64
JM_TLS struct { long where; int rank, world; uint32_t version; } peers[PEERS];
/* Grows where a communicator or window is freed: its handle may be given out again. */
static uint32_t version = 1;

/* One bit a rank of the world; those beyond are not distinguished. */
#define RANKS 65536
static uint64_t seen[RANKS / 64];
static uint32_t seen_count;

/* The rank in the world, −1 where not known. */
static int translate(long where, int rank, int is_window) {
    int world = -1, inter = 0;
    long group = 0, all = 0, everybody;
    if (!jm_mpi_world(&everybody)) return -1;
    if (!is_window && where == everybody) return rank;
    BEHIND(int, PMPI_Comm_group, (long, long *));
    BEHIND(int, PMPI_Comm_remote_group, (long, long *));
    BEHIND(int, PMPI_Comm_test_inter, (long, int *));
    BEHIND(int, PMPI_Win_get_group, (long, long *));
    BEHIND(int, PMPI_Group_translate_ranks, (long, int, const int *, long, int *));
    BEHIND(int, PMPI_Group_free, (long *));
    if (!PMPI_Comm_group || !PMPI_Comm_remote_group || !PMPI_Comm_test_inter ||
        !PMPI_Win_get_group || !PMPI_Group_translate_ranks || !PMPI_Group_free)
        return -1;
    if (is_window ? PMPI_Win_get_group(where, &group) != 0
                  : PMPI_Comm_test_inter(where, &inter) != 0 ||
                        (inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(where, &group) != 0)
        return -1;
    if (PMPI_Comm_group(everybody, &all) == 0) {
        if (PMPI_Group_translate_ranks(group, 1, &rank, all, &world) != 0) world = -1;
        (void)PMPI_Group_free(&all);
    }
    (void)PMPI_Group_free(&group);
    return world;
}

/* A rank of the world is one that this process sends to. */
static void saw(int world) {
    uint64_t bit, old;
    if (world < 0 || world >= RANKS) return;
    bit = 1ull << world % 64;
    if (__atomic_load_n(&seen[world / 64], __ATOMIC_RELAXED) & bit) return;
    old = __atomic_fetch_or(&seen[world / 64], bit, __ATOMIC_RELAXED);
    if (!(old & bit)) __atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED);
}

/* The rank in the world; negative: none, or nobody says. */
static int in_world(long where, int rank, int is_window) {
    uint32_t now = __atomic_load_n(&version, __ATOMIC_RELAXED);
    uint32_t at = ((uint32_t)(where >> 4) * 31u + (uint32_t)where + (uint32_t)rank) % PEERS;
    if (rank < 0) return -1; /* MPI_PROC_NULL */
    if (peers[at].version != now || peers[at].where != where || peers[at].rank != rank) {
        peers[at].where = where;
        peers[at].rank = rank;
        peers[at].version = now;
        peers[at].world = translate(where, rank, is_window);
    }
    return peers[at].world;
}

/* ---------------------------------------------------------------- bytes */

/* A handle of Fortran's as C has it: the same where the library has no function for it. */
static long in_c(long address, const char *symbol, void **slot) {
    int handle = *(const int *)(uintptr_t)address;
    long (*convert)(int) = (long (*)(int))jm_next(slot, symbol, JM_MPI_LIBRARY);
    return convert ? convert(handle) : handle;
}

static void *type_slot, *comm_slot, *win_slot;

/* A number, a handle and a number of a list, by the place of the argument. */
static long number_at(const long *arguments, int place, int how) {
    long n = arguments[place];
    if (how & JM_MPI_BY_ADDRESS)
        return how & JM_MPI_LARGE ? *(const long *)(uintptr_t)n : *(const int *)(uintptr_t)n;
    return how & JM_MPI_LARGE ? n : (int)n;
}
static int rank_at(const long *arguments, int place, int how) {
    return how & JM_MPI_BY_ADDRESS ? *(const int *)(uintptr_t)arguments[place] : (int)arguments[place];
}
static long type_at(const long *arguments, int place, int how) {
    return how & JM_MPI_BY_ADDRESS ? in_c(arguments[place], "PMPI_Type_f2c", &type_slot)
                                   : arguments[place];
}
static long comm_at(const long *arguments, int place, int how) {
    return how & JM_MPI_BY_ADDRESS ? in_c(arguments[place], "PMPI_Comm_f2c", &comm_slot)
                                   : arguments[place];
}
static long listed(const long *arguments, int place, int index, int how) {
    const void *list = (const void *)(uintptr_t)arguments[place];
    return how & JM_MPI_LARGE ? ((const long *)list)[index] : ((const int *)list)[index];
}

/* The type at a place of a list: Fortran's are integers, C's as wide as its handles. */
static long listed_type(const long *arguments, int place, int index, int how) {
    const void *list = (const void *)(uintptr_t)arguments[place];
    if (how & JM_MPI_BY_ADDRESS)
        return in_c((long)(uintptr_t)((const int *)list + index), "PMPI_Type_f2c", &type_slot);
    return jm_mpi_kind() == JM_MPI_MPICH ? ((const int *)list)[index] : ((const long *)list)[index];
}

/* Bytes of so many of a type; 0 of none. */
static uint64_t bytes_of(long n, long type) {
    int size = 0;
    BEHIND(int, PMPI_Type_size, (long, int *));
    if (n <= 0 || !PMPI_Type_size || PMPI_Type_size(type, &size) != 0 || size <= 0) return 0;
    return (uint64_t)n * (uint64_t)size;
}

/* Of a collective with a list, a root or a part for each rank. */
static uint64_t collective(const struct jm_mpi_call *call, const long *arguments, int how) {
    int what = call->bytes.what, root = call->bytes.rank, inter = 0, rank = 0, size = 0, i;
    long comm = comm_at(arguments, call->bytes.where, how), n = 0;
    int type = call->bytes.type;
    uint64_t bytes = 0;
    int is_rooted = what >= JM_MPI_GATHERED && what <= JM_MPI_SCATTERED_LISTS, is_root;
    BEHIND(int, PMPI_Comm_test_inter, (long, int *));
    BEHIND(int, PMPI_Comm_rank, (long, int *));
    BEHIND(int, PMPI_Comm_size, (long, int *));
    BEHIND(int, PMPI_Comm_remote_size, (long, int *));
    if (!PMPI_Comm_test_inter || !PMPI_Comm_rank || !PMPI_Comm_size || !PMPI_Comm_remote_size ||
        PMPI_Comm_test_inter(comm, &inter) != 0 || PMPI_Comm_rank(comm, &rank) != 0 ||
        (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != 0)
        return 0;
    is_root = is_rooted && !inter && rank_at(arguments, root, how) == rank;
    /* Between two groups the root's own, and the root itself, have no block here. */
    if (inter && (is_rooted ? rank_at(arguments, root, how) < 0 : what == JM_MPI_OWN)) return 0;
    if (is_rooted && !is_root) n = number_at(arguments, call->bytes.count, how);
    else switch (what) {
        case JM_MPI_GATHERED: n = number_at(arguments, root - 2, how), type = root - 1; break;
        case JM_MPI_GATHERED_LISTS: n = listed(arguments, root - 3, rank, how), type = root - 1; break;
        case JM_MPI_SCATTERED: n = number_at(arguments, JM_MPI_b, how), type = JM_MPI_c; break;
        case JM_MPI_SCATTERED_LISTS:
            n = listed(arguments, JM_MPI_b, rank, how), type = JM_MPI_d;
            break;
        case JM_MPI_OWN: n = listed(arguments, call->bytes.count, rank, how); break;
        case JM_MPI_TYPES:
            for (i = 0; i < size; i++)
                bytes += bytes_of(listed(arguments, call->bytes.count, i, how),
                                  listed_type(arguments, type, i, how));
            return bytes;
        case JM_MPI_EACH: n = size * number_at(arguments, call->bytes.count, how); break;
        default:
            for (i = 0; i < size; i++) n += listed(arguments, call->bytes.count, i, how);
    }
    return bytes_of(n, n > 0 ? type_at(arguments, type, how) : 0);
}

/*
 * Of a collective of a topology: a block or an item of the list for each neighbour that is sent to. Of
 * a Cartesian one two for each dimension, those beyond its ends missing.
 */
static uint64_t to_neighbours(const struct jm_mpi_call *call, const long *arguments, int how) {
    long comm = comm_at(arguments, call->bytes.where, how);
    int what = call->bytes.what, topology = 0, count = 0, in = 0, weighted = 0, rank = 0, i;
    int cart = jm_mpi_kind() == JM_MPI_MPICH ? 2 : 1, *ranks, *others;
    uint64_t bytes = 0;
    BEHIND(int, PMPI_Topo_test, (long, int *));
    BEHIND(int, PMPI_Comm_rank, (long, int *));
    BEHIND(int, PMPI_Cartdim_get, (long, int *));
    BEHIND(int, PMPI_Cart_shift, (long, int, int, int *, int *));
    BEHIND(int, PMPI_Graph_neighbors_count, (long, int, int *));
    BEHIND(int, PMPI_Graph_neighbors, (long, int, int, int *));
    BEHIND(int, PMPI_Dist_graph_neighbors_count, (long, int *, int *, int *));
    BEHIND(int, PMPI_Dist_graph_neighbors, (long, int, int *, int *, int, int *, int *));
    if (!PMPI_Topo_test || !PMPI_Comm_rank || !PMPI_Cartdim_get || !PMPI_Cart_shift ||
        !PMPI_Graph_neighbors_count || !PMPI_Graph_neighbors || !PMPI_Dist_graph_neighbors_count ||
        !PMPI_Dist_graph_neighbors || jm_mpi_kind() == JM_MPI_ABI ||
        PMPI_Topo_test(comm, &topology) != 0 || PMPI_Comm_rank(comm, &rank) != 0)
        return 0;
    if (topology == 3) (void)PMPI_Dist_graph_neighbors_count(comm, &in, &count, &weighted);
    else if (topology == cart) {
        (void)PMPI_Cartdim_get(comm, &count);
        count *= 2;
    } else (void)PMPI_Graph_neighbors_count(comm, rank, &count);
    if (count <= 0 || in < 0) return 0;
    ranks = (int *)calloc(2 * (size_t)count + 2 * (size_t)in, sizeof *ranks);
    if (!ranks) return 0;
    others = ranks + 2 * count;
    if (topology == 3)
        (void)PMPI_Dist_graph_neighbors(comm, in, others, others + in, count, ranks, ranks + count);
    else if (topology == cart) {
        for (i = 0; i < count; i += 2)
            (void)PMPI_Cart_shift(comm, i / 2, 1, &ranks[i], &ranks[i + 1]);
    } else (void)PMPI_Graph_neighbors(comm, rank, count, ranks);
    for (i = 0; i < count; i++) {
        if (ranks[i] < 0) continue;
        saw(in_world(comm, ranks[i], 0));
        bytes += bytes_of(what == JM_MPI_NEAR_EACH ? number_at(arguments, call->bytes.count, how)
                                                   : listed(arguments, call->bytes.count, i, how),
                          what == JM_MPI_NEAR_TYPES ? listed_type(arguments, call->bytes.type, i, how)
                                                    : type_at(arguments, call->bytes.type, how));
    }
    free(ranks);
    return bytes;
}

/* `world`: the rank that it goes to, where it is one. */
static uint64_t handed_over(const struct jm_mpi_call *call, const long *arguments, int how,
                            int *world) {
    int what = call->bytes.what, wide = what == JM_MPI_PARTS ? how | JM_MPI_LARGE : how;
    long n = what == JM_MPI_ELEMENT ? 1 : number_at(arguments, call->bytes.count, wide), where;
    int rank = what == JM_MPI_GAVE ? 0 : rank_at(arguments, call->bytes.rank, how);
    uint64_t bytes = 0;
    /* To MPI_PROC_NULL goes nothing. */
    if (rank >= 0 && n > 0) bytes = bytes_of(n, type_at(arguments, call->bytes.type, how));
    if (what == JM_MPI_GAVE) return bytes;
    if (what == JM_MPI_SENT || what == JM_MPI_PARTS) where = comm_at(arguments, call->bytes.where, how);
    else where = how & JM_MPI_BY_ADDRESS
                     ? in_c(arguments[call->bytes.where], "PMPI_Win_f2c", &win_slot)
                     : arguments[call->bytes.where];
    *world = in_world(where, rank, what == JM_MPI_MOVED || what == JM_MPI_ELEMENT);
    return bytes;
}

/* ---------------------------------------------------------------- requests that are started */

/* What a request moves each time, or each part of it. Of more requests at once some are forgotten. */
#define REQUESTS 8192
#define TRIES 8
static struct kept { uint64_t bytes; long handle; int world, in_parts, used; } kept[REQUESTS];
static int kept_lock;

static void take_lock(void) {
    while (__atomic_exchange_n(&kept_lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void drop_lock(void) { __atomic_store_n(&kept_lock, 0, __ATOMIC_RELEASE); }

/* A request as C has it, by its address. */
static long request_at(const void *at, int how) {
    static void *slot;
    if (how & JM_MPI_BY_ADDRESS) return in_c((long)(uintptr_t)at, "PMPI_Request_f2c", &slot);
    return jm_mpi_kind() == JM_MPI_MPICH ? *(const int *)at : *(const long *)at;
}

static struct kept *find_kept(long handle, int makes) {
    uint32_t at = (uint32_t)((uint64_t)handle * 0x9e3779b97f4a7c15ull >> 40), i;
    for (i = 0; i < TRIES; i++) {
        struct kept *one = &kept[(at + i) % REQUESTS];
        if (one->used && one->handle == handle) return one;
    }
    if (!makes) return NULL;
    for (i = 0; i < TRIES && kept[(at + i) % REQUESTS].used; i++) continue;
    return &kept[(at + i % TRIES) % REQUESTS];
}

static void keep(long handle, uint64_t bytes, int world, int in_parts) {
    struct kept *one;
    take_lock();
    one = find_kept(handle, 1);
    one->handle = handle;
    one->bytes = bytes;
    one->world = world;
    one->in_parts = in_parts;
    one->used = 1;
    drop_lock();
}

/* The bytes of a request that was started, or of parts of it that are ready. */
static uint64_t of_request(const void *at, long parts, int how) {
    long handle = request_at(at, how);
    struct kept *one;
    uint64_t bytes = 0;
    take_lock();
    one = find_kept(handle, 0);
    if (one && one->in_parts == (parts > 0)) {
        bytes = one->bytes * (uint64_t)(parts > 0 ? parts : 1);
        saw(one->world);
    }
    drop_lock();
    return bytes;
}

static uint64_t started(const struct jm_mpi_call *call, const long *arguments, int how) {
    int is_all = call->fortran[5] != 0, i; /* startall */
    int width = !(how & JM_MPI_BY_ADDRESS) && jm_mpi_kind() != JM_MPI_MPICH ? 8 : 4;
    long count = is_all ? number_at(arguments, JM_MPI_a, how) : 1;
    const char *list = (const char *)(uintptr_t)arguments[is_all ? JM_MPI_b : JM_MPI_a];
    uint64_t bytes = 0;
    for (i = 0; i < count; i++) bytes += of_request(list + (size_t)i * (size_t)width, 0, how);
    return bytes;
}

/* MPI_Pready(part, request), _range(first, last, request), _list(count, parts, request). */
static uint64_t ready(const struct jm_mpi_call *call, const long *arguments, int how) {
    char kind = call->fortran[6] ? call->fortran[7] : 0;
    int place = kind ? JM_MPI_c : JM_MPI_b;
    long parts = 1;
    const void *at = how & JM_MPI_BY_ADDRESS ? (const void *)(uintptr_t)arguments[place]
                                             : (const void *)&arguments[place];
    if (kind == 'r')
        parts = number_at(arguments, JM_MPI_b, how) - number_at(arguments, JM_MPI_a, how) + 1;
    else if (kind == 'l') parts = number_at(arguments, JM_MPI_a, how);
    return parts > 0 ? of_request(at, parts, how) : 0;
}

static void count_bytes(struct jm_mpi_call *call, const long *arguments, int how) {
    int what = call->bytes.what, world = -1;
    uint64_t bytes = 0;
    if (what == JM_MPI_FREED) {
        __atomic_fetch_add(&version, 1, __ATOMIC_RELAXED);
        return;
    }
    if (what == JM_MPI_STARTED) bytes = started(call, arguments, how);
    else if (what == JM_MPI_READY) bytes = ready(call, arguments, how);
    else if (what >= JM_MPI_NEAR_EACH && what <= JM_MPI_NEAR_TYPES)
        bytes = to_neighbours(call, arguments, how);
    else if (what >= JM_MPI_GATHERED && what <= JM_MPI_TYPES) bytes = collective(call, arguments, how);
    else if (what != JM_MPI_NONE) bytes = handed_over(call, arguments, how, &world);
    if (call->bytes.request)
        keep(request_at((const void *)(uintptr_t)arguments[call->bytes.request - 1], how), bytes,
             world, what == JM_MPI_PARTS);
    else {
        saw(world);
        if (bytes) __atomic_fetch_add(&call->moved, bytes, __ATOMIC_RELAXED);
    }
}

/* ---------------------------------------------------------------- counts */

/* One text a call for the report: "MPI_Send 100 8000", and last "peers 3". */
static void tell(struct joulemark__thread *t) {
    struct jm_mpi_call *c;
    char text[160];
    for (c = __atomic_load_n(&calls, __ATOMIC_ACQUIRE); c; c = c->next) {
        snprintf(text, sizeof text, "%s %llu %llu", c->name, (unsigned long long)(c->calls + c->main_calls),
                 (unsigned long long)c->moved);
        jm_tell(t, JOULEMARK__MPI_NAME, text);
    }
    snprintf(text, sizeof text, "peers %u", seen_count);
    jm_tell(t, JOULEMARK__MPI_NAME, text);
}

static void count(struct jm_mpi_call *call, struct joulemark__thread *t) {
    if (__atomic_exchange_n(&call->listed, 1, __ATOMIC_RELAXED) == 0) {
        struct jm_mpi_call *first = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
        if (!is_counting) {
            long everybody;
            is_counting = 1;
            jm_tell_at_end(tell);
            /* Looked for in the first call, mostly MPI_Init, and not in one of the program's times. */
            (void)jm_mpi_world(&everybody);
            (void)jm_mpi_kind();
        }
        do call->next = first;
        while (!__atomic_compare_exchange_n(&calls, &first, call, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE));
    }
    if (t->process) call->main_calls++;
    else __atomic_fetch_add(&call->calls, 1, __ATOMIC_RELAXED);
}

static __attribute__((constructor)) void all_calls(void) {
    if (!(jm_on & JM_MPI_ALL)) return;
    jm_mpi_count = count;
    jm_mpi_bytes = count_bytes;
}
