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

static void cost(long calls) {
    struct timespec a, b;
    MPI_Request none = MPI_REQUEST_NULL;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < calls; i++) MPI_Wait(&none, MPI_STATUS_IGNORE);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.2f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
                         (double)calls);
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
