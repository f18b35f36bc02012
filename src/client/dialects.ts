/**
 * Dialects of the interposition library, and the files that each needs. Without their texts: every
 * process of a job reads these names.
 * @module
 */

/** Calls that codes already have, by the word that switches them on, with the files they need. */
export const DIALECTS: Readonly<Record<string, readonly string[]>> = {
  mpi: ["mpi.c"],
  pcontrol: ["pcontrol.c"],
  ompt: ["ompt.c", "symbol.h", "symbol.c"],
  geopm: ["geopm.c"],
  caliper: [
    "caliper.h",
    "caliper.c",
    "caliper_attributes.c",
    "caliper_cxx.c",
    "caliper_calls.c",
    "caliper_objects.c",
  ],
  likwid: ["likwid.c"],
  pm_mpi: ["pm_mpi.c"],
  nvtx: ["nvtx.c"],
  roctx: ["roctx.c"],
  itt: ["itt.c"],
  kokkos: ["kokkos.c"],
  tau: ["tau.c"],
  papi: ["papi.c"],
  craypat: ["craypat.c"],
  io: ["io.c"],
  alloc: ["alloc.c"],
  callpath: ["callpath.c", "symbol.h", "symbol.c"],
};

const BY_NAME: readonly string[] = ["io", "alloc", "callpath"];

/**
 * Those that `all` is. Every program would pay for the others, which stand before calls that all of
 * them have or look at the stack at each mark, so they are there for who asks by name.
 */
export const ALL_DIALECTS: readonly string[] = Object.keys(DIALECTS)
  .filter((dialect) => !BY_NAME.includes(dialect));
