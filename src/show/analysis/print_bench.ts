/**
 * A benchmark as text for people and JSON for programs.
 * @module
 */
import { counted } from "../../core/counted.ts";
import { printable } from "../../core/printable.ts";
import { type Comparison, METRICS } from "./comparison.ts";
import { type JobFigures } from "./job_figures.ts";
import {
  comparisonDocument,
  type ComparisonNotes,
  isDetectable,
  nullJson,
  percent,
  sourceText,
  unknownLimitText,
  verdictLine,
} from "./print_comparison.ts";
import { figures } from "./quantity_text.ts";
import { summarize } from "./statistics.ts";

/** One command with its runs. */
export interface BenchSet {
  readonly set: string;
  readonly text: string;
  readonly jobs: readonly JobFigures[];
}

/** A command against the first one. */
export interface BenchComparison {
  readonly comparison: Comparison;
  readonly notes: ComparisonNotes;
}

/** A run that failed; its block is left out. */
export interface BenchFailure {
  readonly set: string;
  /** Number of the block, or of the warm-up. */
  readonly block: number;
  readonly isWarmup: boolean;
  readonly status: number;
}

/** All that is printed. */
export interface BenchResult {
  /** Parts that the energies are of: `node`, or `package + memory`; `none`. */
  readonly source: string;
  readonly seed: number;
  readonly warmup: number;
  readonly blocks: number;
  readonly failures: readonly BenchFailure[];
  readonly sets: readonly BenchSet[];
  readonly metric: string;
  readonly comparisons: readonly BenchComparison[];
  readonly simulated?: string;
  /** Directory of the reports, and the pages in it. */
  readonly directory: string;
  readonly pages: readonly string[];
  /** `mean`: ± is the standard error of the mean; `run`: the standard deviation of a run. */
  readonly spread: "mean" | "run";
}

const COLUMNS = ["energy", "time", "power"];
const LINE_CHARACTERS = 79;

/** For people, 80 columns wide. */
export function benchText(result: BenchResult): string {
  const { sets, blocks, seed, warmup, comparisons, directory, pages, spread } = result;
  const several = sets.length > 1;
  const runs = several
    ? `${counted(blocks, "block")} in random order (seed ${seed})`
    : counted(blocks, "run");
  const warm = warmup === 0 ? "" : `, ${warmup} warm-up${several ? " each" : ""}`;
  const error = spread === "run" ? "standard deviation of a run" : "standard error";
  const changes = comparisons.length === 0 ? "" : "; change: geometric mean";
  const page = pages.length === 0 ? "" : `; page: ${pages.map(printable).join(", ")}`;
  return [
    spread === "run"
      ? `${runs} of ${printable(sets[0].text)}`
      : `bench: ${counted(sets.length, "command")}, ${runs}${warm}`,
    ...(result.simulated === undefined
      ? []
      : ["SIMULATED counters: no value here is a measurement."]),
    `${sourceText(result.source)}; mean ± ${error}${changes}`,
    ...table(result),
    ...failureLines(result.failures),
    ...comparisons.flatMap(verdictLines),
    `reports ${printable(directory)}/${page}`,
  ].map((line) => `${line.trimEnd()}\n`).join("");
}

/** Failed runs, a line a block. */
export function failureLines(failures: readonly BenchFailure[]): string[] {
  const byBlock = Map.groupBy(failures, ({ block, isWarmup }) => {
    return isWarmup ? `failed warm-up ${block}` : `left out: block ${block}`;
  });
  return [...byBlock].map(([block, list]) => {
    return `${block} (${list.map(({ set, status }) => `${set}: status ${status}`).join(", ")})`;
  });
}

/** Metrics of the columns: the gate's too. */
function columns({ metric }: BenchResult): string[] {
  return COLUMNS.includes(metric) || METRICS[metric] === undefined ? COLUMNS : [...COLUMNS, metric];
}

function table(result: BenchResult): string[] {
  const { sets, spread } = result;
  const shown = columns(result).map((name) => {
    const { unit, of } = METRICS[name];
    const list = sets.map(({ jobs }) => {
      const { mean, deviation, count } = summarize(jobs.map(of));
      return { mean, error: spread === "run" ? deviation : deviation / Math.sqrt(count) };
    });
    const errors = list.map(({ error }) => error).filter((error) => error > 0);
    const [least, widest] = [Math.min(...errors), Math.max(...errors)];
    // Two digits of the widest error, and at least one of each.
    const wanted = Math.max(1 - Math.floor(Math.log10(widest)), -Math.floor(Math.log10(least)));
    const decimals = Math.min(9, Math.max(0, wanted));
    const cells = list.map(({ mean, error }) => {
      if (!Number.isFinite(mean)) return "not available";
      if (!(widest > 0)) return figures(mean, 4);
      return `${mean.toFixed(decimals)} ± ${error.toFixed(decimals)}`;
    });
    return [`${name} (${unit})`, ...cells];
  });
  const cells = [...shown, ["runs", ...sets.map(({ jobs }) => String(jobs.length))]];
  const widths = cells.map((column) => Math.max(...column.map((cell) => cell.length)));
  const letters = Math.max(...sets.map(({ set }) => set.length));
  const room = LINE_CHARACTERS - letters - 2 - widths.reduce((sum, width) => sum + width + 3, 0);
  const names = sets.map(({ text }) => printable(text));
  const width = Math.max(8, Math.min(room, Math.max(...names.map((name) => name.length))));
  return ["", ...sets.map(({ set }) => set)].map((set, row) => {
    const name = row === 0 ? "" : names[row - 1];
    const short = name.length > width ? `${name.slice(0, width - 3)}...` : name;
    const values = cells.map((column, i) => "   " + column[row].padStart(widths[i])).join("");
    return `${set.padEnd(letters)}  ${short.padEnd(width)}${values}`;
  });
}

function verdictLines({ comparison }: BenchComparison): string[] {
  const { gate, warnings, letters: [a, b] } = comparison;
  const head = `${b} ÷ ${a}: `, indent = " ".repeat(head.length);
  const { detectable, detectableRuns: [runs] } = gate.difference;
  const isOpen = gate.verdict === "no significant change" || gate.verdict.startsWith("more,");
  const isFew = gate.verdict === "not enough runs";
  const change = `a change below ${percent(detectable)} would be missed in more than 1 of 10 cases`;
  const isKnown = gate.verdict !== "not known";
  const other = gate.metric === "time"
    ? []
    : ["see joulemark doctor; --metric time compares the times"];
  const missed = !isKnown
    ? other
    : !isDetectable(gate.difference)
    ? []
    : isFew
    ? [`with ${runs} blocks ${change}`]
    : [change, ...isOpen ? ["use more runs or a quieter node"] : []];
  return [
    head + verdictLine(comparison),
    ...unknownLimitText(comparison).map((line) => indent + line),
    ...missed.map((line) => indent + line),
    ...warnings.map((warning) => `${indent}note: ${printable(warning)}`),
  ];
}

/** For programs: what is not known is null. */
export function benchJson(result: BenchResult): string {
  const { sets, blocks, seed, warmup, comparisons, simulated, directory, metric } = result;
  return nullJson({
    format: "joulemark-bench/1",
    seed,
    warmup,
    blocks,
    "failed runs": result.failures.map(({ set, block, isWarmup, status }) => {
      return { set, block, "warm-up": isWarmup, status };
    }),
    metric,
    directory,
    "energy of": result.source,
    simulated: simulated ?? null,
    commands: sets.map(({ set, text, jobs }) => ({
      set,
      command: text,
      runs: jobs.length,
      ...Object.fromEntries(
        Object.entries(METRICS).map(([name, { unit, of }]) => {
          const values = jobs.map(of);
          const { mean, deviation, count } = summarize(values);
          return [name, { unit, mean, deviation, se: deviation / Math.sqrt(count), values }];
        }),
      ),
    })),
    comparisons: comparisons.map(({ comparison, notes }) => ({
      set: comparison.letters[1],
      ...comparisonDocument(comparison, notes),
    })),
  });
}
