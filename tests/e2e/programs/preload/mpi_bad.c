/* What a program may do wrong: calls before and after, bad ranks and types, aborts. mpi_bad WHAT */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *w = argc > 1 ? argv[1] : "";
    int x = 1;
    MPI_Request r = MPI_REQUEST_NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(w, "before")) { MPI_Barrier(MPI_COMM_WORLD); return 3; }
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
    if (!strcmp(w, "killed")) { MPI_Barrier(MPI_COMM_WORLD); abort(); }
    MPI_Finalize();
    if (!strcmp(w, "after")) { MPI_Barrier(MPI_COMM_WORLD); return 4; }
    return 0;
}
