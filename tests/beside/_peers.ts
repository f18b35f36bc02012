/**
 * The systems that ours is compared with, where somebody has built or checked them out: each test says
 * what variable names its peer, and is skipped without it.
 *
 *     JOULEMARK_TEST_CALIPER=PREFIX      Caliper 2.15, installed (with its cali-query)
 *     JOULEMARK_TEST_PM_MPI_LIB=CHECKOUT pm_mpi_lib's repository; built here with mpicc.mpich
 *     JOULEMARK_TEST_GEOPM=CHECKOUT      GEOPM's repository, libgeopmd and libgeopm built in it:
 *                                        ./configure --disable-systemd --disable-io-uring --enable-static
 *                                        and --disable-mpi --disable-fortran --disable-openmp
 *     JOULEMARK_TEST_HATCHET=PATH        what PYTHONPATH has to be for Hatchet, Thicket and caliper-reader
 *     JOULEMARK_TEST_LULESH=CHECKOUT     LULESH 2.0; built here with what compilers there are
 *     JOULEMARK_TEST_TAU=CHECKOUT        TAU 2.35, ./configure -pthread, then make in its src/Profile
 *     JOULEMARK_TEST_TACC_STATS=CHECKOUT tacc_stats of 2021 to 2025; pandas for /usr/bin/python3
 *     ./tests/run.sh tests/beside
 */
import { endToEnd } from "../_support/programs.ts";
import { unless } from "../_support/skipped.ts";

/** Where each is, if anywhere. */
export const PEERS = {
  caliper: Deno.env.get("JOULEMARK_TEST_CALIPER"),
  pmMpiLib: Deno.env.get("JOULEMARK_TEST_PM_MPI_LIB"),
  geopm: Deno.env.get("JOULEMARK_TEST_GEOPM"),
  hatchet: Deno.env.get("JOULEMARK_TEST_HATCHET"),
  lulesh: Deno.env.get("JOULEMARK_TEST_LULESH"),
  tau: Deno.env.get("JOULEMARK_TEST_TAU"),
  taccStats: Deno.env.get("JOULEMARK_TEST_TACC_STATS"),
} as const;

const VARIABLES: Readonly<Record<keyof typeof PEERS, string>> = {
  caliper: "JOULEMARK_TEST_CALIPER",
  pmMpiLib: "JOULEMARK_TEST_PM_MPI_LIB",
  geopm: "JOULEMARK_TEST_GEOPM",
  hatchet: "JOULEMARK_TEST_HATCHET",
  lulesh: "JOULEMARK_TEST_LULESH",
  tau: "JOULEMARK_TEST_TAU",
  taccStats: "JOULEMARK_TEST_TACC_STATS",
};

/** A comparison with a peer, in a folder of its own; skipped with the reason where it is absent. */
export function besidePeer(
  peer: keyof typeof PEERS,
  name: string,
  body: (dir: string, peer: string) => void | Promise<void>,
  limitS = 300,
): void {
  const found = PEERS[peer];
  const missing = unless(found !== undefined, `${VARIABLES[peer]} names none`);
  endToEnd(name, (dir) => body(dir, found!), limitS, missing);
}

/** Runs a shell command in a folder; what it said, or an error with that. */
export function shell(dir: string, command: string, env: Record<string, string> = {}): string {
  const out = new Deno.Command("sh", { args: ["-c", command], cwd: dir, env, stdin: "null" })
    .outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!out.success) throw new Error(`${command}\n${text(out.stderr)}${text(out.stdout)}`);
  return text(out.stdout);
}

/** A program of `tests/beside/programs`. */
export function programPath(name: string): string {
  return new URL(`programs/${name}`, import.meta.url).pathname;
}
