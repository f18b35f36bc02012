/**
 * One node's raw stats as a stream of samples: times, jobs, marks, and differenced counters.
 *
 * A sample is handed on when the next one is complete: a counter that steps back is judged by both.
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import type { RawDevice, RawValues } from "../format/columns.ts";
import type { RawHandler, RawHead } from "../format/scanner.ts";
import { type RawCounters, RawDiffer } from "./differ.ts";
import { type EnergyUnits, NodeEnergyUnits } from "./energy_units.ts";
import { Family10h } from "./family10h.ts";
import { MAX_TICKS_PER_S } from "./rate_limits.ts";
import { RecordJobs } from "../format/record_jobs.ts";

/** A record group, as listeners see it. */
export interface RawSample {
  readonly host: string;
  /** Microseconds since the epoch. */
  readonly timeUs: number;
  /** Ids of the jobs it belongs to. */
  readonly jobs: readonly string[];
  readonly marks: readonly string[];
}

/** Listener of a pass over files. */
export interface RawListener extends Omit<JobListener, "sample" | "row"> {
  sample?(sample: RawSample): void;
  /** One statistics line; all arguments but the strings are reused. */
  row?(counters: RawCounters, values: RawValues): void;
}

/** A record that waits for the one after it, by which a step backwards is judged. */
interface WaitingRecord {
  readonly number: number;
  readonly head: RawHead;
  readonly marks: string[];
  readonly rows: RawCounters[];
}

/** Facts about a node's files that are known before they are read. */
export interface RawNodeOptions {
  /** The user's units for energies whose files have none. */
  readonly energyUnits?: EnergyUnits;
  /** Jobs that have an end mark in any of the files. */
  readonly withEnd?: ReadonlySet<string>;
}

/** Reads the files of one node and calls listeners for each sample. */
export class RawNode {
  readonly differ: RawDiffer;
  /** Joules of one count of its energy counters. */
  readonly energyUnits: NodeEnergyUnits;
  readonly jobs: RecordJobs;
  /** Nominal frequency of the cores, from the mark `%nominal_hz`; NaN without one. */
  nominalHz = NaN;
  readonly #listeners: readonly RawListener[];
  #collecting: WaitingRecord | undefined;
  #complete: WaitingRecord | undefined;
  #count = 0;
  /** Time of the last sample that listeners have, and the boot that its file's header gives. */
  #lastUs = NaN;
  #bootUs = NaN;
  readonly #family10h = new Family10h();

  constructor(
    readonly host: string,
    listeners: readonly RawListener[],
    { energyUnits, withEnd }: RawNodeOptions = {},
  ) {
    this.energyUnits = new NodeEnergyUnits(energyUnits);
    this.differ = new RawDiffer(host, this.energyUnits);
    this.jobs = new RecordJobs(withEnd);
    this.#listeners = listeners;
  }

  /** Handler for a scanner of one of the node's files; files come in the order of their times. */
  startFile(error: (error: FormatError) => void): RawHandler {
    this.differ.startFile();
    return {
      error,
      schema: ({ schema }) => void this.energyUnits.types.add(schema.type),
      record: (head) => {
        this.#endRecord();
        this.#collecting = { number: this.#count++, head, marks: [], rows: [] };
      },
      mark: (text) => void this.#collecting!.marks.push(text),
      row: (device, values) => {
        this.#hold(device, values);
        if (device.columns.schema.type === "amd64_pmc") this.#family10h.take(device, values);
      },
    };
  }

  #hold(device: RawDevice, values: RawValues): void {
    const counters = this.differ.countersOf(device);
    counters.hold(values, this.#collecting!.number);
    this.#collecting!.rows.push(counters);
  }

  /** Ends the last sample: call it after the last file. */
  endSample(): void {
    this.#endRecord();
    if (this.#complete !== undefined) this.#emit(this.#complete, undefined);
    this.#complete = undefined;
  }

  #endRecord(): void {
    if (this.#collecting === undefined) return;
    this.#family10h.flush((device, values) => this.#hold(device, values));
    if (this.#complete !== undefined && isLate(this.#collecting, this.#complete)) {
      // The next record takes the place of this one, whose values are in the same half of what is held.
      this.#count++;
      this.#collecting = undefined;
      return;
    }
    if (this.#complete !== undefined) this.#emit(this.#complete, this.#collecting);
    this.#complete = this.#collecting;
    this.#collecting = undefined;
  }

  #emit(record: WaitingRecord, after: WaitingRecord | undefined): void {
    const { head: { timeUs, jobs, backwards, bootUs }, marks, rows, number } = record;
    const next = after === undefined || after.head.backwards
      ? undefined
      : { number: after.number, timeUs: after.head.timeUs };
    if (backwards) this.differ.stepBack();
    else if (bootUs > this.#lastUs && bootUs !== this.#bootUs) this.differ.restart(bootUs);
    else if (hasFallen(record, next?.number, this.#lastUs)) this.differ.restart(NaN);
    this.#lastUs = timeUs;
    this.#bootUs = bootUs;
    for (const mark of marks) {
      const [word, id, ...rest] = mark.split(" ");
      if (word === "units") this.#units(id, rest);
      else if (word === "nominal_hz") this.nominalHz = Number(id);
    }
    const sample = { host: this.host, timeUs, jobs: this.jobs.take(jobs, marks), marks };
    for (const listener of this.#listeners) listener.sample?.(sample);
    for (const counters of rows) {
      const values = this.differ.take(counters, timeUs, number, next);
      for (const listener of this.#listeners) listener.row?.(counters, values);
    }
    for (const listener of this.#listeners) listener.endSample?.();
  }

  #units(type: string | undefined, pairs: readonly string[]): void {
    for (const pair of pairs) {
      const at = pair.indexOf("=");
      const joules = Number(pair.slice(at + 1));
      if (at > 0 && joules > 0) this.energyUnits.marked.set(`${type}.${pair.slice(0, at)}`, joules);
    }
  }
}

/** Counters that the kernel keeps from boot on, in 64 bits. */
const KERNEL_COUNTERS: Readonly<Record<string, readonly string[]>> = {
  cpu: ["user", "system", "idle"],
  host_cpu: ["user", "system", "idle"],
  ps: ["ctxt"],
  host_ps: ["ctxt"],
};
/** Smaller falls than these many counts are dips. */
const MIN_FALL = 1000;

/**
 * Is a sum of the kernel's counters smaller in this record, and in the next one, than it was before?
 *
 * Then the node was booted in between, even if no header has the time. What a CPU shows then is no
 * more than it can have counted since the record before; other counters have lost a half at least.
 */
function hasFallen(
  { rows, number, head }: WaitingRecord,
  next: number | undefined,
  lastUs: number,
): boolean {
  const ticks = MAX_TICKS_PER_S * ((head.timeUs - lastUs) / 1e6 + 1);
  const sums = new Map<string, { before: number; now: number; next: number; limit: number }>();
  for (const counters of rows) {
    const { type, base } = counters;
    const keys = KERNEL_COUNTERS[type.schema.type];
    if (keys === undefined) continue;
    const sum = sums.getOrInsertComputed(
      type.schema.type,
      () => ({ before: 0, now: 0, next: 0, limit: 0 }),
    );
    const values = counters.valuesOf(number)!.numbers;
    const following = next === undefined ? values : counters.valuesOf(next)?.numbers ?? values;
    const before = sum.before;
    for (const k of type.columnsOf(keys)) {
      if (base[k] !== base[k] || values[k] !== values[k]) continue;
      sum.before += base[k];
      sum.now += values[k];
      sum.next += following[k];
    }
    sum.limit += keys.includes("user") ? ticks : (sum.before - before) / 2;
  }
  return [...sums.values()].some(({ before, now, next, limit }) =>
    before - now >= MIN_FALL && next < before && now <= limit
  );
}

/**
 * Did a record with an earlier time come late? Then its counters are behind those of the record before,
 * and its interval is counted. If only the clock was set back, they are ahead.
 */
function isLate({ head, rows, number }: WaitingRecord, before: WaitingRecord): boolean {
  if (!head.backwards) return false;
  let behind = 0;
  for (const counters of rows) {
    const { numbers } = counters.valuesOf(number)!;
    const earlier = counters.valuesOf(before.number)?.numbers;
    if (earlier === undefined) continue;
    for (const k of counters.type.events) {
      if (numbers[k] < earlier[k]) behind++;
      else if (numbers[k] > earlier[k]) behind--;
    }
  }
  return behind > 0;
}

/** Passes on what belongs to one job, and hides the deltas that begin outside of it. */
export class JobFilter implements RawListener {
  #inside = false;
  /** Time of the last sample, and of the first one since which the job has gone on. */
  #lastUs = NaN;
  #sinceUs = NaN;

  /** @param job Its id; `undefined`: everything. */
  constructor(readonly job: string | undefined, readonly listener: JobListener) {}

  sample(sample: RawSample): void {
    const { timeUs, jobs } = sample;
    this.#inside = this.job === undefined || jobs.includes(this.job);
    const isFirst = !(timeUs >= this.#lastUs);
    this.#lastUs = this.#inside ? timeUs : NaN;
    if (!this.#inside) return;
    if (isFirst) this.#sinceUs = timeUs;
    this.listener.sample?.(sample, isFirst);
  }

  row(counters: RawCounters, values: RawValues): void {
    const isFirst = !(counters.previousUs >= this.#sinceUs);
    if (this.#inside) this.listener.row?.(counters, values, isFirst);
  }

  endSample(): void {
    if (this.#inside) this.listener.endSample?.();
    this.#inside = false;
  }
}

/** A listener that gets whether a sample is the first of its job. */
export interface JobListener {
  /** @param isFirst The job begins, or goes on after records that are not its own or after a step of the clock. */
  sample?(sample: RawSample, isFirst: boolean): void;
  /** @param isFirst Deltas of this line are, in part, before the job. */
  row?(counters: RawCounters, values: RawValues, isFirst: boolean): void;
  /** All lines of the sample have come. */
  endSample?(): void;
}
