/**
 * One node's raw stats as a stream of samples: times, jobs, marks, and differenced counters.
 *
 * A sample belongs to a job when its time line names the job (a comma list where jobs share the
 * node), or when it is between the marks `%begin JOB` and `%end JOB`, both included.
 * @module
 */
import type { FormatError } from "../core/errors.ts";
import type { RawDevice, RawValues } from "../formats/rawstats/columns.ts";
import type { RawHandler, RawHead } from "../formats/rawstats/scanner.ts";
import { type RawCounters, RawDiffer } from "./differ.ts";
import { type EnergyUnits, NodeEnergyUnits } from "./energy_units.ts";
import { Family10h } from "./family10h.ts";

/** A record group, as listeners see it. */
export interface RawSample {
  readonly host: string;
  /** Microseconds since the epoch. */
  readonly timeUs: number;
  /** Ids of the jobs it belongs to. */
  readonly jobs: readonly string[];
  readonly marks: readonly string[];
}

/** What takes part in a pass over files. */
export interface RawListener extends Omit<JobListener, "row"> {
  /** One statistics line; all arguments but the strings are reused. */
  row?(counters: RawCounters, values: RawValues): void;
}

/** Watts that no package, nor the memory on it, exceeds: bounds what an energy counter can do. */
export const NAMEPLATE_W = 1000;

/** Reads the files of one node and calls listeners for each sample. */
export class RawNode {
  readonly differ: RawDiffer;
  /** Joules of one count of its energy counters. */
  readonly energyUnits: NodeEnergyUnits;
  /** Nominal frequency of the cores, from the mark `%nominal_hz`; NaN without one. */
  nominalHz = NaN;
  /** Jobs with a begin mark, and with an end mark. */
  readonly begun = new Set<string>();
  readonly ended = new Set<string>();
  readonly #listeners: readonly RawListener[];
  readonly #wants: ((type: string) => boolean) | undefined;
  #head: RawHead | undefined;
  #marks: string[] = [];
  #isOpen = false;
  /** Jobs between their marks. */
  readonly #inside = new Set<string>();
  readonly #family10h = new Family10h();

  /**
   * @param wants Types that are differenced and handed on. @default all
   * @param energyUnits The user's units for energies whose files have none.
   */
  constructor(
    readonly host: string,
    listeners: readonly RawListener[],
    wants?: (type: string) => boolean,
    energyUnits?: EnergyUnits,
  ) {
    this.differ = new RawDiffer(host);
    this.energyUnits = new NodeEnergyUnits(energyUnits);
    this.differ.energyLimit = (type, key) =>
      2 * NAMEPLATE_W / (this.energyUnits.of(type, key) ?? NaN);
    this.#listeners = listeners;
    this.#wants = wants;
  }

  /** What a scanner of one of its files reports to; files come in the order of their times. */
  startFile(error: (error: FormatError) => void): RawHandler {
    this.differ.startFile();
    return {
      error,
      schema: (columns) => {
        const { type } = columns.schema;
        this.energyUnits.types.add(type);
        // those of family 10h are needed for the types that are made of them
        columns.skipped = this.#wants !== undefined && type !== "amd64_pmc" && !this.#wants(type);
      },
      record: (head) => {
        this.endSample();
        if (head.backwards) this.differ.stepBack();
        this.#head = head;
        this.#marks = [];
      },
      mark: (text) => void this.#marks.push(text),
      row: (device, values) => {
        if (!this.#isOpen) this.#open();
        this.#row(device, values);
        if (device.columns.schema.type === "amd64_pmc") this.#family10h.take(device, values);
      },
    };
  }

  #row(device: RawDevice, values: RawValues): void {
    if (this.#wants !== undefined && !this.#wants(device.columns.schema.type)) return;
    const counters = this.differ.take(device, values, this.#head!.timeUs);
    for (const listener of this.#listeners) listener.row?.(counters, values);
  }

  /** No line follows: call it after the last file. */
  endSample(): void {
    if (this.#head === undefined) return;
    if (!this.#isOpen) this.#open();
    this.#family10h.flush((device, values) => this.#row(device, values));
    for (const listener of this.#listeners) listener.endSample?.();
    this.#isOpen = false;
    this.#head = undefined;
  }

  #open(): void {
    this.#isOpen = true;
    const { timeUs, jobs } = this.#head!;
    const ids = jobs.split(",").filter((id) => id !== "" && id !== "-" && id !== "0");
    const ending: string[] = [];
    for (const mark of this.#marks) {
      const [word, id, ...rest] = mark.split(" ");
      if (word === "units") this.#units(id, rest);
      else if (word === "nominal_hz") this.nominalHz = Number(id);
      if (id === undefined || id === "-" || id === "") continue;
      if (word === "begin") {
        this.begun.add(id);
        this.#inside.add(id);
      } else if (word === "end") {
        this.ended.add(id);
        ending.push(id);
      }
    }
    const jobsNow = new Set([...ids, ...this.#inside, ...ending]);
    for (const id of ending) this.#inside.delete(id);
    const sample = { host: this.host, timeUs, jobs: [...jobsNow], marks: this.#marks };
    for (const listener of this.#listeners) listener.sample?.(sample);
  }

  #units(type: string | undefined, pairs: readonly string[]): void {
    for (const pair of pairs) {
      const at = pair.indexOf("=");
      const joules = Number(pair.slice(at + 1));
      if (at > 0 && joules > 0) this.energyUnits.marked.set(`${type}.${pair.slice(0, at)}`, joules);
    }
  }
}

/** Passes on what belongs to one job, and hides the deltas before its first sample. */
export class JobFilter implements RawListener {
  #inside = false;
  #seen = false;
  #first = false;

  /** @param job Its id; `undefined`: everything. */
  constructor(readonly job: string | undefined, readonly listener: JobListener) {}

  sample(sample: RawSample): void {
    this.#inside = this.job === undefined || sample.jobs.includes(this.job);
    if (!this.#inside) return;
    this.#first = !this.#seen;
    this.#seen = true;
    this.listener.sample?.(sample);
  }

  row(counters: RawCounters, values: RawValues): void {
    if (this.#inside) this.listener.row?.(counters, values, this.#first);
  }

  endSample(): void {
    if (this.#inside) this.listener.endSample?.();
    this.#inside = false;
  }
}

/** A listener that gets whether a sample is the first of its job. */
export interface JobListener {
  sample?(sample: RawSample): void;
  /** @param isFirst Deltas of this sample are before the job. */
  row?(counters: RawCounters, values: RawValues, isFirst: boolean): void;
  /** All lines of the sample have come. */
  endSample?(): void;
}
