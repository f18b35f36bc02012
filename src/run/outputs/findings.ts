/**
 * The findings of a run, live or replayed, in the order in which the report and the card have them:
 * the card has room for three.
 * @module
 */
import type { Finding, Severity } from "../../core/finding.ts";
import { WITHOUT_REGIONS } from "../../marks/client/dialects.ts";
import type { Collector } from "../../marks/rings/collector.ts";
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
  const { cpuStride = 1 } = live?.loop ?? {}, garbage = live?.collector.garbage ?? 0;
  const rough = roughTotals(engine.coverage.rare);
  return [
    ...all("recording-repaired", "warning", repairs),
    ...(live === undefined ? [] : beginAndEnd(engine, live)),
    ...all("coverage", "warning", coverageNotes(engine.gaps())),
    ...when(cpuStride > 1, {
      code: "cpu-stride",
      severity: "info",
      text: `per-CPU counters read every ${cpuStride} ticks, to stay under 10 %`,
    }),
    ...all("outputs", "warning", engine.notes()),
    ...(live === undefined ? [] : [
      ...budgetFindings(live),
      ...markFindings(live.collector),
      ...preloadUnheard(live.unheard ?? []),
    ]),
    ...engine.tracker.refused.map(({ count, kind, at }): Finding => ({
      code: "refused-calls",
      severity: "warning",
      text: `${count} x ${kind} (first by process ${at})`,
    })),
    ...when(garbage > 0, {
      code: "records-left-out",
      severity: "error",
      text: `${garbage} records made no sense and were left out`,
    }),
    ...lateEvents(late),
    ...when(rough !== "", {
      code: "rough-totals",
      severity: "warning",
      text: rough,
      remedy: "a longer run helps",
    }),
    ...troubles(engine).map(({ subject, text, count }): Finding => ({
      code: "source-trouble",
      severity: "warning",
      text: `${subject}: ${text} (${count} times)`,
    })),
    // The least of all comes last.
    ...(live === undefined ? [] : missedSamples(live.loop)),
    ...all("idle", "warning", idle),
  ];
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

function when(isSo: boolean, finding: Finding): Finding[] {
  return isSo ? [finding] : [];
}

type Live = NonNullable<FindingSources["live"]>;

function beginAndEnd(engine: RunView, { loop, periodS }: Live): Finding[] {
  const [from, until] = [loop.blindFromS, loop.blindUntilS].map((s) => s.toPrecision(4));
  const after = engine.tracker.startupS.toPrecision(3);
  return [
    ...when(loop.blindFromS === loop.blindFromS, {
      code: "stood-still",
      severity: "error",
      text: `the monitor stood still from ${from} to ${until} s, and the application ended then: ` +
        `energies are those up to ${from} s`,
    }),
    ...when(startsLate(engine, periodS), {
      code: "starts-late",
      severity: "warning",
      text: `energies and powers begin ${after} s after the start, with the first sample`,
    }),
  ];
}

/** What was left out or folded, of the machine and to stay within the budget. */
function budgetFindings({ loop, collector }: Live): Finding[] {
  const came = collector.counts.folded - collector.foldedHere;
  const { mostFactor = 1 } = loop.budget ?? {};
  return [
    ...when(loop.cpusMoved, {
      code: "cpus-moved",
      severity: "warning",
      text: "the machine has more CPUs than the tree: c counts as c mod N",
    }),
    ...when(came > 0, {
      code: "folded-visits",
      severity: "info",
      text: `${came} visits came folded: counts and times, no edges`,
    }),
    ...when(collector.foldedHere > 0, {
      code: "budget-folded",
      severity: "warning",
      text: `to stay within the budget, ${collector.foldedHere} short visits were folded: ` +
        "counts and times are exact, energies go by time between samples",
    }),
    ...when(loop.scheduling.includes("guardian"), {
      code: "budget-lowered",
      severity: "warning",
      text: "the monitor took twice its budget, and has had the lowest priority since",
      remedy: "give it more by --budget, or ask for fewer events",
    }),
    ...when(mostFactor > 1, {
      code: "budget-period",
      severity: "warning",
      text: `to stay within the budget, the period was up to ${mostFactor} times longer`,
    }),
  ];
}

/** What became of marks that were out of order, or had no room. */
function markFindings(collector: Collector): Finding[] {
  const { mistakes, counts: { other, lost, interrupting, notAttached }, messages: { remarks } } =
    collector;
  const files = collector.refusedFiles;
  return [
    ...pathFindings(collector),
    ...when(other > 0, {
      code: "names-without-room",
      severity: "warning",
      text:
        `${other} visits to names without room, by null pointers or unknown handles are told as [joulemark] other`,
    }),
    ...when(lost > 0, {
      code: "threads-without-room",
      severity: "error",
      text: `${lost} visits of threads without room count as [joulemark] other, without time`,
    }),
    ...when(interrupting > 0, {
      code: "marks-within-marks",
      severity: "warning",
      text:
        `${interrupting} marks of signal handlers, in the middle of a mark of their thread, found ` +
        "no room and were left out; all others are exact",
    }),
    ...when(notAttached > 0, {
      code: "processes-not-attached",
      severity: "warning",
      text:
        `${notAttached} forked ${notAttached === 1 ? "process" : "processes"} could not open a ` +
        "file of the run (another user, another root directory, or a filter of system calls): the " +
        "regions of such a process are missing",
      remedy: "mark in the process before it changes these, or in its parent",
    }),
    ...orderFindings(mistakes),
    ...all("client-remark", "info", [...remarks]),
    ...when(files.length > 0, {
      code: "files-refused",
      severity: "warning",
      text: files.length === 1
        ? `refused ${files[0]}`
        : `${files.length} files of marks were refused; the first: ${files[0]}`,
    }),
  ];
}

/** A kind of trouble is a line: the report has all of them. */
function orderFindings({ list, total }: Collector["mistakes"]): Finding[] {
  const [mistake] = list;
  if (mistake === undefined) return [];
  const place = mistake.text === "" ? "" : ` (first ${mistake.text})`;
  const first = `${mistake.count} x ${mistake.kind}${place}`;
  const text = list.length === 1 ? first : `${total} marks were out of order; the first: ${first}`;
  return [{ code: "marks-out-of-order", severity: "warning", text }];
}

/** What became of nested visits that came too fast, or had too many paths. */
function pathFindings({ outOfOrder, counts }: Collector): Finding[] {
  const visits = outOfOrder.reduce((sum, one) => sum + one.visits, 0);
  const [worst] = outOfOrder.toSorted((a, b) => b.visits - a.visits);
  const [from, until] = [worst?.fromS, worst?.untilS].map((s) => s?.toPrecision(3));
  return [
    ...when(worst !== undefined, {
      code: "visits-out-of-order",
      severity: "warning",
      text:
        `${visits} nested visits came too fast to be told in their order: counts and times by ` +
        `path are exact (${worst?.visits} of thread ${worst?.thread}, from ${from} to ${until} s)`,
    }),
    ...when(counts.nestedLost > 0, {
      code: "visits-lost",
      severity: "error",
      text: `${counts.nestedLost} nested visits came too fast and are lost: counts are too low`,
    }),
    ...when(counts.pathless > 0, {
      code: "paths-without-room",
      severity: "warning",
      text:
        `${counts.pathless} visits had a path beyond 16,351 a thread or 64 levels: they count ` +
        "as time of the region around them",
    }),
  ];
}

/** Calls were to be answered, and none made a region: a library that is not loaded says nothing itself. */
function preloadUnheard(dialects: readonly string[]): Finding[] {
  const wanted = dialects.filter((dialect) => !WITHOUT_REGIONS.includes(dialect));
  return when(wanted.length > 0, {
    code: "preload-unheard",
    severity: "info",
    text: `--preload: no call of ${wanted.length > 3 ? "what it answers" : wanted.join(", ")} ` +
      "made a region",
    remedy: "a static or setuid program, or one with its own LD_PRELOAD, does not load the library",
  });
}

function lateEvents({ count, mostS }: FindingSources["late"]): Finding[] {
  const most = mostS === undefined ? "" : `, by ${(mostS * 1e3).toPrecision(3)} ms at most`;
  const what = count === 1 ? "event came" : "events came";
  const text = `${count} ${what} late${most}`;
  return when(count > 0, { code: "late-events", severity: "warning", text });
}

function missedSamples({ missed, late, steps }: LoopFigures): Finding[] {
  return when(missed + late > 0, {
    code: "samples-missed",
    severity: "info",
    text: `${missed} of ${steps + missed} samples missed, ${late} late`,
    remedy: "where that is many, leave a CPU free or give a longer --period",
  });
}
