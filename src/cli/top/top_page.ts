/**
 * The page of `joulemark top`: quantities of the node with their history, throttling, the current
 * regions of threads, and the processes.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import type { Host } from "../../core/machine/host.ts";
import { printable } from "../../core/printable.ts";
import type { ProcessContextNow } from "../../marks/rings/answers.ts";
import { rawSeconds } from "../../os/clock.ts";
import { Batch } from "../../sources/signals/batch.ts";
import type { Catalogue } from "../../sources/signals/catalogue.ts";
import {
  HOLDS,
  pushQuantities,
  QUANTITIES,
  type Quantity as Source,
} from "../../sources/signals/quantities.ts";
import { curveText, wrapText } from "../../show/analysis/text_layout.ts";
import type { FunctionsShown } from "./functions_now.ts";

const LABEL = 16;
/** Shortest and longest curve beside a quantity, and the gap between. */
const COURSE_MIN = 8, COURSE_MAX = 60, GAP = 2;
/** Width of a function's name, and of what is beside it with a short module. */
const NAME_MOST = 48, MODULE_LEAST = 34;
/** Readings that are kept for it. */
const READINGS_MAX = 240;
/** nvmlClocksThrottleReason* of NVML, nvml.h; bit 0 is an idle GPU. */
const GPU_REASONS: readonly (readonly [bit: number, word: string])[] = [
  ...[[4, "power limit"], [8, "hardware"], [0x20, "hot"], [0x40, "hot"]] as const,
  [0x80, "power brake"],
];

/** One quantity now. */
export interface Quantity {
  readonly name: string;
  readonly domain: Domain;
  readonly unit: string;
  /** By index of the domain; null: not known. */
  readonly values: readonly (number | null)[];
  /** In words, where numbers are of little use. */
  readonly words?: readonly string[];
  readonly simulated: boolean;
}

/** Unit and factor in which a unit is shown. */
const SHOWN: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  Hz: ["GHz", 1e-9],
  "": ["%", 100],
};

/** Reads the node. */
export class Draw implements Disposable {
  readonly #batch: Batch;
  readonly #gauges: readonly Source[];
  readonly #holds: readonly Source[];
  /** Throttled time at the previous reading, the moment of that reading, and the time since. */
  #before: number[] = [];
  #beforeS = NaN;
  #elapsedS = NaN;

  constructor(host: Host, catalogue: Catalogue) {
    this.#batch = new Batch(host.topology, catalogue);
    const node = { table: catalogue, count: (domain: Domain) => host.topology.count(domain) };
    const gauges = QUANTITIES.filter(({ kind }) => kind === "gauge");
    this.#gauges = pushQuantities(this.#batch, node, gauges);
    this.#holds = pushQuantities(this.#batch, node, HOLDS);
    this.#batch.open();
  }

  /** Reads all once. @param nowS Of a steady clock. */
  read(nowS = rawSeconds()): void {
    this.#before = this.#holds.flatMap(({ handles }) => handles.map((h) => this.#batch.sample(h)));
    this.#elapsedS = nowS - this.#beforeS;
    this.#beforeS = nowS;
    this.#batch.read(nowS);
    this.#batch.settle();
  }

  values(): Quantity[] {
    const gauges = this.#gauges.map(({ title, domain, unit, handles, quality }) => {
      const [shown, factor] = SHOWN[unit] ?? [unit, 1];
      const values = handles.map((handle) => orNull(this.#batch.sample(handle) * factor));
      return { name: title, domain, unit: shown, values, simulated: quality === "simulated" };
    });
    let at = 0;
    const holds = this.#holds.map(({ title, domain, unit, handles, quality }) => {
      const now = handles.map((handle) => this.#batch.sample(handle));
      const before = this.#before.slice(at, at += handles.length);
      const values = unit === "s"
        ? now.map((s, i) => orNull((s - before[i]) / this.#elapsedS * 100))
        : now.map(orNull);
      const words = unit === "s" ? undefined : now.map(reasons);
      const simulated = quality === "simulated";
      return { name: title, domain, unit: unit === "s" ? "%" : "", values, words, simulated };
    });
    return [...gauges, ...holds];
  }

  [Symbol.dispose](): void {
    this.#batch[Symbol.dispose]();
  }
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function reasons(bits: number): string {
  if (Number.isNaN(bits)) return "-";
  const words = new Set(GPU_REASONS.filter(([bit]) => (bits & bit) !== 0).map(([, word]) => word));
  return words.size === 0 ? "no" : [...words].join("+");
}

/**
 * History of a quantity at the readings so far: the sum of powers, the mean of other quantities.
 */
export class Courses {
  readonly #values = new Map<string, number[]>();

  add(quantities: readonly Quantity[]): void {
    for (const { name, unit, values } of quantities) {
      const known = values.filter((value) => value !== null);
      const sum = known.reduce((total, value) => total + value, 0);
      const value = known.length === 0 ? NaN : unit === "W" ? sum : sum / known.length;
      const course = this.#values.getOrInsertComputed(name, () => []);
      course.push(value);
      if (course.length > READINGS_MAX) course.shift();
    }
  }

  /** The last readings as bars from 0 to the range, which is stated; blank if nothing is known. */
  bars(name: string, unit: string, width: number, isUnicode: boolean): string {
    const all = this.#values.get(name) ?? [];
    const known = all.filter((value) => !Number.isNaN(value));
    if (known.length === 0) return "";
    const range = unit === "%" ? 100 : roundRange(Math.max(...known));
    const stated = `  0${isUnicode ? "–" : "-"}${range} ${unit}`;
    const values = all.slice(-(width - stated.length));
    return curveText({ ascii: !isUnicode }, values, [0, range]) + stated;
  }
}

/** A round value that a curve goes up to. */
function roundRange(max: number): number {
  if (!(max > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => one * size >= max)!;
  return Number((step * size).toPrecision(2));
}

/** Orders of the processes, as `s` goes through them. */
const SORTS = ["process", "rank", "where"] as const;

/** Choices of the user. */
export interface View {
  sort: typeof SORTS[number];
  /** Text that the lines of shown threads contain. */
  filter: string;
  /** The filter is being typed. */
  isTyping: boolean;
  isPaused: boolean;
  /** Each line is explained. @default false */
  isHelp?: boolean;
  /** Functions instead of processes. @default false */
  hasFunctions?: boolean;
}

/** Content of a page. */
export interface PageContent {
  readonly title: string;
  readonly quantities: readonly Quantity[];
  readonly courses: Courses;
  readonly processes: readonly ProcessContextNow[];
  /** Commands run under joulemark. */
  readonly isRunning: boolean;
  /** Functions instead of processes. */
  readonly functions?: FunctionsShown;
  /** Absent on a page without a user: it has no last line with keys. */
  readonly view?: View;
  /** The terminal shows characters beyond ASCII. */
  readonly isUnicode: boolean;
}

/** Meaning of each line. */
const HELP = [
  "power           watts now, one value a package or GPU; bars: the last readings, from 0 to the range",
  "throttled       share of the time in which a power or temperature limit slowed CPUs or GPUs down",
  "regions now     regions that threads are in at this moment, and how many threads are in each",
  "where           path of regions of a thread, outermost first; joulemark explain WORD has more",
  "function        functions with most CPU time since the last update; time without the functions that they call",
];

/** Lines of a page that fit. */
export function page(content: PageContent, size: { columns: number; rows: number }): string[] {
  const { title, quantities, view, processes, functions } = content;
  const { columns, rows } = size;
  // One mark for all: quantities of a simulated node are simulated together.
  const mark = quantities.some(({ simulated }) => simulated) ? "  SIMULATED" : "";
  const lines = [
    title + mark,
    ...quantities.map((quantity) => quantityLine(quantity, content, columns)),
  ];
  if (quantities.length === 0) {
    lines.push('no power, frequency or temperature can be read here: see "joulemark doctor"');
  }
  const regions = regionsNow(processes);
  if (regions !== "") lines.push(`${"regions now".padEnd(LABEL)}${regions}`);
  lines.push("");
  if (view?.isHelp === true) lines.push(...HELP, "");
  const room = rows - lines.length - (view === undefined ? 0 : 1);
  lines.push(
    ...functions === undefined
      ? processLines(content, view, room)
      : functionLines(functions, view, columns),
  );
  const fitting = lines.map((line) => cut(line, columns));
  if (view === undefined) return fitting.slice(0, rows);
  const shown = fitting.slice(0, Math.max(0, rows - 1));
  while (shown.length < rows - 1) shown.push("");
  return [...shown, cut(keyLine(view), columns)].slice(0, rows);
}

function quantityLine(quantity: Quantity, content: PageContent, columns: number): string {
  const { name, unit, values, words } = quantity;
  const shown = words ?? values.map((value) => {
    return value === null ? "-" : value.toFixed(value < 10 ? 2 : 1);
  });
  const line = `${name.padEnd(LABEL)}${shown.join("  ")} ${unit}`.trimEnd();
  const room = Math.min(COURSE_MAX, columns - line.length - GAP);
  if (content.view === undefined || words !== undefined || room < COURSE_MIN) return line;
  const bars = content.courses.bars(name, unit, room, content.isUnicode);
  return line + bars.padStart(columns - line.length);
}

/** In how many threads each region is the innermost one, most first. */
function regionsNow(processes: readonly ProcessContextNow[]): string {
  const counts = new Map<string, number>();
  for (const { regions } of processes.flatMap(({ threads }) => threads)) {
    const region = regions.at(-1);
    if (region !== undefined) counts.set(region, (counts.get(region) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([region, count]) => `${printable(region)} (${count})`).join(", ");
}

interface ProcessRow {
  readonly pid: number;
  readonly rank: string;
  readonly where: string;
  readonly line: string;
}

function processLines(
  { processes, isRunning }: PageContent,
  view: View | undefined,
  room: number,
): string[] {
  if (processes.length === 0 && isRunning) {
    return ["no process under joulemark has annotations yet: see joulemark client --help"];
  }
  if (processes.length === 0) {
    return ["no program runs under joulemark here; start one with joulemark run -- ./app"];
  }
  const rows = processes.flatMap(({ pid, rank = "-", threads }) =>
    threads.map(({ thread, regions }): ProcessRow => {
      const where = regions.length === 0 ? "-" : printable(regions.join(" > "));
      const own = thread === pid ? "-" : String(thread);
      const line = `${String(pid).padEnd(9)}${printable(rank).padEnd(6)}${own.padEnd(9)}${where}`;
      return { pid, rank, where, line };
    })
  );
  const filter = view?.filter ?? "";
  const found = rows.filter(({ line }) => line.includes(filter)).sort(
    ORDERS[view?.sort ?? "process"],
  );
  const head = "process  rank  thread   where";
  if (found.length <= room - 1) return [head, ...found.map(({ line }) => line)];
  const shown = Math.max(0, room - 2);
  return [
    head,
    ...found.slice(0, shown).map(({ line }) => line),
    `and ${found.length - shown} more`,
  ];
}

function functionLines(
  functions: FunctionsShown,
  view: View | undefined,
  columns: number,
): string[] {
  if ("absent" in functions) {
    return wrapText(`no functions: ${printable(functions.absent)}`, Math.max(8, columns));
  }
  const width = Math.max(8, Math.min(NAME_MOST, columns - MODULE_LEAST));
  const rows = functions.map(({ name, module, share, seconds }) => {
    const shown = cut(printable(name), width).padEnd(width);
    const part = `${(100 * share).toFixed(1)} %`.padStart(8);
    return `${shown}${part}${seconds.toFixed(2).padStart(9)}  ${printable(module)}`.trimEnd();
  });
  const head = `${"function".padEnd(width)}${"share".padStart(8)}${"time (s)".padStart(9)}  module`;
  return [head, ...rows.filter((row) => row.includes(view?.filter ?? ""))];
}

const ORDERS: Readonly<Record<View["sort"], (a: ProcessRow, b: ProcessRow) => number>> = {
  process: (a, b) => a.pid - b.pid,
  rank: (a, b) => Number(a.rank) - Number(b.rank) || a.pid - b.pid,
  where: (a, b) => a.where < b.where ? -1 : a.where > b.where ? 1 : a.pid - b.pid,
};

function keyLine({ sort, filter, isTyping, isPaused, hasFunctions }: View): string {
  if (isTyping) return `filter: ${filter}_  (Enter: done, Esc: none)`;
  const chosen = filter === "" ? "filter" : `filter: ${filter}`;
  const other = hasFunctions === true ? "processes" : "functions";
  return `q quit  p ${
    isPaused ? "go on" : "pause"
  }  s sort: ${sort}  f ${chosen}  t ${other}  h help`;
}

function cut(line: string, columns: number): string {
  return line.length > columns ? `${line.slice(0, Math.max(0, columns - 3))}...` : line;
}

/** Arrow keys and their like: ESC [ … of ECMA-48; they are nothing here, a lone ESC is. */
// deno-lint-ignore no-control-regex
const ESCAPES = /\x1b[[O][0-9;]*[A-Za-z~]/g;

/**
 * Changes the view by typed keys; `quit` ends. Text while a filter is typed belongs to the filter.
 */
export function press(view: View, keys: string): "quit" | undefined {
  for (const key of keys.replace(ESCAPES, "")) {
    if (key === "\x03") return "quit";
    if (view.isTyping) type(view, key);
    else if (key === "q") return "quit";
    else if (key === "p" || key === " ") view.isPaused = !view.isPaused;
    else if (key === "h" || key === "?") view.isHelp = view.isHelp !== true;
    else if (key === "t") view.hasFunctions = view.hasFunctions !== true;
    else if (key === "s") view.sort = SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length];
    else if (key === "f" || key === "/") {
      view.isTyping = true;
      view.filter = "";
    }
  }
}

function type(view: View, key: string): void {
  if (key === "\r" || key === "\n") view.isTyping = false;
  else if (key === "\x1b") [view.isTyping, view.filter] = [false, ""];
  else if (key === "\x7f" || key === "\b") view.filter = view.filter.slice(0, -1);
  else if (key >= " ") view.filter += key;
}
