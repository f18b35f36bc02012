/**
 * What a report says beyond GEOPM's keys: where each figure came from and how far to trust it, what
 * was absent and why, what was lost or refused, and what the monitor itself cost.
 * @module
 */
import type { Confinement } from "../os/confine.ts";
import { MANDATORY_SIGNALS } from "../aggregate/report_signals.ts";
import type { Nested } from "../core/report.ts";
import { spanFacts } from "./span_facts.ts";
import { parseSignalList } from "../core/signal_list.ts";
import type { Catalogue } from "../signals/catalogue.ts";
import { coverageFacts, coverageNotes } from "./coverage.ts";
import type { Collector } from "../events/collector.ts";
import type { ReportOptions, RunView } from "./run_view.ts";

/** How the loop went. */
export interface LoopFigures {
  steps: number;
  /** Steps that were skipped since their time had passed. */
  missed: number;
  /** Steps that began more than a period late. */
  late: number;
  /** Ticks between two reads of per-CPU counters, 1: every tick. */
  cpuStride: number;
  /** CPUs of processes lay outside the node and count as CPU c mod N. */
  cpusMoved: boolean;
  scheduling: string;
  /** What was done to stay within the budget. */
  budget?: {
    readonly mostFactor: number;
    readonly foldingS: number;
    readonly longerS: number;
  };
  cpuS: number;
  wallS: number;
  memoryKib: number;
  /** The monitor stood still while the application ended: seconds of the run, NaN: it did not. */
  blindFromS: number;
  blindUntilS: number;
}

/** A first sample that comes later than that is told. */
const LATE_PERIODS = 4, LATE_SHARE = 0.01;

/** Of a loop that has not begun. */
export const NO_STEPS: LoopFigures = {
  ...{ steps: 0, missed: 0, late: 0, cpuStride: 1, cpusMoved: false, scheduling: "plain" },
  ...{ cpuS: 0, wallS: 0, memoryKib: 0, blindFromS: NaN, blindUntilS: NaN },
};

/** What the mapping is made from. */
export interface FactSources {
  readonly request: ReportOptions;
  readonly engine: RunView;
  readonly catalogue: Catalogue;
  readonly collector: Collector;
  readonly loop: LoopFigures;
  readonly permissions: readonly string[];
  /** Those that were given back after the start. */
  readonly dropped: readonly string[];
  /** What the kernel holds us to; `undefined` before the first sample. */
  readonly confinement: Confinement | undefined;
  /** `simulated` or `tree DIR`, where the counters are not the machine's. */
  readonly simulated?: string;
  /** The run goes on: what is told is the time so far. */
  readonly partial: boolean;
}

/** Reasons by signal, for those that the report needs or was asked for and that are absent. */
export function absentSignals(
  catalogue: Catalogue,
  reportSignals: string,
): Map<string, { reason: string; remedy?: string }> {
  const wanted = new Set(MANDATORY_SIGNALS);
  for (const { name } of parseSignalList(reportSignals, "report signal")) wanted.add(name);
  const absent = new Map<string, { reason: string; remedy?: string }>();
  for (const name of wanted) {
    const state = catalogue.info(name)?.state;
    if (state === undefined || state.ok) continue;
    absent.set(name, { reason: state.reason, remedy: state.remedy });
  }
  return absent;
}

/** The host's `joulemark:` mapping. */
export function hostFacts(facts: FactSources): { [key: string]: Nested } {
  const { engine, collector, loop, request } = facts;
  const mapping: { [key: string]: Nested } = {};
  if (facts.partial) mapping.partial = "the run goes on; this is the time so far";
  if (facts.simulated !== undefined) mapping.simulated = facts.simulated;
  mapping.sources = sourceFacts(engine, facts.catalogue, request.reportSignals);
  mapping.sampling = {
    "period (s)": request.periodS,
    samples: loop.steps,
    "samples missed": loop.missed,
    "samples late": loop.late,
    ...(loop.cpuStride > 1 ? { "ticks between reads of per-CPU counters": loop.cpuStride } : {}),
    scheduling: loop.scheduling,
    ...(loop.blindFromS === loop.blindFromS
      ? {
        "stood still from (s)": digits(loop.blindFromS),
        "stood still until (s)": digits(loop.blindUntilS),
      }
      : {}),
    ...(startsLate(facts) ? { "first sample after (s)": digits(engine.tracker.startupS) } : {}),
  };
  const coverage = coverageFacts(engine.gaps());
  if (coverage !== undefined) mapping.coverage = coverage;
  mapping.overhead = {
    "cpu (s)": digits(loop.cpuS),
    "cpu (% of a core)": digits(loop.wallS > 0 ? 100 * loop.cpuS / loop.wallS : 0),
    "resident memory (KiB)": loop.memoryKib,
  };
  const shed = shedFacts(facts);
  if (shed !== undefined) mapping.budget = shed;
  mapping.processes = processes(facts);
  const spans = spanFacts(engine.tracker.spans());
  if (spans !== undefined) mapping.spans = spans;
  const marks: { [key: string]: Nested } = {
    "folded visits": collector.counts.folded,
    "late events": engine.events.late,
    ...(engine.events.late > 0 ? { "late by at most (s)": digits(engine.events.mostLateS) } : {}),
  };
  if (collector.counts.other > 0) marks["visits under one name"] = collector.counts.other;
  if (collector.counts.lost > 0) marks["visits of threads without room"] = collector.counts.lost;
  if (collector.counts.lostSpans > 0) {
    marks["begins and ends of spans without room"] = collector.counts.lostSpans;
  }
  if (collector.counts.nested > 0) marks["hints left out"] = collector.counts.nested;
  if (collector.garbage > 0) marks["records left out"] = collector.garbage;
  const files = collector.refusedFiles;
  if (files.length > 0) marks["files left out"] = files.slice(0, 20);
  const refused = engine.tracker.refused;
  if (refused.length > 0) {
    marks["refused calls"] = Object.fromEntries(refused.map((r) => [r.kind, r.count]));
  }
  const { mistakes, remarks } = collector.events;
  if (mistakes.total > 0) {
    marks.mistakes = Object.fromEntries(mistakes.list.map((m) => [m.kind, m.count]));
  }
  if (collector.counts.refused > 0) marks["mistakes without a name"] = collector.counts.refused;
  if (remarks.size > 0) marks.remarks = [...remarks];
  mapping.marks = marks;
  mapping.permissions = [...facts.permissions];
  if (facts.dropped.length > 0) mapping["permissions given back"] = [...facts.dropped];
  if (facts.confinement !== undefined) {
    const { privileges, calls } = facts.confinement;
    mapping.confinement = { capabilities: privileges, "system calls": calls };
  }
  return mapping;
}

/** What was left out to stay within the budget; `undefined`: nothing. */
function shedFacts({ loop, collector }: FactSources): Nested | undefined {
  const { mostFactor = 1, foldingS = 0, longerS = 0 } = loop.budget ?? {};
  if (collector.foldedHere === 0 && mostFactor === 1) return undefined;
  return {
    "visits folded": collector.foldedHere,
    "time of folding (s)": digits(foldingS),
    "period times, at most": mostFactor,
    "time of longer periods (s)": digits(longerS),
  };
}

/** Lines for the card: what a reader of the figures must know. */
export function notes(facts: FactSources): string[] {
  const { engine, collector, loop } = facts;
  const lines: string[] = [];
  if (loop.missed + loop.late > 0) {
    lines.push(`${loop.missed} of ${loop.steps + loop.missed} samples missed, ${loop.late} late`);
  }
  if (loop.blindFromS === loop.blindFromS) {
    const [from, until] = [loop.blindFromS, loop.blindUntilS].map((s) => s.toPrecision(4));
    lines.push(
      `the monitor stood still from ${from} to ${until} s, and the application ended then: ` +
        `energies are those up to ${from} s`,
    );
  }
  if (startsLate(facts)) {
    const after = engine.tracker.startupS.toPrecision(3);
    lines.push(`energies and powers begin ${after} s after the start, with the first sample`);
  }
  lines.push(...coverageNotes(engine.gaps()));
  if (loop.cpuStride > 1) {
    lines.push(`per-CPU counters read every ${loop.cpuStride} ticks, to stay under 10 %`);
  }
  lines.push(...engine.notes());
  if (loop.cpusMoved) lines.push("the machine has more CPUs than the tree: c counts as c mod N");
  if (collector.counts.folded > 0) {
    const came = collector.counts.folded - collector.foldedHere;
    if (came > 0) lines.push(`${came} visits came folded: counts and times, no edges`);
  }
  if (collector.foldedHere > 0) {
    lines.push(
      `to stay within the budget, ${collector.foldedHere} short visits were folded: counts and ` +
        "times are exact, their energy by edges counts as unmarked",
    );
  }
  const { mostFactor = 1 } = loop.budget ?? {};
  if (mostFactor > 1) {
    lines.push(`to stay within the budget, the period was up to ${mostFactor} times longer`);
  }
  const { other, lost } = collector.counts;
  if (other > 0) lines.push(`${other} visits to names without room are told as [joulemark] other`);
  if (lost > 0) {
    lines.push(`${lost} visits of threads without room count as [joulemark] other, without time`);
  }
  const { mistakes, remarks } = collector.events;
  for (const { kind, count } of mistakes.list.slice(0, 3)) lines.push(`${count} x ${kind}`);
  if (mistakes.list.length > 3) {
    lines.push(`${mistakes.total} marks were out of order in all; the report names them`);
  }
  lines.push(...remarks);
  const files = collector.refusedFiles;
  for (const file of files.slice(0, 3)) lines.push(`refused ${file}`);
  if (files.length > 3) lines.push(`${files.length} files of marks were refused in all`);
  for (const refused of engine.tracker.refused) {
    lines.push(`${refused.count} x ${refused.kind} (first by process ${refused.at})`);
  }
  if (collector.garbage > 0) {
    lines.push(`${collector.garbage} records made no sense and were left out`);
  }
  if (engine.events.late > 0) {
    const most = (engine.events.mostLateS * 1e3).toPrecision(3);
    lines.push(`${engine.events.late} events came late, by ${most} ms at most`);
  }
  for (const trouble of troubles(engine)) {
    lines.push(`${trouble.subject}: ${trouble.text} (${trouble.count} times)`);
  }
  return lines;
}

/** Was a part of the run over that is worth a word before the first sample? */
function startsLate({ engine, request }: FactSources): boolean {
  const { startupS, runtimeS } = engine.tracker;
  return startupS > LATE_PERIODS * request.periodS && startupS > LATE_SHARE * runtimeS;
}

/** Where each signal came from and how far to trust it, or why it is absent. */
export function sourceFacts(engine: RunView, catalogue: Catalogue, reportSignals: string): Nested {
  const mapping: { [key: string]: Nested } = {};
  const broken = new Map(troubles(engine).map((t) => [t.subject, t]));
  for (const column of engine.batch.columns) {
    const { signal } = column;
    // What comes from the application's own marks needs no source.
    if (engine.tracker.signals.includes(signal)) continue;
    const trouble = broken.get(column.name) ?? broken.get(signal.row.name);
    mapping[column.name] = {
      quality: trouble === undefined ? signal.quality : "partial",
      // Which one of its candidates a portable name stands for here.
      ...(column.name === signal.row.name ? {} : { signal: signal.row.name }),
      source: signal.source,
      ...(signal.note === undefined ? {} : { note: signal.note }),
      ...(trouble === undefined ? {} : { trouble: `${trouble.text}, ${trouble.count} times` }),
    };
  }
  for (const [name, { reason, remedy }] of absentSignals(catalogue, reportSignals)) {
    mapping[name] = { absent: reason, ...(remedy === undefined ? {} : { remedy }) };
  }
  return mapping;
}

function troubles(engine: RunView) {
  return engine.batch.readings.flatMap(({ reading }) => [...(reading.troubles ?? [])]);
}

function processes(facts: FactSources): Nested {
  const list = facts.engine.tracker.processes().filter((p) => p.end !== "withdrawn");
  const first = Math.min(...list.map((p) => p.startS));
  const period = facts.request.periodS;
  const open = list.filter((p) => p.openRegion !== undefined && p.end !== "running");
  return {
    count: list.length,
    "came later": list.filter((p) => p.startS > first + period).length,
    died: list.filter((p) => p.end === "died").length,
    ...(facts.loop.cpusMoved
      ? { cpus: "of a larger machine: CPU c counts as c mod the node's number of CPUs" }
      : {}),
    ...(list.some((p) => p.command) ? { "without marks": "the launched command" } : {}),
    ...(open.length > 0
      ? {
        "ended inside a region": open.slice(0, 20).map((p) => `${p.pid} in ${p.openRegion}`),
      }
      : {}),
  };
}

/** Six significant digits, as the rest of the report has. */
function digits(value: number): number {
  return Number(value.toPrecision(6));
}
