/**
 * A comparison as text for people, JSON and JUnit for programs.
 * @module
 */
import { printable, printableJson } from "../../core/printable.ts";
import {
  allRegions,
  type Comparison,
  type Letters,
  type LoneRegion,
  type MetricRow,
  type RegionRow,
  type Verdict,
} from "./comparison.ts";
import { type Difference, MIN_RUNS } from "./difference.ts";
import { figures } from "./quantity_text.ts";
import { cutCells } from "./table.ts";
import { shortText, wrapText } from "./text_layout.ts";

const MAX_REGIONS = 20;
/** Regions that a note names. */
const MAX_NAMES = 3;
/** A longer name loses its middle in a note. */
const NAME_CHARACTERS = 40;
/** Names are cut so that a line has 79 columns, but to no less. */
const LINE_CHARACTERS = 79, MIN_NAME_CHARACTERS = 12;

/** A limit so many times the estimate, or such a part of it, says nothing about the change. */
const MAX_FACTOR = 10;
/** Text for such a limit. */
const UNKNOWN = "not known";

/** The notes beside the figures. */
export interface ComparisonNotes {
  /** `simulated node`, for one. */
  readonly simulated?: string;
  /** Names of the runs, where they are not one. */
  readonly profiles?: readonly string[];
  /** Reasons against the comparison that were overruled. */
  readonly overruled: readonly string[];
}

/** For people, 80 columns wide. */
export function comparisonText(comparison: Comparison, notes: ComparisonNotes): string {
  const { gate, job, source, missing, unknown, level, letters } = comparison;
  const [letterA, letterB] = letters;
  const { a, b } = gate.difference, regions = allRegions(comparison);
  const interval = `${percent(level)} interval`;
  const lines = [
    `${runs(a.count)} (${letterA}) and ${runs(b.count)} (${letterB})` +
    (comparison.design === "blocks" ? ", in blocks" : "") +
    (notes.simulated === undefined ? "" : ` [${printable(notes.simulated)}]`),
    `${sourceText(source)}; geometric mean ± standard deviation of a run`,
    "",
    ...table([
      ["", letterA, letterB, "change", interval],
      ...[...job, ...job.some(({ metric }) => metric === gate.metric) ? [] : [gate]].map(metricRow),
    ]),
    "",
    `verdict: ${verdictText(comparison)}`,
    ...unknownLimitText(comparison),
    ...detectableText(comparison),
  ];
  if (regions.length > 0) {
    const hasIntervals = comparison.regions.some(({ difference: { low } }) => low === low);
    lines.push(
      "",
      `Energy of regions, largest change in joules first${hasIntervals ? "." : ""}`,
      ...hasIntervals
        ? [`The probability that all these intervals are right is ${percent(level)}.`]
        : [],
    );
    const rows = regions.slice(0, MAX_REGIONS).map((row) => {
      return "set" in row ? loneRow(row, letters) : regionRow(row);
    });
    lines.push(...table([
      ["", `${letterA} (J)`, `${letterB} (J)`, "change", `${interval}  `],
      ...rows,
    ]));
    const more = regions.length - MAX_REGIONS;
    if (more > 0) lines.push(`... and ${more} more`);
  }
  for (const warning of comparison.warnings) lines.push(...wrapped(`note: ${printable(warning)}`));
  for (const reason of notes.overruled) {
    lines.push(`note: compared although not comparable: ${reason}`);
  }
  if (notes.profiles !== undefined) {
    lines.push(
      `note: runs of different names: ${notes.profiles.slice(0, 3).map(printable).join(", ")}`,
    );
  }
  if (missing.length > 0) {
    lines.push(...wrapped(`note: only some runs have the region ${listed(missing)}`));
  }
  if (unknown.length > 0) {
    const what = "in a run the energy is 0, below 0 or absent";
    lines.push(...wrapped(`note: ${what}: region ${listed(unknown)}`));
  }
  return lines.map((line) => line.trimEnd() + "\n").join("");
}

/** Parts that energies are of. */
export function sourceText(source: string): string {
  return source === "none" ? "no energy" : `energy of ${source}`;
}

/** A text on lines of the width of the tables; those after the first are indented. */
const wrapped = (text: string) => wrapText(text, LINE_CHARACTERS, "      ");

/** The first names of a list. */
function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return names.slice(0, MAX_NAMES).map((name) => shortText(printable(name), NAME_CHARACTERS))
    .join(", ") + more;
}

/** Why a limit of the gate is not known. */
export function unknownLimitText({ gate: { difference } }: Comparison): string[] {
  return limitTexts(difference, signed).includes(UNKNOWN)
    ? [`${UNKNOWN}: the runs vary too much for this limit; use more runs`]
    : [];
}

/** The result of the gate, in a sentence. */
export function verdictText({ gate, level }: Comparison): string {
  const { metric, difference, maxIncrease, verdict } = gate;
  const name = printable(metric);
  if (verdict === "not known") {
    return `not known: ${name} is 0, below 0 or absent in a run`;
  }
  const limit = maxIncrease === 0 ? [] : [`limit +${percent(maxIncrease)}`];
  const facts = inBrackets([...levelText(difference, level), ...limit]);
  const text = `${verdict}: ${name} ${changeText(difference, signed)}${facts}`;
  if (verdict !== "not enough runs") return text;
  return `${text}; at least ${MIN_RUNS} of each set are needed`;
}

/** Level of an interval; a single run a set has no interval. */
function levelText({ low }: Pick<Difference, "low">, level: number): string[] {
  return Number.isNaN(low) ? [] : [percent(level)];
}

function inBrackets(texts: readonly string[]): string {
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

/** Verdict with the change first, as a benchmark prints it. */
export function verdictLine(comparison: Comparison): string {
  const { gate: { metric, difference, verdict, a, b }, level } = comparison;
  const name = printable(metric);
  if (verdict === "not known") return verdictText(comparison);
  const head = `${name} ${changeText(difference, oneDecimal)}` +
    inBrackets(levelText(difference, level));
  if (verdict !== "not enough runs") return `${head}: ${verdict}`;
  return `${head}: not enough runs for a verdict, ${
    Math.min(a.length, b.length)
  } of at least ${MIN_RUNS}`;
}

/** A change with its interval, if there is one. */
export function changeText(
  difference: Pick<Difference, "change" | "low" | "high">,
  text = oneDecimal,
): string {
  const limits = limitTexts(difference, text);
  return text(difference.change) + (limits.length === 0 ? "" : ` [${limits.join(", ")}]`);
}

/** Limits of a change; NaN: there is none, or it says nothing. */
export function knownLimits(
  { change, low, high }: Pick<Difference, "change" | "low" | "high">,
): number[] {
  const isFar = 1 + high > MAX_FACTOR * (1 + change);
  const isKnown = (limit: number) => limit > 1 / MAX_FACTOR - 1 && limit < MAX_FACTOR - 1;
  return [low, high].map((limit) => isFar && !isKnown(limit) ? NaN : limit);
}

/** Limits of a change, or one text for both; empty: there are none. */
function limitTexts(
  difference: Pick<Difference, "change" | "low" | "high">,
  text: (value: number) => string,
): string[] {
  if (Number.isNaN(difference.low)) return [];
  const limits = knownLimits(difference);
  if (limits.every(Number.isNaN)) return [UNKNOWN];
  return limits.map((limit) => Number.isNaN(limit) ? UNKNOWN : text(limit));
}

/** Is a change that runs of this noise can show small enough for a sentence on it? At most 100 %. */
export function isDetectable({ detectable }: Pick<Difference, "detectable">): boolean {
  return detectable <= 1;
}

function oneDecimal(value: number): string {
  return `${value < 0 ? "-" : "+"}${(100 * Math.abs(value)).toFixed(1)} %`;
}

/** The change that runs of this noise can show, in a sentence. */
export function detectableText({ gate: { difference, verdict }, detect }: Comparison): string[] {
  const { detectable, detectableRuns: [a, b], noise, neededRuns } = difference;
  if (Number.isNaN(detectable)) {
    if (verdict === "not known") return [];
    return ["single runs do not show how much runs vary: repeat the runs"];
  }
  const more = Number.isFinite(neededRuns) ? `${neededRuns}` : "more than 1000";
  const needed = `to detect ${percent(detect)}, use ${more} runs of each set`;
  if (!isDetectable(difference)) return [`runs vary by ${percent(noise)}: ${needed}`];
  return [
    `runs vary by ${percent(noise)}: with ${a} and ${b} runs a change below ` +
    `${percent(detectable)} would be missed`,
    `in more than 1 of 10 cases; ${needed}`,
  ];
}

/** Is the gate passed, failed, or undecided? */
export function outcomeOf(verdict: Verdict, isStrict = false): "pass" | "fail" | "open" | "none" {
  if (verdict === "worse") return "fail";
  if (verdict === "not enough runs" || verdict === "not known") return "none";
  const isOpen = verdict === "no significant change" || verdict === "more, limit not decided";
  return isOpen && isStrict ? "open" : "pass";
}

function metricRow({ metric, unit, difference }: MetricRow): string[] {
  const { a, b, change } = difference;
  return [
    `${metric} (${unit})`,
    withSpread(a.mean, a.deviation),
    withSpread(b.mean, b.deviation),
    signed(change),
    limitTexts(difference, signed).join(" ... ") || "-",
  ];
}

function regionRow({ metric, difference: d, isSignificant }: RegionRow): string[] {
  const name = metric.slice("region:".length), mark = isSignificant ? " *" : "  ";
  const interval = limitTexts(d, signed).join(" ... ") || "-";
  return [
    name,
    figures(d.a.mean, 5),
    figures(d.b.mean, 5),
    signed(d.change),
    interval + mark,
  ];
}

function loneRow({ name, set, energyJ }: LoneRegion, letters: Letters): string[] {
  const joules = Number.isFinite(energyJ) ? figures(energyJ, 5) : "not known";
  const cells = set === 0 ? [joules, "-"] : ["-", joules];
  return [name, ...cells, `only in ${letters[set]}`, "-  "];
}

/** Columns are as wide as their widest cell, two blanks apart; the first one is cut. */
function table(rows: readonly (readonly string[])[]): string[] {
  const [, ...widths] = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const room = LINE_CHARACTERS - widths.reduce((sum, width) => sum + width + 2, 0);
  const names = rows.map(([name]) => printable(name));
  const first = Math.min(
    Math.max(room, MIN_NAME_CHARACTERS),
    Math.max(...names.map((n) => n.length)),
  );
  const short = cutCells(names, first);
  return rows.map(([, ...cells], i) => {
    return short[i].padEnd(first) + cells.map((c, k) => "  " + c.padStart(widths[k])).join("");
  });
}

function withSpread(mean: number, deviation: number): string {
  if (!Number.isFinite(mean)) return "-";
  return deviation > 0 ? `${figures(mean, 5)} ± ${figures(deviation, 2)}` : figures(mean, 5);
}

function runs(count: number): string {
  return `${count} run${count === 1 ? "" : "s"}`;
}

/** `4.1 %`. */
export function percent(value: number): string {
  return `${figures(100 * value, 3)} %`;
}

function signed(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return `${value < 0 ? "-" : "+"}${(100 * Math.abs(value)).toFixed(2)} %`;
}

/** For programs: every figure; what is not known is null. */
export function comparisonJson(comparison: Comparison, notes: ComparisonNotes): string {
  return nullJson(comparisonDocument(comparison, notes));
}

/** JSON in which a number that is not known is null. */
export function nullJson(document: unknown): string {
  return printableJson(JSON.stringify(document, (_, value) => {
    return typeof value === "number" && !Number.isFinite(value) ? null : value;
  }, 2)) + "\n";
}

/** Every figure as plain data. */
export function comparisonDocument(comparison: Comparison, notes: ComparisonNotes) {
  const { gate, job, regions, source, missing, unknown, lone, level, detect, letters } = comparison;
  return {
    gate: {
      ...rowJson(gate),
      verdict: gate.verdict,
      "max increase": gate.maxIncrease,
      "runs needed": gate.difference.neededRuns,
      "to detect": detect,
    },
    level,
    "energy of": source,
    ...(notes.simulated === undefined ? {} : { simulated: notes.simulated }),
    ...(notes.overruled.length === 0 ? {} : { "compared in spite of": notes.overruled }),
    job: job.map(rowJson),
    regions: regions.map((region) => ({
      ...rowJson(region),
      p: region.p,
      "p is": "Holm",
      significant: region.isSignificant,
    })),
    "regions of one set": lone.map((one) => ({ ...one, set: letters[one.set] })),
    "regions of some runs": missing,
    "regions without a known energy": unknown,
    design: comparison.design,
    warnings: comparison.warnings,
  };
}

function rowJson({ metric, unit, a, b, difference: d }: MetricRow) {
  return {
    metric,
    unit,
    a,
    b,
    change: d.change,
    low: d.low,
    high: d.high,
    p: d.p,
    noise: d.noise,
    detectable: d.detectable,
  };
}

/** A comparison that is a test case. */
export interface JunitCase {
  readonly comparison: Comparison;
  readonly notes: ComparisonNotes;
  /** Name of the compared metric, before the limit. @default nothing */
  readonly name?: string;
}

/** JUnit's XML: the gate of each comparison is a test. @param suite The subcommand. */
export function comparisonJunit(cases: readonly JunitCase[], suite = "compare"): string {
  const outcomes = cases.map(({ comparison }) => outcomeOf(comparison.gate.verdict));
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  const counts = `tests="${cases.length}" failures="${count("fail")}" errors="${count("none")}"`;
  const tests = cases.map(({ comparison, notes, name = "" }, i) => {
    const { gate } = comparison;
    const limit = `${name}${gate.metric} increases by at most ${percent(gate.maxIncrease)}`;
    const verdict = xml(verdictText(comparison));
    const element = { fail: "failure", none: "error", open: "", pass: "" }[outcomes[i]];
    const inner = element === "" ? "" : `      <${element} message="${verdict}"/>\n`;
    return `    <testcase classname="joulemark.${suite}" name="${xml(limit)}">
${inner}      <system-out>${xml(comparisonText(comparison, notes))}</system-out>
    </testcase>
`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="joulemark ${suite}" ${counts}>
${tests.join("")}  </testsuite>
</testsuites>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** XML 1.0 has no control characters, not even as numbers; printable() leaves none but LF. */
function xml(text: string): string {
  return text.split("\n").map(printable).join("\n").replace(/[&<>"]/g, (c) => ENTITIES[c]);
}
