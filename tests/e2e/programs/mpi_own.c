/* Own marks around MPI calls: the calls are inside of the regions. */
#include "joulemark.h"
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    joulemark_begin("main");
    for (int i = 0; i < 20; i++) {
        joulemark_begin("exchange");
        MPI_Barrier(MPI_COMM_WORLD);
        joulemark_end("exchange");
    }
    MPI_Allreduce(MPI_IN_PLACE, &argc, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    joulemark_end("main");
    MPI_Finalize();
    return 0;
}
