/**
 * Text of `doctor` for people: one reason per source in few words, fixes below, 80 columns.
 *
 * @module
 */
import type { Diagnosis, LiveCounter, RecordRow, SourceRow } from "./diagnose.ts";
import type { Remedy } from "../../core/remedy.ts";
import { answerLines, driversOf, gainsOf, quantitiesOf } from "./doctor_answer.ts";
import type { SettingsFound } from "../command_line/settings.ts";
import { FIRST_SECTION } from "../../core/config_text.ts";
import { printable } from "../../core/printable.ts";
import { PERMISSIONS } from "../permissions.ts";

/** Widest line where the width of the terminal is not known. */
export const PLAIN_WIDTH = 80;
/** Below this no table can be read. */
const MIN_WIDTH = 60;
const NAME_COLUMN = 12;
const STATE_COLUMN = 23;
const FIGURE_COLUMN = 28;
const QUANTITY_COLUMN = 17, WHY_COLUMN = 36;

/** Amount and width of the text. */
export interface TextStyle {
  /** True to print also sources, settings and permissions. @default false */
  readonly sources?: boolean;
  /** True to print also the rows that are absent in a readable source. */
  readonly verbose: boolean;
  /** @default 80 */
  readonly width?: number;
}

/** Breaks text at blanks; words that are longer than a line alone are cut, paths after a slash. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(/\s+/).filter((w) => w !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    while (word.length > width) {
      const slash = word.lastIndexOf("/", width - 1);
      const cut = slash > 0 ? slash + 1 : width;
      lines.push(word.slice(0, cut));
      word = word.slice(cut);
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  return lines;
}

/** The whole answer, each line ended. */
export function diagnosisText(
  found: Diagnosis & { readonly settings?: SettingsFound },
  style: TextStyle,
): string {
  const page = new Page(Math.max(MIN_WIDTH, style.width ?? PLAIN_WIDTH));
  answer(page, found);
  if (style.sources !== true && !style.verbose) {
    page.line("Details: joulemark doctor --sources, --permissions");
    return page.text();
  }
  page.title("");
  const where = found.root === ""
    ? "this machine"
    : `the directory ${found.root}: nothing is measured`;
  page.entry("Node", 6, `${found.processor}; ${found.domains}; ${where}`);
  page.title("Sources");
  // One that is not running gets a line only where a source is closed.
  const isWanted = found.sources.some(({ state }) => state === "forbidden" || state === "partly");
  const collector = found.collector;
  if (collector !== undefined && (collector.answers || isWanted)) {
    page.entry("  collector", NAME_COLUMN, collector.state);
  }
  for (const source of found.sources) sourceLines(page, source, style.verbose);
  page.title("A run on this node would record");
  for (const record of found.records) recordLines(page, record);
  if (found.containment.length > 0) {
    page.title(
      "Energy counters (and their portable names), each below the counter that includes it",
    );
    for (const { signal, depth, chosenAs } of found.containment) {
      const role = chosenAs.length === 0 ? "" : ` (${chosenAs.join(", ")})`;
      page.entry("", 2 + 2 * depth, signal + role);
    }
  }
  if (found.settings !== undefined) settingLines(page, found.settings);
  page.title("Permissions in force");
  for (const [name, value] of Object.entries(found.permissions)) {
    page.entry(`  ${name}`, FIGURE_COLUMN, value);
  }
  page.title("Permissions of the executable");
  for (const p of PERMISSIONS) page.entry(`  ${p.flag.split("=")[0]}`, FIGURE_COLUMN, p.why);
  return page.text();
}

/** The answer, the quantities, and remedies that make one available. */
function answer(page: Page, found: Diagnosis): void {
  const rows = quantitiesOf(found);
  for (const line of answerLines(found, rows)) page.line(line);
  page.line("");
  page.line(
    `${"quantity".padEnd(QUANTITY_COLUMN)}${
      "state".padEnd(WHY_COLUMN - QUANTITY_COLUMN)
    }source, or reason`,
  );
  for (const { name, state, why } of rows) {
    page.entry(name.padEnd(QUANTITY_COLUMN) + state, WHY_COLUMN, why);
  }
  const gains = gainsOf(found, rows), drivers = driversOf(found, rows);
  if (gains.length + drivers.length === 0) {
    const isPart = rows.some(({ state }) => state === "in part");
    page.line(isPart ? "Ask your administrator for what is missing." : "There is nothing to fix.");
    return;
  }
  let number = 0;
  for (const { line, how, quantities } of drivers) {
    page.title(`To get ${listed(quantities)}, ${how}:`);
    page.command(2, `${++number}. ${line}`);
  }
  const groups = Map.groupBy(gains, ({ quantities }) => quantities.join(", "));
  for (const [, list] of groups) {
    page.title(
      `To get ${listed(list[0].quantities)}, ask your administrator for one of these ` +
        "(lowest risk first):",
    );
    const hasCollector = found.collector?.answers !== true &&
      list[0].quantities.some((name) => name.endsWith("energy"));
    if (hasCollector) {
      page.entry(
        `  ${++number}.`,
        5,
        "risk low: run joulemark collector as a service. Only the users or the group that you name " +
          "get values (joulemark doctor --unit service)",
      );
    }
    for (const { reader, remedy } of list) {
      page.entry(`  ${++number}.`, 5, `${reader}, risk ${remedy.risk}: ${remedy.opens}`);
      for (const line of remedy.lines) page.command(7, line);
      if (remedy.undo === undefined) continue;
      page.entry("", 5, "and when the job ends:");
      for (const line of remedy.undo) page.command(7, line);
    }
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function settingLines(page: Page, { files, inForce, mistakes }: SettingsFound): void {
  page.title("Settings");
  for (const { path, state } of files) page.entry(`  ${path}`, FIGURE_COLUMN, state);
  for (const { verb, option, value, from } of inForce) {
    const label = verb === FIRST_SECTION ? option : `${verb}: ${option}`;
    page.entry(`  ${label}`, FIGURE_COLUMN, `${printable(value)} (${from})`);
  }
  for (const line of mistakes) page.entry("  ignored", FIGURE_COLUMN, printable(line));
}

/** Lines under construction. */
class Page {
  readonly #lines: string[] = [];
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  title(text: string): void {
    this.#lines.push("", ...wrapText(text, this.#width));
  }

  /** A line; further lines have its indent. */
  line(text: string): void {
    const indent = /^ */.exec(text)![0];
    const parts = wrapText(text, this.#width - indent.length);
    for (const part of parts) this.#lines.push(text.includes("   ") ? text : indent + part);
  }

  /** A label, and text beside it from a column on; its further lines begin there too. */
  entry(label: string, column: number, text: string): void {
    const parts = wrapText(text, this.#width - column);
    const first = label.length < column ? label.padEnd(column) : `${label} `;
    if (first.length > column && first.length + parts[0].length > this.#width) {
      this.#lines.push(label, ...parts.map((part) => " ".repeat(column) + part));
    } else {
      this.#lines.push(first + parts[0]);
      for (const part of parts.slice(1)) this.#lines.push(" ".repeat(column) + part);
    }
  }

  /** A command line, broken so that it can be copied unchanged. */
  command(column: number, line: string): void {
    const parts = wrapText(line, this.#width - column - 4);
    parts.forEach((part, k) => {
      const more = k < parts.length - 1 ? " \\" : "";
      this.#lines.push(" ".repeat(k === 0 ? column : column + 2) + part + more);
    });
  }

  text(): string {
    return this.#lines.map((line) => line.trimEnd() + "\n").join("");
  }
}

function sourceLines(page: Page, source: SourceRow, verbose: boolean): void {
  const label = `  ${source.reader.padEnd(NAME_COLUMN - 3)} ${source.state}`;
  page.entry(label, STATE_COLUMN, source.summary);
  if (source.remedy !== undefined) page.entry("", STATE_COLUMN, `fix: ${source.remedy}`);
  for (const line of liveLines(source.live)) page.entry("", STATE_COLUMN, line);
  for (const note of source.notes) page.entry("", STATE_COLUMN, `note: ${note}`);
  for (const remedy of source.mends) remedyLines(page, remedy);
  if (!verbose) return;
  for (const lack of source.lacks) {
    page.entry("", STATE_COLUMN, `${lack.signal}: ${lack.kind}, ${lack.reason}`);
  }
}

function remedyLines(page: Page, remedy: Remedy): void {
  page.entry("", NAME_COLUMN, `fix, risk ${remedy.risk}: ${remedy.opens}`);
  for (const line of remedy.lines) page.command(NAME_COLUMN + 2, line);
  if (remedy.undo === undefined) return;
  page.entry("", NAME_COLUMN, "and when the job ends:");
  for (const line of remedy.undo) page.command(NAME_COLUMN + 2, line);
}

/** Counters with the same text share a line. */
function liveLines(counters: readonly LiveCounter[]): string[] {
  return [...Map.groupBy(counters, liveFacts)].map(([facts, list]) => {
    return `${list.map(({ signal }) => signal).join(", ")}: ${facts}`;
  });
}

function liveFacts(live: LiveCounter): string {
  return [
    live.live ? "live" : "did not change during the test",
    live.updatePeriodS === undefined ? "" : `changes every ${milliseconds(live.updatePeriodS)}`,
    live.resolution === undefined ? "" : `step ${Number(live.resolution.toPrecision(3))} J`,
    live.wrapRange === undefined ? "" : `wraps at ${Math.round(live.wrapRange)} J`,
    live.wrapTimeS === undefined ? "" : `in ${Math.round(live.wrapTimeS)} s at this pace`,
  ].filter((fact) => fact !== "").join(", ");
}

function recordLines(page: Page, record: RecordRow): void {
  page.entry(`  ${record.name}`, FIGURE_COLUMN, recordText(record));
  if (record.note !== undefined) page.entry("", FIGURE_COLUMN, record.note);
}

/** The reason for each source is printed once, in the list of sources. */
function recordText(record: RecordRow): string {
  if (record.available) return `${record.source} (${record.quality})`;
  const { readers = [], closed = [] } = record;
  if (closed.length > 0) return `not available: no permission for ${closed.join(", ")}, see above`;
  return readers.length < 2
    ? `not available: ${record.reason}`
    : `not available from ${readers.join(", ")}`;
}

function milliseconds(seconds: number): string {
  return `${Number((seconds * 1000).toPrecision(2))} ms`;
}
