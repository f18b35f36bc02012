/* Another MPI profiler: it counts barriers and passes them on. */
int PMPI_Barrier(long communicator);
int MPI_Barrier(long communicator);

int other_tool_barriers;

int MPI_Barrier(long communicator) {
    other_tool_barriers++;
    return PMPI_Barrier(communicator);
}
