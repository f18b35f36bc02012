/**
 * docs/signals.md, made from the rows themselves, so that it cannot disagree with them.
 *
 * @module
 */
import type { SignalRow } from "../../src/core/signal.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../../src/marks/tracker/tracker_signals.ts";
import { aliasesWith } from "../../src/sources/signals/alias.ts";
import { DERIVED } from "../../src/sources/signals/derived.ts";

/** Above this a row for each signal helps nobody. */
const MAX_SIGNALS = 300;

/** Text that stays in its cell. */
function cell(text: string): string {
  return text.replace(/\|/g, "\\|").replace(/\s+/g, " ").trim();
}

function sentence(row: SignalRow): string {
  const about = row.about.replace(/\.$/, "");
  return row.quirks === undefined ? about : `${about}. Mind: ${row.quirks.replace(/\.$/, "")}`;
}

function table(rows: readonly SignalRow[]): string {
  const lines = [
    "| signal | domain | unit | behavior | aggregation | source | what it is |",
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const row of rows) {
    const { name, domain, unit, behavior, agg } = row;
    const cells = [
      `\`${name}\``,
      domain,
      unit || "-",
      behavior,
      agg,
      row.source ?? "-",
      sentence(row),
    ];
    lines.push(`| ${cells.map(cell).join(" | ")} |`);
  }
  return lines.join("\n");
}

/** Names that end in `:key` by what stands before, units in brackets: too many for a row each. */
function families(rows: readonly SignalRow[]): string {
  const byFamily = new Map<string, SignalRow[]>();
  for (const row of rows) {
    const family = row.name.slice(0, row.name.lastIndexOf(":") + 1);
    byFamily.set(family, [...byFamily.get(family) ?? [], row]);
  }
  const lines = ["| signals | domain | source | keys |", "| --- | --- | --- | --- |"];
  for (const [family, members] of byFamily) {
    const keys = members.map(({ name, unit }) => {
      return `\`${name.slice(family.length)}\`${unit === "" ? "" : ` (${unit})`}`;
    });
    const { domain, source } = members[0];
    lines.push(`| \`${family}…\` | ${domain} | ${cell(source ?? "-")} | ${keys.join(", ")} |`);
  }
  return lines.join("\n");
}

function aliases(): string {
  const lines = [
    "| signal | domain | unit | what it is | stands for the first of these that the node has |",
    "| --- | --- | --- | --- | --- |",
  ];
  for (const { row, candidates, follows } of aliasesWith(READERS)) {
    const own = Object.entries(follows?.sources ?? {})
      .map(([source, name]) => `\`${name}\` where \`${follows!.alias}\` is \`${source}\``);
    const names = [...own, ...candidates.map((name) => `\`${name}\``)].join(", ");
    lines.push(
      `| \`${row.name}\` | ${row.domain} | ${row.unit || "-"} | ${cell(row.about)} | ${names} |`,
    );
  }
  for (const [name, target] of Object.entries(TRACKER_ALIASES)) {
    lines.push(`| \`${name}\` | cpu | - | the same | \`${target}\` |`);
  }
  return lines.join("\n");
}

/** A block of the page for each reader. */
function readers(): string {
  return READERS.map((reader) => {
    const { files, libraries, capabilities } = reader.needs;
    const needs = [
      `files under ${files.map((f) => `\`${f}\``).join(", ")}`,
      ...(libraries.length === 0 ? [] : [`libraries ${libraries.join(", ")}`]),
      ...(capabilities.length === 0 ? [] : [`for what is closed, ${capabilities.join(", ")}`]),
    ].join("; ");
    return `### ${reader.name}\n\nReads ${needs}.\n\n${
      reader.signals.length > MAX_SIGNALS ? families(reader.signals) : table(reader.signals)
    }\n`;
  }).join("\n");
}

/** The whole page. */
export function signalsPage(): string {
  return `# Signals

Quick reference: \`joulemark read\` lists what this node has, \`joulemark read --list WORD\` searches
all names, \`joulemark read --info SIGNAL\` tells the source of one and why it was chosen.

This page is made from the tables of the program by \`deno task docs\`; a test fails when it is stale.
Values are in SI units. A signal without a source on a node is absent and reads NaN, never 0. At a
domain wider than its own, a signal is its aggregation over the instances inside.

## Portable names

Each stands for one source on a node, so that nothing is counted twice. Names of PAPI and CrayPat may
also be written with their component, as \`rapl:::PACKAGE_ENERGY\`.

${aliases()}

## Signals of the application

${table(TRACKER_SIGNALS)}

## Calculated signals

${table(DERIVED.map((derived) => derived.row))}

## What a reading costs

Every register and every file is read once a tick by a descriptor that stays open, and nothing is
allocated. Five registers of each of 256 CPUs, as files in memory on a virtual machine with two cores
(AMD EPYC, Linux 6.18, tests/bench/tick_bench.ts): 0.67 ms for the kernel's reads, 0.15 ms for
decoding and aggregating 1280 values, 0.12 µs each. Our own part stays under 3 % of a core at the
default period of 5 ms; reads included, at 27 ms or more. A real register takes 1 to 2 µs where these
took 0.5 µs, which was not measured here: when reads take more than a tenth of the period, those of
single CPUs are done every n-th tick, and the report says so. With msr-safe's \`/dev/cpu/msr_batch\`
one call reads all registers; that was tested with a stand-in of the module.

## Sources

A reader is left out with \`--without NAME\`.

${readers()}`;
}
