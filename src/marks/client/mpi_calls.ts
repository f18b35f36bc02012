/**
 * Purposes of MPI functions, from the table that the intercepting library is built from.
 * @module
 */
import table from "./preload/mpi/mpi_calls.h" with { type: "text" };

/** `wait` moves no data of its own; `io` is a file's; all else is `transfer`. */
export type MpiKind = "wait" | "transfer" | "io";

const KINDS: Readonly<Record<string, MpiKind>> = { WAIT: "wait", NETWORK: "transfer", IO: "io" };
let kinds: Map<string, MpiKind> | undefined;

/** The kind of a call, `MPI_Wait`; `undefined`: none of those that are answered. */
export function mpiKind(call: string): MpiKind | undefined {
  kinds ??= new Map(
    [...table.matchAll(/^ +CALL\((\w+), .* (WAIT|NETWORK|IO), [A-Z]+/gm)]
      .map(([, name, kind]) => [`MPI_${name}`, KINDS[kind]]),
  );
  return kinds.get(call);
}
