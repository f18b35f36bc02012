/* Steps of pm_mpi_lib in an MPI program: records are collective, so nobody leaves one early. */
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
        double start = MPI_Wtime();
        pm_mpi_initialise("pm.log");
        if (rank == 1) usleep(200000);
        pm_mpi_record(1, 1, 1, 0);
        if (MPI_Wtime() - start < 0.1) printf("rank %d left early\n", rank);
        pm_mpi_finalise();
    }
    MPI_Finalize();
    return 0;
}
