/**
 * One node's readings at each step of the application, for a PMC log: live and in replay.
 *
 * Steps are the application's calls of pm_mpi_lib; without any, its epochs; without those, the
 * entries into its most entered outermost region. Only one process of the node counts: the first that
 * opened, or marked. Nothing is asked of the application, and nothing waits: the readings are those
 * of the sampling loop.
 *
 * A call at time t sees the first step of the loop at or after t, as everything in a step does. Node
 * counters of a controller are published ten times a second, so that is the reading that the library
 * would have had. Where the node has none and the fine-grained counters of packages, memory and GPUs
 * are added up instead, energy is interpolated to the exact time.
 * @module
 */
import type { EventReceiver, EventRecord } from "../../../core/events/event.ts";
import { KIND } from "../../../core/events/event_kinds.ts";
import { endsStep, type PmcRecord } from "../../../formats/pmc/log.ts";
import type { RegionTracker } from "../../../marks/tracker/tracker.ts";
import { type Batch, type NameTable, signalOf } from "../../../sources/signals/batch.ts";

/** More entries than this are no steps of a simulation. */
const MAX_SAMPLES = 200_000;
const MAX_REGIONS = 64;
/** Version of pm_mpi_lib, times ten, from which on calls are named initialise and record. */
const FIRST_RECORD_VERSION = 43;
/** A larger number is no substep of a simulation. */
const MAX_SUBSTEP = 1_000_000;

/** First of these that the node has; several at once are added up. */
const SOURCES = {
  powerW: [["CNL::BOARD_POWER"], ["BOARD_POWER"], ["CPU_POWER", "DRAM_POWER", "GPU_POWER"]],
  energyJ: [["CNL::BOARD_ENERGY"], ["BOARD_ENERGY"], ["CPU_ENERGY", "DRAM_ENERGY", "GPU_ENERGY"]],
  cpuPowerW: [["CNL::BOARD_POWER_CPU"], ["CPU_POWER"], ["CNL::PACKAGE_POWER"]],
  cpuEnergyJ: [["CNL::BOARD_ENERGY_CPU"], ["CPU_ENERGY"], ["CNL::PACKAGE_ENERGY"]],
  memoryPowerW: [["CNL::MEMORY_POWER"], ["DRAM_POWER"], ["CNL::DRAM_POWER"]],
  memoryEnergyJ: [["CNL::MEMORY_ENERGY"], ["DRAM_ENERGY"], ["CNL::DRAM_ENERGY"]],
} as const satisfies Record<string, readonly (readonly string[])[]>;
type Field = keyof typeof SOURCES | "cpu0TempC" | "cpu1TempC";
const TEMPERATURE = ["CNL::CPU_TEMPERATURE", "CPU_PACKAGE_TEMPERATURE"];
const FIELDS = [...Object.keys(SOURCES), "cpu0TempC", "cpu1TempC"] as Field[];
const ENERGIES = ["energyJ", "cpuEnergyJ", "memoryEnergyJ"] as const satisfies readonly Field[];

/** Source of the steps. */
export type StepSource = "pm_mpi_lib" | "epochs" | "region" | "none";

/** A moment at which the application passed a step. */
interface Mark {
  timeS: number;
  readonly step: number;
  readonly substep: number;
  values?: Float64Array;
  restsJ?: [number, number, number];
}

/** Marks of one kind by one process. */
interface Series {
  pid: number;
  /** Rank of the process; infinite if it has none. */
  rank?: number;
  readonly marks: Mark[];
  closed: boolean;
  /** Version of pm_mpi_lib that the calls are of, times ten. */
  readonly version: number;
}

/** A log that the calls of pm_mpi_lib named. */
interface NamedLog {
  readonly path: string;
  /** The real library is linked, and writes it where it can. */
  readonly linked: boolean;
  readonly series: Series;
}

/** Records the steps of one node. */
export class PmcRecorder implements EventReceiver {
  readonly #tracker: RegionTracker;
  /** Handles in the batch by field; several are added up. */
  readonly #handles = new Map<Field, number[]>();
  readonly #version: number;
  #interpolates = false;
  #library: Series | undefined;
  #epochs: Series | undefined;
  readonly #regions = new Map<number, Series>();
  #marker = -1;
  /** Marks whose step of the loop has not come yet. */
  #waiting: Mark[] = [];
  #previous: { timeS: number; values: Float64Array } | undefined;
  #last: { timeS: number; values: Float64Array } | undefined;
  #firstS = NaN;
  /** The log that the library's calls named last. */
  path: string | undefined;
  /** The real library is linked, and writes that log where it can. */
  linked = false;
  /** Logs of other names that they opened before. */
  #earlier: NamedLog[] = [];
  #depth = 0;

  /** @param version A record with both flags makes two lines from 4.3 on. */
  constructor(tracker: RegionTracker, version: string) {
    this.#tracker = tracker;
    this.#version = Number(version);
  }

  /** Requests the counters; before the first step. @returns Why no log is possible, if so. */
  attach(batch: Batch, table: NameTable, packages: number): string | undefined {
    const has = (name: string) => signalOf(table, name) !== undefined;
    for (const [field, choices] of Object.entries<readonly (readonly string[])[]>(SOURCES)) {
      const chosen = choices.map((names) => names.filter(has)).find((names) => names.length > 0);
      if (chosen === undefined) continue;
      this.#handles.set(field as Field, chosen.map((name) => batch.pushSignal(name, "board", 0)));
      if (field === "energyJ") this.#interpolates = chosen[0] === "CPU_ENERGY";
    }
    const temperature = TEMPERATURE.find(has);
    if (temperature !== undefined) {
      for (let i = 0; i < Math.min(2, packages); i++) {
        const handle = this.#push(batch, temperature, i);
        if (handle >= 0) this.#handles.set(`cpu${i as 0 | 1}TempC`, [handle]);
      }
    }
    return this.#handles.has("energyJ")
      ? undefined
      : "no energy counter of the node, its packages or its GPUs can be read";
  }

  /** Steps of the application so far: without the readings at open and close, and one for a barrier's two. */
  get count(): number {
    const series = this.#chosen();
    if (series === undefined) return 0;
    const { marks, closed } = series;
    const steps = marks.slice(0, closed ? -1 : undefined).filter(({ step }, i, all) => {
      const isClose = all[i + 1]?.step === -1;
      return step !== -1 && !isClose && endsStep(all, i);
    });
    return steps.length;
  }

  /**
   * Does the program call `pm_mpi_monitor(step)`, as version 2.0 has it? The symbol is that of
   * `pm_mpi_monitor(step, substep)`: the second argument is then whatever the register held.
   */
  get callsVersion2(): boolean {
    const library = this.#library;
    return library !== undefined && library.version < FIRST_RECORD_VERSION &&
      library.marks.some(({ substep }) => !(substep >= 1 && substep <= MAX_SUBSTEP));
  }

  /** Source of the steps. */
  get source(): StepSource {
    if (this.#library !== undefined) return "pm_mpi_lib";
    if (this.#epochs !== undefined && this.#epochs.marks.length > 1) return "epochs";
    return this.#regionSteps() === undefined ? "none" : "region";
  }

  /**
   * Raw readings from open on, as records of the binary log.
   *
   * @param epochS What time 0 of the events is on the node's own clock, in seconds.
   */
  records(epochS: number): PmcRecord[] {
    for (const mark of this.#waiting) mark.values ??= this.#last?.values;
    this.#waiting = [];
    const series = this.#chosen();
    if (series === undefined) return [];
    const marks = [...series.marks];
    if (!series.closed && marks.length > 0 && series !== this.#library) {
      const last = marks[marks.length - 1];
      const end = this.#last;
      if (end !== undefined) marks.push({ ...end, step: Math.max(last.step, 0) + 1, substep: 1 });
    }
    return marks.filter((mark) => mark.values !== undefined).map((mark) => record(mark, epochS));
  }

  /** Logs that the calls opened under other names before, whole; after {@linkcode records}. */
  earlier(epochS: number): (Omit<NamedLog, "series"> & { records: PmcRecord[] })[] {
    return this.#earlier.map(({ path, linked, series }) => ({
      path,
      linked,
      records: series.marks.filter((mark) => mark.values !== undefined)
        .map((mark) => record(mark, epochS)),
    }));
  }

  receive(event: EventRecord): number {
    switch (event.kind) {
      case KIND.enter:
        this.#enter(event);
        break;
      case KIND.exit:
        if (this.#depth > 0 && event.thread <= 0 && this.#pid(event) === this.#marker) {
          this.#depth--;
        }
        break;
      case KIND.epoch:
        this.#epoch(event);
        break;
      case KIND.pmOpen:
        this.#open(event);
        break;
      case KIND.pmRecord:
      case KIND.pmClose:
        this.#libraryCall(event);
    }
    return -1;
  }

  #enter(event: EventRecord): void {
    const { timeS, region } = event;
    if (this.#library !== undefined || this.#epochs !== undefined || event.thread > 0) return;
    const pid = this.#pid(event);
    if (this.#marker < 0) this.#marker = pid;
    if (pid !== this.#marker || this.#depth++ > 0) return;
    let series = this.#regions.get(region);
    if (series === undefined) {
      if (this.#regions.size >= MAX_REGIONS) return;
      series = { pid, marks: [], closed: false, version: 0 };
      this.#regions.set(region, series);
    }
    const n = series.marks.length;
    if (n <= MAX_SAMPLES) this.#mark(series, { timeS, step: n === 0 ? -1 : n, substep: 1 });
  }

  #epoch(event: EventRecord): void {
    if (this.#library !== undefined) return;
    const pid = this.#pid(event);
    this.#epochs ??= { pid, marks: [], closed: false, version: 0 };
    if (pid !== this.#epochs.pid) return;
    const n = this.#epochs.marks.length;
    this.#mark(this.#epochs, { timeS: event.timeS, step: n === 0 ? -1 : n, substep: 1 });
  }

  /** The library's times are those of its lowest rank, whichever process comes first. */
  #open(event: EventRecord): void {
    const pid = this.#pid(event), rank = event.pm.rank ?? Infinity, before = this.#library;
    const counts = before === undefined || before.pid === pid || rank < (before.rank ?? Infinity);
    if (!counts) return;
    // Opening again truncates a text log, as the library does; binary ones go on growing.
    const { path } = event.pm;
    if (path !== undefined) {
      if (this.path !== undefined && before?.pid === pid) {
        this.#earlier.push({ path: this.path, linked: this.linked, series: before });
      }
      this.#earlier = this.#earlier.filter((log) => log.path !== path);
      this.path = path;
      this.linked = event.pm.linked === true;
    }
    const goesOn = before?.pid === pid && this.#version >= 5;
    const marks = goesOn ? before.marks : [];
    this.#library = { pid, rank, marks, closed: false, version: event.pm.version };
    this.#mark(this.#library, { timeS: event.timeS, step: -1, substep: 1 });
  }

  #libraryCall(event: EventRecord): void {
    const { kind, timeS } = event, series = this.#library;
    if (series === undefined || series.pid !== this.#pid(event) || series.closed) return;
    if (kind === KIND.pmClose) {
      const last = series.marks[series.marks.length - 1].step;
      // 2.0 calls the reading at open step 0.
      const step = this.#version < 3 && last < 0 ? 1 : last + 1;
      this.#mark(series, { timeS, step, substep: 1 });
      series.closed = true;
      return;
    }
    const { step, substep, sync, initial, after } = event.pm;
    // What was read at the call is read when its barrier is over.
    const early = after ? series.marks.pop() : undefined;
    if (early !== undefined) this.#waiting = this.#waiting.filter((mark) => mark !== early);
    this.#mark(series, { timeS, step, substep });
    // Before and after the barrier that the call requests.
    if (sync && initial && this.#version >= 4.3) this.#mark(series, { timeS, step, substep });
  }

  /** A step of the loop is settled: marks up to its time have their readings. */
  samples(timeS: number, batch: Batch): void {
    const values = new Float64Array(FIELDS.length);
    for (let i = 0; i < FIELDS.length; i++) values[i] = this.#value(FIELDS[i], batch);
    this.#previous = this.#last;
    this.#last = { timeS, values };
    if (Number.isNaN(this.#firstS)) this.#firstS = timeS;
    if (this.#waiting.length === 0) return;
    const rests = ENERGIES.map((field) => this.#rest(field, batch)) as [number, number, number];
    for (const mark of this.#waiting) {
      mark.values = this.#at(mark.timeS, timeS, values);
      if (rests.some((rest) => rest !== 0)) mark.restsJ = rests;
    }
    this.#waiting = [];
  }

  #at(markS: number, timeS: number, values: Float64Array): Float64Array {
    const before = this.#previous;
    if (!this.#interpolates || before === undefined || markS >= timeS) return values;
    const share = (markS - before.timeS) / (timeS - before.timeS);
    if (!(share >= 0 && share < 1)) return values;
    const mixed = values.slice();
    for (const field of ENERGIES) {
      const i = FIELDS.indexOf(field);
      mixed[i] = before.values[i] + share * (values[i] - before.values[i]);
    }
    return mixed;
  }

  #value(field: Field, batch: Batch): number {
    const handles = this.#handles.get(field);
    if (handles === undefined) return NaN;
    let sum = 0;
    for (const handle of handles) sum += batch.sample(handle);
    return sum;
  }

  #rest(field: Field, batch: Batch): number {
    const handles = this.#handles.get(field);
    return handles?.length === 1 ? batch.rest(handles[0]) : 0;
  }

  #mark(series: Series, mark: Mark): void {
    series.marks.push(mark);
    this.#waiting.push(mark);
  }

  #chosen(): Series | undefined {
    if (this.#library !== undefined) return this.#library;
    if (this.#epochs !== undefined && this.#epochs.marks.length > 1) return this.#epochs;
    return this.#regionSteps();
  }

  /** The region that was entered most often; equal ones by who came first. */
  #regionSteps(): Series | undefined {
    let most: Series | undefined;
    for (const series of this.#regions.values()) {
      const n = series.marks.length;
      if (n > 1 && n <= MAX_SAMPLES && n > (most?.marks.length ?? 0)) most = series;
    }
    return most;
  }

  #push(batch: Batch, name: string, index: number): number {
    try {
      return batch.pushSignal(name, "package", index);
    } catch {
      // A temperature of smaller parts than packages.
      return -1;
    }
  }

  #pid({ process }: EventRecord): number {
    return this.#tracker.process(process).pid;
  }
}

function record(mark: Mark, epochS: number): PmcRecord {
  const { timeS, step, substep, restsJ } = mark;
  const readings = Object.fromEntries(FIELDS.map((field, i) => [field, mark.values![i]]));
  return {
    rank: 0,
    timeS: epochS + timeS,
    step,
    substep,
    ...readings as Record<Field, number>,
    ...(restsJ === undefined ? {} : { restsJ }),
  };
}
