/*
 * mpi_world.c: which MPI is there: its communicator of all ranks is the address of an object in Open
 * MPI and its relatives, and a number in MPICH and its relatives and in the standard's own ABI.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

JM_HIDDEN int jm_mpi_world(long *world) {
    /* The program may have its own copy of the object, as the linker makes them: that one counts. */
    void *open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    if (!open_mpi) open_mpi = jm_find_next("ompi_mpi_comm_world", "libmpi");
    if (open_mpi) *world = (long)(uintptr_t)open_mpi;
    else *world = jm_find_next("MPI_Abi_get_version", "libmpi") ? 0x101 : 0x44000000L;
    return open_mpi || jm_find_next("PMPI_Comm_rank", "libmpi") != NULL;
}
