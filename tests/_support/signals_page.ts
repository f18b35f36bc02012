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

/** Content of each reader, by its name. */
const ABOUT: Readonly<Record<string, string>> = {
  AMDGPU: "GPUs of AMD, by the kernel driver amdgpu.",
  CGROUP: "CPU time, memory and limits of the job's control group.",
  CPUFREQ: "Clock frequencies of the CPUs and their limits, by the kernel.",
  CPUINFO: "Constant frequencies of the processor model.",
  CNL: "The pm_counters of HPE Cray nodes: power and energy of node, processors, memory and GPUs.",
  HWMON: "Sensors that the kernel has as hwmon devices: temperatures, power and energy.",
  INTEL_GPU: "GPUs of Intel, by the kernel drivers i915 and xe.",
  IPMI: "Node power by the BMC, the small computer that controls the node.",
  MEMINFO: "Memory use of the node.",
  MSR:
    "Registers of Intel and AMD processors: energy (RAPL), cycles, frequencies, temperatures, limits.",
  NVML: "GPUs of NVIDIA, by the library NVML.",
  PERF: "Counters of the whole node by perf_event_open(2): energy (RAPL), cycles, instructions.",
  PERF_APP: "Counters of the launched command and its child processes, by perf_event_open(2).",
  POWERCAP:
    "Energy counters (RAPL) and power limits of the processors, by the kernel interface powercap.",
  PRESSURE: "Time in which processes waited for CPU, memory or I/O, by the kernel.",
  PROCSTAT: "CPU time of the node, context switches and processes, by the kernel.",
  RAW: "The types and keys of raw stats, the files of hpcperfstats.",
  ROCM: "GPUs of AMD, by the library ROCm SMI.",
  THERMAL: "Temperatures that the kernel has as thermal zones.",
};

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
      } | GEOPM's other name of \`${target}\` | \`${target}\` |`,
    );
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
    const about = ABOUT[reader.name];
    if (about === undefined) throw new Error(`signals_page.ts does not describe ${reader.name}`);
    return `### ${reader.name}\n\n${about} Reads ${needs}.\n\n${
      reader.signals.length > MAX_SIGNALS ? families(reader.signals) : table(reader.signals)
    }\n`;
  }).join("\n");
}

/** The whole page. */
export function signalsPage(): string {
  return `# Signals

A *signal* is a named value that joulemark can read on a node, such as \`CPU_ENERGY\`. This page lists all signals. You
can record them with \`run --report-signals\`, \`run --trace-signals\` and \`sample --signals\`. These commands print signals:

| command | prints |
| --- | --- |
| \`joulemark read\` | names of the signals of this node |
| \`joulemark read CPU_ENERGY package 0\` | one value |
| \`joulemark read --list WORD\` | all signals whose name contains WORD |
| \`joulemark read --info SIGNAL\` | the source of a signal on this node, and why it was selected |

If a node does not have the source of a signal, the signal is absent. Its value is then NaN, and never 0.

The tables have these columns:

| column | meaning |
| --- | --- |
| domain | kind of hardware part that has its own value: board (the whole node), package (one processor), core, cpu, memory, gpu and others |
| unit | SI unit; \`-\` for a number without a unit |
| behavior | monotone: grows, such as an energy counter. variable: may rise and fall. constant: does not change. label: a number that stands for a name |
| aggregation | how the values of several parts become one value. For example, the node's \`CPU_ENERGY\` is the sum over its packages |
| source | register, file or function that the value comes from |

\`deno task docs\` makes this page from the tables of the program.

## Portable names

Use these names in scripts, because they are the same on every node. Each name stands for one signal of the node: for the
first signal in the last column that the node has. Some of these signals have a condition: \`A\` if \`B\` is \`C\` means that
\`A\` is used only if the portable name \`B\` stands for \`C\`. So power and energy come from the same source.

You can write names of PAPI and CrayPat with their component, as in \`rapl:::PACKAGE_ENERGY\`.

${aliases()}

## Signals of the application

joulemark calculates these signals from the annotations of the application. A *hint* is the kind of work that a region
does. An *epoch* is one step of the application's outer loop.

${table(TRACKER_SIGNALS)}

## Calculated signals

joulemark calculates these signals from other signals. ΔX is the increase of X since the last sample.

${table(DERIVED.map((derived) => derived.row))}

## Cost of a sample

joulemark reads every register and every file once per sample. The files stay open. These times are added up for a
sample:

| action | time per value |
| --- | --- |
| read a file in memory | 0.5 µs |
| read a real register | 1 to 2 µs |
| convert and aggregate the value | 0.12 µs |

If the readings take more than a tenth of the sampling period, joulemark reads counters of single CPUs only at every n-th
sample. The report then has this number n. If the kernel module msr-safe has \`/dev/cpu/msr_batch\`, one system call reads all
registers. This was tested with a replacement of the module.

## Sources

Each of the following sections is one *reader*: the part of joulemark that reads one source. \`--without NAME\` disables the
reader NAME.

${readers()}`;
}
