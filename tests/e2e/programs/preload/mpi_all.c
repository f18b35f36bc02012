/*
 * Calls of MPI beyond GEOPM's list, two ranks: each waits 0.2 s in one of them. Rank 0 prints what it
 * saw by its own clock: call, seconds, how often.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 4000000

static int rank;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say(const char *call, double seconds, long count) {
    if (rank == 0) printf("%s %.9f %ld\n", call, seconds, count);
}

static void wrong(const char *what) {
    printf("wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Rank 1 is 0.2 s late. */
static void late(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) usleep(200000);
}

int main(int argc, char **argv) {
    int size, value = 0, flag = 0, peer;
    long tests = 0, probes = 0;
    double start, spent = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Win window;
    MPI_File file;
    int shared[4] = {0, 0, 0, 0};
    char text[8] = "seven77";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) wrong("two ranks are wanted");
    peer = 1 - rank;

    /* The clock is read around each call: what is spent between two calls is not in them. */
    late();
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
        while (!flag && tests < MOST) {
            double before = now();
            MPI_Test(&request, &flag, &status);
            spent += now() - before;
            tests++;
        }
        if (value != 41) wrong("MPI_Test");
    } else {
        value = 41;
        MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    }
    say("MPI_Test", spent, tests);

    late();
    start = now();
    if (rank == 0) {
        MPI_Probe(peer, 2, MPI_COMM_WORLD, &status);
        probes++;
        say("MPI_Probe", now() - start, probes);
        MPI_Recv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &status);
    } else MPI_Send(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);

    /* Persistent. */
    if (rank == 0) {
        MPI_Recv_init(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 5; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            if (value != i) wrong("MPI_Start");
        }
    } else {
        MPI_Send_init(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 5; i++) {
            value = i;
            MPI_Start(&request);
            MPI_Wait(&request, &status);
        }
    }
    MPI_Request_free(&request);

    /* Collectives that do not block. */
    value = rank + 1;
    {
        int sum = 0;
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (sum != 3) wrong("MPI_Iallreduce");
    }

    /* One-sided: the other's unlock waits for rank 1's exclusive lock. */
    MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    value = 100 + rank;
    MPI_Put(&value, 1, MPI_INT, peer, 2, 1, MPI_INT, window);
    late();
    start = now();
    MPI_Win_fence(0, window);
    say("MPI_Win_fence", now() - start, 1);
    if (shared[2] != 100 + peer) wrong("MPI_Put");
    MPI_Win_free(&window);

    /* Files. */
    {
        char back[8] = "";
        MPI_File_open(MPI_COMM_WORLD, "mpi_all.data", MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &file);
        MPI_File_write_at(file, rank * 7, text, 7, MPI_CHAR, &status);
        MPI_File_sync(file);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at_all(file, peer * 7, back, 7, MPI_CHAR, &status);
        if (memcmp(back, text, 7) != 0) wrong("MPI_File_read_at_all");
        MPI_File_close(&file);
    }

#if MPI_VERSION >= 4
    /* Large counts, and messages in parts. */
    if (rank == 0) MPI_Send_c(text, (MPI_Count)7, MPI_CHAR, peer, 5, MPI_COMM_WORLD);
    else MPI_Recv_c(text, (MPI_Count)7, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &status);
    if (rank == 0) {
        MPI_Psend_init(shared, 2, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready(1, request);
    } else {
        int arrived = 0;
        MPI_Precv_init(shared, 2, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Parrived(request, 0, &arrived);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
#endif

    /* Collectives with a root, lists, or a part for each rank. */
    {
        int mine[6] = {rank, rank, rank, rank, rank, rank}, all[8] = {0};
        const int counts[2] = {1, 2}, places[2] = {0, 1};
        const int own[2] = {rank + 1, rank + 1}, at[2] = {0, rank + 1};
        double parts[4] = {1, 2, 3, 4}, part[2];
        MPI_Gather(mine, 3, MPI_INT, all, 3, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0) MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_INT, 0, MPI_COMM_WORLD);
        else MPI_Gather(mine, 3, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        MPI_Gatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Scatter(parts, 2, MPI_DOUBLE, part, 2, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        MPI_Scatterv(all, counts, places, MPI_INT, mine, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allgatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(mine, counts, places, MPI_INT, all, own, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Reduce_scatter(mine, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }

    /* Ranks of another communicator, whose handle is freed and may come again. */
    for (int i = 0; i < 3; i++) {
        MPI_Comm turned;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
        if (rank == 0) MPI_Send(text, 3, MPI_CHAR, 0, 9, turned);
        else MPI_Recv(text, 3, MPI_CHAR, 1, 9, turned, &status);
        MPI_Comm_free(&turned);
    }
    MPI_Finalize();
    return 0;
}
