/**
 * Dialects of the interposition library, and the files that each needs. Without their texts: every
 * process of a job reads these names.
 * @module
 */

const HIDE: readonly string[] = ["hide.h", "hide.c", "dynsym.h"];
const SAMPLES: readonly string[] = ["samples.h", "samples.c"];
const MPI: readonly string[] = ["mpi.h", "mpi_calls.h", "mpi.c", "mpi_absent.c", ...HIDE];

/** Calls that codes already have, by the word that switches them on, with the files they need. */
export const DIALECTS: Readonly<Record<string, readonly string[]>> = {
  mpi: MPI,
  pcontrol: ["pcontrol.c"],
  ompt: ["openmp.h", "openmp.c", "ompt.c", "gomp.c", "symbol.h", "symbol.c"],
  geopm: ["geopm.c"],
  caliper: [
    "caliper.h",
    "dynsym.h",
    "caliper.c",
    "caliper_attributes.c",
    "caliper_variant.c",
    "caliper_cxx.c",
    "caliper_calls.c",
    "caliper_objects.c",
  ],
  likwid: ["likwid.c"],
  pm_mpi: ["pm_mpi.c", "mpi_world.c"],
  nvtx: ["nvtx.c"],
  roctx: ["roctx.c"],
  itt: ["itt.c", "itt_values.c"],
  kokkos: ["kokkos.c"],
  tau: ["tau.h", "tau.c", "tau_fortran.c", "tau_values.c", ...SAMPLES],
  papi: ["papi.c"],
  craypat: ["craypat.c"],
  io: ["io.c"],
  alloc: ["alloc.c"],
  callpath: ["callpath.c", "symbol.h", "symbol.c"],
  phase: ["phase.c"],
  perfstubs: ["perfstubs.c", ...HIDE, ...SAMPLES],
  scorep: ["scorep.c"],
  timer: ["timer.c"],
  "mpi=all": [...MPI, "mpi_all.c", "mpi_world.c"],
};

const BY_NAME: readonly string[] = [
  "io",
  "alloc",
  "callpath",
  "phase",
  "perfstubs",
  "scorep",
  "timer",
  "mpi=all",
];

/**
 * Annotation APIs that `all` selects. The others cost every program: their functions precede calls
 * that all programs make, or look at the stack at each begin and end. They are loaded only by name.
 */
export const ALL_DIALECTS: readonly string[] = Object.keys(DIALECTS)
  .filter((dialect) => !BY_NAME.includes(dialect));

/** Dialects whose calls make no regions. */
export const WITHOUT_REGIONS: readonly string[] = ["pm_mpi", "io", "alloc", "callpath", "timer"];
