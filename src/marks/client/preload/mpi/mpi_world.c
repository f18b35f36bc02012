/*
 * mpi_world.c: which MPI is loaded: its communicator of all ranks is the address of an object in Open
 * MPI and its relatives, and a number in MPICH and its relatives and in the standard's own ABI.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

JM_HIDDEN int jm_mpi_world(long *world) {
    static long known; /* both handles are other numbers than 0 */
    long found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    void *open_mpi;
    if (found) {
        *world = found;
        return 1;
    }
    /* The program may have its own copy of the object, as the linker makes them: that one counts. */
    open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    if (!open_mpi) open_mpi = jm_find_next("ompi_mpi_comm_world", "libmpi");
    if (open_mpi) *world = (long)(uintptr_t)open_mpi;
    else *world = jm_find_next("MPI_Abi_get_version", "libmpi") ? 0x101 : 0x44000000L;
    if (!open_mpi && !jm_find_next("PMPI_Comm_rank", "libmpi")) return 0;
    __atomic_store_n(&known, *world, __ATOMIC_RELAXED);
    return 1;
}

JM_HIDDEN enum jm_mpi_kind jm_mpi_kind(void) {
    static int kind = -1;
    if (kind < 0) {
        if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") || jm_find_next("ompi_mpi_comm_world", "libmpi"))
            kind = JM_MPI_OPEN;
        else kind = jm_find_next("MPI_Abi_get_version", "libmpi") ? JM_MPI_ABI : JM_MPI_MPICH;
    }
    return (enum jm_mpi_kind)kind;
}
