/*
 * What calls of MPI take by the program's own clock, two ranks: in each kind one of them is late by
 * MS milliseconds and the other one is in the call for so long. All that is not timed goes by PMPI.
 * Both ranks' sums: first the mean time of a reading of the clock, then call, seconds, how often, and
 * the seconds of those that took more than 20 us: of a poll, that somebody else had the CPU.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 120
/* So much that what a call itself costs, with caches that the last one emptied, is far below 0.1 %. */
#define LARGE (64 << 20)
#define EACH MPI_COMM_WORLD

static int rank, peer;
static struct { const char *call; double seconds, slow; long count; } sums[64];
static int calls;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double spent_in(const char *call) {
    for (int i = 0; i < calls; i++) {
        if (strcmp(sums[i].call, call) == 0) return sums[i].seconds;
    }
    return 0;
}

static void add(const char *call, double seconds) {
    int i = 0;
    while (i < calls && strcmp(sums[i].call, call) != 0) i++;
    if (i == calls) sums[calls++].call = call;
    sums[i].seconds += seconds;
    sums[i].count++;
    if (seconds > 20e-6) sums[i].slow += seconds;
}

#define TIMED(call, ...)                                                                           \
    do {                                                                                           \
        double before = now();                                                                     \
        call(__VA_ARGS__);                                                                         \
        add(#call, now() - before);                                                                \
    } while (0)
/* A kind begins for both at once, and this rank is late. */
#define LATE(who, ms)                                                                              \
    do {                                                                                           \
        PMPI_Barrier(EACH);                                                                        \
        if (rank == (who)) usleep((ms) * 1000);                                                    \
    } while (0)

static int value, other, some[4], more[4];
static char *block, *back;
static MPI_Request request, requests[2];
static MPI_Status status, statuses[2];

static void send_now(int tag) { PMPI_Send(&value, 1, MPI_INT, peer, tag, EACH); }
static void receive_now(int tag) { PMPI_Recv(&other, 1, MPI_INT, peer, tag, EACH, &status); }

static void messages(void) {
    LATE(1, MS);
    if (rank == 0) TIMED(MPI_Recv, &other, 1, MPI_INT, peer, 1, EACH, &status);
    else TIMED(MPI_Send, &value, 1, MPI_INT, peer, 1, EACH);
    LATE(1, MS);
    if (rank == 0) TIMED(MPI_Ssend, &value, 1, MPI_INT, peer, 2, EACH);
    else receive_now(2);
    LATE(1, MS);
    TIMED(MPI_Sendrecv, &value, 1, MPI_INT, peer, 3, &other, 1, MPI_INT, peer, 3, EACH, &status);
    LATE(1, MS);
    if (rank == 0) {
        TIMED(MPI_Irecv, &other, 1, MPI_INT, peer, 4, EACH, &request);
        TIMED(MPI_Wait, &request, &status);
    } else send_now(4);
    LATE(1, MS);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) PMPI_Irecv(&some[i], 1, MPI_INT, peer, 5, EACH, &requests[i]);
        TIMED(MPI_Waitall, 2, requests, statuses);
    } else {
        send_now(5);
        send_now(5);
    }
    LATE(1, MS);
    if (rank == 0) {
        int which;
        for (int i = 0; i < 2; i++) PMPI_Irecv(&some[i], 1, MPI_INT, peer, 6 + i, EACH, &requests[i]);
        TIMED(MPI_Waitany, 2, requests, &which, &status);
        PMPI_Waitall(2, requests, statuses);
    } else {
        send_now(7);
        send_now(6);
    }
    LATE(1, MS);
    if (rank == 0) {
        TIMED(MPI_Probe, peer, 8, EACH, &status);
        receive_now(8);
    } else send_now(8);
    LATE(1, MS);
    if (rank == 0) {
        MPI_Message message;
        TIMED(MPI_Mprobe, peer, 9, EACH, &message, &status);
        PMPI_Mrecv(&other, 1, MPI_INT, &message, &status);
    } else send_now(9);
}

/* Calls that return at once, until it has come: a part of the time is between them. */
static void polls(void) {
    int flag = 0;
    LATE(1, 4 * MS);
    if (rank == 0) {
        PMPI_Irecv(&other, 1, MPI_INT, peer, 10, EACH, &request);
        while (!flag) TIMED(MPI_Test, &request, &flag, &status);
    } else send_now(10);
    flag = 0;
    LATE(1, 4 * MS);
    if (rank == 0) {
        while (!flag) TIMED(MPI_Iprobe, peer, 11, EACH, &flag, &status);
        receive_now(11);
    } else send_now(11);
}

static void collectives(void) {
    LATE(1, MS);
    TIMED(MPI_Barrier, EACH);
    LATE(1, MS);
    TIMED(MPI_Bcast, &value, 1, MPI_INT, 1, EACH);
    LATE(1, MS);
    TIMED(MPI_Reduce, &value, &other, 1, MPI_INT, MPI_SUM, 0, EACH);
    LATE(1, MS);
    TIMED(MPI_Allreduce, &value, &other, 1, MPI_INT, MPI_SUM, EACH);
    LATE(1, MS);
    TIMED(MPI_Gather, &value, 1, MPI_INT, some, 1, MPI_INT, 0, EACH);
    LATE(1, MS);
    TIMED(MPI_Allgather, &value, 1, MPI_INT, some, 1, MPI_INT, EACH);
    LATE(1, MS);
    TIMED(MPI_Scatter, some, 1, MPI_INT, &other, 1, MPI_INT, 1, EACH);
    LATE(1, MS);
    TIMED(MPI_Alltoall, some, 1, MPI_INT, more, 1, MPI_INT, EACH);
    LATE(0, MS);
    TIMED(MPI_Scan, &value, &other, 1, MPI_INT, MPI_SUM, EACH);
}

/* A file's page is written again and again; all together wait for the late one. */
static void files(void) {
    MPI_File file;
    LATE(1, MS);
    TIMED(MPI_File_open, EACH, "mpi_times.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    PMPI_Barrier(EACH);
    while (rank == 0 && spent_in("MPI_File_write_at") < MS * 1e-3)
        TIMED(MPI_File_write_at, file, 0, block, LARGE, MPI_CHAR, &status);
    while (rank == 0 && spent_in("MPI_File_read_at") < MS * 1e-3)
        TIMED(MPI_File_read_at, file, 0, back, LARGE, MPI_CHAR, &status);
    /* Where these do not wait for each other, their bytes take the time. */
    LATE(1, MS);
    for (int i = 0; i < 5; i++)
        TIMED(MPI_File_write_at_all, file, LARGE * rank, block, LARGE, MPI_CHAR, &status);
    for (int i = 0; i < 5; i++)
        TIMED(MPI_File_read_at_all, file, LARGE * rank, back, LARGE, MPI_CHAR, &status);
    PMPI_File_close(&file);
}

static void one_sided(void) {
    MPI_Win window;
    MPI_Group all, others;
    int *memory;
    PMPI_Win_allocate(sizeof some, sizeof *some, MPI_INFO_NULL, EACH, &memory, &window);
    PMPI_Win_fence(0, window);
    TIMED(MPI_Put, &value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    LATE(1, MS);
    TIMED(MPI_Win_fence, 0, window);
    PMPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    /* Rank 1 has the lock; where rank 0 waits for it, here or at the end, is the library's business. */
    if (rank == 1) PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    LATE(1, MS);
    if (rank == 0) {
        TIMED(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, window);
        PMPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
        TIMED(MPI_Win_unlock, 1, window);
    } else PMPI_Win_unlock(1, window);

    /* The target waits for the origin. */
    PMPI_Comm_group(EACH, &all);
    PMPI_Group_incl(all, 1, &peer, &others);
    PMPI_Barrier(EACH);
    if (rank == 0) {
        PMPI_Win_post(others, 0, window);
        TIMED(MPI_Win_wait, window);
    } else {
        PMPI_Win_start(others, 0, window);
        PMPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        usleep(MS * 1000);
        PMPI_Win_complete(window);
    }
    PMPI_Group_free(&others);
    PMPI_Group_free(&all);
    PMPI_Win_free(&window);
}

/* Of a message to itself, with somebody who waits for it, the start moves the bytes in some. */
static void persistent(void) {
    PMPI_Barrier(EACH);
    if (rank == 0) {
        char *from = calloc(LARGE, 1), *to = calloc(LARGE, 1);
        PMPI_Send_init(from, LARGE, MPI_CHAR, 0, 12, MPI_COMM_SELF, &request);
        for (int i = 0; i < 50 && spent_in("MPI_Start") < 2 * MS * 1e-3; i++) {
            PMPI_Irecv(to, LARGE, MPI_CHAR, 0, 12, MPI_COMM_SELF, &requests[0]);
            TIMED(MPI_Start, &request);
            PMPI_Wait(&requests[0], &status);
            PMPI_Wait(&request, &status);
        }
        PMPI_Request_free(&request);
        free(from);
        free(to);
    }
    if (rank == 0) PMPI_Recv_init(&other, 1, MPI_INT, peer, 13, EACH, &request);
    else PMPI_Send_init(&value, 1, MPI_INT, peer, 13, EACH, &request);
    LATE(1, MS);
    TIMED(MPI_Start, &request);
    TIMED(MPI_Wait, &request, &status);
    PMPI_Request_free(&request);
}

#if MPI_VERSION >= 4
static void in_parts(void) {
    int flag = 0;
    if (rank == 1) PMPI_Psend_init(some, 2, 2, MPI_INT, peer, 14, EACH, MPI_INFO_NULL, &request);
    else PMPI_Precv_init(more, 2, 2, MPI_INT, peer, 14, EACH, MPI_INFO_NULL, &request);
    TIMED(MPI_Start, &request);
    LATE(1, 4 * MS);
    if (rank == 1) {
        TIMED(MPI_Pready, 0, request);
        TIMED(MPI_Pready, 1, request);
    } else while (!flag) TIMED(MPI_Parrived, request, 1, &flag);
    PMPI_Wait(&request, &status);
    PMPI_Request_free(&request);

    PMPI_Allreduce_init(&value, &other, 1, MPI_INT, MPI_SUM, EACH, MPI_INFO_NULL, &request);
    LATE(1, MS);
    TIMED(MPI_Startall, 1, &request);
    TIMED(MPI_Waitall, 1, &request, statuses);
    PMPI_Request_free(&request);
}
#endif

static void say(double reading) {
    char text[4096], theirs[4096] = "";
    int length = 0;
    for (int i = 0; i < calls; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %.9f %ld %.9f\n", sums[i].call,
                           sums[i].seconds, sums[i].count, sums[i].slow);
    if (rank == 1) {
        PMPI_Send(text, length + 1, MPI_CHAR, 0, 15, EACH);
        return;
    }
    PMPI_Recv(theirs, sizeof theirs, MPI_CHAR, 1, 15, EACH, &status);
    printf("clock %.9f 1 0\n%s%s", reading, text, theirs);
}

int main(int argc, char **argv) {
    double start = now();
    MPI_Init(&argc, &argv);
    if (argc > 1) add("MPI_Init_thread", now() - start);
    PMPI_Comm_rank(EACH, &rank);
    peer = 1 - rank;
    block = calloc(LARGE, 1);
    back = calloc(LARGE, 1);
    start = now();
    for (int i = 0; i < 10000; i++) now();
    double reading = (now() - start) / 10000;
    messages();
    polls();
    collectives();
    files();
    one_sided();
    persistent();
#if MPI_VERSION >= 4
    in_parts();
#endif
    say(reading);
    MPI_Finalize();
    return 0;
}
