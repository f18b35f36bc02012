/**
 * Caliper's channels of a run, from `--cali`, `--cali-config` and `CALI_` variables.
 * @module
 */
import type { ChannelSpec, ConfigFacts, Configuration } from "../model/config/channel_spec.ts";
import { parseConfigString } from "../model/config/config_string.ts";
import { defaultFileName } from "../model/config/file_name.ts";
import { configFileNames, readConfiguration } from "../model/config/variables.ts";
import { baseName } from "../../core/names.ts";
import { unusable, UsageError } from "../../core/errors.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import { readText } from "../../os/files.ts";
import { isWrittenInto, placeOf } from "../../os/output_place.ts";
import { readFound } from "../../os/trusted_file.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import { type NameTable, signalOf } from "../../sources/signals/batch.ts";
import { announce, type Printer, writeText } from "./files.ts";
import { attributeNames } from "./machine.ts";
import { ALL_ENERGIES, ContextRun, withoutMark } from "./run.ts";
import { ProcessMemory } from "./process_memory.ts";
import { samplerHz } from "../model/services/sampler.ts";
import { wordsOf } from "../model/config_words.ts";
import type { Recording } from "../../formats/recording.ts";
import { isLauncher } from "../../job/place/launchers.ts";
import { rankIn, rankOf } from "../../job/place/process_rank.ts";

/** The options that ask for channels. */
export interface ChannelOptions {
  /** Every mark in its context, a `.cali` stream. */
  caliPath?: string;
  /** A configuration string of Caliper. */
  caliConfig?: string;
  /** The other output that has a path. @default none */
  whoseIs?: (path: string) => string | undefined;
}

/** Makes the channels' side of a live run. */
export function contextRun(
  request: ChannelOptions & { readonly command: readonly string[] },
  env: Readonly<Record<string, string>>,
  printer: Printer,
): ContextRun {
  const now = realtimeNanoseconds();
  return new ContextRun({
    channels(table, topology, samplesHz) {
      const read = (mpi: boolean) => {
        return configured(
          request,
          env,
          Object.assign(factsOf(table, topology, mpi), { samplesHz }),
        );
      };
      const under = read(true), isKnown = isMpi(request.command, env);
      const alone = isKnown ? under : read(false);
      const differs = alone.remarks.filter((remark) => !under.remarks.includes(remark));
      for (const remark of under.remarks) printer.log(remark);
      return {
        specs: [
          ...plainStream(request.caliPath),
          ...under.channels.map((spec, i) => eitherOf(spec, alone.channels[i])),
        ],
        remarksAlone: differs,
      };
    },
    defaultName: () => defaultFileName({ time: new Date(), pid: Deno.pid, random: Math.random }),
    printer,
    log: logFor(env, printer),
    isVerbose: isVerbose(env),
    isManaged: (env.CALI_CONFIG ?? "") !== "",
    start: { sec: Number(now / 1_000_000_000n), nsec: Number(now % 1_000_000_000n) },
    facts: new ProcessMemory(),
    rankOf,
  });
}

/** The destination of channels' messages by CALI_LOG_VERBOSITY and CALI_LOG_LOGFILE. */
function logFor(env: Readonly<Record<string, string>>, printer: Printer): (line: string) => void {
  if (env.CALI_LOG_VERBOSITY === "0") return () => {};
  const file = env.CALI_LOG_LOGFILE ?? "stderr";
  if (file === "" || file === "stderr") {
    if (isVerbose(env)) return (line) => printer.stderr(`${line}\n`);
    return (line) => printer.log(withoutMark(line));
  }
  if (file === "stdout") return (line) => printer.stdout(`${line}\n`);
  announce(file, printer);
  let text = "";
  return (line) => writeText(file, text += `${line}\n`, false, printer);
}

function isVerbose(env: Readonly<Record<string, string>>): boolean {
  return Number(env.CALI_LOG_VERBOSITY) >= 1;
}

/**
 * Makes the channels' side of a replay: no clock, and nothing that a recording does not hold.
 *
 * @param ranks Of the recording's processes; absent: no rank of MPI ran.
 */
export function contextReplay(
  request: ChannelOptions,
  printer: Printer,
  ranks: Recording["ranks"],
): ContextRun {
  return new ContextRun({
    channels(table, topology, samplesHz) {
      const facts = Object.assign(factsOf(table, topology, ranks !== undefined), {
        samplesHz,
      });
      const { channels, remarks } = given(request, facts, new ChannelFiles(request));
      for (const remark of remarks) printer.log(remark);
      return { specs: [...plainStream(request.caliPath), ...channels], remarksAlone: [] };
    },
    defaultName: () => "joulemark.cali",
    printer,
    rankOf: (pid) => ranks?.[pid],
  });
}

/** `--cali FILE`: every mark, with times and the node's energies. */
export function plainStream(path: string | undefined): ChannelSpec[] {
  if (path === undefined) return [];
  const variables = {
    CALI_SERVICES_ENABLE: "event,timer,mpi,ompt,io,joulemark,trace,recorder",
    CALI_JOULEMARK_SIGNALS: ALL_ENERGIES,
    CALI_RECORDER_FILENAME: path,
  };
  return [{ name: "cali", variables, options: {}, metadata: {}, managed: true }];
}

/** Facts about this node that configurations need. */
export function factsOf(table: NameTable, topology: PlatformTopology, mpi: boolean): ConfigFacts {
  const rowOf = (name: string) => signalOf(table, name.split("@")[0])?.row;
  return {
    mpi,
    readFile: readText,
    behaviorOf: (name) => {
      const behavior = rowOf(name)?.behavior;
      return behavior === undefined ? undefined : behavior === "monotone" ? behavior : "variable";
    },
    attributesOf: (name) => attributeNames(name, topology),
    unitOf: (name) => rowOf(name)?.unit ?? "",
  };
}

/** Samples per second that channels request; 0: none. @param env Absent: variables do not count. */
export function requestedSamplesHz(
  request: ChannelOptions,
  env: Readonly<Record<string, string>> = {},
): number {
  const facts = { mpi: false, readFile: readText, behaviorOf: () => undefined };
  try {
    const { channels } = configured(request, env, facts);
    return channels.reduce((most, { variables }) => {
      if (!wordsOf(variables.CALI_SERVICES_ENABLE).includes("sampler")) return most;
      return Math.max(most, samplerHz(variables.CALI_SAMPLER_FREQUENCY) || samplerHz());
    }, 0);
  } catch (error) {
    // The request is refused later, with its reason.
    if (!(error instanceof UsageError)) throw error;
    return 0;
  }
}

/** Channels of the command line and of variables. */
function configured(
  options: ChannelOptions,
  env: Readonly<Record<string, string>>,
  facts: ConfigFacts,
): Configuration {
  const files = new ChannelFiles(options);
  const own = given(options, facts, files), found = fromVariables(env, facts);
  const remarks: string[] = [];
  const channels = found.channels.filter((spec) => {
    const taken = files.add(spec);
    if (taken === undefined) return true;
    const [path, other] = taken;
    remarks.push(`${path} of channel ${spec.name} is ignored: ${other} has the same path`);
    return false;
  });
  return {
    channels: [...own.channels, ...channels],
    remarks: [...own.remarks, ...found.remarks, ...remarks],
  };
}

/** Channels of the command line. @throws {UsageError} If two outputs have one path. */
function given(options: ChannelOptions, facts: ConfigFacts, files: ChannelFiles): Configuration {
  const { caliConfig = "" } = options, found = parseConfigString(caliConfig, facts);
  for (const spec of found.channels) {
    const taken = files.add(spec);
    if (taken === undefined) continue;
    throw unusable(
      `--cali-config=${caliConfig}`,
      "a path that no other output has",
      `the path of ${taken[1]}: ${taken[0]}`,
      "give each output a different path",
    );
  }
  return found;
}

const FILES = ["RECORDER", "REPORT", "MPIREPORT"].map((service) => `CALI_${service}_FILENAME`);

/** Files of channels, none of which is a file of another output. */
class ChannelFiles {
  readonly #whoseIs: ChannelOptions["whoseIs"];
  readonly #channels = new Map<string, string>();

  constructor({ whoseIs }: ChannelOptions) {
    this.#whoseIs = whoseIs;
  }

  /** Adds the files of a channel. @returns The path that another output has, and its name. */
  add({ name, variables }: ChannelSpec): [path: string, other: string] | undefined {
    for (const path of new Set(FILES.map((file) => variables[file] ?? ""))) {
      if (path === "" || /^std(out|err)$/.test(path) || isWrittenInto(path)) continue;
      const place = placeOf(path);
      const other = this.#whoseIs?.(path) ?? this.#channels.get(place);
      if (other !== undefined) return [path, other];
      this.#channels.set(place, `channel ${name}`);
    }
    return undefined;
  }
}

/** A mistake in a variable, which a job script may set for Caliper itself, stops nothing. */
function fromVariables(
  env: Readonly<Record<string, string>>,
  facts: ConfigFacts,
): Configuration {
  const remarks: string[] = [];
  try {
    const read = (path: string) => {
      // A file that a variable names is the caller's choice; the other lies where others may write.
      if (env.CALI_CONFIG_FILE !== undefined) return readText(path);
      const { text, refused } = readFound(path);
      if (refused !== undefined) remarks.push(`${path} is ignored: ${refused}`);
      return text;
    };
    const fileTexts = configFileNames(env).map(read).filter((text) => text !== undefined);
    const found = readConfiguration(env, { fileTexts, facts });
    return { channels: found.channels, remarks: [...remarks, ...found.remarks] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { channels: [], remarks: [...remarks, `${error.message}. It is ignored`] };
  }
}

/**
 * One channel for a program of which it is not known yet whether it runs under MPI: it measures for both, and its
 * reports are chosen at the end, by the processes that ran.
 */
function eitherOf(under: ChannelSpec, alone: ChannelSpec): ChannelSpec {
  if (JSON.stringify(under) === JSON.stringify(alone)) return under;
  const services = [alone, under].flatMap(({ variables }) =>
    (variables.CALI_SERVICES_ENABLE ?? "").split(",")
  );
  const variables = {
    ...alone.variables,
    ...under.variables,
    CALI_SERVICES_ENABLE: [...new Set(services)].join(","),
  };
  return { ...under, variables, reports: { under, alone } };
}

/** Do ranks run on this node, as far as can be seen before they do? */
function isMpi(command: readonly string[], env: Readonly<Record<string, string>>): boolean {
  const environ = Object.entries(env).map(([key, value]) => `${key}=${value}`).join("\0");
  return isLauncher(baseName(command[0])) || rankIn(environ) !== undefined;
}
