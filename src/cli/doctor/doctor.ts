/**
 * `joulemark doctor`: every source of this node, the obstacle, and the remedy.
 * @module
 */
import { jsonText } from "../../core/printable.ts";
import { unusable, UsageError } from "../../core/errors.ts";
import { countersCheckedPath, keepCountersChecked } from "../../os/files/counters_checked.ts";
import { probeDocument, writeDocument } from "../../os/files/whole_file.ts";
import { msrAllowList } from "../../sources/readers/tables/msr_allow_list.ts";
import { diagnose, type Diagnosis } from "./diagnose.ts";
import { answerLines, quantitiesOf } from "./doctor_answer.ts";
import { diagnosisText, PLAIN_WIDTH, wrapText } from "./doctor_text.ts";
import { realBench, simulatedBench } from "./doctor_bench.ts";
import { type EnergyVerdict, tryCounters } from "./doctor_energy.ts";
import { EXIT } from "../exit_codes.ts";
import { finished, say, terminalWidth } from "../io.ts";
import { openCatalogue } from "../open_catalogue.ts";
import { misused, type ParsedOptions, parseFormat } from "../command_line/options.ts";
import { examineSettings, type SettingsFound } from "../command_line/settings.ts";
import {
  COLLECTOR,
  JSON_SWITCH,
  outputOption,
  ROOT,
  TEXT_OR_JSON,
  WITHOUT,
} from "../command_line/common_options.ts";
import { UNIT_NAMES, unitText } from "./units.ts";
import { permissionFlags } from "../permissions.ts";
import type { Verb, VerbEntry } from "../command_line/verb.ts";

/** The verb that examines the sources of the node, and the settings of all these. */
export function doctorOf(entries: readonly VerbEntry[]): Verb {
  return {
    ...doctor,
    async run(options) {
      const verbs = await Promise.all(entries.map((entry) => entry.load()));
      return examine(options, examineSettings(verbs, (name) => Deno.env.get(name)));
    },
  };
}

/** Examines the sources of the node. */
export const doctor: Verb = {
  name: "doctor",
  usage: ["[options]"],
  about:
    `Reports whether energy can be measured here, the state of each quantity, and how to get more
quantities.

--sources also lists every source, and the settings in /etc/joulemark.conf, in the user's own file
and in variables.`,
  showsSettings: true,
  options: [
    {
      name: "energy",
      value: "SECONDS",
      optionalValue: true,
      help:
        "run a small test program for SECONDS (30). The result shows if the energy counters are " +
        "reliable for short regions, with visits of 1, 10 and 100 ms",
    },
    {
      name: "simulate",
      value: "SPEC",
      optionalValue: true,
      help: "with --energy: check the simulated counters (rapl, cray or both)",
    },
    outputOption(
      "with --energy: write the result to FILE. Without this option the result is stored for " +
        "this user, and later reports of runs on this node contain it",
    ),
    JSON_SWITCH,
    TEXT_OR_JSON,
    {
      name: "sources",
      help: "also list every source, the signals that a run would record, settings and permissions",
    },
    {
      name: "permissions",
      help: "print the permissions that the executable is built with, as options of Deno, its " +
        "JavaScript runtime",
    },
    {
      name: "allow-list",
      help: "print the registers that joulemark reads, as an allow list for msr-safe",
    },
    {
      name: "unit",
      value: "NAME",
      words: UNIT_NAMES,
      help:
        "print a file that starts the collector. service, socket: units of systemd. job: unit of " +
        "systemd for one user during a job. prolog, epilog: scripts of Slurm that start and stop " +
        "the unit job",
    },
    {
      ...ROOT,
      help: 'examine this directory instead of the machine; "joulemark capture" makes such a ' +
        "directory",
    },
    WITHOUT,
    COLLECTOR,
    {
      name: "verbose",
      short: "v",
      help: "like --sources, and also list the signals that a readable source does not have",
    },
  ],
  notes: "Fixes are listed by risk, lowest first. Since CVE-2020-8694 only root may read energy " +
    "counters, because frequent readings reveal cryptographic keys. Give access to a group, " +
    "not to all users.",
  examples: [
    "joulemark doctor",
    "joulemark doctor --json",
    "joulemark doctor --energy -o counters.json",
  ],
  run: (options) => examine(options),
};

function examine(options: ParsedOptions, settings?: SettingsFound): number {
  const { text, flags, words } = options;
  if (words.length > 0) throw misused("doctor", "options only", words[0]);
  if (flags.has("permissions")) {
    return finished(permissionFlags().map((flag) => flag + "\n").join(""));
  }
  if (flags.has("allow-list")) return finished(msrAllowList());
  if (text.unit !== undefined) return finished(unitText(text.unit, Deno.execPath()));
  if (text.energy !== undefined) return tryEnergy(options, text.energy);
  for (const name of ["simulate", "output"] as const) {
    if (text[name] === undefined) continue;
    throw new UsageError({
      action: 'run "joulemark doctor"',
      expected: `--${name} with --energy`,
      found: `--${name} alone`,
    });
  }
  const { host, catalogue } = openCatalogue(text);
  const found = diagnose(host, catalogue);
  if (parseFormat(options, ["text", "json"]) === "json") {
    return finished(jsonText({ ...found, settings }, 2) + "\n");
  }
  const width = Deno.stdout.isTerminal() ? terminalWidth() : undefined;
  const style = { verbose: flags.has("verbose"), sources: flags.has("sources"), width };
  return finished(diagnosisText({ ...found, settings }, style));
}

/** Fewer seconds hold too few changes of any counter. */
const MIN_S = 3;
const MAX_S = 3600;
const KIND_COLUMN = 8;

function tryEnergy(options: ParsedOptions, wanted: string): number {
  const { text } = options;
  const isJson = parseFormat(options, ["text", "json"]) === "json";
  const seconds = wanted === "" ? 30 : Number(wanted);
  if (!(seconds >= MIN_S && seconds <= MAX_S)) {
    throw unusable(`--energy=${wanted}`, `seconds, ${MIN_S} to ${MAX_S}`, wanted);
  }
  const refused = text.output === undefined ? undefined : probeDocument(text.output);
  if (refused !== undefined) throw refused;
  const node = text.simulate === undefined ? openCatalogue(text) : undefined;
  const bench = node === undefined ? simulatedBench(text.simulate!) : realBench(node);
  if (bench === undefined) {
    say(whyNoEnergy(diagnose(node!.host, node!.catalogue)));
    return EXIT.failed;
  }
  const counters = tryCounters(bench, seconds);
  const found = {
    simulated: text.simulate !== undefined,
    "tried at": new Date().toISOString(),
    "seconds": seconds,
    counters,
  };
  const json = jsonText(found, 2) + "\n";
  if (text.output !== undefined) writeDocument(text.output, json);
  else if (text.simulate === undefined) keep(json);
  return finished(isJson ? json : energyText(counters, text.simulate !== undefined));
}

/** Reports of this node name it from now on. */
function keep(json: string): void {
  const path = countersCheckedPath((name) => Deno.env.get(name));
  if (path === undefined) return;
  keepCountersChecked(path, json);
  say(`kept in ${path}; reports of this node name it`);
}

/** Why there is no counter to try, in the words of the answer. */
function whyNoEnergy(found: Diagnosis): string {
  const rows = quantitiesOf(found), [answer] = answerLines(found, rows);
  const { state, why } = rows.find(({ name }) => name === "package energy")!;
  return `${answer.replace(/[.:]?$/, "")}. Package energy: ${state}, ${why} (joulemark doctor)`;
}

function energyText(counters: readonly EnergyVerdict[], simulated: boolean): string {
  const head = simulated ? "simulated node: nothing here is a measurement\n" : "";
  const kinds = Map.groupBy(counters, ({ counter }) => counter);
  return head + counters.map((one) => {
    const visits = `${1e3 * one["visits (s)"]} ms`.padStart(6);
    const verdict = one.trusted
      ? "trusted: both orders of the regions agree"
      : one.why?.startsWith("cannot be determined")
      ? one.why
      : `not trusted: ${one.why}`;
    return `${one.counter.padEnd(8)}${visits}  ${verdict}\n`;
  }).join("") + [...kinds].map(([kind, list]) => kindText(kind, list)).join("");
}

/** Terms of the report for a counter, with the key of each. */
const TERMS = [
  ["update period", "update period (s)", "s"],
  ["lag", "lag (s)", "s"],
  ["moving average", "moving average (s)", "s"],
  ["time constant", "time constant (s)", "s"],
  ["resolution", "resolution (J)", "J"],
] as const;

/** Properties of a kind of counter, as the longest visits show them: lag, average and constant are one answer. */
function kindText(kind: string, verdicts: readonly EnergyVerdict[]): string {
  const answer = verdicts.findLast((one) => one["lag (s)"] !== null);
  const terms = TERMS.flatMap(([term, key, unit]) => {
    const isOwn = key === "update period (s)" || key === "resolution (J)";
    const value = (isOwn ? verdicts.findLast((one) => one[key] !== null) : answer)?.[key] ?? null;
    if (value === null) return [];
    const error = key === "lag (s)" ? answer?.["lag se (s)"] ?? null : null;
    return [`${term} ${value}${error === null ? "" : ` ± ${error}`} ${unit}`];
  });
  const text = terms.length === 0 ? "no update was seen" : terms.join(", ");
  return wrapText(text, PLAIN_WIDTH - KIND_COLUMN)
    .map((line, i) => `${(i === 0 ? kind : "").padEnd(KIND_COLUMN)}${line}\n`).join("");
}
