/**
 * The `.timeline` file beside a report: power over time, the regions of one process over time, and the time of
 * each process in each region. docs/reference/formats/timeline.md.
 * @module
 */
import { PAGE_FORMAT } from "../../show/page/data.ts";
import { readWhole } from "../../os/files.ts";
import { jsonText } from "../../core/printable.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { Report } from "../../core/report.ts";
import { isWrittenInto } from "../../os/output_place.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { timelinePath } from "../../job/place/part_files.ts";
import type { ProcessTimes, TimelineFile } from "../../show/page/data.ts";
import { PARTS, PowerSeries, short, STRIPS } from "../../show/page/power_series.ts";
import type { TrackedProcess } from "../../marks/tracker/process.ts";
import type { OptionValues } from "../../core/option.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { ReportPlace, RunView } from "./run_view.ts";

/** Size of a file, bytes. */
const MAX_BYTES = 300_000;
/** Bytes at a file's begin that say whether it is a timeline. */
const FORMAT_BYTES = 64;
const MAX_BUCKETS = 1200, MIN_BUCKETS = 60;
/** Times of processes, and regions that these are of. */
const MAX_TIMES = 24_000, MAX_REGIONS = 20;
const PROCESS_DIGITS = 4;
/** A higher frequency is an error of reading, % of the base frequency. */
const MAX_FREQUENCY = 1000;

/** A timeline under way. */
export interface OpenTimeline extends OpenOutput {
  /** The file as of the last sample. */
  timeline(report: Report, rankOf?: ReportPlace["rankOf"], maxBuckets?: number): TimelineFile;
}

/** The timeline of each run; it is written unless `--no-timeline` is given. */
export function makeTimeline(values: OptionValues, site: OutputSite): Opener {
  return (run) => {
    if (!site.isLive && !values.has("html")) return undefined;
    const open = openTimeline(run);
    if (values.has("no-timeline") || !site.isLive) return open;
    const write = (report: Report, { path, rankOf }: ReportPlace) => {
      // A device or a pipe has no place beside it.
      if (path === undefined || isWrittenInto(path)) return;
      if (!mayReplace(timelinePath(path))) {
        site.log(`${timelinePath(path)} is another program's file; the timeline is not written`);
        return;
      }
      try {
        writeDocument(timelinePath(path), timelineText(open, report, rankOf));
      } catch (error) {
        site.log(
          `${(error as Error).message}. The timeline is not written; the report is complete`,
        );
      }
    };
    return { ...open, cutOff: write, document: write };
  };
}

/** Is there no file, or an earlier timeline? */
function mayReplace(path: string): boolean {
  const head = readWhole(path, FORMAT_BYTES);
  if (head === undefined || head.length === 0) return true;
  return new TextDecoder().decode(head).startsWith(`{"format":"${PAGE_FORMAT.split("/")[0]}/`);
}

/**
 * Text of the timeline, in fewer buckets and with fewer processes' regions if it would be too long.
 */
function timelineText(
  open: OpenTimeline,
  report: Report,
  rankOf?: ReportPlace["rankOf"],
): string {
  for (let buckets = MAX_BUCKETS;; buckets = Math.floor(buckets / 2)) {
    const text = jsonText(open.timeline(report, rankOf, buckets));
    if (text.length <= MAX_BYTES || buckets <= MIN_BUCKETS) return text + "\n";
  }
}

/** Gathers what the file holds, by signals that others have asked for. */
export function openTimeline(run: RunView): OpenTimeline {
  const { batch, tracker } = run;
  const names = new Set(batch.columns.map(({ name }) => name));
  const parts = PARTS.flatMap(({ name, power, energy }) => {
    const found = [energy, power].find((signal) => names.has(signal));
    if (found === undefined) return [];
    return [{ name, isEnergy: found === energy, handle: batch.pushSignal(found, "board", 0) }];
  });
  const others = otherSeries(run, names);
  const series = new PowerSeries([
    ...parts.map(({ name }) => ({ name, unit: "W" })),
    ...others.map(({ name, unit }) => ({ name, unit })),
  ]);
  const shown = new ShownProcess(run);
  let lastS = NaN;
  return {
    idlesWithoutMarks: parts.length === 0,
    sample(timeS) {
      for (let i = 0; i < parts.length; i++) {
        const value = batch.sample(parts[i].handle);
        if (parts[i].isEnergy) series.energy(i, timeS, value);
        else series.power(i, lastS, timeS, value);
      }
      for (let i = 0; i < others.length; i++) {
        series.power(parts.length + i, lastS, timeS, others[i].read());
      }
      shown.look();
      series.path(lastS, timeS, shown.line);
      lastS = timeS;
    },
    restart() {
      series.clear();
      lastS = NaN;
    },
    timeline({ startTime }, rankOf = () => undefined, maxBuckets = MAX_BUCKETS) {
      const nameOf = (pid: number) => {
        const rank = rankOf(pid);
        return rank === undefined ? `process ${pid}` : `rank ${rank}`;
      };
      const pid = shown.firstPid;
      const file = series.document({
        host: run.host,
        started: startTime,
        process: pid === undefined ? "" : nameOf(pid),
        paths: tracker.paths,
      }, maxBuckets);
      const times = MAX_TIMES * maxBuckets / MAX_BUCKETS;
      const processes = processTimes(run, nameOf, times);
      const { functions } = run;
      return Object.assign(
        file,
        processes === undefined ? undefined : { processes },
        functions === undefined ? undefined : { functions },
      );
    },
  };
}

/** A value since the sample before; NaN: not known. */
interface OtherSeries {
  readonly name: string;
  readonly unit: string;
  read(): number;
}

/** Frequency of the cores and busy share of the GPUs, of a run whose report reads them. */
function otherSeries({ batch }: RunView, names: ReadonlySet<string>): OtherSeries[] {
  const handleOf = (name: string) => names.has(name) ? batch.pushSignal(name, "board", 0) : -1;
  const [cycles, reference] = ["CPU_CYCLES_THREAD", "CPU_CYCLES_REFERENCE"].map(handleOf);
  const busy = handleOf("GPU_UTILIZATION");
  const all: OtherSeries[] = [];
  if (cycles >= 0 && reference >= 0) {
    let before = NaN, beforeReference = NaN;
    all.push({
      name: "core frequency",
      unit: "% of base",
      read() {
        const now = batch.sample(cycles), nowReference = batch.sample(reference);
        const share = 100 * (now - before) / (nowReference - beforeReference);
        [before, beforeReference] = [now, nowReference];
        return share >= 0 && share < MAX_FREQUENCY ? share : NaN;
      },
    });
  }
  if (busy >= 0) all.push({ name: "GPU busy", unit: "%", read: () => 100 * batch.sample(busy) });
  return all;
}

/** Times of the processes; `undefined`: none was in a region. */
function processTimes(
  { tracker }: RunView,
  nameOf: (pid: number) => string,
  maxTimes: number,
): ProcessTimes | undefined {
  const most = Math.min(MAX_REGIONS, Math.floor(maxTimes / Math.max(1, tracker.markingCount)));
  const regions = tracker.processTimes(most);
  if (regions.length === 0) return undefined;
  return {
    label: regions[0].times.map(({ pid }) => nameOf(pid)),
    region: regions.map(({ name }) => name),
    time_s: regions.map(({ times }) => {
      return times.map(({ timeNs }) => short((timeNs || 0) * 1e-9, PROCESS_DIGITS));
    }),
  };
}

/** The process whose regions are kept: the first one that marks, and after its end the next one. */
class ShownProcess {
  /** Path of the strip, the outermost region first; 0 from the first depth without a region on. */
  readonly line = new Int32Array(STRIPS);
  /** The first process that was in a region. */
  firstPid: number | undefined;
  readonly #run: RunView;
  #handle = 0;

  constructor(run: RunView) {
    this.#run = run;
  }

  look(): void {
    const { tracker } = this.#run;
    const { paths } = tracker;
    let process: TrackedProcess | undefined = tracker.process(this.#handle);
    let path = pathOf(process);
    while (path === ROOT && process !== undefined && isOver(process)) {
      const next = tracker.process(this.#handle + 1);
      if (next === undefined) break;
      this.#handle++;
      process = next;
      path = pathOf(process);
    }
    this.line.fill(ROOT);
    if (path === ROOT) return;
    this.firstPid ??= process.pid;
    let depth = 0;
    for (let at = path; at > ROOT; at = paths.parent(at)) depth++;
    for (let at = path; at > ROOT; at = paths.parent(at)) {
      if (--depth < STRIPS) this.line[depth] = at;
    }
  }
}

function isOver(process: TrackedProcess): boolean {
  return process.end !== "running" || !process.hasMarked;
}

/** Path of a process; of one whose main thread has none that of its first thread that has. */
function pathOf(process: TrackedProcess | undefined): number {
  if (process === undefined) return ROOT;
  if (process.track.path !== ROOT) return process.track.path;
  for (const { path } of process.threads) if (path !== ROOT) return path;
  return ROOT;
}
