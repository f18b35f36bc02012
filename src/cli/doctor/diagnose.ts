/**
 * Findings of `doctor`, as plain data: sources, signals that a run would record, permissions in
 * force.
 * @module
 */
import { counted } from "../../core/counted.ts";
import type { Host } from "../../core/machine/host.ts";
import type { Absence, Offer, OfferedSignal, SignalRow } from "../../core/signal.ts";
import { monotonicNanoseconds, rawSeconds, sleepUntil } from "../../os/clock.ts";
import { pathsState } from "../../os/confinement/landlock.ts";
import type { MachineHost } from "../../os/host.ts";
import { canStartItself } from "../../os/self.ts";
import { processorName } from "../../run/outputs/machine_facts.ts";
import { quoted } from "../../show/analysis/summary.ts";
import { READERS } from "../../sources/readers/with_raw.ts";
import { identify, unsupportedModel } from "../../sources/readers/processor.ts";
import { Batch } from "../../sources/signals/batch.ts";
import type { Catalogue, CatalogueEntry } from "../../sources/signals/catalogue.ts";
import { containmentTree } from "../../sources/signals/containment.ts";
import type { Remedy } from "../../core/remedy.ts";

/** One source. */
export interface SourceRow {
  readonly reader: string;
  readonly state: "readable" | "partly" | "absent" | "forbidden" | "unusable";
  /** Result in one clause. */
  readonly summary: string;
  /** Fix for a source that is absent. */
  readonly remedy?: string;
  readonly signals: number;
  /** Rows that are absent on this node, with the reason. */
  readonly lacks: readonly { signal: string; kind: string; reason: string; remedy?: string }[];
  readonly notes: readonly string[];
  readonly mends: readonly Remedy[];
  /** Energy counters of the source, watched for a moment. */
  readonly live: readonly LiveCounter[];
}

/** An energy counter that was watched. */
export interface LiveCounter {
  readonly signal: string;
  readonly live: boolean;
  /** Median time between two changes; `undefined` with fewer than two. */
  readonly updatePeriodS?: number;
  readonly resolution?: number;
  readonly wrapRange?: number;
  /** Seconds until it wraps, at the pace that was seen. */
  readonly wrapTimeS?: number;
  /** Parts of the node that have no value, such as "package 1". */
  readonly without: readonly string[];
  /** Why they have none, if a file of the source cannot be read. */
  readonly trouble?: string;
}

/** One figure of a report. */
export interface RecordRow {
  readonly name: string;
  readonly available: boolean;
  readonly source?: string;
  readonly quality?: string;
  readonly note?: string;
  readonly reason?: string;
  /** Readers that could have fed it, and those of them that need a permission. */
  readonly readers?: readonly string[];
  readonly closed?: readonly string[];
}

/** An energy counter and its place in the tree of what holds what. */
export interface ContainedCounter {
  readonly signal: string;
  /** 0: nothing here holds it. */
  readonly depth: number;
  /** Portable names that stand for it here. */
  readonly chosenAs: readonly string[];
}

/** All of it. */
export interface Diagnosis {
  readonly root: string;
  readonly processor: string;
  /** Why this processor has no energy registers; @default it may have */
  readonly unsupported?: string;
  readonly domains: string;
  readonly sources: readonly SourceRow[];
  readonly records: readonly RecordRow[];
  /** Energy counters of this node, each after the one that holds it. */
  readonly containment: readonly ContainedCounter[];
  readonly permissions: Readonly<Record<string, string>>;
  /** Kernel modules of counters whose files are there. */
  readonly modules?: readonly string[];
  /** The reader of files that are closed to this user; @default none */
  readonly collector?: CollectorRow;
}

/** The collector of the node. */
export interface CollectorRow {
  readonly socket: string;
  readonly answers: boolean;
  /** Content of its readings, or the reason that it does not answer. */
  readonly state: string;
}

/** Signals that the report of a run is made from. */
const RECORDED = [
  "CPU_ENERGY",
  "DRAM_ENERGY",
  "BOARD_ENERGY",
  "GPU_ENERGY",
  "CPU_POWER",
  "DRAM_POWER",
  "BOARD_POWER",
  "GPU_POWER",
  "CPU_CYCLES_THREAD",
  "CPU_CYCLES_REFERENCE",
  "CPU_FREQUENCY_STICKER",
  "GPU_CORE_FREQUENCY_STATUS",
  "BOARD_ENERGY_REST",
] as const;

/** Examines a node; watches its energy counters for a quarter of a second. */
export function diagnose(host: MachineHost, catalogue: Catalogue): Diagnosis {
  const live = watch(host, catalogue);
  const t = host.topology;
  return {
    root: host.root,
    processor: processorOf(host),
    unsupported: unsupportedModel(identify(host)),
    domains: (
      [["package", "package"], ["core", "core"], ["cpu", "CPU"], ["gpu", "GPU"]] as const
    ).map(([domain, word]) => counted(t.count(domain), word)).join(", "),
    sources: READERS.map((reader) =>
      sourceRow(host, reader.name, catalogue.offers.get(reader.name)!, live.get(reader.name) ?? [])
    ),
    records: RECORDED.map((name) => recordRow(catalogue, name)),
    containment: containment(catalogue),
    permissions: permissions(host),
    modules: moduleFiles(host),
    collector: collectorRow(host),
  };
}

/** Modules that bring energy counters, those with a file for this kernel. */
function moduleFiles(host: Host): string[] {
  const release = host.readText("/proc/sys/kernel/osrelease")?.trim() ?? "";
  const list = host.readText(`/lib/modules/${release}/modules.dep`) ?? "";
  return ["intel_rapl_msr", "rapl", "amd_energy", "msr"].filter((name) => {
    return new RegExp(`/${name.replaceAll("_", "[-_]")}\\.ko`).test(list);
  });
}

function collectorRow({ collector }: MachineHost): CollectorRow | undefined {
  if (collector === undefined) return undefined;
  const { path: socket, state } = collector;
  if (!state.ok) return { socket, answers: false, state: state.reason };
  const { files, cpus, registers } = state.table;
  const parts = [
    counted(files.length, "file"),
    ...cpus.length === 0 ? [] : [`${registers.length} registers of ${counted(cpus.length, "CPU")}`],
  ];
  const user = state.peer === undefined ? "" : `, user ${state.peer.uid} on ${socket}`;
  return { socket, answers: true, state: `reads ${parts.join(", ")}${user}` };
}

function processorOf(host: Host): string {
  return processorName(host) + (identify(host).hypervisor ? " (virtual machine)" : "");
}

function sourceRow(
  host: MachineHost,
  reader: string,
  offer: Offer,
  live: readonly LiveCounter[],
): SourceRow {
  if (!offer.ok) {
    const forbidden = offer.kind === "forbidden";
    return {
      reader,
      state: offer.kind,
      summary: offer.reason,
      // The remedies below are more exact than "see doctor".
      remedy: forbidden ? undefined : offer.remedy,
      signals: 0,
      lacks: [],
      notes: [],
      mends: forbidden ? remediesFor(host, reader, [...offer.missing ?? []]) : [],
      live: [],
    };
  }
  const lacks = [...offer.missing ?? []].map(([signal, lack]) => ({ signal, ...lack }));
  const forbidden = lacks.filter((lack) => lack.kind === "forbidden");
  const notes = new Set(offer.signals.flatMap((s) => s.note === undefined ? [] : [s.note]));
  for (const note of offer.notes ?? []) notes.add(note);
  for (const path of rootOnly(host, offer)) {
    notes.add(`${path}: for root only; read here because this is a tree or you are root`);
  }
  return {
    reader,
    state: forbidden.length > 0 ? "partly" : offer.signals.length === 0 ? "absent" : "readable",
    summary: summaryOf(offer.signals, lacks) +
      (forbidden.length > 0 ? `; ${forbidden[0].signal}: ${forbidden[0].reason}` : ""),
    signals: offer.signals.length,
    lacks,
    notes: [...notes],
    mends: forbidden.length > 0 ? remediesFor(host, reader, [...offer.missing ?? []]) : [],
    live,
  };
}

function summaryOf([first, ...more]: readonly OfferedSignal[], [lack]: readonly Absence[]): string {
  if (first === undefined) return lack?.reason ?? "none of its files is here";
  return `${counted(more.length + 1, "signal")}, such as ${first.row.name}`;
}

/** Files of energy that a tree's modes close to ordinary users: one example is enough. */
function rootOnly(host: MachineHost, offer: Offer & { ok: true }): string[] {
  const modes = host.facts.modes ?? {};
  const closed = offer.signals.find((s) => (parseInt(modes[s.source] ?? "0444", 8) & 0o004) === 0);
  return closed === undefined ? [] : [`${closed.source} (mode ${modes[closed.source]})`];
}

const WATCH_NS = 250e6;
const STEP_NS = 500e3;

/** A counter of one part of the node while it is watched. */
interface Watched {
  readonly handle: number;
  readonly changes: number[];
  /** After the first change. */
  first: number;
  last: number;
}

/** Reads every energy counter again and again, to see which live and how often they change. */
function watch(host: MachineHost, catalogue: Catalogue): Map<string, LiveCounter[]> {
  const found = new Map<string, LiveCounter[]>();
  const batch = new Batch(host.topology, catalogue);
  const watched: { reader: string; row: SignalRow; parts: Watched[] }[] = [];
  for (const [reader, offer] of catalogue.offers) {
    if (!offer.ok) continue;
    for (const { row } of offer.signals) {
      if (row.unit !== "J" || row.behavior !== "monotone") continue;
      // Cores may sleep for long, and are many.
      const count = row.domain === "core" ? 1 : host.topology.count(row.domain);
      const parts = Array.from({ length: count }, (_, i): Watched => {
        const handle = batch.pushSignal(row.name, row.domain, i);
        return { handle, changes: [], first: NaN, last: NaN };
      });
      watched.push({ reader, row, parts });
    }
  }
  if (watched.length === 0) return found;
  using open = batch;
  const all = watched.flatMap(({ parts }) => parts);
  const end = monotonicNanoseconds() + WATCH_NS;
  for (let now = monotonicNanoseconds(); now < end; now = monotonicNanoseconds()) {
    const timeS = rawSeconds();
    open.read(timeS);
    open.settle();
    for (const w of all) {
      const value = open.sample(w.handle);
      if (w.last === w.last && value !== w.last) {
        if (w.changes.length === 0) w.first = value;
        w.changes.push(timeS);
      }
      w.last = value;
    }
    sleepUntil(now + STEP_NS);
  }
  for (const { reader, row: { name, domain }, parts } of watched) {
    const signal = catalogue.info(name)!;
    const { resolution, wrapRange } = signal.state.ok ? signal.state.signal : {};
    const { changes, first, last } = parts.find(({ changes }) => changes.length > 0) ?? parts[0];
    const gaps = changes.slice(1).map((t, k) => t - changes[k]).sort((a, b) => a - b);
    const updatePeriodS = gaps.length === 0 ? undefined : gaps[gaps.length >> 1];
    const pace = (last - first) / (changes[changes.length - 1] - changes[0]);
    const wrapTimeS = wrapRange !== undefined && pace > 0 ? wrapRange / pace : undefined;
    const live = changes.length > 0;
    const without = parts.flatMap((part, i) => Number.isNaN(part.last) ? [`${domain} ${i}`] : []);
    const reading = open.readings.find(({ provider }) => provider.name === reader)?.reading;
    const trouble = without.length === 0
      ? undefined
      // Its advice is to run this command.
      : reading?.troubles?.find(({ kind }) => kind === "gone")?.text.split(". Run ")[0];
    const times = { updatePeriodS, resolution, wrapRange, wrapTimeS };
    const row = { signal: name, live, ...times, without, trouble };
    found.set(reader, [...found.get(reader) ?? [], row]);
  }
  return found;
}

function recordRow(catalogue: Catalogue, name: string): RecordRow {
  const { state, aliasFor } = catalogue.info(name)!;
  if (!state.ok) {
    const readers = [...readersOf(catalogue, name)];
    const closed = [...readersOf(catalogue, name, isForbidden)];
    return { name, available: false, reason: state.reason, readers, closed };
  }
  const { source, quality, note } = state.signal;
  return {
    name,
    available: true,
    source: aliasFor === undefined ? source : `${aliasFor}, ${source}`,
    quality,
    note,
  };
}

function isForbidden({ state }: CatalogueEntry): boolean {
  return !state.ok && state.kind === "forbidden";
}

/** Readers whose signals a name could come from, through aliases and calculations. @param picks Which of them. */
function readersOf(
  catalogue: Catalogue,
  name: string,
  picks: (entry: CatalogueEntry) => boolean = () => true,
  seen = new Set<string>(),
): Set<string> {
  const entry = catalogue.info(name);
  if (entry === undefined || seen.has(name)) return new Set();
  seen.add(name);
  if (catalogue.offers.has(entry.group)) return new Set(picks(entry) ? [entry.group] : []);
  const from = entry.candidates?.map((c) => c.name) ?? entry.row.source?.split(/, | minus /) ?? [];
  return new Set(from.flatMap((next) => [...readersOf(catalogue, next, picks, seen)]));
}

/** Energy counters that can be read here, as a tree written from top to bottom. */
function containment(catalogue: Catalogue): ContainedCounter[] {
  const chosen = new Map<string, string>();
  const could = new Map<string, string[]>();
  const counters: string[] = [];
  for (const { name, row, state, aliasFor, group, candidates } of catalogue.list()) {
    if (!state.ok || row.unit !== "J" || row.behavior !== "monotone") continue;
    if (aliasFor !== undefined) {
      chosen.set(name, aliasFor);
      for (const c of candidates ?? []) could.set(c.name, [...could.get(c.name) ?? [], name]);
    } else if (catalogue.offers.has(group) || name.startsWith("INTEGRAL::")) counters.push(name);
  }
  const tree = containmentTree(counters, {
    of: (name) => could.get(name) ?? [],
    chosen: (portable) => chosen.get(portable),
  });
  return tree.map(({ name, depth }) => ({
    signal: name,
    depth,
    chosenAs: [...chosen].flatMap(([portable, target]) => target === name ? [portable] : []),
  }));
}

/** Capabilities that open a source, by number: capabilities(7). */
const CAPABILITIES: readonly (readonly [bit: number, name: string])[] = [
  [2, "CAP_DAC_READ_SEARCH"],
  [17, "CAP_SYS_RAWIO"],
  [21, "CAP_SYS_ADMIN"],
  [23, "CAP_SYS_NICE"],
  [38, "CAP_PERFMON"],
];

/** Capabilities that this process has in effect, as bits. */
function effectiveCapabilities(host: MachineHost): bigint {
  const status = host.root === "" ? host.readText("/proc/self/status") ?? "" : "";
  return BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? "0"}`);
}

function holds(capabilities: bigint, name: string): boolean {
  const bit = CAPABILITIES.find(([, known]) => known === name)?.[0];
  return bit !== undefined && ((capabilities >> BigInt(bit)) & 1n) === 1n;
}

/** Is the line of a remedy in force, so that it would change nothing? */
function isInForce(host: MachineHost, line: string): boolean {
  const text = host.readText("/proc/sys/kernel/perf_event_paranoid");
  const paranoid = text === undefined ? NaN : Number(text);
  const level = /^sysctl kernel\.perf_event_paranoid=(-?\d+)$/.exec(line)?.[1];
  if (level !== undefined) return paranoid <= Number(level);
  const module = /^modprobe (\S+)$/.exec(line)?.[1].replaceAll("-", "_");
  if (module !== undefined) return host.list(`/sys/module/${module}`).length > 0;
  const capability = /^setcap (cap_\w+)=/.exec(line)?.[1].toUpperCase();
  if (capability === undefined) return false;
  return holds(effectiveCapabilities(host), capability) ||
    (capability === "CAP_PERFMON" && paranoid <= 0);
}

/**
 * The remedies of a reader that would change something. Those of high risk are for energies and powers.
 *
 * @param missing Rows that are absent; none: the whole source is.
 */
function remediesFor(
  host: MachineHost,
  reader: string,
  missing: readonly (readonly [name: string, lack: Absence])[],
): Remedy[] {
  const rows = READERS.find(({ name }) => name === reader)?.signals ?? [];
  const forbidden = missing.filter(([, { kind }]) => kind === "forbidden").map(([name]) => name);
  const isForEnergy = forbidden.length === 0 || rows.some(({ name, unit }) => {
    return forbidden.includes(name) && (unit === "J" || unit === "W");
  });
  return remediesOf(reader).filter(({ risk }) => risk !== "high" || isForEnergy)
    .map(({ lines, ...remedy }) => ({
      ...remedy,
      lines: lines.filter((line) => !isInForce(host, line)).map((line) => {
        return line.replace(/\.\/joulemark$/, executableOf(host));
      }),
    }))
    .filter(({ lines }) => lines.length > 0);
}

/** This executable, as a shell takes it; a tree may be of a machine that has it elsewhere. */
function executableOf(host: MachineHost): string {
  return host.root === "" && canStartItself() ? quoted(Deno.execPath()) : "./joulemark";
}

/** Permissions of this process, on this machine, for any examined tree. */
function permissions(host: MachineHost): Record<string, string> {
  const own = host.root === "" ? host : undefined;
  const status = own?.readText("/proc/self/status") ?? "";
  const field = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1].trim() ?? "";
  const effective = effectiveCapabilities(host);
  const held = CAPABILITIES.filter(([, name]) => holds(effective, name));
  const names = held.map(([, name]) => name).join(", ");
  const paranoid = host.readText("/proc/sys/kernel/perf_event_paranoid")?.trim();
  const uid = field("Uid").split(/\s+/)[1];
  const ofTree = own === undefined ? "of no matter for a tree" : undefined;
  return {
    user: ofTree ?? (uid === "0" ? "root" : `uid ${uid}`),
    capabilities: ofTree ?? (names || "none of those that open counters"),
    perf_event_paranoid: paranoid ?? "not readable",
    "files of the monitor": pathsState(),
  };
}

/** Remedies for a reader's source that exists and is forbidden. */
export function remediesOf(reader: string): readonly Remedy[] {
  return READERS.find(({ name }) => name === reader)?.remedies ?? [];
}
