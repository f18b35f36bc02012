/**
 * What a report has beyond GEOPM's keys: the source and quality of each figure, what
 * was absent and why, what was lost or refused, and what the monitor itself cost.
 * @module
 */
import { rounded } from "../core/number_format.ts";
import type { Confinement } from "../os/confinement/confine.ts";
import { MANDATORY_SIGNALS } from "../aggregate/report_signals.ts";
import { NEVER_CHANGED } from "../core/job_totals.ts";
import type { Nested } from "../core/report.ts";
import { processSpreadFacts } from "./process_spread.ts";
import { spanFacts } from "./span_facts.ts";
import { valueFacts } from "./value_facts.ts";
import { parseSignalList } from "../core/signal_list.ts";
import type { Catalogue } from "../signals/catalogue.ts";
import { coverageFacts } from "./coverage.ts";
import type { LoopFigures } from "./loop_figures.ts";
import { startsLate, troubles } from "./findings.ts";
import { type MpiKind, mpiKind } from "../client/mpi_calls.ts";
import type { Collector } from "../events/collector.ts";
import type { ReportedSums } from "../events/reported_sums.ts";
import type { ReportOptions, RunView } from "./run_view.ts";

/** Threads that the report names. */
const MAX_THREADS = 20;

/** What is known of a run from its begin. */
export interface RunFacts {
  readonly request: ReportOptions;
  readonly engine: RunView;
  readonly catalogue: Catalogue;
  readonly permissions: readonly string[];
  /** What an earlier test of this node's counters found. */
  readonly countersChecked?: Nested | undefined;
  /** `simulated` or `tree DIR`, where the counters are not the machine's. */
  readonly simulated?: string;
}

/** What the mapping is made from. */
export interface FactSources extends RunFacts {
  readonly collector: Collector;
  readonly loop: LoopFigures;
  /** Permissions that were given back after the start. */
  readonly dropped: readonly string[];
  /** What the kernel holds us to; `undefined` before the first sample. */
  readonly confinement: Confinement | undefined;
  /** The run goes on: the report covers the time so far. */
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
    ...(loop.sleptThrough > 0 ? { "samples slept through": loop.sleptThrough } : {}),
    "samples missed": loop.missed,
    "samples late": loop.late,
    ...(loop.cpuStride > 1 ? { "ticks between reads of per-CPU counters": loop.cpuStride } : {}),
    scheduling: loop.scheduling,
    ...(loop.blindFromS === loop.blindFromS
      ? {
        "stood still from (s)": rounded(loop.blindFromS),
        "stood still until (s)": rounded(loop.blindUntilS),
      }
      : {}),
    ...(startsLate(engine, request.periodS)
      ? { "first sample after (s)": rounded(engine.tracker.startupS) }
      : {}),
  };
  if (facts.countersChecked !== undefined) mapping["counters checked"] = facts.countersChecked;
  const coverage = coverageFacts(engine.gaps());
  if (coverage !== undefined) mapping.coverage = coverage;
  mapping.overhead = {
    "cpu (s)": rounded(loop.cpuS),
    "cpu (% of a core)": rounded(loop.wallS > 0 ? 100 * loop.cpuS / loop.wallS : 0),
    "resident memory (KiB)": loop.memoryKib,
  };
  const shed = shedFacts(facts);
  if (shed !== undefined) mapping.budget = shed;
  mapping.processes = processes(facts);
  const spread = processSpreadFacts(engine.tracker, (pid) => collector.rankOf(pid));
  if (spread !== undefined) mapping["across processes"] = spread;
  const spans = spanFacts(engine.tracker.spans());
  if (spans !== undefined) mapping.spans = spans;
  const { mpi, openmp, values, remarks } = collector.messages;
  const mpiSection = { ...mpiTimes(engine), ...(mpi.processes > 0 ? mpiFacts(mpi) : {}) };
  if (Object.keys(mpiSection).length > 0) mapping.mpi = mpiSection;
  if (openmp.processes > 0) mapping.openmp = openmpFacts(openmp);
  const events = valueFacts(values.values);
  if (events !== undefined) mapping["event values"] = events;
  const { counts, outOfOrder, refusedFiles: files, mistakes } = collector;
  const marks: { [key: string]: Nested } = {
    "folded visits": counts.folded,
    "late events": engine.events.late,
    ...(engine.events.late > 0 ? { "late by at most (s)": rounded(engine.events.mostLateS) } : {}),
    ...positive({
      "visits under one name": counts.other,
      "visits of threads without room": counts.lost,
      "begins and ends of spans without room": counts.lostSpans,
      "marks within marks": counts.interrupting,
      "hints left out": counts.nested,
    }),
  };
  if (outOfOrder.length > 0) {
    marks["visits out of order"] = Object.fromEntries(
      outOfOrder.slice(0, MAX_THREADS).map(({ pid, thread, visits, fromS, untilS }) => [
        thread === pid ? `process ${pid}` : `process ${pid}, thread ${thread}`,
        { visits, "from (s)": rounded(fromS), "until (s)": rounded(untilS) },
      ]),
    );
  }
  Object.assign(
    marks,
    positive({
      "nested visits lost": counts.nestedLost,
      "visits without a path": counts.pathless,
      "records left out": collector.garbage,
    }),
  );
  if (files.length > 0) marks["files left out"] = files.slice(0, 20);
  const { refused } = engine.tracker;
  if (refused.length > 0) {
    marks["refused calls"] = Object.fromEntries(refused.map((r) => [r.kind, r.count]));
  }
  if (mistakes.total > 0) {
    marks.mistakes = Object.fromEntries(mistakes.list.map((m) => [m.kind, m.count]));
    const seen = mistakes.list.filter(({ text }) => text !== "");
    if (seen.length > 0) {
      marks["mistakes first seen"] = Object.fromEntries(seen.map((m) => [m.kind, m.text]));
    }
  }
  if (counts.refused > 0) marks["mistakes without a name"] = counts.refused;
  if (remarks.size > 0) marks.remarks = [...remarks];
  mapping.marks = marks;
  mapping.permissions = [...facts.permissions];
  if (facts.dropped.length > 0) mapping["permissions given back"] = [...facts.dropped];
  if (facts.confinement !== undefined) {
    const { privileges, calls, paths } = facts.confinement;
    mapping.confinement = {
      ...{ capabilities: privileges, "system calls": calls },
      paths: typeof paths === "string" ? paths : {
        ...{ by: paths.by, read: [...paths.read], written: [...paths.written], executed: "none" },
      },
    };
  }
  return mapping;
}

function positive(figures: { [key: string]: number }): { [key: string]: number } {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value > 0));
}

/** Time in calls of MPI by what they are for, within regions too: means over processes. */
function mpiTimes({ tracker }: RunView): { [key: string]: Nested } {
  const { paths, regionPaths: { stats } } = tracker;
  const ns: Partial<Record<MpiKind, number>> = {};
  for (let path = 1; path < paths.length; path++) {
    const name = paths.name(path);
    if (!name.startsWith("MPI_") || !(stats.count[path] > 0)) continue;
    const kind = mpiKind(name);
    if (kind !== undefined) ns[kind] = (ns[kind] ?? 0) + stats.sumNs[path];
  }
  const processes = Math.max(1, tracker.processCount);
  return Object.fromEntries(
    Object.entries(ns).map(([kind, sum]) => [`mpi-${kind} (s)`, rounded(sum * 1e-9 / processes)]),
  );
}

/** Calls of MPI by name. */
function mpiFacts({ sums, processes, mostOthers }: ReportedSums): { [key: string]: Nested } {
  return {
    "processes that said": processes,
    "peers of a process, at most": mostOthers,
    calls: sums.map(({ name, count, amount }) => ({ call: name, count, bytes: amount })),
  };
}

/** Times of OpenMP's threads by kind, those of all threads added up. */
function openmpFacts({ sums, processes, mostOthers }: ReportedSums): Nested {
  return {
    "processes that said": processes,
    "threads of a process, at most": mostOthers,
    times: sums.map(({ name, count, amount }) => ({
      kind: name,
      count,
      "time (s)": rounded(amount * 1e-9),
    })),
  };
}

/** What was left out to stay within the budget; `undefined`: nothing. */
function shedFacts({ loop, collector }: FactSources): Nested | undefined {
  const { mostFactor = 1, foldingS = 0, longerS = 0 } = loop.budget ?? {};
  if (collector.foldedHere === 0 && mostFactor === 1) return undefined;
  return {
    "visits folded": collector.foldedHere,
    "time of folding (s)": rounded(foldingS),
    "period times, at most": mostFactor,
    "time of longer periods (s)": rounded(longerS),
  };
}

/** The source and quality of each signal, or why it is absent. */
export function sourceFacts(engine: RunView, catalogue: Catalogue, reportSignals: string): Nested {
  const mapping: { [key: string]: Nested } = {};
  const broken = new Map(troubles(engine).map((t) => [t.subject, t]));
  for (const column of engine.batch.columns) {
    const { signal } = column;
    // What comes from the application's own marks needs no source.
    if (engine.tracker.signals.includes(signal)) continue;
    const trouble = broken.get(column.name) ?? broken.get(signal.row.name);
    const isStill = engine.stillCounters.has(column.name);
    mapping[column.name] = {
      quality: trouble === undefined && !isStill ? signal.quality : "partial",
      // Which one of its candidates a portable name stands for here.
      ...(column.name === signal.row.name ? {} : { signal: signal.row.name }),
      source: signal.source,
      ...(signal.note === undefined ? {} : { note: signal.note }),
      ...(trouble === undefined ? {} : { trouble: `${trouble.text}, ${trouble.count} times` }),
      ...(isStill ? { trouble: NEVER_CHANGED } : {}),
    };
  }
  for (const [name, { reason, remedy }] of absentSignals(catalogue, reportSignals)) {
    mapping[name] = { absent: reason, ...(remedy === undefined ? {} : { remedy }) };
  }
  return mapping;
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
      ? { "ended inside a region": open.slice(0, 20).map((p) => `${p.pid} in ${p.openRegion}`) }
      : {}),
  };
}
