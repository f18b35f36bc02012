/**
 * `joulemark doctor`: every source of this node, what is in its way, and what would mend it.
 * @module
 */
import { parseArgs } from "@std/cli";
import { UsageError } from "../core/errors.ts";
import type { Host } from "../core/host.ts";
import type { Catalogue } from "../signals/catalogue.ts";
import { diagnose, type Diagnosis, type SourceRow } from "./diagnose.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { permissionFlags, PERMISSIONS } from "./permissions.ts";
import type { Verb } from "./verb.ts";

const HELP = `Says which sources this node has, what is in the way, and what would mend it.

Usage: joulemark doctor [options]

Options:
  --json         the same as JSON
  --permissions  the permission flags that the executable is built with
  --root DIR     examine a tree laid out like / instead of the machine
  --without READERS  leave readers out, comma-separated
  -v, --verbose  also the rows that a readable source lacks
  -h, --help     this text

Mends are listed least risk first. Energy counters are for root since
CVE-2020-8694, because readings leak keys: open them to a group, not to all.

Examples:
  joulemark doctor
  joulemark doctor --json
  joulemark doctor --permissions
`;

/** See the module. */
export const doctor: Verb = {
  name: "doctor",
  summary: "which sources this node has, and what is in the way",
  help: HELP,
  run(args) {
    const flags = parseArgs(args, {
      string: ["root", "without", "format", "_"],
      boolean: ["json", "permissions", "help", "verbose", "quiet", "debug"],
      alias: { help: "h", verbose: "v", quiet: "q" },
      unknown: (arg: string) => {
        throw new UsageError({
          action: "examine",
          target: arg,
          expected: "a known option",
          remedy: 'see "joulemark doctor --help"',
        });
      },
    });
    if (flags.help) {
      writeStdout(HELP);
      return EXIT.done;
    }
    if (flags.permissions) {
      writeStdout(permissionFlags().map((flag) => flag + "\n").join(""));
      return EXIT.done;
    }
    const { host, catalogue } = openCatalogue(flags);
    const found = diagnose(host, catalogue);
    if (flags.json || flags.format === "json") writeStdout(JSON.stringify(found, null, 2) + "\n");
    else writeStdout(text(found, { verbose: flags.verbose, host, catalogue }));
    return EXIT.done;
  },
};

interface Style {
  readonly verbose: boolean;
  readonly host: Host;
  readonly catalogue: Catalogue;
}

function text(found: Diagnosis, style: Style): string {
  const lines: string[] = [];
  const where = found.root === "" ? "this machine" : `${found.root} (a tree: nothing is measured)`;
  lines.push(`Node: ${found.processor}, ${found.domains}; ${where}`, "", "Sources");
  for (const source of found.sources) lines.push(...sourceLines(source, style.verbose));
  lines.push("", "A run would record here");
  for (const r of found.records) {
    const what = r.available ? `${r.source} (${r.quality})` : `nothing: ${r.reason}`;
    lines.push(`  ${r.name.padEnd(26)}${what}`);
    if (r.note !== undefined) lines.push(`${" ".repeat(28)}${r.note}`);
  }
  lines.push("", "Permissions in force");
  for (const [name, value] of Object.entries(found.permissions)) {
    lines.push(`  ${name.padEnd(24)}${value}`);
  }
  lines.push("", "Permissions of the executable");
  for (const p of PERMISSIONS) lines.push(`  ${p.flag.split("=")[0].padEnd(24)}${p.why}`);
  return lines.map((line) => line.trimEnd() + "\n").join("");
}

function sourceLines(source: SourceRow, verbose: boolean): string[] {
  const indent = " ".repeat(24);
  const lines = [`  ${source.reader.padEnd(10)}${source.state.padEnd(12)}${source.summary}`];
  for (const live of source.live) {
    const facts = [
      live.live ? "live" : "did not change while watched",
      live.updatePeriodS === undefined ? "" : `changes every ${milliseconds(live.updatePeriodS)}`,
      live.resolution === undefined ? "" : `step ${live.resolution} J`,
      live.wrapRange === undefined ? "" : `wraps at ${Math.round(live.wrapRange)} J`,
    ].filter((fact) => fact !== "").join(", ");
    lines.push(`${indent}${live.signal}: ${facts}`);
  }
  for (const note of source.notes) lines.push(`${indent}note: ${note}`);
  for (const mend of source.mends) {
    lines.push(`${indent}mend (risk ${mend.risk}): ${mend.line}`, `${indent}  opens ${mend.opens}`);
  }
  if (verbose) {
    for (const lack of source.lacks) lines.push(`${indent}${lack.signal}: ${lack.reason}`);
  }
  return lines;
}

function milliseconds(seconds: number): string {
  return `${(seconds * 1000).toPrecision(2).replace(/\.0$/, "")} ms`;
}
