/**
 * `--pprof`: stacks of functions as a packed profile of pprof.
 * @module
 */
import { encodePprof } from "../../show/analysis/pprof.ts";
import type { PackPprof } from "./functions.ts";

/** Loads what packs it. */
export async function loadPprof(): Promise<PackPprof> {
  const { gzipSync } = await import("node:zlib");
  return ({ stacks, modules, comment, timeNs, durationNs, periodNs }) => {
    const bytes = encodePprof({
      types: [["time", "nanoseconds"], ["samples", "count"]],
      stacks: stacks.map(({ frames, ns, samples }) => ({
        frames: frames.map(({ name, suffix, module, address }) => {
          return { name: name + suffix, ...module < 0 ? {} : { module, address } };
        }),
        values: [ns, samples],
        labels: [],
      })),
      modules,
      comment,
      timeNs,
      durationNs,
      periodNs,
    });
    return gzipSync(bytes);
  };
}
