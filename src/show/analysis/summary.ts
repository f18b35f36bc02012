/**
 * The summary of a run: the answer in its first line, then components, the region table, a next step and at most
 * three notes. One function makes it of one set of facts, for a run, a replay, a job and a report that is shown.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { counted } from "../../core/counted.ts";
import { COMPONENT_NAMES, type EnergyKind } from "../../core/region_tree.ts";
import type { ComponentTotal } from "../../core/job_totals.ts";
import { findings } from "./findings.ts";
import { absenceWords, relativeError } from "./notes.ts";
import { quantity, timeText } from "./quantity_text.ts";
import { type SummaryFacts, totalOf } from "./summary_facts.ts";
import { functionLines, functionMarkdown } from "./summary_functions.ts";
import { markdownText, WIDE_LOOK } from "./markdown.ts";
import { largestRemainder, markdownTable, summaryTable } from "./summary_table.ts";
import {
  curveText,
  cutText,
  type Look,
  painted,
  shortText,
  shownText,
  type Style,
  textWidth,
  wrapText,
} from "./text_layout.ts";

/** Options of the summary in addition to the facts. */
export interface SummaryOptions {
  readonly look: Look;
  /** Path of the report; `undefined`: it could not be written. */
  readonly reportPath?: string;
  /** Path of the page that the run wrote; `undefined`: it wrote none. */
  readonly pagePath?: string;
  /** Did the run sample functions? The summary of a job at the end of a run does not have them. @default false */
  readonly hasFunctions?: boolean;
  /** Tables with all regions follow. @default false */
  readonly isShown?: boolean;
  /** All notes at full length, also those without influence on the values. @default false */
  readonly isVerbose?: boolean;
}

/** Rows of regions. */
const MAX_ROWS = 12;
const MAX_NAME = 40, MAX_SHORT = 24, MAX_NOTES = 3, MAX_NOTE_LINES = 2, MAX_SPANS = 8;
/** Per cent of a core below which the monitor's line is of little interest. */
const LITTLE_PERCENT = 2;
/** Columns of a power curve, and the points and seconds that one needs. */
const CURVE_COLUMNS = 60, MIN_POINTS = 8, MIN_CURVE_S = 1;

/** A line and its style. */
type Line = readonly [text: string, style?: Style];

/** The summary of a run, lines ending in LF. */
export function summary(facts: SummaryFacts, options: SummaryOptions): string {
  const { look } = options;
  const textOf = (lines: readonly Line[]) => lines.map((line) => shown(line, look)).join("");
  const head = textOf([...outcomeLines(facts), ...answerLines(facts, look)]);
  const end = textOf([
    ...nextLines(facts, options),
    ...noteLines(facts, options),
    ...endLines(facts, options),
  ]);
  return [head, textOf(middle(facts, options)), end].filter((text) => text !== "").join("\n");
}

/** Tables of the summary for GitHub and wikis, below what all values depend on; without any, its first line. */
export function summaryMarkdown(facts: SummaryFacts): string {
  const head = [...outcomeLines(facts), ...simulatedLines(facts)].map(([text]) => {
    return `**${markdownText(text.trim())}**\n\n`;
  });
  const { functions, main } = facts;
  const tables = [
    markdownTable(facts),
    functions === undefined ? "" : functionMarkdown(functions, main),
  ].filter((text) => text !== "");
  const [answer] = answerLines(facts, WIDE_LOOK);
  return head.join("") +
    (tables.length > 0 ? tables.join("\n") : `${markdownText(answer[0])}\n`);
}

/** Our own text, broken at the width; what is painted already stays as it is. */
function shown([text, style]: Line, look: Look): string {
  if (text.includes("\x1b[")) return `${text}\n`;
  const plain = shownText(look, text);
  const lines = textWidth(plain) <= look.width ? [plain] : wrapText(plain, look.width, "  ");
  return lines.map((line) => painted(look, style, line) + "\n").join("");
}

/** Lines on a command that did not succeed, and on a report that is not whole. */
function outcomeLines(facts: SummaryFacts): Line[] {
  const { outcome, partial } = facts;
  const isTold = outcome.kind === "partial" || partial === "";
  return isTold ? commandLines(facts) : [...commandLines(facts), partialLine(partial)];
}

function partialLine(why: string): Line {
  return [`PARTIAL${why === "" ? "" : `: ${why}`}; values cover this part only.`, "failed"];
}

function commandLines({ outcome, totals: { seconds } }: SummaryFacts): Line[] {
  const after = timeText(seconds, 4);
  switch (outcome.kind) {
    case "done":
      return [];
    case "failed":
      return [[
        `FAILED: the command ended with exit status ${outcome.status}; all values cover ${after}.`,
        "failed",
      ]];
    case "killed":
      return [
        [`FAILED: the command was killed by ${outcome.signal} after ${after}.`, "failed"],
        ...outcome.signal === "SIGKILL"
          ? [["  Often the cause is the memory limit: see the messages of the scheduler."] as Line]
          : [],
      ];
    case "interrupted":
      return [[
        `INTERRUPTED by ${outcome.signal} after ${after}; all values cover this time only.`,
        "failed",
      ]];
    case "partial":
      return [partialLine(outcome.why)];
  }
}

/** Lines with time, energy and its error; then the parts of the energy. */
function answerLines(facts: SummaryFacts, look: Look): Line[] {
  const { totals: { seconds, edp }, main, hostCount, hosts } = facts;
  const name = cutText(look, facts.name, MAX_NAME).trimEnd();
  const time = Number.isFinite(seconds) ? timeText(seconds, 4) : "time not available";
  const total = totalOf(facts, main);
  const lines: Line[] = [];
  if (total === undefined || main === undefined) {
    const why = absenceWords(facts.absence);
    lines.push([`${name}: ${time}; energy not available: ${why}`, "bold"]);
  } else lines.push([`${name}: ${time}, ${energyWords(facts, main, total)}`, "bold"]);
  lines.push(...simulatedLines(facts), ...componentLines(facts), ...hostLines(facts));
  const where = hostCount === 1 ? hosts[0]?.name ?? "1 host" : `${hostCount} hosts`;
  const processes = facts.processes > 0 ? `, ${counted(facts.processes, "process", "es")}` : "";
  const isPartial = total !== undefined && total.covers !== "";
  const parts = [
    ...Number.isFinite(edp) && !isPartial && facts.outcome.kind === "done"
      ? [`EDP ${quantity(edp, "J s")}`]
      : [],
    ...isPartial ? ["EDP not available"] : [],
    ...total !== undefined && Number.isFinite(total.netJ)
      ? [`idle ${quantity(total.idleJ, "J")}, net ${quantity(total.netJ, "J")}`]
      : [],
    where + processes,
    ...facts.outcome.kind !== "done" && facts.open.length > 0
      ? [`still open: ${facts.open.slice(0, 3).join(", ")}`]
      : [],
  ];
  lines.push([parts.join("; ")]);
  return lines;
}

function simulatedLines({ simulated }: SummaryFacts): Line[] {
  if (simulated === undefined) return [];
  const where = /^tree /.test(simulated) ? ` (${simulated})` : "";
  return [[`SIMULATED counters${where}: no value here is a measurement.`, "bar"]];
}

/** `6.963 kJ ±<0.1 % (node counter), mean 279.4 W, peak 300 W`. */
function energyWords(facts: SummaryFacts, main: EnergyKind, total: ComponentTotal): string {
  const { hostCount } = facts;
  const counter = `${COMPONENT_NAMES[main]} counter`;
  if (total.covers !== "") {
    return `${quantity(total.joules, "J")} at least (${counter} of ${total.covers}), ` +
      `mean ${quantity(total.meanW, "W")} while measured`;
  }
  const relative = relativeError(total), percent = 100 * relative;
  const digits = digitsOf(total);
  const error = !(relative >= 0)
    ? ""
    : percent < 0.1
    ? " ±<0.1 %"
    : ` ±${percent.toFixed(percent < 9.95 ? 1 : 0)} %`;
  const where = hostCount > 1 ? `${counter}s of ${hostCount} hosts` : counter;
  const each = hostCount > 1 ? ` (${quantity(total.hostsW / hostCount, "W", 3)} a host)` : "";
  const peak = Number.isFinite(total.peakW)
    ? `, peak ${quantity(total.peakW, "W", 3)}`
    : Number.isFinite(total.peakAtMostW)
    ? `, peak at most ${quantity(total.peakAtMostW, "W", 3)}`
    : "";
  return `${quantity(total.joules, "J", digits)}${error} (${where}), ` +
    `mean ${quantity(total.meanW, "W", digits)}${each}${peak}`;
}

/** Number of digits that the error justifies, two to four. */
function digitsOf(total: ComponentTotal): number {
  const digits = Math.floor(2 - Math.log10(relativeError(total)));
  return Number.isFinite(digits) ? Math.max(2, Math.min(4, digits)) : 4;
}

/** Lines with the parts of the energy, with shares if the parts add up. */
function componentLines(facts: SummaryFacts): Line[] {
  const { totals: { components }, main, hostCount, nodeAbsence } = facts;
  const all = [...components].filter(([, { joules }]) => Number.isFinite(joules));
  const parts = all.filter(([kind]) => kind !== "node").sort((a, b) => b[1].joules - a[1].joules);
  if (main === undefined || parts.length === 0 || all.length === 1) return [];
  const isWhole = all.every(([, { covers }]) => covers === "");
  const sum = parts.reduce((total, [, { joules }]) => total + joules, 0);
  const nodeJ = components.get("node")?.joules;
  const digits = digitsOf(components.get(main)!);
  const whole = nodeJ ?? sum;
  const hasShares = isWhole && sum <= whole * 1.001;
  const sizes = parts.map(([, { joules }]) => joules);
  const restJ = Math.max(0, whole - sum);
  const shares = largestRemainder([...sizes, restJ], 100, whole, whole);
  const share = (k: number, more = "") => {
    const percent = shares[k] < 1 ? "<1 %" : `${shares[k]} %`;
    return hasShares ? ` (${percent}${more})` : more === "" ? "" : ` (${more.slice(2)})`;
  };
  const words = parts.map(([kind, { joules, covers }], k) => {
    const gpus = kind === "gpu" && facts.gpus > 0 ? `, ${counted(facts.gpus, "GPU")}` : "";
    const part = covers === "" ? "" : ` at least (${covers})`;
    return `${COMPONENT_NAMES[kind]} ${quantity(joules, "J", digits)}${part}${share(k, gpus)}`;
  });
  const node = hostCount > 1 ? "nodes" : "the node";
  if (nodeJ !== undefined && hasShares) {
    words.push(`rest of ${node} ${quantity(restJ, "J", digits)}${share(parts.length)}`);
  }
  const gpuW = (components.get("gpu")?.meanW ?? NaN) / facts.gpus;
  const each = Number.isFinite(gpuW) ? `, mean ${quantity(gpuW, "W", 3)} each` : "";
  const busy = facts.gpuBusy > 0
    ? [`GPUs busy ${Math.round(100 * facts.gpuBusy)} % of the time${each}`]
    : [];
  const lack = nodeAbsence === undefined
    ? "no counter for the whole node"
    : `node energy not available: ${nodeAbsence}`;
  const lacks = nodeJ === undefined ? [lack] : [];
  return [[[words.join(", "), ...busy, ...lacks].join("; ")]];
}

/** Line on the differences between the hosts of a job. */
function hostLines({ spread, main }: SummaryFacts): Line[] {
  if (spread === undefined || main === undefined) return [];
  const { minJ, minHost, maxJ, maxHost, middleJ, isMedian } = spread;
  return [[
    `a host: ${quantity(minJ, "J")} (${minHost}) to ${quantity(maxJ, "J")} (${maxHost}), ` +
    `${isMedian ? "median" : "mean"} ${quantity(middleJ, "J")}`,
  ]];
}

/** The region table, or what stands for it. */
function middle(facts: SummaryFacts, { look, reportPath, isShown }: SummaryOptions): Line[] {
  const lines: Line[] = [];
  if (facts.regions.length > 0) {
    const { main, column } = facts;
    if (column !== undefined && main !== undefined && column !== main) {
      lines.push([
        `The table shows ${COMPONENT_NAMES[column]} energy: ${
          COMPONENT_NAMES[main]
        } energy has no standard errors here.`,
        "dim",
      ]);
    }
    const { lines: rows, hidden, hiddenLarge } = summaryTable(facts, look, MAX_ROWS);
    lines.push(...rows.map((row): Line => [row]));
    const more = hiddenLarge > 0 ? `${hidden} more` : `${hidden} more below 1 %`;
    if (hidden > 0) lines.push([`${more}: ${where(reportPath, isShown)}`, "dim"]);
  } else if (facts.spans.length > 0) lines.push(...spanLines(facts, look));
  else lines.push(...curveLines(facts, look));
  if (facts.functions !== undefined) {
    const [head, ...rows] = functionLines(facts.functions, look, facts.main);
    lines.push([head, "dim"], ...rows.map((row): Line => [row]));
  }
  if (facts.steps !== "") lines.push([facts.steps]);
  return lines;
}

function where(reportPath: string | undefined, isShown = false): string {
  if (isShown) return "see the tables below";
  if (reportPath === undefined) return "not shown (no report was written)";
  return `joulemark show ${quoted(reportPath)}`;
}

function spanLines({ spans }: SummaryFacts, look: Look): Line[] {
  const rows = spans.slice(0, MAX_SPANS);
  const more = spans.length - rows.length;
  const line = (name: string, count: string, time: string) => {
    return `${cutText(look, name, 30)} ${count.padStart(9)} ${time.padStart(9)}`;
  };
  return [
    [line("span (no energy)", "count", "time (s)"), "dim"],
    ...rows.map(({ name, count, timeS }): Line => [line(name, String(count), timeS.toFixed(3))]),
    ...more > 0 ? [[`${more} more in the report`, "dim"] as Line] : [],
  ];
}

/** Power over time: the highest power at the top left, the lowest below it. */
function curveLines({ curve, totals: { seconds } }: SummaryFacts, look: Look): Line[] {
  if (curve === undefined) return [];
  const known = curve.watts.filter(Number.isFinite);
  if (known.length < MIN_POINTS || curve.widthS * known.length < MIN_CURVE_S) return [];
  const low = Math.min(...known), high = Math.max(...known);
  const room = Math.min(CURVE_COLUMNS, look.width - 20);
  const { watts } = curve, columns = Math.min(room, watts.length);
  const points = Array.from({ length: columns }, (_, k) => {
    const from = Math.floor(k * watts.length / columns);
    const part = watts.slice(
      from,
      Math.max(from + 1, Math.floor((k + 1) * watts.length / columns)),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  // A constant power is a flat line of half height.
  const ends = high - low < 0.02 * high ? [0.9 * low, 1.1 * high] as const : [low, high] as const;
  const label = `${COMPONENT_NAMES[curve.kind]} power (W)`;
  const digits = Math.max(...ends.map((watts) => watts.toFixed(0).length));
  const left = (text: string, watts: number) =>
    `${text.padEnd(label.length)} ${watts.toFixed(0).padStart(digits)} `;
  const end = timeText(seconds);
  return [
    [(left(label, ends[1]) + curveText(look, points, ends)).trimEnd()],
    [left("", ends[0]) + "0 s" + end.padStart(Math.max(1, columns - 3))],
  ];
}

/** The first finding, of a run that ended well. */
function nextLines(
  facts: SummaryFacts,
  { look, hasFunctions, reportPath }: SummaryOptions,
): Line[] {
  if (facts.outcome.kind !== "done") return [];
  const [first] = findings(facts);
  if (first === undefined || first.code === "all-precise") return [];
  const { code, text, next } = first;
  const isOfJob = hasFunctions === true && facts.hostCount > 1 && reportPath !== undefined;
  const words = code === "no-regions" && isOfJob
    ? `to see the functions of all hosts: ${where(reportPath)}`
    : code === "no-regions"
    ? next[0].toLowerCase() + next.slice(1)
    : withShortNames(facts, `${text} ${next}`);
  const label = painted(look, "next", "next:");
  const lines = wrapText(shownText(look, `next: ${words}`), look.width, "      ");
  return lines.map((line, i): Line => [i === 0 ? label + line.slice(5) : line]);
}

/** A text with regions whose long names lose their middle: the table and the report have all of them. */
function withShortNames({ regions }: SummaryFacts, text: string): string {
  const long = regions.map(({ region }) => region).filter((name) => {
    return textWidth(name) > MAX_SHORT && text.includes(name);
  });
  return long.sort((a, b) => b.length - a.length)
    .reduce((all, name) => all.replaceAll(name, shortText(name, MAX_SHORT)), text);
}

/** The most important notes, and how many more there are. */
function noteLines(facts: SummaryFacts, options: SummaryOptions): Line[] {
  const { look, reportPath, isShown = false, isVerbose = false } = options;
  const own = isBad(facts)
    ? ["do not compare this run with complete ones; joulemark compare refuses it."]
    : [];
  const notes = [...own, ...facts.notes, ...isVerbose ? facts.minor : []];
  const most = isShown || isVerbose ? Infinity : MAX_NOTES;
  const more = notes.length - most;
  return [
    ...notes.slice(0, most).flatMap((note) =>
      (isVerbose ? noteWhole(note, look) : noteText(withShortNames(facts, note), look))
        .map((line): Line => [line])
    ),
    ...more > 0
      ? [[`${more} more ${more === 1 ? "note" : "notes"}: ${where(reportPath)}`] as Line]
      : [],
  ];
}

function isBad({ outcome: { kind } }: SummaryFacts): boolean {
  return kind === "failed" || kind === "killed" || kind === "interrupted";
}

/** A note with all of its sentences. */
function noteWhole(note: string, look: Look): string[] {
  return wrapText(shownText(look, `note: ${note}`), look.width, "      ");
}

/** A note in two lines: of a longer one, sentences in the middle are left out. */
function noteText(note: string, look: Look): string[] {
  const sentences = note.split(/(?<=[.!?]) (?=[A-Z"])/);
  for (;;) {
    const all = noteWhole(sentences.join(" "), look);
    if (all.length <= MAX_NOTE_LINES) return all;
    if (sentences.length <= 1) break;
    sentences.splice(sentences.length > 2 ? sentences.length - 2 : 1, 1);
  }
  const all = noteWhole(sentences[0], look), [first, second] = all;
  return [first, cutText(look, `${second} ${all[2].trim()}`, look.width).trimEnd()];
}

/** Lines with the path of the report, the command for the page, and the cost of the monitor. */
function endLines(
  facts: SummaryFacts,
  { look, reportPath, pagePath, isShown }: SummaryOptions,
): Line[] {
  const lines: Line[] = [];
  const { outcome, monitor } = facts;
  if (reportPath !== undefined && !isShown) {
    const path = quoted(reportPath);
    const page = quoted(baseName(reportPath).replace(/\.report$/, "") + ".html");
    const report = outcome.kind === "interrupted" || outcome.kind === "partial"
      ? `partial report ${path}`
      : outcome.kind === "failed"
      ? `report ${path} (marked: exit status ${outcome.status})`
      : outcome.kind === "killed"
      ? `report ${path} (marked: ${outcome.signal})`
      : `report ${path}`;
    if (outcome.kind === "done" || pagePath !== undefined) {
      const hint = pagePath === undefined
        ? `page: joulemark show --html -o ${page} ${path}`
        : `page ${quoted(pagePath)}`;
      const one = `${report}; ${hint}`;
      if (one.length <= look.width) lines.push([one]);
      else lines.push([report], [hint]);
    } else lines.push([report]);
  }
  if (monitor !== undefined) {
    const [most, what] = facts.hostCount > 1
      ? ["at most ", "simulation"]
      : ["", "simulated counters"];
    const simulated = monitor.simulatedPercent > 0
      ? ` (${what}: ${percentText(monitor.simulatedPercent)} more, not part of it)`
      : "";
    lines.push([
      `monitor ${most}${percentText(monitor.percent)} of one core${simulated}`,
      monitor.percent < LITTLE_PERCENT ? "dim" : undefined,
    ]);
  }
  return lines;
}

function percentText(percent: number): string {
  return percent < 0.05 ? "<0.1 %" : `${percent.toFixed(1)} %`;
}

/** A path as a shell takes it. */
export function quoted(path: string): string {
  return /^[\w./:=@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
