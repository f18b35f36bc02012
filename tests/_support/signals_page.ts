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
import { typeMeaning } from "../../src/sources/readers/raw/key_meanings.ts";

/** Maximum number of rows per reader; above it signals are grouped into families. */
const MAX_SIGNALS = 300;
/** Maximum number of names in a line of a list. */
const MAX_NAMES = 6;

/** Text that stays in its cell. */
function cell(text: string): string {
  return text.replace(/\|/g, "\\|").replace(/\s+/g, " ").trim();
}

function sentence(row: SignalRow): string {
  const about = row.about.replace(/\.$/, "");
  return row.quirks === undefined ? about : `${about}. Note: ${row.quirks.replace(/\.$/, "")}`;
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

/** Keys of one kind, as rows of a table: `CTL0` to `CTL3` are one row, and so are the operations of NFS. */
function keyRows(members: readonly SignalRow[], family: string): string {
  const kinds = Map.groupBy(members, ({ name, unit, about }) => {
    const key = name.slice(family.length);
    const [, operation] =
      /^([A-Z]+)_(?:ops|ntrans|timeouts|bytes_\w+|queue|rtt|execute)$/.exec(key) ??
        [];
    if (operation !== undefined) {
      return `OP${key.slice(operation.length)}|${unit}|${about.replace(operation, "OP")}`;
    }
    return /^(?:CTL|CTR|PMC|PERFEVTSEL)\d$/.test(key)
      ? `|${unit}|${about}`
      : `${key}|${unit}|${about}`;
  });
  return [...kinds].map(([kind, rows]) => {
    const [word, unit, about] = kind.split("|");
    const keys = [rows[0], rows.at(-1)!].map(({ name }) => `\`${name.slice(family.length)}\``);
    const shown = word !== "" ? `\`${word}\`` : keys[0] === keys[1] ? keys[0] : keys.join(" to ");
    const notes = rows[0].quirks === undefined ? "" : `. Note: ${rows[0].quirks}`;
    return `| ${shown} | ${unit || "-"} | ${cell(about + notes)} |`;
  }).join("\n");
}

/** Signals of raw stats by their type: too many for a row of the usual table each. */
function families(rows: readonly SignalRow[]): string {
  const byFamily = Map.groupBy(rows, ({ name }) => name.slice(0, name.lastIndexOf(":") + 1));
  const types = [...byFamily].map(([family, [{ domain, source }]]) => {
    const about = typeMeaning(family.slice("RAW::".length, -1));
    return `| \`${family}KEY\` | ${domain} | ${cell(source ?? "-")} | ${about} |`;
  });
  const byKeys = Map.groupBy(byFamily, ([family, members]) => keyRows(members, family));
  const tables = [...byKeys].map(([table, found]) => {
    const names = found.map(([family]) => `\`${family.slice(0, -1)}\``).join(", ");
    const operations = table.includes("`OP_")
      ? "OP stands for an operation of NFS, such as READ, WRITE or GETATTR.\n\n"
      : "";
    return `Keys of ${names}:\n\n${operations}| key | unit | meaning |\n| --- | --- | --- |\n${table}\n`;
  });
  return `A signal has the name RAW::TYPE:KEY, such as \`RAW::cpu:user\`. The first table has the types. The tables
after it have the keys.

| signals | domain | source | meaning of the type |
| --- | --- | --- | --- |
${types.join("\n")}

${tables.join("\n")}`;
}

function aliases(): string {
  const lines = [
    "| signal | domain | unit | meaning | first of these that the node has |",
    "| --- | --- | --- | --- | --- |",
  ];
  for (const { row, candidates, follows } of aliasesWith(READERS)) {
    const own = Object.entries(follows?.sources ?? {})
      .map(([source, name]) => `\`${name}\` if \`${follows!.alias}\` is \`${source}\``);
    const names = [...own, ...candidates.map((name) => `\`${name}\``)].join(", ");
    lines.push(
      `| \`${row.name}\` | ${row.domain} | ${row.unit || "-"} | ${cell(row.about)} | ${names} |`,
    );
  }
  for (const [name, target] of Object.entries(TRACKER_ALIASES)) {
    const { domain, unit } = TRACKER_SIGNALS.find((row) => row.name === target)!;
    lines.push(
      `| \`${name}\` | ${domain} | ${
        unit || "-"
      } | another name in GEOPM for \`${target}\` | \`${target}\` |`,
    );
  }
  return lines.join("\n");
}

/** Things that a reader needs, as an item of a list; a long list is a list of its own. */
function needed(title: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  if (names.length <= MAX_NAMES) return `- ${title}: ${names.join(", ")}\n`;
  return `- ${title}:\n${names.map((name) => `  - ${name}\n`).join("")}`;
}

/** A block of the page for each reader. */
function readers(): string {
  return READERS.map((reader) => {
    const { files, libraries, capabilities } = reader.needs;
    const needs = [
      needed("Files", files.map((file) => `\`${file}\``)),
      needed("Libraries", libraries),
      needed("Capability to read restricted files", capabilities),
    ].join("");
    return `### ${reader.name}\n\n${reader.about}\n\n${needs}\n${
      reader.signals.length > MAX_SIGNALS ? families(reader.signals) : table(reader.signals)
    }\n`;
  }).join("\n");
}

/** The whole page. */
export function signalsPage(): string {
  return `# Signals

A *signal* is a named value that joulemark can read on a node, such as \`CPU_ENERGY\`. This page lists all signals. You
can record them with the options \`run --report-signals\`, \`run --trace-signals\` and \`sample --signals\`. These commands print signals:

| command | prints |
| --- | --- |
| \`joulemark read\` | names of the signals of this node |
| \`joulemark read CPU_ENERGY package 0\` | one value |
| \`joulemark read --list WORD\` | all signals whose name or description contains WORD |
| \`joulemark read --info SIGNAL\` | the source of a signal on this node, and why joulemark uses this source |

If a node does not have the source of a signal, the signal is absent. Its value is then NaN, and never 0.

The tables have these columns:

| column | meaning |
| --- | --- |
| domain | kind of hardware part that has its own value: board (the whole node), package (one processor), core, cpu, memory, gpu and others |
| unit | SI unit; \`-\` for a number without a unit |
| behavior | monotone: grows, such as an energy counter. variable: may rise and fall. constant: does not change. label: a number that stands for a name |
| aggregation | how the values of several parts become one value. For example, the node's \`CPU_ENERGY\` is the sum over its packages. The next table has the rules |
| source | register, file or function that the value comes from |

| aggregation | value of several parts |
| --- | --- |
| sum, average, min, max | sum, mean, minimum or maximum of their values |
| select_first | value of the first part |
| expect_same | value of the parts if all parts have the same value, else NaN |
| region_hash | region of the CPUs if all are in the same region, else the hash of "outside of all regions" |
| region_hint | hint of the CPUs if all have the same hint, else UNKNOWN |

\`deno task docs\` makes this page from the tables of the program.

## Portable names

Use these names in scripts, because they are the same on every node. Each name stands for one signal of the node. The last
column lists the possible signals, and joulemark uses the first of them that the node has.

In the last column some signals have a condition with *if*. For example, \`CPU_POWER\` is \`CNL::PACKAGE_POWER\` if \`CPU_ENERGY\` is
\`CNL::PACKAGE_ENERGY\`. So power and energy always come from the same source.

Some names are names of the tools PAPI and CrayPat. PAPI writes the name of a component before such a name. joulemark accepts this form, too, as in
\`rapl:::PACKAGE_ENERGY\`.

${aliases()}

## Signals of the application

joulemark calculates these signals from the annotations of the application. A *hint* is the kind of work that a region
does. An *epoch* is one step of the application's outer loop.

${table(TRACKER_SIGNALS)}

## Calculated signals

joulemark calculates these signals from other signals. In the table, ΔX is the increase of X since the last sample.

${table(DERIVED.map((derived) => derived.row))}

## Cost of a sample

joulemark reads every register and every file once per sample. The files stay open. To estimate the time of a sample, add up
these times over all values:

| action | time per value |
| --- | --- |
| read a file in memory | 0.5 µs |
| read a real register | 1 to 2 µs |
| convert and aggregate the value | 0.12 µs |

If reading all counters takes more than a tenth of the sampling period, joulemark reads the counters of single CPUs only at every n-th sample. The report then has the number n as \`ticks between reads of per-CPU counters\`.

msr-safe is a kernel module that lets users read registers. If the node has the file \`/dev/cpu/msr_batch\` of this module, one system call reads all registers. joulemark was tested with a simulation of this file, and not with msr-safe itself.

## Sources

Each of the following sections is one *reader*: the part of joulemark that reads one source. \`--without NAME\` disables the
reader NAME.

${readers()}`;
}
