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
  return (stacks, off, { data, comment, startTime }) => {
    const { modules, periodNs, durationNs } = data;
    const kinds = [...stacks[0]?.energiesOf([]).keys() ?? []];
    const hasOff = off.length > 0;
    const rows = [
      ...stacks.map((stack) => ({ stack, values: [stack.ns, stack.samples, 0] })),
      ...off.map((stack) => ({ stack, values: [0, 0, stack.ns] })),
    ];
    const bytes = encodePprof({
      types: [
        ["time", "nanoseconds"],
        ["samples", "count"],
        ...hasOff ? [["off_cpu", "nanoseconds"] as const] : [],
        ...kinds.map((kind) => {
          return [`${COMPONENT_NAMES[kind]}_energy`.toLowerCase(), "microjoules"] as const;
        }),
      ],
      stacks: rows.map(({ stack: { frames, ns, leaf, energiesOf }, values }) => {
        const energies = energiesOf([[leaf, ns]]);
        return {
          frames: frames.map(({ name, suffix, module, address, file, line }) => {
            const place = { name: name + suffix, file, line };
            return module < 0 ? place : Object.assign(place, { module, address });
          }),
          values: [
            ...values.slice(0, hasOff ? 3 : 2),
            ...kinds.map((kind) => energies.get(kind)!.energyJ * 1e6),
          ],
          labels: kinds.filter((kind) => Number.isNaN(energies.get(kind)!.energyJ))
            .map((kind) => [`${COMPONENT_NAMES[kind]} energy`, "not determined"] as const),
        };
      }),
      modules,
      comment,
      timeNs: Math.round(epochSeconds(startTime) * 1e9),
      durationNs,
      periodNs,
    });
    return gzipSync(bytes);
  };
}
