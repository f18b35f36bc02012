/*
 * Bytes of what is started again, of messages in parts, of collectives with a type for each rank, and
 * of neighbours: two ranks, the sums stand in the test.
 */
#include <mpi.h>
#include <stdio.h>

static int rank, peer;

static void wrong(const char *what) {
    printf("wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static void persistent(void) {
    int value[4] = {rank, rank, rank, rank}, got[4] = {0};
    MPI_Request both[2], none;
    MPI_Recv_init(got, 4, MPI_INT, peer, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(value, 4, MPI_INT, peer, 1, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        if (got[3] != peer) wrong("MPI_Startall");
    }
    MPI_Start(&both[0]);
    MPI_Start(&both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    /* A handle that was freed may be given out again, for something else. */
    MPI_Request_free(&both[1]);
    MPI_Recv_init(got, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &both[1]);
    MPI_Start(&both[1]);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&both[1]);
    MPI_Request_free(&both[0]);
    /* Nothing goes to nobody. */
    MPI_Ssend_init(value, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &none);
    MPI_Start(&none);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    MPI_Request_free(&none);
    MPI_Send(value, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Isend(value, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &none);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
}

static void typed(void) {
    double numbers[4] = {rank, rank, rank, rank}, got[4] = {0};
    const int counts[2] = {1, 2}, places[2] = {0, 16};
    const int own[2] = {rank + 1, rank + 1}, from[2] = {0, 16};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_FLOAT}, mine[2];
    mine[0] = mine[1] = types[rank];
    MPI_Alltoallw(numbers, counts, places, types, got, own, from, mine, MPI_COMM_WORLD);
}

static void neighbours(void) {
    const int dims[1] = {2}, open[1] = {0}, ring[1] = {1};
    int to[2] = {rank, rank}, from[2] = {-1, -1};
    const int counts[2] = {1, 1}, places[2] = {0, 1};
    const MPI_Aint bytes[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm line, circle, graph;
    MPI_Request request;
    /* At the ends of a line one of two neighbours is missing. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open, 0, &line);
    MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, line);
    if (from[1 - rank] != peer) wrong("MPI_Neighbor_alltoall");
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, ring, 0, &circle);
    MPI_Neighbor_alltoallv(to, counts, places, MPI_INT, from, counts, places, MPI_INT, circle);
    MPI_Ineighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, circle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, MPI_UNWEIGHTED, 1, &peer,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallw(to, counts, bytes, types, from, counts, bytes, types, graph);
    MPI_Neighbor_allgather(to, 1, MPI_INT, from, 1, MPI_INT, graph);
    MPI_Comm_free(&line);
    MPI_Comm_free(&circle);
    MPI_Comm_free(&graph);
}

#if MPI_VERSION >= 4
static void version_four(void) {
    int parts[6] = {0}, list[2] = {0, 1}, value = rank + 1, sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(parts, 3, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(2, request);
        MPI_Pready_list(2, list, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&request);
        MPI_Pready_range(0, 2, request);
    } else {
        MPI_Precv_init(parts, 3, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 5; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (sum != 3) wrong("MPI_Allreduce_init");
    }
    MPI_Request_free(&request);
    MPI_Bcast_init_c(parts, (MPI_Count)6, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    persistent();
    typed();
    neighbours();
#if MPI_VERSION >= 4
    version_four();
#endif
    MPI_Finalize();
    return 0;
}
