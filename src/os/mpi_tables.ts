/**
 * Differences between implementations of MPI. Open MPI: addresses of its predefined objects, mpi.h
 * of 4.1. MPICH and all that share its ABI (Intel MPI, Cray MPICH, MVAPICH): the numbers of its
 * mpi.h, 4.0. The standard ABI of MPI 5.0, chapter 20, as the MPI Forum's mpi.h has them: never run
 * on a real library so far, only on a small one of our own (tests/os/mpi_abi_stub.c).
 * @module
 */

/** The calls that are used, with their C declarations. */
export const SYMBOLS = {
  // void *argc, void *argv, int required, int *provided
  MPI_Init_thread: { parameters: ["u64", "u64", "i32", "buffer"], result: "i32" },
  MPI_Finalize: { parameters: [], result: "i32" },
  MPI_Abort: { parameters: ["u64", "i32"], result: "i32" }, // comm, code
  MPI_Get_library_version: { parameters: ["buffer", "buffer"], result: "i32" },
  MPI_Comm_rank: { parameters: ["u64", "buffer"], result: "i32" },
  MPI_Comm_size: { parameters: ["u64", "buffer"], result: "i32" },
  // comm, split type, key, info, new comm
  // send, receive, count, type, op, root, comm
  MPI_Reduce: {
    parameters: ["buffer", "buffer", "i32", "u64", "u64", "i32", "u64"],
    result: "i32",
  },
  // send, receive, count, type, op, comm
  MPI_Allreduce: { parameters: ["buffer", "buffer", "i32", "u64", "u64", "u64"], result: "i32" },
  // send, count, type, receive, counts, displacements, type, root, comm
  MPI_Gatherv: {
    parameters: ["buffer", "i32", "u64", "buffer", "buffer", "buffer", "u64", "i32", "u64"],
    result: "i32",
  },
  MPI_Bcast: { parameters: ["buffer", "i32", "u64", "i32", "u64"], result: "i32" },
  // buffer, count, type, destination, tag, comm
  MPI_Send: { parameters: ["buffer", "i32", "u64", "i32", "i32", "u64"], result: "i32" },
  // buffer, count, type, source, tag, comm, status
  MPI_Recv: { parameters: ["buffer", "i32", "u64", "i32", "i32", "u64", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Constants that differ between implementations. */
export interface Constants {
  readonly world: bigint;
  readonly double: bigint;
  readonly byte: bigint;
  readonly sum: bigint;
  readonly min: bigint;
  readonly max: bigint;
  readonly funneled: number;
}

/** mpi.h of MPICH 4.0; Intel MPI and Cray MPICH keep to it by agreement (MPICH ABI initiative). */
export const MPICH: Constants = {
  world: 0x44000000n,
  double: 0x4c00080bn,
  byte: 0x4c00010dn,
  sum: 0x58000003n,
  min: 0x58000002n,
  max: 0x58000001n,
  funneled: 1,
};

/** MPI 5.0, appendix A, standard ABI. */
export const STANDARD: Constants = {
  world: 0x101n,
  double: 0x214n,
  byte: 0x247n,
  sum: 0x21n,
  min: 0x22n,
  max: 0x23n,
  funneled: 1024,
};

/** Names of the tables. */
export type MpiFlavour = "openmpi" | "mpich" | "abi";

/** @param address The address of a name of the library. */
export function openMpiConstants(address: (name: string) => bigint): Constants {
  return {
    world: address("ompi_mpi_comm_world"),
    double: address("ompi_mpi_double"),
    byte: address("ompi_mpi_byte"),
    sum: address("ompi_mpi_op_sum"),
    min: address("ompi_mpi_op_min"),
    max: address("ompi_mpi_op_max"),
    funneled: 1,
  };
}
