/**
 * MPI through FFI, for collating a job's parts: the site's own library, found at run time.
 *
 * Handles are 64-bit integers throughout, independent of the type in C: an int handle is the low half of a
 * register. What a call returns in an int handle is masked. What differs between implementations is
 * in mpi_tables.ts.
 * @module
 */
import { SourceError, UsageError } from "../core/errors.ts";
import { LIBC_PATHS } from "./bind.ts";
import { cString, libc } from "./libc.ts";
import { findLibrary } from "./devices/library.ts";
import {
  type Constants,
  MPICH,
  type MpiFlavour,
  openMpiConstants,
  STANDARD,
  SYMBOLS,
} from "./mpi_tables.ts";

/** By preference if nothing else decides. */
const NAMES: readonly string[] = [
  "libmpi_abi.so.1",
  "libmpi_abi.so.0",
  "libmpi_abi.so",
  "libmpi.so.40",
  "libmpich.so.12",
  "libmpi.so.12",
];
const STATUS_BYTES = 64;
const VERSION_BYTES = 8192;
/** Counts are C ints. */
const MAX_BYTES = 1 << 26;
const TAG = 4711;

type Calls = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Options for finding the library. */
export interface MpiOptions {
  /** A whole path that the user names. */
  readonly library?: string;
  readonly env: (name: string) => string | undefined;
}

/** One process of an MPI job. All calls but `abort` are collective. */
export class Mpi {
  readonly flavour: MpiFlavour;
  /** First line of the library's version text. */
  readonly version: string;
  readonly rank: number;
  readonly size: number;
  readonly #calls: Calls;
  readonly #is: Constants;

  /**
   * Loads the library and initializes MPI.
   *
   * @throws {UsageError} If there is no library, or it cannot be loaded.
   * @throws {SourceError} If MPI_Init fails.
   */
  constructor(options: MpiOptions) {
    const path = libraryPath(options);
    const open = opener();
    // Plug-ins of some builds need the library's names to be global.
    const handle = open.dlopen(cString(path), RTLD_NOW_GLOBAL);
    try {
      this.#calls = Deno.dlopen(path, SYMBOLS).symbols;
    } catch (cause) {
      throw new UsageError({
        action: "load MPI",
        target: path,
        expected: "an MPI library",
        found: (cause as Error).message.split("\n")[0],
        remedy: "name another one with --mpi-lib, or use joulemark merge",
        cause,
      });
    }
    this.version = this.#libraryVersion();
    const address = (name: string) => open.dlsym(handle, cString(name));
    this.flavour = address("MPI_Abi_get_version") !== 0n
      ? "abi"
      : address("ompi_mpi_comm_world") !== 0n
      ? "openmpi"
      : "mpich";
    this.#is = this.flavour === "openmpi"
      ? openMpiConstants(address)
      : this.flavour === "abi"
      ? STANDARD
      : MPICH;
    const provided = new Int32Array(1);
    const code = this.#calls.MPI_Init_thread(0n, 0n, this.#is.funneled, bytesOf(provided));
    if (code !== 0) throw failure("MPI_Init_thread", code, this.version);
    this.rank = this.#number("MPI_Comm_rank", this.#is.world);
    this.size = this.#number("MPI_Comm_size", this.#is.world);
  }

  /** Sums of every element, at rank 0 only; each must be exact in any order. */
  sumAtRoot(values: Float64Array): Float64Array {
    const sums = new Float64Array(values.length);
    const { double, sum, world } = this.#is;
    for (let at = 0; at < values.length; at += MAX_BYTES / 8) {
      const part = values.subarray(at, at + MAX_BYTES / 8);
      const into = bytesOf(sums.subarray(at, at + part.length));
      this.#call("MPI_Reduce", bytesOf(part), into, part.length, double, sum, 0, world);
    }
    return sums;
  }

  /** Minimum or maximum of every element, over all ranks. */
  extremes(values: Float64Array, which: "min" | "max"): Float64Array {
    const result = new Float64Array(values.length);
    const { double, world, [which]: operation } = this.#is;
    const [from, into] = [bytesOf(values), bytesOf(result)];
    this.#call("MPI_Allreduce", from, into, values.length, double, operation, world);
    return result;
  }

  /** Everybody's bytes at rank 0, by rank; elsewhere an empty list. */
  gather(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
    const isRoot = this.rank === 0;
    const lengths = new Int32Array(this.size);
    this.#gatherInto(
      bytesOf(Int32Array.of(bytes.length)),
      bytesOf(lengths),
      lengths.slice().fill(4),
    );
    const total = isRoot ? lengths.reduce((sum, n) => sum + n, 0) : 0;
    // Counts and places are C ints; digests of hosts stay far below.
    if (total > 0x7fffffff) throw new RangeError("More than 2 GiB to gather at once");
    const all = new Uint8Array(Math.max(1, total));
    const places = this.#gatherInto(bytes, all, lengths);
    if (!isRoot) return [];
    return Array.from(lengths, (n, r) => all.slice(places[r], places[r] + n));
  }

  /** Rank 0's bytes everywhere. */
  broadcast(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { byte, double, world } = this.#is;
    const length = new Float64Array([bytes.length]);
    this.#call("MPI_Bcast", bytesOf(length), 1, double, 0, world);
    const all = this.rank === 0 ? bytes : new Uint8Array(length[0]);
    for (let at = 0; at < all.length; at += MAX_BYTES) {
      const part = all.subarray(at, at + MAX_BYTES);
      this.#call("MPI_Bcast", part, part.length, byte, 0, world);
    }
    return all;
  }

  /** One rank to rank 0: not collective. */
  sendToRoot(bytes: Uint8Array<ArrayBuffer>): void {
    const { byte, world } = this.#is;
    this.#call("MPI_Send", bytes, bytes.length, byte, 0, TAG, world);
  }

  /** At rank 0: as many bytes as that rank sends at once. */
  receive(from: number, length: number): Uint8Array<ArrayBuffer> {
    const { byte, world } = this.#is;
    const bytes = new Uint8Array(length);
    const status = new Uint8Array(STATUS_BYTES);
    this.#call("MPI_Recv", bytes, length, byte, from, TAG, world, status);
    return bytes;
  }

  /** Ends all processes of the job: there is no way on. */
  abort(code: number): never {
    this.#calls.MPI_Abort(this.#is.world, code);
    Deno.exit(code);
  }

  /** The last call. */
  finalize(): void {
    this.#call("MPI_Finalize");
  }

  /** @returns Where the bytes of each rank are. */
  #gatherInto(
    own: Uint8Array<ArrayBuffer>,
    all: Uint8Array<ArrayBuffer>,
    lengths: Int32Array<ArrayBuffer>,
  ): Int32Array {
    const { byte, world } = this.#is;
    const places = new Int32Array(this.size);
    for (let r = 1; r < this.size; r++) places[r] = places[r - 1] + lengths[r - 1];
    const [counts, starts] = [bytesOf(lengths), bytesOf(places)];
    this.#call("MPI_Gatherv", own, own.length, byte, all, counts, starts, byte, 0, world);
    return places;
  }

  #number(call: "MPI_Comm_rank" | "MPI_Comm_size", comm: bigint): number {
    const value = new Int32Array(1);
    this.#call(call, comm, bytesOf(value));
    return value[0];
  }

  #libraryVersion(): string {
    const text = new Uint8Array(VERSION_BYTES);
    const length = new Int32Array(1);
    this.#calls.MPI_Get_library_version(text, bytesOf(length));
    return new TextDecoder().decode(text.subarray(0, length[0])).split("\n")[0].replace("\0", "");
  }

  #call<Name extends keyof Calls>(name: Name, ...values: Parameters<Calls[Name]>): void {
    const code = (this.#calls[name] as (...values: unknown[]) => unknown)(...values);
    if (code !== 0) throw failure(name, code as number, this.version);
  }
}

const RTLD_NOW_GLOBAL = 0x102;

const OPENER = {
  dlopen: { parameters: ["buffer", "i32"], result: "u64" },
  dlsym: { parameters: ["u64", "buffer"], result: "u64" },
} as const satisfies Deno.ForeignLibraryInterface;

/** The loader's own calls, in libc since glibc 2.34, beside it before. */
function opener(): Deno.DynamicLibrary<typeof OPENER>["symbols"] {
  // It has been found by now, and shows which of the places is right.
  libc();
  let cause: unknown;
  for (const path of LIBC_PATHS) {
    for (const name of [path, path.replace("libc.so.6", "libdl.so.2")]) {
      try {
        return Deno.dlopen(name, OPENER).symbols;
      } catch (error) {
        cause ??= error;
      }
    }
  }
  throw new UsageError({ action: "load MPI", found: String(cause), cause });
}

/** The launcher decides whose processes these are; a user's own choice comes first. */
function libraryPath({ library, env }: MpiOptions): string {
  const byLauncher = env("OMPI_COMM_WORLD_SIZE") !== undefined
    ? ["libmpi.so.40"]
    : env("PMI_RANK") !== undefined
    ? ["libmpich.so.12", "libmpi.so.12"]
    : [];
  const searchPath = env("LD_LIBRARY_PATH") ?? "";
  const names = library === undefined ? [...byLauncher, ...NAMES] : [library];
  const found = findLibrary(names, library, searchPath);
  if (found.ok) return found.path;
  const { outside } = found;
  throw new UsageError({
    action: "load MPI",
    ...(library === undefined ? {} : { target: library }),
    expected: library === undefined ? `one of ${NAMES.join(", ")}` : "the path of a library",
    found: outside === undefined ? "none" : `only ${outside}, out of reach`,
    remedy: "name it with --mpi-lib, or use joulemark merge, which needs no MPI",
  });
}

function failure(call: string, code: number, version: string): SourceError {
  return new SourceError("fatal", {
    action: "use MPI",
    target: call,
    expected: "0 (MPI_SUCCESS)",
    found: `${code} from ${version}`,
    remedy: "use joulemark merge, which needs no MPI",
  });
}

function bytesOf(view: Int32Array | Float64Array | BigUint64Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}
