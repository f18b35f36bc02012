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

#define CALL(Name, lower, UPPER, n, error, nf, LARGE, counts, version, hint, bytes)                 \
    JM_MPI_ANSWER(Name, lower, UPPER, n, error, nf, LARGE, counts, hint, bytes, JM_MPI_ALL,        \
                  jm_mpi_enter, jm_mpi_leave)
JM_MPI_MORE_CALLS(CALL)

static struct jm_mpi_call *calls; /* made at least once */
static int counting_pid;

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

/* One bit a rank of the world; those beyond are not told apart. */
#define RANKS 65536
static uint64_t seen[RANKS / 64];
static uint32_t seen_count;

/* The rank in the world, −1 where nobody says. */
static int translate(long where, int rank, int is_window) {
    int world = -1, inter = 0;
    long group = 0, all = 0, everybody;
    BEHIND(int, PMPI_Comm_group, (long, long *));
    BEHIND(int, PMPI_Comm_remote_group, (long, long *));
    BEHIND(int, PMPI_Comm_test_inter, (long, int *));
    BEHIND(int, PMPI_Win_get_group, (long, long *));
    BEHIND(int, PMPI_Group_translate_ranks, (long, int, const int *, long, int *));
    BEHIND(int, PMPI_Group_free, (long *));
    if (!PMPI_Comm_group || !PMPI_Comm_remote_group || !PMPI_Comm_test_inter ||
        !PMPI_Win_get_group || !PMPI_Group_translate_ranks || !PMPI_Group_free)
        return -1;
    if (!jm_mpi_world(&everybody)) return -1;
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

static void peer(long where, int rank, int is_window) {
    uint32_t now = __atomic_load_n(&version, __ATOMIC_RELAXED);
    uint32_t at = ((uint32_t)(where >> 4) * 31u + (uint32_t)where + (uint32_t)rank) % PEERS;
    uint64_t bit, old;
    if (rank < 0) return; /* MPI_PROC_NULL */
    if (peers[at].version == now && peers[at].where == where && peers[at].rank == rank) return;
    peers[at].where = where;
    peers[at].rank = rank;
    peers[at].version = now;
    peers[at].world = translate(where, rank, is_window);
    if (peers[at].world < 0 || peers[at].world >= RANKS) return;
    bit = 1ull << peers[at].world % 64;
    old = __atomic_fetch_or(&seen[peers[at].world / 64], bit, __ATOMIC_RELAXED);
    if (!(old & bit)) __atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED);
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

static void add(struct jm_mpi_call *call, long n, long type) {
    int size = 0;
    BEHIND(int, PMPI_Type_size, (long, int *));
    if (n > 0 && PMPI_Type_size && PMPI_Type_size(type, &size) == 0 && size > 0)
        __atomic_fetch_add(&call->moved, (uint64_t)n * (uint64_t)size, __ATOMIC_RELAXED);
}

/* Of a collective with a list, a root or a part for each rank. */
static void collective(struct jm_mpi_call *call, const long *arguments, int how) {
    int what = call->bytes.what, root = call->bytes.rank, inter = 0, rank = 0, size = 0, i;
    long comm = comm_at(arguments, call->bytes.where, how), n = 0;
    int type = call->bytes.type;
    int is_rooted = what >= JM_MPI_GATHERED && what <= JM_MPI_SCATTERED_LISTS, is_root;
    BEHIND(int, PMPI_Comm_test_inter, (long, int *));
    BEHIND(int, PMPI_Comm_rank, (long, int *));
    BEHIND(int, PMPI_Comm_size, (long, int *));
    BEHIND(int, PMPI_Comm_remote_size, (long, int *));
    if (!PMPI_Comm_test_inter || !PMPI_Comm_rank || !PMPI_Comm_size || !PMPI_Comm_remote_size ||
        PMPI_Comm_test_inter(comm, &inter) != 0 || PMPI_Comm_rank(comm, &rank) != 0 ||
        (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != 0)
        return;
    is_root = is_rooted && !inter && rank_at(arguments, root, how) == rank;
    /* Between two groups the root's own, and the root itself, have no block here. */
    if (inter && (is_rooted ? rank_at(arguments, root, how) < 0 : what == JM_MPI_OWN)) return;
    if (is_rooted && !is_root) n = number_at(arguments, call->bytes.count, how);
    else switch (what) {
        case JM_MPI_GATHERED: n = number_at(arguments, root - 2, how), type = root - 1; break;
        case JM_MPI_GATHERED_LISTS: n = listed(arguments, root - 3, rank, how), type = root - 1; break;
        case JM_MPI_SCATTERED: n = number_at(arguments, JM_MPI_b, how), type = JM_MPI_c; break;
        case JM_MPI_SCATTERED_LISTS:
            n = listed(arguments, JM_MPI_b, rank, how), type = JM_MPI_d;
            break;
        case JM_MPI_OWN: n = listed(arguments, call->bytes.count, rank, how); break;
        case JM_MPI_EACH: n = size * number_at(arguments, call->bytes.count, how); break;
        default:
            for (i = 0; i < size; i++) n += listed(arguments, call->bytes.count, i, how);
    }
    add(call, n, n > 0 ? type_at(arguments, type, how) : 0);
}

static void handed_over(struct jm_mpi_call *call, const long *arguments, int how) {
    int what = call->bytes.what;
    long n = what == JM_MPI_ELEMENT ? 1 : number_at(arguments, call->bytes.count, how), where;
    if (n > 0) add(call, n, type_at(arguments, call->bytes.type, how));
    if (what == JM_MPI_GAVE) return;
    if (what == JM_MPI_SENT) where = comm_at(arguments, call->bytes.where, how);
    else where = how & JM_MPI_BY_ADDRESS
                     ? in_c(arguments[call->bytes.where], "PMPI_Win_f2c", &win_slot)
                     : arguments[call->bytes.where];
    peer(where, rank_at(arguments, call->bytes.rank, how), what != JM_MPI_SENT);
}

static void count_bytes(struct jm_mpi_call *call, const long *arguments, int how) {
    if (call->bytes.what == JM_MPI_FREED) __atomic_fetch_add(&version, 1, __ATOMIC_RELAXED);
    else if (call->bytes.what >= JM_MPI_GATHERED) collective(call, arguments, how);
    else handed_over(call, arguments, how);
}

/* ---------------------------------------------------------------- counts */

/* One text a call for the report: "MPI_Send 100 8000", and last "peers 3". */
static void tell(void) {
    struct joulemark__thread *t = joulemark__thread(0);
    struct jm_mpi_call *c;
    char text[160];
    if (!t || counting_pid != getpid()) return;
    counting_pid = 0;
    for (c = __atomic_load_n(&calls, __ATOMIC_ACQUIRE); c; c = c->next) {
        snprintf(text, sizeof text, "%s %llu %llu", c->name, (unsigned long long)(c->calls + c->main_calls),
                 (unsigned long long)c->moved);
        jm_tell(t, JOULEMARK__MPI_NAME, text);
    }
    snprintf(text, sizeof text, "peers %u", seen_count);
    jm_tell(t, JOULEMARK__MPI_NAME, text);
}

static void count(struct jm_mpi_call *call, struct joulemark__thread *t) {
    if (!call) {
        tell();
        return;
    }
    if (__atomic_exchange_n(&call->listed, 1, __ATOMIC_RELAXED) == 0) {
        struct jm_mpi_call *first = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
        if (!counting_pid) {
            counting_pid = getpid();
            (void)atexit(tell); /* for who never comes to MPI_Finalize; before the client's own end */
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
