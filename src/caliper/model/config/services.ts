/**
 * Services of Caliper that cannot be had here, each with the reason and with what to use instead.
 *
 * Truth: Caliper manual, Caliper services; `textlog`, `env` and others left Caliper itself.
 * @module
 */

const GPU = "the energy of GPUs is measured by joulemark.signals=GPU_ENERGY";
const COUNTERS =
  "counters are read by joulemark.signals=NAME, and `joulemark read --list` lists them";

/** Reason and replacement by the name of the service. */
export const ABSENT_SERVICES: ReadonlyMap<string, string> = new Map([
  ["textlog", `it is no part of Caliper any more; use trace and a report with "format expand"`],
  ["env", "it is no part of Caliper any more; set metadata(KEY=VALUE) instead"],
  ["topdown", `it is no part of Caliper any more; ${COUNTERS}`],
  ["perf_topdown", `top-down ratios are not computed; ${COUNTERS}`],
  ["region_monitor", "there is no such service; level and include_regions thin out what is kept"],
  ["timeseries", "there is no such service; loop_monitor measures over iterations or time"],
  ["debug", `there is no such service; use trace and a report with "format expand"`],
  ["validator", "there is no such service; ends that match no begin are reported in any case"],
  ["libpfm", `samples with addresses are not taken; ${COUNTERS}`],
  ["variorum", "Variorum is not used; power and energy are read by joulemark.signals=NAME"],
  ["pcp", `Performance Co-Pilot is not used; ${COUNTERS}`],
  ["pcp.memory", `Performance Co-Pilot is not used; ${COUNTERS}`],
  ["ldms", "LDMS is not used; `joulemark monitor` records the node beside the job"],
  ["cupti", `CUDA calls are not intercepted; ${GPU}`],
  ["cuptitrace", `CUDA activities are not recorded; ${GPU}`],
  ["nvtx", "regions are not forwarded to NVTX; --preload nvtx does the reverse"],
  ["rocprofiler", `ROCm activities are not recorded; ${GPU}`],
  ["roctracer", `HIP calls are not intercepted; ${GPU}`],
  ["roctx", "regions are not forwarded to ROCTX; --preload roctx does the reverse"],
  ["umpire", "allocators of Umpire are not asked; mem.highwatermark counts what malloc gives"],
  ["kokkostime", "there is no such service; --preload kokkos makes regions of Kokkos' kernels"],
  ["kokkoslookup", "there is no such service; --preload kokkos makes regions of Kokkos' kernels"],
  ["vtune", "regions are not forwarded to VTune"],
  ["tau", "regions are not forwarded to TAU; --preload tau does the reverse"],
  ["craypat", "regions are not forwarded to CrayPat; --preload craypat does the reverse"],
  ["mpit", "variables of MPI_T are not read"],
  ["adiak_import", "Adiak is not used; set metadata(KEY=VALUE) instead"],
  ["adiak_export", "Adiak is not used"],
]);

/** A line about a service that cannot be had, or undefined. */
export function remarkOnService(name: string): string | undefined {
  const why = ABSENT_SERVICES.get(name);
  return why === undefined ? undefined : `Service ${name} is left out: ${why}`;
}

/** Kinds of services, and those of Caliper that are of each. */
const KINDS = {
  "snapshot trigger": [
    ...["alloc", "cuptitrace", "event", "libpfm", "loop_monitor", "region_monitor", "sampler"],
  ],
  "snapshot buffer": ["aggregate", "trace", "cuptitrace"],
  "snapshot process": ["aggregate", "trace", "textlog"],
  "online output": ["textlog"],
  "offline output": ["recorder", "report", "sos", "mpireport"],
} as const;

/** A service of the one kind does nothing without one of the other. */
const NEEDS: readonly (readonly [kind: keyof typeof KINDS, other: keyof typeof KINDS])[] = [
  ["snapshot trigger", "snapshot process"],
  ["snapshot process", "snapshot trigger"],
  ["snapshot buffer", "offline output"],
  ["online output", "snapshot trigger"],
  ["offline output", "snapshot buffer"],
];

/**
 * Warnings about missing services without which nothing is recorded, in Caliper's words: two lines
 * each.
 */
export function missingServices(services: readonly string[]): string[] {
  return NEEDS.flatMap(([kind, other]) => {
    const first = KINDS[kind].find((name) => services.includes(name));
    const others: readonly string[] = KINDS[other];
    if (first === undefined || others.some((name) => services.includes(name))) return [];
    const quoted = others.map((name) => `"${name}"`);
    const last = quoted.pop()!;
    const list = quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
    return [
      `Config check: Warning: ${kind} service "${first}" requires ${other} services, but none are ` +
      `active.\n     Add ${list} to CALI_SERVICES_ENABLE to generate Caliper output.`,
    ];
  });
}
