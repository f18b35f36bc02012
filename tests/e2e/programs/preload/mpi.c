/*
 * Collectives and point-to-point calls of four ranks, checked: what passes through must be what
 * comes out. With an argument, the ns of a call on one rank alone: mpi CALLS.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int wrong(const char *what) {
    printf("wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 9);
    return 9;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* In bursts, between which the monitor has time to empty the ring, as in a program that computes. */
static void cost(long calls) {
    MPI_Request none = MPI_REQUEST_NULL;
    struct timespec rest = {0, 12000000};
    double ns = 0;
    long done = 0, burst = 6000;
    for (long i = 0; i < 30 * 10; i++) {
        MPI_Wait(&none, MPI_STATUS_IGNORE);
        if (i % 10 == 0) nanosleep(&rest, NULL);
    }
    while (done < calls) {
        double start = now();
        for (long i = 0; i < burst; i++) MPI_Wait(&none, MPI_STATUS_IGNORE);
        ns += now() - start;
        done += burst;
        nanosleep(&rest, NULL);
    }
    printf("%.2f\n", ns / (double)done);
}

int main(int argc, char **argv) {
    int rank, size;
    double x, y, all[64], mine[64];
    MPI_Status status, statuses[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) cost(atol(argv[1]));
    for (int i = 0; i < 25 && argc == 1; i++) {
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        x = rank;
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (y != size * (size - 1) / 2) return wrong("MPI_Allreduce");
        MPI_Barrier(MPI_COMM_WORLD);
        for (int k = 0; k < size; k++) mine[k] = rank * 100 + k;
        MPI_Alltoall(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int k = 0; k < size; k++) {
            if (all[k] != k * 100 + rank) return wrong("MPI_Alltoall");
        }
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, to, 7, &y, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD,
                     &status);
        if (y != from || status.MPI_SOURCE != from || status.MPI_TAG != 7)
            return wrong("MPI_Sendrecv");
        MPI_Irecv(&y, 1, MPI_DOUBLE, from, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&x, 1, MPI_DOUBLE, to, 8, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        if (y != from) return wrong("MPI_Waitall");
        MPI_Gather(&x, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == 0 && all[size - 1] != size - 1) return wrong("MPI_Gather");
    }
    MPI_Finalize();
    return 0;
}
