/**
 * `--pprof`: stacks of functions as a packed profile of pprof.
 * @module
 */
import { COMPONENT_NAMES } from "../../core/region_tree.ts";
import { encodePprof } from "../../show/analysis/pprof.ts";
import type { PackPprof } from "./function_files.ts";
import { epochSeconds } from "./pmc/log.ts";

/** Loads what packs it. */
export async function loadPprof(): Promise<PackPprof> {
  const { gzipSync } = await import("node:zlib");
  return (stacks, { data, comment, startTime }) => {
    const { modules, periodNs, durationNs } = data;
    const kinds = [...stacks[0]?.energiesOf(0).keys() ?? []];
    const bytes = encodePprof({
      types: [
        ["time", "nanoseconds"],
        ["samples", "count"],
        ...kinds.map((kind) => {
          return [`${COMPONENT_NAMES[kind]}_energy`.toLowerCase(), "microjoules"] as const;
        }),
      ],
      stacks: stacks.map(({ frames, ns, samples, energiesOf }) => ({
        frames: frames.map(({ name, suffix, module, address, file, line }) => {
          const place = { name: name + suffix, file, line };
          return module < 0 ? place : Object.assign(place, { module, address });
        }),
        values: [ns, samples, ...kinds.map((kind) => energiesOf(ns).get(kind)!.energyJ * 1e6)],
        labels: kinds.filter((kind) => Number.isNaN(energiesOf(ns).get(kind)!.energyJ))
          .map((kind) => [`${COMPONENT_NAMES[kind]} energy`, "not determined"] as const),
      })),
      modules,
      comment,
      timeNs: Math.round(epochSeconds(startTime) * 1e9),
      durationNs,
      periodNs,
    });
    return gzipSync(bytes);
  };
}
