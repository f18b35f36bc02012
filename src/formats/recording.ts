/**
 * A recording's description, `recording.yaml`, and the names that its files share.
 * docs/reference/formats/recording.md.
 * ```yaml
 * format: joulemark-recording/1
 * host: node01
 * profile: demo
 * agent: monitor
 * start: 2024-10-24T08:00:00.000000000-0700
 * topology: {packages: 1, cores_per_package: 2, threads_per_core: 1}
 * signals:
 * - {name: CPU_ENERGY, domain: package, unit: J, aggregation: sum, behavior: monotone}
 * ```
 * @module
 */
import { type Aggregation, AGGREGATIONS } from "../core/agg.ts";
import { cpusOf } from "../core/machine/cpu_list.ts";
import { type Domain, isDomain } from "../core/machine/domain.ts";
import { FormatError } from "../core/errors.ts";
import { isMapping, type Nested } from "../core/report.ts";
import type { Behavior, OfferedSignal, Quality, SignalFormat, Unit } from "../core/signal.ts";
import { type CpuPlace, PlatformTopology } from "../core/machine/topology.ts";
import type { TraceHeader } from "./trace/header.ts";
export { csvField } from "./csv_row.ts";

/** The value of `format:`. */
export const FORMAT_NAME = "joulemark-recording/1";
/** First line of `events.csv`. */
export const EVENTS_HEADER = "time,process,event,region,value,thread";

/** Names of a recording with tracks or spans. */
export const FORMAT_NAME_2 = "joulemark-recording/2";
export const EVENTS_HEADER_2 = EVENTS_HEADER + ",track,span";

/** Name of a recording with features. */
export const FORMAT_NAME_3 = "joulemark-recording/3";
/** Features of recordings that this version reads. */
const FEATURES: readonly string[] = ["functions", "threads"];

const BEHAVIORS: readonly string[] = ["constant", "monotone", "variable", "label"];
const FORMATS: readonly string[] = ["double", "float", "integer", "hex", "raw64"];
const QUALITIES: readonly string[] = ["measured", "derived", "simulated"];
const MAX_CPUS = 65536;

/** The contents of `recording.yaml`. */
export interface Recording extends Readonly<Omit<TraceHeader, "version">> {
  /** The agent's policy. @default {"{}"} */
  readonly policy?: string;
  readonly topology: PlatformTopology;
  readonly signals: readonly OfferedSignal[];
  /** End of the command, with the keys of a report. @default not known */
  readonly outcome?: { readonly [key: string]: Nested };
  /** Signals whose first update after the run was not read: their totals have larger errors. @default none */
  readonly unread?: readonly string[];
  /** Rank of a process within its MPI job, by process ID. @default none is known */
  readonly ranks?: { readonly [pid: string]: string };
}

/** Keys of a report that say how its command ended. */
const OUTCOME_KEYS = ["exit status", "ended by", "partial"] as const;

/** The end of a command, of a report's own keys; `undefined`: they do not say. */
export function outcomeIn(own: unknown): { [key: string]: Nested } | undefined {
  if (!isMapping<unknown>(own)) return undefined;
  const found = OUTCOME_KEYS.flatMap((key): [string, Nested][] => {
    const value = own[key];
    const isKnown = typeof value === "number" || typeof value === "string" || value === true;
    return isKnown ? [[key, value]] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function ranksIn(data: unknown): Recording["ranks"] {
  if (!isMapping<unknown>(data)) return undefined;
  return Object.fromEntries(Object.entries(data).map(([pid, rank]) => [pid, String(rank)]));
}

type Mapping = Record<string, unknown>;

/** Number of a domain's instances in the columns of `samples.csv`. */
export type Instances = Partial<Record<Domain, number>>;

/**
 * Checks and completes what a YAML parser made of `recording.yaml`.
 *
 * @param seen If no list gives the CPUs of a memory or GPU, the CPUs are split evenly,
 * in order of packages, among as many as the columns show.
 * @throws {FormatError} If something is missing or wrong.
 */
export function describeRecording(data: unknown, path: string, seen: Instances = {}): Recording {
  const wrong = (expected: string, found?: unknown) =>
    new FormatError(path, 0, {
      action: "read recording",
      expected,
      found: found === undefined ? undefined : JSON.stringify(found)?.slice(0, 80),
    });
  if (!isMapping<unknown>(data)) throw wrong("a mapping");
  const formats: readonly unknown[] = [FORMAT_NAME, FORMAT_NAME_2, FORMAT_NAME_3];
  if (!formats.includes(data.format)) throw wrong(`format: ${formats.join(" or ")}`, data.format);
  const features = data.features ?? [];
  if (!Array.isArray(features)) throw wrong("a list of features", features);
  const unknown = features.find((feature) => !FEATURES.includes(feature));
  if (unknown !== undefined) throw wrong(`only features that are known: ${FEATURES}`, unknown);
  const signals = data.signals ?? [];
  if (!Array.isArray(signals)) throw wrong("a list of signals", signals);
  return {
    host: text(data.host) ?? "localhost",
    profile: text(data.profile) ?? "default",
    agent: text(data.agent) ?? "monitor",
    policy: text(data.policy),
    startTime: text(data.start) ?? "1970-01-01T00:00:00.000000000+0000",
    topology: topologyOf(data, seen, wrong),
    signals: signals.map((signal) => recordedSignal(signal, wrong)),
    outcome: outcomeIn(data.outcome),
    unread: Array.isArray(data.unread) ? data.unread.map(String) : undefined,
    ranks: ranksIn(data.ranks),
  };
}

type Wrong = (expected: string, found?: unknown) => FormatError;

function recordedSignal(data: unknown, wrong: Wrong): OfferedSignal {
  if (!isMapping<unknown>(data)) throw wrong("a mapping for each signal", data);
  const { name, domain, aggregation, behavior, format = "double", quality = "measured" } = data;
  if (typeof name !== "string" || name === "") throw wrong("a signal with a name", data);
  if (typeof domain !== "string" || !isDomain(domain)) throw wrong(`a domain of ${name}`, domain);
  if (!(AGGREGATIONS as readonly unknown[]).includes(aggregation)) {
    throw wrong(`an aggregation of ${name}`, aggregation);
  }
  if (!BEHAVIORS.includes(String(behavior))) throw wrong(`a behavior of ${name}`, behavior);
  if (!FORMATS.includes(String(format))) throw wrong(`a format of ${name}`, format);
  if (!QUALITIES.includes(String(quality))) throw wrong(`a quality of ${name}`, quality);
  const note = text(data.note);
  const updatePeriodS = Number(data.update_period ?? NaN);
  return {
    row: {
      name,
      domain,
      unit: (text(data.unit) ?? "") as Unit,
      agg: aggregation as Aggregation,
      behavior: behavior as Behavior,
      format: format as SignalFormat,
      about: "Recorded.",
    },
    source: text(data.source) ?? "recording",
    quality: quality as Quality,
    ...(note === undefined ? {} : { note }),
    ...(updatePeriodS > 0 ? { updatePeriodS } : {}),
  };
}

function topologyOf(data: Mapping, seen: Instances, wrong: Wrong): PlatformTopology {
  const shape = data.topology;
  if (!isMapping<unknown>(shape)) throw wrong("a mapping under topology", shape);
  const listed = data.cpus ?? shape.cpus;
  const cpus = listed === undefined ? regularPlaces(shape, wrong) : listedPlaces(listed, wrong);
  const lists = (key: "memory" | "gpu" | "gpu_chip") =>
    cpuLists(data[key] ?? shape[key], key, cpus.length, wrong) ?? evenly(cpus, seen[key] ?? 0);
  const packages = new Set(cpus.map((place) => place?.package)).size;
  const memory = seen.memory === packages && data.memory === undefined
    ? undefined
    : lists("memory");
  const gpu = lists("gpu");
  const gpuChip = lists("gpu_chip");
  return new PlatformTopology({
    cpus,
    ...(memory && { memory }),
    ...(gpu && { gpu }),
    ...(gpuChip && { gpuChip }),
  });
}

function regularPlaces(shape: Mapping, wrong: Wrong): readonly CpuPlace[] {
  const count = (key: string) => {
    const value = shape[key];
    if (Number.isInteger(value) && (value as number) >= 1) return value as number;
    throw wrong(`a whole number above 0 for ${key}`, value);
  };
  const packages = count("packages");
  const coresPerPackage = count("cores_per_package"), threadsPerCore = count("threads_per_core");
  const all = packages * coresPerPackage * threadsPerCore;
  if (all > MAX_CPUS) throw wrong(`at most ${MAX_CPUS} CPUs`, all);
  return PlatformTopology.regular({ packages, coresPerPackage, threadsPerCore }).places;
}

function listedPlaces(listed: unknown, wrong: Wrong): CpuPlace[] {
  if (!Array.isArray(listed) || listed.length > MAX_CPUS) {
    throw wrong("a list of [package, core] under cpus", listed);
  }
  return listed.map((place) => {
    if (place === null) return null;
    const fits = Array.isArray(place) && place.length === 2 &&
      place.every((n) => Number.isInteger(n) && n >= 0 && n < MAX_CPUS);
    if (!fits) throw wrong("[package, core] for a CPU", place);
    return { package: place[0], core: place[1] };
  });
}

function cpuLists(
  listed: unknown,
  key: string,
  count: number,
  wrong: Wrong,
): number[][] | undefined {
  if (listed === undefined || listed === null) return undefined;
  if (!Array.isArray(listed)) throw wrong(`a list of CPU lists under ${key}`, listed);
  return listed.map((item) => {
    const cpus = Array.isArray(item) ? item : cpusOf(String(item ?? ""));
    if (cpus?.every((cpu) => Number.isInteger(cpu) && cpu >= 0 && cpu < count)) return cpus;
    throw wrong(`CPU lists of the node's CPUs under ${key}`, item);
  });
}

/** CPUs in order of packages, in `parts` equal stretches; `undefined` for none. */
function evenly(cpus: readonly CpuPlace[], parts: number): number[][] | undefined {
  if (parts === 0) return undefined;
  const ordered = [...cpus.keys()].filter((cpu) => cpus[cpu] !== null)
    .sort((a, b) => cpus[a]!.package - cpus[b]!.package || a - b);
  const cut = (part: number) => Math.floor(part * ordered.length / parts);
  return Array.from({ length: parts }, (_, i) => ordered.slice(cut(i), cut(i + 1)));
}

/** YAML may have read a bare name or time as a number or date. */
function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value instanceof Date ? value.toISOString() : undefined;
}

/** One column of `samples.csv`. */
export interface SampleColumn {
  readonly name: string;
  readonly domain: Domain;
  readonly index: number;
}

/** `SIGNAL@domain-index`; `undefined` for anything else. */
export function parseSampleColumn(title: string): SampleColumn | undefined {
  const found = /^(.+)@([a-z_]+)-([0-9]+)$/.exec(title);
  if (found === null || !isDomain(found[2])) return undefined;
  return { name: found[1], domain: found[2], index: Number(found[3]) };
}
