/**
 * Functions by their time: their own, and with all that they call.
 * @module
 */
import { type FunctionStack, isRegion, type LeafClasses } from "./function_data.ts";
import { rowKey, stem } from "./names.ts";

/** One function. */
export interface FunctionRow {
  readonly name: string;
  /** The module's number; −1: it is none of a file. */
  readonly module: number;
  selfNs: number;
  /** Standard error of it, from the number of samples, and from brief threads. */
  seNs: number;
  totalNs: number;
  /** Samples of the function itself. */
  samples: number;
  /** By class of leaf: its own time, and all its time, s. */
  readonly ownS: Map<number, number>;
  readonly leafS: Map<number, number>;
  /** The file of the source, where it is known, and the line with most time. */
  file?: string;
  line?: number;
}

/** Rows with most time of their own first. */
export function functionTable(
  stacks: readonly FunctionStack[],
  leaves: Pick<LeafClasses, "of">,
): FunctionRow[] {
  const rows = new Map<string, FunctionRow>();
  const lines = new Map<FunctionRow, Map<number, number>>();
  const brief = new Map<FunctionRow, number>();
  const all = stacks.reduce((sum, { samples }) => sum + samples, 0);
  for (const { frames, ns, samples, briefNs, node } of stacks) {
    const leaf = leaves.of(node);
    const functions = frames.filter((frame, i) => i > 0 && !isRegion(frame));
    const counted = new Set<FunctionRow>();
    functions.forEach((frame, i) => {
      const { module, file, line } = frame, name = stem(frame.name) + frame.suffix;
      const row = rows.getOrInsertComputed(rowKey(frame), () => {
        return {
          name,
          module,
          selfNs: 0,
          seNs: 0,
          totalNs: 0,
          samples: 0,
          ownS: new Map(),
          leafS: new Map(),
        };
      });
      // A function that calls itself is in a stack once.
      if (!counted.has(row)) {
        row.totalNs += ns;
        if (leaf >= 0) row.leafS.set(leaf, (row.leafS.get(leaf) ?? 0) + ns / 1e9);
      }
      counted.add(row);
      if (i < functions.length - 1) return;
      if (leaf >= 0) row.ownS.set(leaf, (row.ownS.get(leaf) ?? 0) + ns / 1e9);
      row.selfNs += ns;
      row.samples += samples;
      brief.set(row, (brief.get(row) ?? 0) + briefNs);
      if (line === undefined) return;
      row.file ??= file;
      const times = lines.getOrInsertComputed(row, () => new Map());
      times.set(line, (times.get(line) ?? 0) + ns);
    });
  }
  for (const [row, times] of lines) row.line = [...times].sort(([, a], [, b]) => b - a)[0][0];
  for (const row of rows.values()) {
    const { selfNs, samples } = row;
    // How many of all samples hit it varies as a binomial number does.
    if (samples === 0) continue;
    const drawnNs = selfNs * Math.sqrt((1 - samples / all) / samples);
    // The true share of alike threads lies anywhere between none and all: √(1/3) about all.
    row.seNs = Math.hypot(drawnNs, (brief.get(row) ?? 0) / Math.sqrt(3));
  }
  return [...rows.values()].sort((a, b) =>
    b.selfNs - a.selfNs || b.totalNs - a.totalNs || (a.name < b.name ? -1 : 1)
  );
}
