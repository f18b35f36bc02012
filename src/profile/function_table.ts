/**
 * Functions by their time: their own, and with all that they call.
 * @module
 */
import type { Frame } from "./function_data.ts";
import { stem } from "./names.ts";

/** A stack of functions, and what it took without those above it. */
export interface FunctionStack {
  /** The process first, the innermost function last. */
  readonly frames: readonly Frame[];
  readonly ns: number;
  readonly samples: number;
  /** Part of the time that is of brief threads, ns. */
  readonly briefNs: number;
}

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
  /** The file of the source, where it is known, and the line with most time. */
  file?: string;
  line?: number;
}

/** Rows with most time of their own first. */
export function functionTable(stacks: readonly FunctionStack[]): FunctionRow[] {
  const rows = new Map<string, FunctionRow>();
  const lines = new Map<FunctionRow, Map<number, number>>();
  const brief = new Map<FunctionRow, number>();
  const all = stacks.reduce((sum, { samples }) => sum + samples, 0);
  for (const { frames, ns, samples, briefNs } of stacks) {
    const functions = frames.slice(1);
    const counted = new Set<FunctionRow>();
    functions.forEach(({ name: full, suffix, module, file, line }, i) => {
      const name = stem(full) + suffix;
      const row = rows.getOrInsertComputed(`${module} ${name}`, () => {
        return { name, module, selfNs: 0, seNs: 0, totalNs: 0, samples: 0 };
      });
      // A function that calls itself is in a stack once.
      if (!counted.has(row)) row.totalNs += ns;
      counted.add(row);
      if (i < functions.length - 1) return;
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
