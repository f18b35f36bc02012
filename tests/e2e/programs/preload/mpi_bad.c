/*
 * What a program may do wrong: calls before and after, bad ranks and types, aborts, calls of threads
 * that were not promised, requests that are freed; and jobs that it spawns. mpi_bad WHAT
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *calls(void *data) {
    int rank = -1, back = 0;
    for (int i = 0; i < 100; i++) {
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Sendrecv(data, 1, MPI_INT, 0, 7, &back, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    printf("thread %d\n", rank);
    return NULL;
}

int main(int argc, char **argv) {
    const char *w = argc > 1 ? argv[1] : "";
    int x = 1;
    MPI_Request r = MPI_REQUEST_NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(w, "before")) { MPI_Barrier(MPI_COMM_WORLD); return 3; }
    if (!strcmp(w, "threads")) {
        /* One thread at a time, though the main one alone was promised. */
        int level;
        pthread_t thread;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
        for (int i = 0; i < 3; i++) {
            pthread_create(&thread, NULL, calls, &x);
            pthread_join(thread, NULL);
        }
        calls(&x);
        MPI_Finalize();
        return 6;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(w, "abort")) MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(w, "rank")) {
        int e = MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD), c;
        MPI_Error_class(e, &c);
        printf("%d\n", c == MPI_ERR_RANK);
        e = MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
        MPI_Error_class(e, &c);
        printf("%d\n", c == MPI_ERR_TYPE);
        e = MPI_Test(&r, &x, MPI_STATUS_IGNORE);
        printf("%d %d\n", e, x);
        MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Isend(&x, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    if (!strcmp(w, "freed")) {
        /* Freed while it is under way, then waited for, tested and freed as what it is: none. */
        int y = 0, e, flag = 0;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Isend(&x, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &r);
        MPI_Request_free(&r);
        MPI_Recv(&y, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        e = MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        printf("%d %d %d %d\n", y, e, flag, MPI_Request_free(&r) != MPI_SUCCESS);
    }
    if (!strcmp(w, "spawn")) {
        MPI_Comm children;
        int codes[2] = {-1, -1}, sum = 0;
        char *child[] = {"child", NULL};
        MPI_Comm_spawn(argv[0], child, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes);
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&x, 1, MPI_INT, i, 8, children, MPI_STATUS_IGNORE);
            sum += x;
        }
        MPI_Comm_disconnect(&children);
        printf("children %d\n", sum);
    }
    if (!strcmp(w, "child")) {
        MPI_Comm parent;
        MPI_Comm_get_parent(&parent);
        MPI_Comm_rank(MPI_COMM_WORLD, &x);
        x += 10;
        MPI_Send(&x, 1, MPI_INT, 0, 8, parent);
        MPI_Comm_disconnect(&parent);
    }
    if (!strcmp(w, "killed")) { MPI_Barrier(MPI_COMM_WORLD); abort(); }
    MPI_Finalize();
    if (!strcmp(w, "after")) { MPI_Barrier(MPI_COMM_WORLD); return 4; }
    return 0;
}
