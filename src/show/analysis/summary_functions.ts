/**
 * Functions of a run in its summary: those with most time of their own, and how complete their stacks are.
 * @module
 */
import { isMapping, type Nested, numberOf } from "../../core/report.ts";
import { timeText } from "./quantity_text.ts";
import { cutText, type Look } from "./text_layout.ts";

/** Functions of a run that was sampled. NaN: not known. */
export interface FunctionFacts {
  /** Rows of functions, those with the most time of their own first. */
  readonly rows: readonly {
    readonly name: string;
    readonly module: string;
    readonly ownS: number;
  }[];
  readonly cpuS: number;
  readonly samples: number;
  readonly lost: number;
  readonly rateHz: number;
  /** Stacks that reach the thread's begin, %; NaN: too few samples for shares. */
  readonly completePercent: number;
}

const MAX_ROWS = 10, MAX_NAME = 42;

/** Functions of the report of one host; `undefined`: it has none. */
export function functionFacts(functions: Nested | undefined): FunctionFacts | undefined {
  if (!isMapping(functions) || !Array.isArray(functions.list)) return undefined;
  const rows = functions.list.filter(isMapping).map((row) => ({
    name: String(row.function),
    module: String(row.module ?? ""),
    ownS: numberOf(row["self-time (s)"]),
  }));
  return {
    rows: rows.filter(({ ownS }) => ownS > 0),
    cpuS: numberOf(functions["cpu-time (s)"]),
    samples: numberOf(functions.samples),
    lost: numberOf(functions.lost),
    rateHz: numberOf(functions["rate (Hz)"]),
    completePercent: numberOf(functions["complete (%)"]),
  };
}

/** Table of functions: heading, rows, and a line on the samples. */
export function functionLines(facts: FunctionFacts, look: Look): string[] {
  const { rows, cpuS, samples, lost, rateHz, completePercent } = facts;
  const hasShares = Number.isFinite(completePercent);
  const line = (name: string, own: string, share: string, module: string) => {
    return `${cutText(look, name, MAX_NAME)} ${own.padStart(9)} ${share.padStart(7)}  ${module}`
      .trimEnd();
  };
  const complete = hasShares
    ? `stacks ${completePercent.toFixed(0)} % complete`
    : "too few samples for shares";
  const loss = lost > 0 ? `, ${lost} lost` : "";
  return [
    line("function", "own time", hasShares ? "share" : "", "module"),
    ...rows.slice(0, MAX_ROWS).map(({ name, module, ownS }) => {
      const share = hasShares ? `${(100 * ownS / cpuS).toFixed(1)} %` : "";
      return line(name, timeText(ownS), share, module.slice(module.lastIndexOf("/") + 1));
    }),
    `${samples} samples at ${rateHz} Hz${loss}; ${complete}`,
  ];
}
