/*
 * Steps of pm_mpi_lib in an MPI program: records are collective, so nobody leaves one early. With an
 * argument there is a line before the barrier too, and rank 0 comes first to it and last to open.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((weak)) extern void pm_mpi_initialise(const char *);
__attribute__((weak)) extern unsigned pm_mpi_record(int, int, int, int);
__attribute__((weak)) extern void pm_mpi_finalise(void);

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pm_mpi_initialise) {
        if (argc > 1 && rank == 0) usleep(50000);
        double start = MPI_Wtime();
        pm_mpi_initialise("pm.log");
        if (rank == 1) usleep(200000);
        pm_mpi_record(1, 1, 1, argc > 1);
        if (MPI_Wtime() - start < 0.1) printf("rank %d left early\n", rank);
        pm_mpi_finalise();
    }
    MPI_Finalize();
    return 0;
}
