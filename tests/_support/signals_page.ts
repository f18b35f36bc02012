/**
 * docs/signals.md, made from the rows themselves, so that it cannot disagree with them.
 *
 * @module
 */
import type { SignalRow } from "../../src/core/signal.ts";
import { READERS } from "../../src/readers/all.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../../src/regions/tracker_signals.ts";
import { ALIASES } from "../../src/signals/alias.ts";
import { DERIVED } from "../../src/signals/derived.ts";

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

function aliases(): string {
  const lines = [
    "| signal | domain | unit | what it is | stands for the first of these that the node has |",
    "| --- | --- | --- | --- | --- |",
  ];
  for (const { row, candidates, follows } of ALIASES) {
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
    return `### ${reader.name}\n\nReads ${needs}.\n\n${table(reader.signals)}\n`;
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

## Sources

A reader is left out with \`--without NAME\`.

${readers()}`;
}
