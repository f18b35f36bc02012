/**
 * `--pprof`: stacks of functions as a packed profile of pprof.
 * @module
 */
import { encodePprof } from "../../show/analysis/pprof.ts";
import type { PackPprof } from "./function_files.ts";
import { epochSeconds } from "./pmc/log.ts";

/** Loads what packs it. */
export async function loadPprof(): Promise<PackPprof> {
  const { gzipSync } = await import("node:zlib");
  return (stacks, { data, comment, startTime }) => {
    const { modules, periodNs, durationNs } = data;
    const bytes = encodePprof({
      types: [["time", "nanoseconds"], ["samples", "count"]],
      stacks: stacks.map(({ frames, ns, samples }) => ({
        frames: frames.map(({ name, suffix, module, address, file, line }) => {
          const place = { name: name + suffix, file, line };
          return module < 0 ? place : Object.assign(place, { module, address });
        }),
        values: [ns, samples],
        labels: [],
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
