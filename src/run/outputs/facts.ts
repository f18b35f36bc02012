/**
 * Additions of a report to GEOPM's keys: source and quality of each value, missing counters with
 * the reason, lost and refused calls, and the cost of the monitor itself.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import type { Confinement } from "../../os/confinement/confine.ts";
import { MANDATORY_SIGNALS } from "../../energy/totals/report_signals.ts";
import { stillFacts, UNREAD_KEY } from "../../core/job_totals.ts";
import { type Nested, present, RUN_GOES_ON } from "../../core/report.ts";
import { endedInside } from "./ended_inside.ts";
import { processSpreadFacts } from "./process_spread.ts";
import { spanFacts } from "./span_facts.ts";
import { parseSignalList } from "../../core/signal_list.ts";
import type { Catalogue } from "../../sources/signals/catalogue.ts";
import { coverageFacts } from "./coverage.ts";
import type { LoopFigures } from "./loop_figures.ts";
import { troubles, unsampledFacts } from "./findings.ts";
import { type MpiKind, mpiKind } from "../../marks/client/mpi_calls.ts";
import type { Collector } from "../../marks/rings/collector.ts";
import type { ReportedSums } from "../../marks/rings/reported_sums.ts";
import type { ReportedValue } from "../../marks/rings/reported_values.ts";
import type { ReportOptions, RunView } from "./run_view.ts";

/** Threads that the report names. */
const MAX_THREADS = 20;

/** Facts about a run from its begin. */
export interface RunFacts {
  readonly request: ReportOptions;
  readonly engine: RunView;
  readonly catalogue: Catalogue;
  readonly permissions: readonly string[];
  /** Result of an earlier test of this node's counters. */
  readonly countersChecked?: Nested | undefined;
  /** `simulated` or `tree DIR`, where the counters are not the machine's. */
  readonly simulated?: string;
}

/** Sources of the mapping. */
export interface FactSources extends RunFacts {
  readonly collector: Collector;
  readonly loop: LoopFigures;
  /** Permissions that were given back after the start. */
  readonly dropped: readonly string[];
  /** Restrictions by the kernel; `undefined` before the first sample. */
  readonly confinement: Confinement | undefined;
  /** The run goes on: the report covers the time so far. */
  readonly partial: boolean;
}

/** Reasons by signal, for those that the report needs or was asked for and that are absent. */
function absentSignals(
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
  const { engine, collector, loop, confinement } = facts;
  const { mpi, openmp, values } = collector.messages;
  const mpiSection = { ...mpiTimes(engine), ...(mpi.processes > 0 ? mpiFacts(mpi) : {}) };
  return present({
    partial: facts.partial ? `${RUN_GOES_ON}; this is the time so far` : undefined,
    simulated: facts.simulated,
    sources: sourceFacts(engine, facts.catalogue, facts.request.reportSignals),
    sampling: samplingFacts(facts),
    "counters checked": facts.countersChecked,
    coverage: coverageFacts(engine.gaps()),
    overhead: {
      "cpu (s)": rounded(loop.cpuS),
      "cpu (% of a core)": rounded(percentOf(loop.cpuS, loop.wallS)),
      ...(loop.samplingWallS > 0
        ? {
          "sampling (s)": rounded(loop.samplingS),
          "sampling (% of a core)": rounded(percentOf(loop.samplingS, loop.samplingWallS)),
        }
        : {}),
      ...(loop.simulatedS > 0
        ? {
          "simulated counters (s)": rounded(loop.simulatedS),
          "simulated counters (% of a core)": rounded(percentOf(loop.simulatedS, loop.wallS)),
        }
        : {}),
      "after the command (s)": rounded(loop.afterS),
      "resident memory (KiB)": loop.memoryKib,
    },
    budget: shedFacts(facts),
    processes: processes(facts),
    "across processes": processSpreadFacts(engine.tracker, (pid) => collector.rankOf(pid)),
    spans: spanFacts(engine.tracker.spans()),
    mpi: Object.keys(mpiSection).length > 0 ? mpiSection : undefined,
    openmp: openmp.processes > 0 ? openmpFacts(openmp) : undefined,
    "event values": valueFacts(values.values),
    marks: markFacts(facts),
    permissions: [...facts.permissions],
    "permissions given back": facts.dropped.length > 0 ? [...facts.dropped] : undefined,
    confinement: confinement && confinementFacts(confinement),
  });
}

function percentOf(cpuS: number, wallS: number): number {
  return wallS > 0 ? 100 * cpuS / wallS : 0;
}

/** Facts about the sampling loop. */
function samplingFacts({ engine, loop, request: { periodS } }: FactSources): Nested {
  const { sleptThrough, cpuStride, blindFromS, blindUntilS, unread } = loop;
  return present({
    "period (s)": periodS,
    samples: loop.steps,
    "samples slept through": sleptThrough > 0 ? sleptThrough : undefined,
    "samples missed": loop.missed,
    "samples late": loop.late,
    "ticks between reads of per-CPU counters": cpuStride > 1 ? cpuStride : undefined,
    scheduling: loop.scheduling,
    [UNREAD_KEY]: unread.length > 0 ? [...unread] : undefined,
    ...(blindFromS === blindFromS
      ? {
        "stalled from (s)": rounded(blindFromS),
        "stalled until (s)": rounded(blindUntilS),
      }
      : {}),
    ...unsampledFacts(engine, periodS),
  });
}

/** Facts about begin and end calls. */
function markFacts({ engine: { events, tracker }, collector }: FactSources): Nested {
  const { counts, outOfOrder, mistakes, messages: { remarks } } = collector;
  const files = collector.refusedFiles.slice(0, 20);
  return present({
    "folded visits": counts.folded,
    "late events": events.late,
    ...positive({
      "late by at most (s)": events.late > 0 ? rounded(events.mostLateS) : 0,
      "visits under one name": counts.other,
      "visits of threads without room": counts.lost,
      "begins and ends of spans without room": counts.lostSpans,
      "values without room": counts.lostValues,
      "marks within marks": counts.interrupting,
      "hints left out": counts.nested,
    }),
    "visits out of order": byName(outOfOrder.slice(0, MAX_THREADS), (one) => [
      one.thread === one.pid ? `process ${one.pid}` : `process ${one.pid}, thread ${one.thread}`,
      { visits: one.visits, "from (s)": rounded(one.fromS), "until (s)": rounded(one.untilS) },
    ]),
    ...positive({
      "nested visits lost": counts.nestedLost,
      "visits without a path": counts.pathless,
      "records left out": collector.garbage,
    }),
    "files left out": files.length > 0 ? files : undefined,
    "refused calls": byName(tracker.refused, ({ kind, count }) => [kind, count]),
    mistakes: byName(mistakes.list, ({ kind, count }) => [kind, count]),
    "mistakes first seen": byName(
      mistakes.list.filter(({ text }) => text !== ""),
      ({ kind, text }) => [kind, text],
    ),
    ...positive({ "mistakes without a name": counts.refused }),
    remarks: remarks.size > 0 ? [...remarks] : undefined,
  });
}

/** Restrictions by the kernel. */
function confinementFacts({ privileges, calls, paths }: Confinement): Nested {
  return {
    capabilities: privileges,
    "system calls": calls,
    paths: typeof paths === "string" ? paths : {
      by: paths.by,
      read: [...paths.read],
      written: [...paths.written],
      executed: "none",
    },
  };
}

/** A mapping of a list; `undefined`: the list is empty. */
function byName<T>(
  all: readonly T[],
  entry: (one: T) => [name: string, value: Nested],
): Nested | undefined {
  return all.length === 0 ? undefined : Object.fromEntries(all.map(entry));
}

function positive(figures: { [key: string]: number }): { [key: string]: number } {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value > 0));
}

/** Time in calls of MPI by what they are for, within regions too: means over processes. */
function mpiTimes({ tracker }: RunView): { [key: string]: Nested } {
  const { paths, regionPaths: { stats } } = tracker;
  const groups = tracker.groups(), seconds: Partial<Record<MpiKind, number>> = {};
  for (let path = 1; path < paths.length; path++) {
    const name = paths.name(path);
    if (!name.startsWith("MPI_") || !(stats.count[path] > 0)) continue;
    const kind = mpiKind(name);
    if (kind === undefined) continue;
    seconds[kind] = (seconds[kind] ?? 0) + stats.sumNs[path] * 1e-9 / groups.sizeOfName(name);
  }
  return Object.fromEntries(
    Object.entries(seconds).map(([kind, sum]) => [`mpi-${kind} (s)`, rounded(sum)]),
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

/** Values of events by name and track; `undefined`: there were none. */
export function valueFacts(values: readonly ReportedValue[]): Nested | undefined {
  if (values.length === 0) return undefined;
  return values.map(({ name, track, count, least, most, sum, squares }) => {
    const mean = sum / count;
    return {
      event: name,
      track,
      count,
      sum: exactOrRounded(sum),
      mean: exactOrRounded(mean),
      minimum: exactOrRounded(least),
      maximum: exactOrRounded(most),
      // As TAU has it: of all values that there were, not of a sample of them.
      "standard deviation": exactOrRounded(Math.sqrt(Math.max(0, squares / count - mean * mean))),
    };
  });
}

/** Whole numbers to the last digit, as of bytes. */
function exactOrRounded(value: number): number {
  return Number.isSafeInteger(value) ? value : rounded(value, 9);
}

/** Reductions that kept the monitor within its budget; `undefined`: none. */
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
    const still = stillFacts(engine.stillCounters.get(column.name));
    const lack = trouble && `${trouble.text}, ${trouble.count} times`;
    mapping[column.name] = present({
      quality: trouble === undefined && still.trouble === undefined ? signal.quality : "partial",
      // Which one of its candidates a portable name stands for here.
      signal: column.name === signal.row.name ? undefined : signal.row.name,
      source: signal.source,
      note: signal.note,
      trouble: lack,
      ...still,
    });
  }
  for (const [name, { reason, remedy }] of absentSignals(catalogue, reportSignals)) {
    mapping[name] = present({ absent: reason, remedy });
  }
  return mapping;
}

function processes(facts: FactSources): Nested {
  const list = facts.engine.tracker.processes().filter((p) => p.end !== "withdrawn");
  const first = Math.min(...list.map((p) => p.startS));
  const period = facts.request.periodS;
  const { notAttached } = facts.collector.counts;
  return {
    count: list.length,
    "came later": list.filter((p) => p.startS > first + period).length,
    died: list.filter((p) => p.end === "died").length,
    ...(notAttached > 0 ? { "not attached": notAttached } : {}),
    ...(facts.loop.cpusMoved
      ? { cpus: "of a larger machine: CPU c counts as c mod the node's number of CPUs" }
      : {}),
    ...(list.some((p) => p.command) ? { "without marks": "the launched command" } : {}),
    ...endedInside(list),
  };
}
