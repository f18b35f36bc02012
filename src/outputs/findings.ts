/**
 * The findings of a run, live or replayed, in the order in which the report and the card have them:
 * the card has room for three.
 * @module
 */
import type { Finding, Severity } from "../core/finding.ts";
import { WITHOUT_REGIONS } from "../client/dialects.ts";
import type { Collector } from "../events/collector.ts";
import { coverageNotes, roughTotals } from "./coverage.ts";
import type { LoopFigures } from "./loop_figures.ts";
import type { RunView } from "./run_view.ts";

/** What findings are made from. */
export interface FindingSources {
  readonly engine: RunView;
  /** Events that came too late to count where they happened; most, in seconds, where it is known. */
  readonly late: { readonly count: number; readonly mostS?: number };
  /** What was repaired in a recording, a line each. */
  readonly repairs?: readonly string[];
  /** What the measurement of the idle node found. */
  readonly idle?: readonly string[];
  /** Of a live run: its loop, its marks, the period that was asked for, and dialects that made no region. */
  readonly live?: {
    readonly loop: LoopFigures;
    readonly collector: Collector;
    readonly periodS: number;
    readonly unheard?: readonly string[];
  };
}

/** A first sample that comes later than that is a finding. */
const LATE_PERIODS = 4, LATE_SHARE = 0.01;

/** All findings of a run. */
export function findings(sources: FindingSources): Finding[] {
  const { engine, live, late, repairs = [], idle = [] } = sources;
  const list: Finding[] = all("recording-repaired", "warning", repairs);
  if (live !== undefined) list.push(...beginAndEnd(engine, live));
  list.push(...all("coverage", "warning", coverageNotes(engine.gaps())));
  if (live !== undefined && live.loop.cpuStride > 1) {
    const { cpuStride } = live.loop;
    list.push({
      ...{ code: "cpu-stride", severity: "info" },
      text: `per-CPU counters read every ${cpuStride} ticks, to stay under 10 %`,
    });
  }
  list.push(...all("outputs", "warning", engine.notes()));
  if (live !== undefined) {
    list.push(...budgetFindings(live), ...markFindings(live.collector));
    list.push(...preloadUnheard(live.unheard ?? []));
  }
  for (const { count, kind, at } of engine.tracker.refused) {
    list.push({
      ...{ code: "refused-calls", severity: "warning" },
      text: `${count} x ${kind} (first by process ${at})`,
    });
  }
  const garbage = live?.collector.garbage ?? 0;
  if (garbage > 0) {
    list.push({
      ...{ code: "records-left-out", severity: "error" },
      text: `${garbage} records made no sense and were left out`,
    });
  }
  if (late.count > 0) list.push(lateEvents(late));
  const rough = roughTotals(engine.coverage.rare);
  if (rough !== undefined) {
    const remedy = "a longer run helps";
    list.push({ code: "rough-totals", severity: "warning", text: rough, remedy });
  }
  for (const { subject, text, count } of troubles(engine)) {
    list.push({
      ...{ code: "source-trouble", severity: "warning" },
      text: `${subject}: ${text} (${count} times)`,
    });
  }
  // The least of all comes last.
  if (live !== undefined) list.push(...missedSamples(live.loop));
  list.push(...all("idle", "warning", idle));
  return list;
}

/** What failed in reading sources, by signal. */
export function troubles(engine: RunView) {
  return engine.batch.readings.flatMap(({ reading }) => [...(reading.troubles ?? [])]);
}

/** Was a part of the run over that is worth a word before the first sample? */
export function startsLate({ tracker }: RunView, periodS: number): boolean {
  const { startupS, runtimeS } = tracker;
  return startupS > LATE_PERIODS * periodS && startupS > LATE_SHARE * runtimeS;
}

function all(code: string, severity: Severity, texts: readonly string[]): Finding[] {
  return texts.map((text) => ({ code, severity, text }));
}

type Live = NonNullable<FindingSources["live"]>;

function beginAndEnd(engine: RunView, { loop, periodS }: Live): Finding[] {
  const list: Finding[] = [];
  if (loop.blindFromS === loop.blindFromS) {
    const [from, until] = [loop.blindFromS, loop.blindUntilS].map((s) => s.toPrecision(4));
    list.push({
      ...{ code: "stood-still", severity: "error" },
      text: `the monitor stood still from ${from} to ${until} s, and the application ended then: ` +
        `energies are those up to ${from} s`,
    });
  }
  if (startsLate(engine, periodS)) {
    const after = engine.tracker.startupS.toPrecision(3);
    list.push({
      ...{ code: "starts-late", severity: "warning" },
      text: `energies and powers begin ${after} s after the start, with the first sample`,
    });
  }
  return list;
}

/** What was left out or folded, of the machine and to stay within the budget. */
function budgetFindings({ loop, collector }: Live): Finding[] {
  const list: Finding[] = [];
  if (loop.cpusMoved) {
    list.push({
      ...{ code: "cpus-moved", severity: "warning" },
      text: "the machine has more CPUs than the tree: c counts as c mod N",
    });
  }
  const came = collector.counts.folded - collector.foldedHere;
  if (came > 0) {
    list.push({
      ...{ code: "folded-visits", severity: "info" },
      text: `${came} visits came folded: counts and times, no edges`,
    });
  }
  if (collector.foldedHere > 0) {
    list.push({
      ...{ code: "budget-folded", severity: "warning" },
      text: `to stay within the budget, ${collector.foldedHere} short visits were folded: ` +
        "counts and times are exact, energies go by time between samples",
    });
  }
  if (loop.scheduling.includes("guardian")) {
    list.push({
      ...{ code: "budget-lowered", severity: "warning" },
      text: "the monitor took twice its budget, and has had the lowest priority since",
      remedy: "give it more by --budget, or ask for fewer events",
    });
  }
  const { mostFactor = 1 } = loop.budget ?? {};
  if (mostFactor > 1) {
    list.push({
      ...{ code: "budget-period", severity: "warning" },
      text: `to stay within the budget, the period was up to ${mostFactor} times longer`,
    });
  }
  return list;
}

/** What became of marks that were out of order, or had no room. */
function markFindings(collector: Collector): Finding[] {
  const list = pathFindings(collector);
  const { other, lost, interrupting } = collector.counts;
  if (other > 0) {
    list.push({
      ...{ code: "names-without-room", severity: "warning" },
      text:
        `${other} visits to names without room, by null pointers or unknown handles are told as [joulemark] other`,
    });
  }
  if (lost > 0) {
    list.push({
      ...{ code: "threads-without-room", severity: "error" },
      text: `${lost} visits of threads without room count as [joulemark] other, without time`,
    });
  }
  if (interrupting > 0) {
    list.push({
      ...{ code: "marks-within-marks", severity: "warning" },
      text:
        `${interrupting} marks of signal handlers, in the middle of a mark of their thread, found ` +
        "no room and were left out; all others are exact",
    });
  }
  const { mistakes, messages: { remarks } } = collector;
  // A kind of trouble is a line: the report has all of them.
  const [mistake] = mistakes.list;
  if (mistake !== undefined) {
    const place = mistake.text === "" ? "" : ` (first ${mistake.text})`;
    const first = `${mistake.count} x ${mistake.kind}${place}`;
    const text = mistakes.list.length === 1
      ? first
      : `${mistakes.total} marks were out of order; the first: ${first}`;
    list.push({ code: "marks-out-of-order", severity: "warning", text });
  }
  list.push(...all("client-remark", "info", [...remarks]));
  const files = collector.refusedFiles;
  if (files.length > 0) {
    const text = files.length === 1
      ? `refused ${files[0]}`
      : `${files.length} files of marks were refused; the first: ${files[0]}`;
    list.push({ code: "files-refused", severity: "warning", text });
  }
  return list;
}

/** What became of nested visits that came too fast, or had too many paths. */
function pathFindings({ outOfOrder, counts }: Collector): Finding[] {
  const list: Finding[] = [];
  if (outOfOrder.length > 0) {
    const visits = outOfOrder.reduce((sum, one) => sum + one.visits, 0);
    const worst = outOfOrder.reduce((a, b) => b.visits > a.visits ? b : a);
    const [from, until] = [worst.fromS, worst.untilS].map((s) => s.toPrecision(3));
    list.push({
      ...{ code: "visits-out-of-order", severity: "warning" },
      text:
        `${visits} nested visits came too fast to be told in their order: counts and times by ` +
        `path are exact (${worst.visits} of thread ${worst.thread}, from ${from} to ${until} s)`,
    });
  }
  if (counts.nestedLost > 0) {
    list.push({
      ...{ code: "visits-lost", severity: "error" },
      text: `${counts.nestedLost} nested visits came too fast and are lost: counts are too low`,
    });
  }
  if (counts.pathless > 0) {
    list.push({
      ...{ code: "paths-without-room", severity: "warning" },
      text:
        `${counts.pathless} visits had a path beyond 16,351 a thread or 64 levels: they count ` +
        "as time of the region around them",
    });
  }
  return list;
}

/** Calls were to be answered, and none made a region: a library that is not loaded says nothing itself. */
function preloadUnheard(dialects: readonly string[]): Finding[] {
  const wanted = dialects.filter((dialect) => !WITHOUT_REGIONS.includes(dialect));
  if (wanted.length === 0) return [];
  return [{
    ...{ code: "preload-unheard", severity: "info" },
    text: `--preload: no call of ${wanted.length > 3 ? "what it answers" : wanted.join(", ")} ` +
      "made a region",
    remedy: "a static or setuid program, or one with its own LD_PRELOAD, does not load the library",
  }];
}

function lateEvents({ count, mostS }: FindingSources["late"]): Finding {
  const most = mostS === undefined ? "" : `, by ${(mostS * 1e3).toPrecision(3)} ms at most`;
  const what = count === 1 ? "event came" : "events came";
  return { code: "late-events", severity: "warning", text: `${count} ${what} late${most}` };
}

function missedSamples({ missed, late, steps }: LoopFigures): Finding[] {
  if (missed + late === 0) return [];
  return [{
    ...{ code: "samples-missed", severity: "info" },
    text: `${missed} of ${steps + missed} samples missed, ${late} late`,
    remedy: "where that is many, leave a CPU free or give a longer --period",
  }];
}
