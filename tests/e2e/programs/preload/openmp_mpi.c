/* A hybrid program: OpenMP's threads between MPI_Init and MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double total = 0;
    MPI_Init(&argc, &argv);
#pragma omp parallel for num_threads(2) reduction(+ : total)
    for (int i = 0; i < 1000; i++) total += i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("%.0f\n", total);
    return 0;
}
