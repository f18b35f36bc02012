/**
 * Notes of a run, live or replayed, in the order in which report and summary have them: the summary has room for
 * three.
 * @module
 */
import { counted } from "../../core/counted.ts";
import { type Finding, noteLines, type Severity } from "../../core/finding.ts";
import { ENERGY_SIGNALS, UNSAMPLED_KEY } from "../../core/job_totals.ts";
import { rounded } from "../../core/number_format.ts";
import { COMPONENT_NAMES, ENERGY_KINDS, type EnergyKind } from "../../core/region_tree.ts";
import type { Nested, ReportHost, ReportRegion } from "../../core/report.ts";
import { WITHOUT_REGIONS } from "../../marks/client/dialects.ts";
import type { Collector } from "../../marks/rings/collector.ts";
import { missedSamples, type NoteFacts, valueFindings } from "../../show/analysis/notes.ts";
import { coarseCode } from "./attribution.ts";
import { coverageNotes } from "./coverage.ts";
import type { LoopFigures } from "./loop_figures.ts";
import type { RunView } from "./run_view.ts";

/** Sources of notes. */
export interface FindingSources {
  readonly engine: RunView;
  /** Events that came too late to count where they happened; most, in seconds, where it is known. */
  readonly late: { readonly count: number; readonly mostS?: number };
  /** Repairs of a recording, a line each. */
  readonly repairs?: readonly string[];
  /** Results of the measurement of the idle node. */
  readonly idle?: readonly string[];
  /** The values of the report; `undefined`: the run goes on. */
  readonly values?: NoteFacts;
  /**
   * Facts about a live run: its loop, its annotations, the requested period, and annotation APIs
   * and phases that made no region.
   */
  readonly live?: {
    readonly loop: LoopFigures;
    readonly collector: Collector;
    readonly periodS: number;
    readonly unheard?: readonly string[];
    /** The expression of --phase if no line made a region. */
    readonly unmatched?: string;
    /** Regions of a run with --phase. */
    readonly phases?: readonly ReportRegion[];
  };
}

/** Lines that are printed at once begin phases of less time. */
const SHORT_PHASE_S = 0.001;
/** A first sample that comes later than that has a note. */
const LATE_PERIODS = 4, LATE_SHARE = 0.01;
/** A command that runs longer than its processes with annotations has a note, from both of these on. */
const REST_S = 1, REST_SHARE = 0.05;

/** All notes of a run. */
export function findings(sources: FindingSources): Finding[] {
  const { engine, live, late, values, repairs = [], idle = [] } = sources;
  const { cpuStride = 1 } = live?.loop ?? {}, garbage = live?.collector.garbage ?? 0;
  return [
    ...all("recording-repaired", "warning", repairs),
    ...(live === undefined ? [] : stalled(live)),
    ...startsLate(engine, live?.periodS) ? [lateStart(engine)] : [],
    ...(live === undefined ? [] : commandInPart(engine, live)),
    ...coverageNotes(engine.gaps()),
    ...when(cpuStride > 1, {
      code: "cpu-stride",
      severity: "info",
      text: `counters of single CPUs were read only at one of ${cpuStride} samples, because ` +
        "reading all of them takes too long",
    }),
    ...engine.notes().map((note) => ofColumn(note, values?.column)),
    ...(live === undefined ? [] : [
      ...budgetFindings(live),
      ...markFindings(live.collector),
      ...preloadUnheard(live.unheard ?? []),
      ...phaseUnmatched(live.unmatched),
      ...phasesTogether(live.phases ?? []),
    ]),
    ...engine.tracker.refused.map(({ count, kind, at }): Finding => ({
      code: "refused-calls",
      severity: "warning",
      text: `calls were ignored: ${count} x ${kind} (first by process ${at})`,
    })),
    ...when(garbage > 0, {
      code: "records-left-out",
      severity: "error",
      text: `${garbage} records of annotations were damaged and are left out`,
      remedy:
        "write the header or module again (joulemark client), and build the application with it",
    }),
    ...lateEvents(late),
    ...values === undefined ? [] : valueFindings(values),
    ...rareUpdates(engine, values),
    ...troubles(engine).map(({ subject, text, count }): Finding => ({
      code: "source-trouble",
      severity: "warning",
      text: `${subject}: ${text} (${count} times)`,
    })),
    ...live === undefined ? [] : missed(live.loop),
    ...all("idle", "warning", idle),
  ];
}

/** Adds notes to the host's `joulemark:` mapping: those that matter, errors first, and minor ones. */
export function addNotes(host: ReportHost, list: readonly Finding[]): void {
  const { notes, minor } = noteLines(list);
  if (host.joulemark === undefined) return;
  if (notes.length > 0) host.joulemark.notes = notes;
  if (minor.length > 0) host.joulemark["minor notes"] = minor;
}

/** Failures in reading sources, by signal. */
export function troubles(engine: RunView) {
  return engine.batch.readings.flatMap(({ reading }) => [...(reading.troubles ?? [])]);
}

/**
 * Was a part of the run over that is worth a word before the first sample?
 *
 * @param periodS Sampling period. @default the mean time between two samples, as a recording has no other
 */
function startsLate({ tracker, steps }: RunView, periodS?: number): boolean {
  const { startupS, runtimeS } = tracker;
  periodS ??= (runtimeS - startupS) / steps;
  return startupS > LATE_PERIODS * periodS && startupS > LATE_SHARE * runtimeS;
}

/** The fact under `sampling:` for that; `undefined`: there was none. */
export function unsampledFacts(
  engine: RunView,
  periodS?: number,
): { [key: string]: Nested } | undefined {
  if (!startsLate(engine, periodS)) return undefined;
  return { [UNSAMPLED_KEY]: rounded(engine.tracker.startupS) };
}

/** Coarse regions of a component that the table does not show are of little interest. */
function ofColumn(note: Finding, column: EnergyKind | undefined): Finding {
  const isOther = column !== undefined && note.code.startsWith(coarseCode("" as EnergyKind)) &&
    note.code !== coarseCode(column);
  return isOther ? { ...note, severity: "info" } : note;
}

function all(code: string, severity: Severity, texts: readonly string[]): Finding[] {
  return texts.map((text) => ({ code, severity, text }));
}

function when(isSo: boolean, finding: Finding): Finding[] {
  return isSo ? [finding] : [];
}

type Live = NonNullable<FindingSources["live"]>;

function stalled({ loop }: Live): Finding[] {
  const [from, until] = [loop.blindFromS, loop.blindUntilS].map((s) => s.toPrecision(4));
  return when(loop.blindFromS === loop.blindFromS, {
    code: "stalled",
    severity: "error",
    text: `the monitor was stalled from ${from} to ${until} s, and the application ended then. ` +
      `Energies cover only the time up to ${from} s`,
    remedy: "leave a CPU free",
  });
}

function lateStart({ tracker }: RunView): Finding {
  return {
    code: "starts-late",
    severity: "warning",
    text: `the first sample came ${tracker.startupS.toPrecision(3)} s after the start. ` +
      "Energies and powers do not cover the time before it",
  };
}

/** Processes with annotations took the place of a command that ran much longer. */
function commandInPart(
  { tracker }: RunView,
  { loop: { samplingWallS: commandS } }: Live,
): Finding[] {
  const restS = commandS - tracker.runtimeS;
  const isLong = restS > Math.max(REST_S, REST_SHARE * commandS);
  return when(isLong && tracker.processes().some(({ end }) => end === "withdrawn"), {
    code: "command-in-part",
    severity: "warning",
    text: `totals and regions cover ${tracker.runtimeS.toPrecision(3)} s of the command's ` +
      `${commandS.toPrecision(3)} s: from the start of the first program with annotations to the ` +
      "end of the last",
    remedy: "to measure a whole script, annotate the script, too: joulemark client shell",
  });
}

/** Findings on calls that were left out or aggregated, because of the machine or of the budget. */
function budgetFindings({ loop, collector }: Live): Finding[] {
  const came = collector.counts.folded - collector.foldedHere;
  const { mostFactor = 1, foldingS = 0 } = loop.budget ?? {};
  return [
    ...when(loop.cpusMoved, {
      code: "cpus-moved",
      severity: "warning",
      text: "this machine has more CPUs than the node of --root. CPU c counts as CPU c mod N of " +
        "that node",
    }),
    ...when(came > 0, {
      code: "folded-visits",
      severity: "info",
      text: `${came} visits were aggregated in the application. Counts and times are exact`,
    }),
    ...when(collector.foldedHere > 0, {
      code: "budget-folded",
      // A small part of the time changes no value.
      severity: foldingS > 0.01 * loop.wallS ? "warning" : "info",
      text: `to stay within the budget, ${collector.foldedHere} short visits were aggregated. ` +
        "Counts and times are exact, energies are less accurate",
      remedy: "use a larger --budget, or annotate longer regions",
    }),
    ...when(loop.scheduling.includes("guardian"), {
      code: "budget-lowered",
      severity: "warning",
      text: "the monitor used twice its budget, so the guardian gave it the lowest priority",
      remedy: "use a larger --budget, or request fewer events",
    }),
    ...when(mostFactor > 1, {
      code: "budget-period",
      severity: "warning",
      text: `to stay within the budget, the sampling period was up to ${mostFactor} times longer`,
    }),
  ];
}

/** Findings on annotations that were out of order, or found no space. */
function markFindings(collector: Collector): Finding[] {
  const { mistakes, counts: { other, lost, interrupting, notAttached }, messages: { remarks } } =
    collector;
  const files = collector.refusedFiles;
  return [
    ...pathFindings(collector),
    ...when(other > 0, {
      code: "names-without-room",
      severity: "warning",
      text: `${other} visits have no name: there was no room for more names, or the names are ` +
        "null pointers or unknown handles. They count as region [joulemark] other",
      remedy: "use fewer region names",
    }),
    ...when(lost > 0, {
      code: "threads-without-room",
      severity: "error",
      text: `there was no room for the threads of ${lost} visits. They count as region ` +
        "[joulemark] other, without time",
    }),
    ...when(interrupting > 0, {
      code: "marks-within-marks",
      severity: "warning",
      text:
        `${interrupting} calls of signal handlers interrupted a begin or end call and found no ` +
        "room. They are left out. All other calls are exact",
      remedy: "do not annotate signal handlers",
    }),
    ...when(notAttached > 0, {
      code: "processes-not-attached",
      severity: "warning",
      text:
        `${notAttached} forked ${notAttached === 1 ? "process" : "processes"} could not open a ` +
        "file of the run (another user, another root directory, or a filter of system calls). " +
        "Regions of such a process are missing",
      remedy: "annotate the parent process, or begin regions before these changes",
    }),
    ...orderFindings(mistakes),
    ...all("client-remark", "info", [...remarks]),
    ...when(files.length > 0, {
      code: "files-refused",
      severity: "warning",
      text: files.length === 1
        ? `a file of annotations was refused: ${reasonFirst(files[0])}`
        : `${files.length} files of annotations were refused; the first: ${reasonFirst(files[0])}`,
    }),
  ];
}

/** The reason before the path, which a summary may cut. */
function reasonFirst(file = ""): string {
  const [path, ...reason] = file.split(": ");
  return `${reason.join(": ")} (${path})`;
}

/** One note for all kinds: the report has each. */
function orderFindings({ list, total }: Collector["mistakes"]): Finding[] {
  const [mistake] = list;
  if (mistake === undefined) return [];
  const when = mistake.text.startsWith("at ") ? "first " : "";
  const place = mistake.text === "" ? "" : ` (${when}${mistake.text})`;
  const first = `${mistake.count} x ${mistake.kind}${place}`;
  return [{
    code: "marks-out-of-order",
    severity: "warning",
    text: list.length === 1
      ? `begin and end calls do not match: ${first}`
      : `${total} begin and end calls do not match; the first: ${first}`,
  }];
}

/** Findings on nested visits that came too fast, or had too many paths. */
function pathFindings({ outOfOrder, counts }: Collector): Finding[] {
  const visits = outOfOrder.reduce((sum, one) => sum + one.visits, 0);
  const [worst] = outOfOrder.toSorted((a, b) => b.visits - a.visits);
  const [from, until] = [worst?.fromS, worst?.untilS].map((s) => s?.toPrecision(3));
  return [
    ...when(worst !== undefined, {
      code: "visits-out-of-order",
      severity: "warning",
      text: `${visits} nested visits came too fast to be recorded in order ` +
        `(${worst?.visits} of thread ${worst?.thread}, from ${from} to ${until} s). ` +
        "Counts and times by path are exact",
    }),
    ...when(counts.nestedLost > 0, {
      code: "visits-lost",
      severity: "error",
      text: `${counts.nestedLost} nested visits came too fast and are lost. Counts are too low`,
      remedy: "annotate longer regions",
    }),
    ...when(counts.lostValues > 0, {
      code: "values-without-room",
      severity: "warning",
      text: `${counted(counts.lostValues, "value")} of attributes, such as iterations, came too ` +
        "fast and are not in recordings and Caliper's outputs. Regions are complete",
    }),
    ...when(counts.pathless > 0, {
      code: "paths-without-room",
      severity: "warning",
      text:
        `${counted(counts.pathless, "visit")} found no room for a path, or passed the limits of ` +
        "16,351 region paths per thread or 64 levels. Their time counts for the region around them",
    }),
  ];
}

/** Calls were to be intercepted, and none made a region: a library that is not loaded cannot report that. */
function preloadUnheard(dialects: readonly string[]): Finding[] {
  const wanted = dialects.filter((dialect) => !WITHOUT_REGIONS.includes(dialect));
  const which = wanted.length > 3 ? "any intercepted API" : wanted.join(", ");
  return when(wanted.length > 0, {
    code: "preload-unheard",
    severity: "warning",
    text: `--preload: no call of ${which} made a region. The program makes no such call, or it ` +
      "does not load the library (static, setuid, own LD_PRELOAD)",
  });
}

/** The expression of `--phase` matched no line of the output. */
function phaseUnmatched(expression: string | undefined): Finding[] {
  return when(expression !== undefined, {
    code: "phase-unmatched",
    severity: "warning",
    text: `--phase: no output line of the command matched "${expression}"`,
    remedy: "check the expression. A static or setuid program does not load the library",
  });
}

/** Most phases lasted no time: their lines came together. */
function phasesTogether(phases: readonly ReportRegion[]): Finding[] {
  let all = 0, short = 0;
  for (const { fields } of phases) {
    const count = Number(fields.count);
    all += count;
    if (Number(fields["runtime (s)"]) < SHORT_PHASE_S * count) short += count;
  }
  return when(all > 1 && 2 * short >= all, {
    code: "phases-together",
    severity: "warning",
    text: `--phase: ${short} of ${counted(all, "phase")} took less than 1 ms: many lines came at ` +
      "once. A program that collects its output gives its phases wrong times",
    remedy: "print each line without delay: stdbuf -oL ./app",
  });
}

/** Totals whose reading error is not known, by a counter with few updates. */
function rareUpdates({ coverage: { rare } }: RunView, values: NoteFacts | undefined): Finding[] {
  return ENERGY_KINDS.flatMap((kind): Finding[] => {
    const updates = rare.get(ENERGY_SIGNALS[kind]);
    const isKnown = Number.isFinite(values?.totals.components.get(kind)?.errorJ);
    return when(updates !== undefined && !isKnown, {
      code: "rough-totals",
      severity: "warning",
      text: `${COMPONENT_NAMES[kind]} energy is uncertain (±5 % or more): ${updates} ` +
        `${updates === 1 ? "update" : "updates"} of the counter in the run`,
      remedy: "run longer",
    });
  });
}

function lateEvents({ count, mostS }: FindingSources["late"]): Finding[] {
  const most = mostS === undefined ? "" : `, by at most ${(mostS * 1e3).toPrecision(3)} ms`;
  const what = count === 1 ? "event came" : "events came";
  return when(count > 0, {
    code: "late-events",
    severity: "info",
    text: `${count} ${what} late${most}. Late events count at the next sample`,
  });
}

function missed({ missed, late, steps }: LoopFigures): Finding[] {
  const note = missedSamples({ missed, late, samples: steps });
  return note === undefined ? [] : [note];
}
