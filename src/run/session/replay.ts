/**
 * Replays a recording through the same engine as a live run: no hardware, no clock.
 * docs/reference/formats/recording.md.
 *
 * Streams: one row of samples and one event at a time, so an hour of a large node needs no more
 * memory than a minute of a small one.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import { type Nested, present, type ReportHost } from "../../core/report.ts";
import type { SignalProvider } from "../../core/signal.ts";
import { describeRecording, type Recording } from "../../formats/recording.ts";
import { statPath } from "../../os/files.ts";
import { RegionTracker } from "../../marks/tracker/tracker.ts";
import type { NameTable } from "../../sources/signals/batch.ts";
import type { Opener } from "../outputs/output.ts";
import type { RunIdle } from "../outputs/run_idle.ts";
import { Engine, profileName } from "./engine.ts";
import { readDescription } from "../recordings/description_text.ts";
import { EventRows } from "../recordings/event_rows.ts";
import { Repairs } from "../recordings/repairs.ts";
import { RowReader } from "../recordings/row_reader.ts";
import { endedInside } from "../outputs/ended_inside.ts";
import { processSpreadFacts } from "../outputs/process_spread.ts";
import { UNREAD_KEY } from "../../core/job_totals.ts";
import { spanFacts } from "../outputs/span_facts.ts";
import { coverageFacts } from "../outputs/coverage.ts";
import { addNotes, findings, unsampledFacts } from "../outputs/findings.ts";
import { summaryFacts } from "../../show/analysis/summary_facts.ts";
import { instancesOf, SampleRows, sampleTitles } from "../recordings/sample_rows.ts";

/** Options of a replay in addition to the recording. */
export interface ReplayOptions {
  /** Names that the recording's signals, and the application's, are found by. */
  makeTable(providers: readonly SignalProvider[]): NameTable;
  /** Written in headers: `3.1.0+joulemark.X.Y.Z`. */
  readonly version: string;
  /** Repair what is wrong, count and name it. @default false */
  readonly lenient?: boolean;
  /** @default the recording's */
  readonly profile?: string;
  readonly recordFilter?: string;
  readonly reportSignals?: string;
  /** Openers of the outputs, when the recording is known. @default none */
  outputs?(recording: Recording, directory: string): readonly Opener[];
  /** The idle baseline for net energies, one for each recording. @default none */
  readonly idle?: () => RunIdle;
}

/** Result of a replay. */
export interface Replayed {
  readonly recording: Recording;
  readonly engine: Engine;
  readonly host: ReportHost;
  /** The recording was cut, or processes were still running at its end. */
  readonly partial: boolean;
  /** Events that came too late to count. */
  readonly late: number;
  readonly repairs: Repairs;
}

/**
 * Replays one directory.
 *
 * @throws {FormatError} If the recording is wrong and `lenient` is off, or cannot be read at all.
 * @throws {UsageError} If a list of signals or a filter is wrong.
 */
export async function replay(directory: string, options: ReplayOptions): Promise<Replayed> {
  const repairs = new Repairs(options.lenient ?? false);
  const samples = RowReader.open(existing(directory, "samples.csv"), false);
  const events = RowReader.open(existing(directory, "events.csv"), true);
  try {
    return await run(directory, options, { samples, events, repairs });
  } finally {
    samples.close();
    events.close();
  }
}

/**
 * A file of the recording, or the same one compressed.
 *
 * @throws {FormatError} If there is neither.
 */
function existing(directory: string, name: string): string {
  const path = [`${directory}/${name}`, `${directory}/${name}.gz`]
    .find((one) => statPath(one) !== undefined);
  if (path !== undefined) return path;
  throw new FormatError(directory, 0, {
    action: "replay",
    expected: "a directory that joulemark run --record made",
    found: statPath(directory) === undefined ? "nothing there" : `no ${name} in it`,
  });
}

/** Goes to the next row. @returns False at the end. */
async function next(reader: RowReader): Promise<boolean> {
  for (;;) {
    const state = reader.next();
    if (state !== "more") return state === "row";
    await reader.fill();
  }
}

/** The rows of a recording, and what is wrong with them. */
interface Sources {
  readonly samples: RowReader;
  readonly events: RowReader;
  readonly repairs: Repairs;
}

async function run(directory: string, options: ReplayOptions, sources: Sources): Promise<Replayed> {
  const { samples, events, repairs } = sources;
  if (!await next(samples)) {
    const complaint = { action: "replay", expected: "a header line", found: "an empty file" };
    throw new FormatError(samples.path, 1, complaint);
  }
  const titles = sampleTitles(samples, repairs);
  const recording = await describe(directory, titles);
  const { topology, host, startTime, policy } = recording, { version, reportSignals } = options;
  const profile = profileName(options.profile ?? recording.profile);
  const tracker = new RegionTracker({ topology, profile, recordFilter: options.recordFilter });
  const rows = new SampleRows(samples, repairs, recording, titles);
  const table = options.makeTable([rows, tracker]);
  const engine: Engine = new Engine({
    topology,
    tracker,
    table,
    host,
    profile,
    startTime,
    version,
    reportSignals,
    policy,
    outputs: options.outputs?.(recording, directory),
  });
  const idle = options.idle?.();
  idle?.attach(engine, table);
  const eventRows = new EventRows(events, repairs, tracker, engine.events);
  if (await next(events)) eventRows.header();
  else repairs.wrong(events, "empty file taken as no events", "a header");
  await steps(engine, sources, rows, eventRows);
  engine.finish();
  return resultOf(sources, { recording, engine, late: eventRows.late, idle });
}

async function steps(
  engine: Engine,
  { samples, events }: Sources,
  rows: SampleRows,
  eventRows: EventRows,
): Promise<void> {
  let event = await nextGood(events, eventRows);
  let more = await nextGood(samples, rows);
  while (more) {
    const timeS = rows.timeS;
    rows.take();
    engine.read(timeS);
    while (event && eventRows.timeS <= timeS) {
      eventRows.apply();
      event = nextHere(events, eventRows) ?? await nextGood(events, eventRows);
    }
    more = nextHere(samples, rows) ?? await nextGood(samples, rows);
    // The last row is the step after the loop, unless the recording was cut while they ran.
    const { connected, finished } = engine.tracker;
    engine.settle(!more && !samples.cut && (finished || !connected));
  }
  for (; event; event = await nextGood(events, eventRows)) eventRows.tooLate();
}

async function describe(
  directory: string,
  titles: ReturnType<typeof sampleTitles>,
): Promise<Recording> {
  const path = `${directory}/recording.yaml`;
  let data: unknown;
  try {
    const { loadYaml, parseYaml } = await import("../../formats/yaml.ts");
    await loadYaml();
    data = parseYaml(readDescription(path));
  } catch (cause) {
    const found = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new FormatError(path, 0, { action: "read recording", found, cause });
  }
  return describeRecording(data, path, instancesOf(titles));
}

function resultOf(
  { samples, events, repairs }: Sources,
  { recording, engine, late, idle }: Pick<Replayed, "recording" | "engine" | "late"> & {
    idle: RunIdle | undefined;
  },
): Replayed {
  for (const reader of [samples, events]) {
    if (reader.cut) {
      const at = { path: reader.path, line: reader.line + 1 };
      repairs.note(at, "truncated here; the rest is missing");
    }
  }
  const partial = samples.cut || events.cut || !engine.tracker.finished;
  const joulemark = ownMapping(engine, { late, partial, recording });
  const host = engine.report({ joulemark });
  idle?.addTo(host);
  addNotes(
    host,
    findings({
      engine,
      late: { count: late },
      repairs: repairs.lines(),
      idle: idle?.notes(),
      values: summaryFacts(engine.document([host])),
    }),
  );
  return { recording, engine, host, partial, late, repairs };
}

/** The next row that can be used, as long as it is here already; `undefined`: fill first. */
function nextHere(reader: RowReader, rows: { parse(): boolean }): boolean | undefined {
  for (;;) {
    const state = reader.next();
    if (state === "more") return undefined;
    if (state === "end") return false;
    if (rows.parse()) return true;
  }
}

async function nextGood(reader: RowReader, rows: { parse(): boolean }): Promise<boolean> {
  for (;;) {
    const found = nextHere(reader, rows);
    if (found !== undefined) return found;
    await reader.fill();
  }
}

/** The host's `joulemark:` mapping of a replay. */
function ownMapping(
  engine: Engine,
  { late, partial, recording }: { late: number; partial: boolean; recording: Recording },
): { [key: string]: Nested } {
  const { tracker } = engine;
  const processes = tracker.processes().filter((process) => process.end !== "withdrawn");
  const { refused } = tracker, { unread, ranks } = recording;
  return present({
    replayed: true,
    partial: partial || undefined,
    sources: engine.sources(),
    steps: engine.steps,
    sampling: unread === undefined
      ? unsampledFacts(engine)
      : { ...unsampledFacts(engine), [UNREAD_KEY]: [...unread] },
    coverage: coverageFacts(engine.gaps()),
    processes: {
      seen: processes.length,
      died: processes.filter((process) => process.end === "died").length,
      "still running": processes.filter((process) => process.end === "running").length,
      ...endedInside(processes),
    },
    "across processes": processSpreadFacts(tracker, (pid) => ranks?.[pid]),
    spans: spanFacts(tracker.spans()),
    "folded visits": tracker.foldedVisits,
    "late events": late,
    "refused calls": refused.length === 0
      ? undefined
      : Object.fromEntries(refused.map(({ kind, count }) => [kind, count])),
  });
}
