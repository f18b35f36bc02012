/**
 * docs/reference/signals.md, made from the rows themselves, so that it cannot disagree with them.
 *
 * @module
 */
import type { SignalRow } from "../../src/core/signal.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../../src/marks/tracker/tracker_signals.ts";
import { aliasesWith } from "../../src/sources/signals/alias.ts";
import { DERIVED } from "../../src/sources/signals/derived.ts";

/** Maximum number of rows per reader; above it signals are grouped into families. */
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
    "| signal | domain | unit | behavior | aggregation | source | meaning |",
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
    "| signal | domain | unit | meaning | first of these that the node has |",
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
      ...(capabilities.length === 0 ? [] : [`for restricted files, ${capabilities.join(", ")}`]),
    ].join("; ");
    return `### ${reader.name}\n\nReads ${needs}.\n\n${
      reader.signals.length > MAX_SIGNALS ? families(reader.signals) : table(reader.signals)
    }\n`;
  }).join("\n");
}

/** The whole page. */
export function signalsPage(): string {
  return `# Signals

| command | prints |
| --- | --- |
| \`joulemark read\` | the signals of this node |
| \`joulemark read --list WORD\` | all signals whose name contains WORD |
| \`joulemark read --info SIGNAL\` | the source of a signal and why it was selected |

\`deno task docs\` makes this page from the tables of the program. Values are in SI units. A signal
without a source on a node is absent and reads NaN, never 0. At a domain wider than its own, a signal is
aggregated over the instances inside.

## Portable names

Each name stands for one source on a node. Names of PAPI and CrayPat may have their component, as in
\`rapl:::PACKAGE_ENERGY\`.

${aliases()}

## Signals of the application

${table(TRACKER_SIGNALS)}

## Calculated signals

${table(DERIVED.map((derived) => derived.row))}

## Cost of a sample

Every register and every file is read once per sample through a descriptor that stays open. Decoding and
aggregating takes 0.12 µs per value. A read of a file in memory takes 0.5 µs, a read of a real register 1 to
2 µs. If reads take more than a tenth of the period, counters of single CPUs are read every n-th sample, and the
report says so. With msr-safe's \`/dev/cpu/msr_batch\` one call reads all registers (tested with a stub of the
module).

## Sources

\`--without NAME\` disables a reader.

${readers()}`;
}
