/**
 * Differences of one node's counters from sample to sample, over any number of its files.
 *
 * Differences are made per device and column, exactly: plain numbers below 2^53, BigInt beyond.
 * Every step backwards is judged and recorded; gauges and control registers are never differenced.
 * @module
 */
import { EXACT_BELOW, type RawDevice, RawValues } from "../format/columns.ts";
import { parseRawUnit, type RawKey, type RawUnit, sameSchema } from "../format/schema.ts";
import type { RawKind, RawSchema } from "../format/schema.ts";
import type { NodeEnergyUnits } from "./energy_units.ts";
import { judgeStep, type RawCorrectionKind, type RawStep } from "./judge.ts";
import { MAX_ENERGY_W, maxCountsPerSecond, usualWatts } from "./rate_limits.ts";
import { isEnergy, trueKeys, widensBySight } from "./quirks.ts";

/** A step backwards, as it was taken. */
export interface RawCorrection {
  /** Microseconds since the epoch: the later sample. */
  readonly timeUs: number;
  /** Host of the record. */
  readonly host: string;
  /** Record type. */
  readonly type: string;
  /** Device within the type. */
  readonly device: string;
  /** Key of the counter. */
  readonly key: string;
  /** Correction of the counter. */
  readonly kind: RawCorrectionKind;
  /** Value before. */
  readonly from: bigint;
  /** Value after. */
  readonly to: bigint;
  /** Counts that were taken instead of the difference. */
  readonly delta: bigint;
}

/** A type of one node, over all its files. */
export class RawType {
  readonly keys: readonly RawKey[];
  readonly units: readonly RawUnit[];
  readonly widths: Uint8Array;
  /** Columns of event counters, and of gauges. */
  readonly events: Int32Array;
  readonly gauges: Int32Array;
  /** By column: 1 for event counters. */
  readonly isEvent: Uint8Array;
  /** Do its counters count energy? */
  readonly isEnergy: boolean;
  /** Deltas of devices without any counter column. */
  readonly noDeltas: Float64Array;
  readonly devices = new Map<string, RawCounters>();
  #columns: readonly number[] | undefined;

  constructor(readonly schema: RawSchema) {
    this.keys = trueKeys(schema);
    this.units = this.keys.map((key) => parseRawUnit(key.unit));
    this.widths = Uint8Array.from(this.keys, (key) => key.widthBits);
    const of = (kind: RawKind) =>
      Int32Array.from(this.keys.flatMap((key, k) => key.kind === kind ? [k] : []));
    this.events = of("event");
    this.gauges = of("gauge");
    this.isEvent = Uint8Array.from(this.keys, (key) => key.kind === "event" ? 1 : 0);
    this.isEnergy = isEnergy(schema.type);
    this.noDeltas = new Float64Array(this.keys.length).fill(NaN);
  }

  /** Columns of some keys; the same keys at each call. */
  columnsOf(keys: readonly string[]): readonly number[] {
    return this.#columns ??= this.events.values().filter((k) => keys.includes(this.keys[k].name))
      .toArray();
  }
}

/** Flags of a delta. */
export const CORRECTED = 1, AT_LEAST = 2;

/** The counters of one device: what they were, and by how much they grew in the last step. */
export class RawCounters {
  /** Counts since the sample before; NaN for gauges, controls and first samples. */
  readonly deltas: Float64Array;
  /** Deltas from 2^53 on, exact. */
  wideDeltas: Map<number, bigint> | undefined;
  /** By column: `CORRECTED` and `AT_LEAST` of the deltas that are one of these. */
  flags: Map<number, number> | undefined;
  /** Microseconds since the epoch: the sample before, and this one; NaN if there is none. */
  previousUs = NaN;
  timeUs = NaN;
  /** Steps backwards of this line. */
  steps: RawCorrection[] | undefined;
  /** By column: seconds before this interval that its delta is of too, as dips and missing values leave them. */
  #waitedS: Map<number, number> | undefined;
  #waitingS: Map<number, number> | undefined;
  /** Length of the interval before, and what its columns had waited. */
  #elapsedBeforeS = NaN;
  #waitedBeforeS: Map<number, number> | undefined;
  /** Number of the stretch in which time went forward, and of the boot. */
  stretch = -1;
  boot = 0;
  readonly base: Float64Array;
  wideBase: Map<number, bigint> | undefined;
  /** Values of two records in turn, and the numbers of these records. */
  readonly #held: (RawValues | undefined)[] = [undefined, undefined];
  readonly #records = [-1, -1];

  /** @param index Number of the device within its node, over all types, from 0. */
  constructor(readonly type: RawType, readonly device: string, readonly index: number) {
    const hasEvents = type.events.length > 0;
    this.deltas = hasEvents ? new Float64Array(type.keys.length).fill(NaN) : type.noDeltas;
    this.base = hasEvents ? new Float64Array(type.keys.length).fill(NaN) : type.noDeltas;
  }

  /** A line follows: the interval at hand becomes the one before. */
  endInterval(): void {
    this.#elapsedBeforeS = this.elapsedS;
    this.#waitedBeforeS = this.#waitedS;
    this.#waitedS = this.#waitingS;
    this.#waitingS = undefined;
  }

  /** The column keeps its base: its next delta is of this interval too. */
  wait(column: number): void {
    (this.#waitingS ??= new Map()).set(column, this.secondsOf(column));
  }

  /** Is a delta of more than this interval? */
  get hasWaited(): boolean {
    return this.#waitedS !== undefined;
  }

  /** Seconds that the delta of a column is of; NaN for a first one. */
  secondsOf(column: number): number {
    return this.elapsedS + (this.#waitedS?.get(column) ?? 0);
  }

  /** Seconds that its delta before was of. */
  secondsBefore(column: number): number {
    return this.#elapsedBeforeS + (this.#waitedBeforeS?.get(column) ?? 0);
  }

  /** Keeps the values of a record until the second one after it. */
  hold(values: RawValues, record: number): void {
    const held = this.#held[record % 2] ??= new RawValues(this.type.keys.length);
    held.set(values);
    this.#records[record % 2] = record;
  }

  /** The values of one of the last two records; `undefined` if the device was not in it. */
  valuesOf(record: number): RawValues | undefined {
    return this.#records[record % 2] === record ? this.#held[record % 2] : undefined;
  }

  /** A delta, exact. */
  exactDelta(column: number): bigint | undefined {
    const delta = this.deltas[column];
    if (delta !== delta) return undefined;
    return delta < EXACT_BELOW ? BigInt(delta) : this.wideDeltas!.get(column)!;
  }

  /** The value that the next delta is from, exact. */
  exactBase(column: number): bigint {
    const value = this.base[column];
    return value < EXACT_BELOW ? BigInt(value) : this.wideBase!.get(column)!;
  }

  /** Marks the delta of a column. */
  flag(column: number, bit: number): void {
    this.flags ??= new Map();
    this.flags.set(column, (this.flags.get(column) ?? 0) | bit);
  }

  /** Seconds since the sample before; NaN for a first one. */
  get elapsedS(): number {
    return (this.timeUs - this.previousUs) / 1e6;
  }
}

/** Devices without counters that are kept: names of processes come and go for ever. */
const MAX_IDLE_DEVICES = 20_000;

/** The record after the one at hand. */
export interface NextRecord {
  readonly timeUs: number;
  readonly number: number;
}

/** Takes samples in order of time and gives their differences. */
export class RawDiffer {
  readonly types = new Map<string, RawType>();
  #stretch = 0;
  /** Number of the boot, and its time in microseconds since the epoch; NaN: not known. */
  #boot = 0;
  #bootUs = NaN;
  #made = 0;
  /** Counters of the current file, by number of schema and device. */
  #slots: (RawCounters | undefined)[][] = [];
  /** Counters of derived types: their schemas are numbered from −1 downwards. */
  #derivedSlots: (RawCounters | undefined)[][] = [];

  /** @param energyUnits Joules of one count of its energy counters. */
  constructor(readonly host: string, readonly energyUnits: NodeEnergyUnits) {}

  /** Another file of the same node begins. */
  startFile(): void {
    this.#slots = [];
    this.#derivedSlots = [];
  }

  /** Ends the node: no line of it follows, and the counters are given up. */
  end(): void {
    for (const { devices } of this.types.values()) devices.clear();
    this.types.clear();
    this.startFile();
  }

  /** Time stepped back: nothing is differenced across it. */
  stepBack(): void {
    this.#stretch++;
  }

  /**
   * The node was booted before the record at hand: all counters began again at 0.
   *
   * @param bootUs Microseconds since the epoch; NaN: not known.
   */
  restart(bootUs: number): void {
    this.#boot++;
    this.#bootUs = bootUs;
  }

  /** Differences one statistics line, whose values are those of the record of that number. */
  take(
    counters: RawCounters,
    timeUs: number,
    record: number,
    next: NextRecord | undefined,
  ): RawValues {
    const values = counters.valuesOf(record)!;
    if (counters.stretch !== this.#stretch) {
      counters.stretch = this.#stretch;
      counters.base.fill(NaN);
      counters.wideBase = undefined;
      counters.timeUs = NaN;
    }
    counters.endInterval();
    counters.previousUs = counters.timeUs;
    counters.timeUs = timeUs;
    counters.wideDeltas = undefined;
    counters.flags = undefined;
    counters.steps = undefined;
    const { deltas, base, type } = counters;
    const { events } = type;
    const { numbers } = values;
    const isRestarted = counters.boot !== this.#boot;
    counters.boot = this.#boot;
    const plain = !isRestarted && !values.hasWide && counters.wideBase === undefined;
    for (let i = 0; i < events.length; i++) {
      const k = events[i];
      const value = numbers[k];
      if (plain && value >= base[k]) {
        deltas[k] = value - base[k];
        base[k] = value;
      } else if (isRestarted) this.#restarted(counters, values, k);
      else this.#odd(counters, values, k, next);
    }
    if (widensBySight(type.schema.type)) this.#widen(type, numbers);
    if (type.isEnergy) this.#flagEnergies(counters);
    return values;
  }

  /** The counters that a line is about. */
  countersOf(device: RawDevice): RawCounters {
    const { index } = device.columns;
    const slots = index < 0 ? this.#derivedSlots[-1 - index] ??= [] : this.#slots[index] ??= [];
    const known = slots[device.index];
    // numbers of devices that were given up are given again
    if (known !== undefined && known.device === device.name) return known;
    const schema = device.columns.schema;
    let type = this.types.get(schema.type);
    if (type === undefined || !sameSchema(type.schema, schema)) {
      type = new RawType(schema);
      this.types.set(schema.type, type);
    }
    let counters = type.devices.get(device.name);
    if (counters === undefined) {
      counters = new RawCounters(type, device.name, this.#made++);
      counters.boot = this.#boot;
      // without counters there is nothing to remember
      const isKept = type.events.length > 0 || type.devices.size < MAX_IDLE_DEVICES;
      if (isKept) type.devices.set(device.name, counters);
    }
    return slots[device.index] = counters;
  }

  /** A first value, a missing one, a wide one or a step backwards. */
  #odd(counters: RawCounters, values: RawValues, k: number, next: NextRecord | undefined): void {
    const { deltas, base } = counters;
    const value = values.numbers[k];
    if (value !== value) {
      deltas[k] = NaN;
      counters.wait(k);
      return;
    }
    const cur = values.exact(k);
    if (base[k] !== base[k]) deltas[k] = NaN;
    else {
      const prev = counters.exactBase(k);
      let delta = cur - prev;
      if (delta < 0n) {
        const step = this.#stepOf(counters, k, next);
        const judged = judgeStep(prev, cur, counters.type.widths[k], step);
        delta = judged.delta;
        this.#record(counters, k, { ...judged, from: prev, to: cur });
        if (judged.kind === "dip") {
          deltas[k] = 0;
          counters.wait(k);
          return;
        }
      }
      this.#setDelta(counters, k, delta);
    }
    this.#setBase(counters, k, cur, value);
  }

  /** The first value after a boot: all of it was counted since then. */
  #restarted(counters: RawCounters, values: RawValues, k: number): void {
    const { deltas, base, type } = counters;
    const value = values.numbers[k];
    deltas[k] = NaN;
    if (value !== value) return;
    const cur = values.exact(k);
    if (base[k] === base[k]) {
      const sinceUs = Math.max(this.#bootUs || 0, counters.previousUs);
      const seconds = (counters.timeUs - sinceUs) / 1e6;
      if (type.isEnergy && this.#canOverflow(type, k, seconds)) counters.flag(k, AT_LEAST);
      else {
        const prev = counters.exactBase(k);
        this.#setDelta(counters, k, cur);
        this.#record(counters, k, { kind: "reset", delta: cur, from: prev, to: cur });
      }
    }
    this.#setBase(counters, k, cur, value);
  }

  #setDelta(counters: RawCounters, k: number, delta: bigint): void {
    counters.deltas[k] = Number(delta);
    if (counters.deltas[k] >= EXACT_BELOW) (counters.wideDeltas ??= new Map()).set(k, delta);
  }

  #setBase(counters: RawCounters, k: number, exact: bigint, value: number): void {
    counters.base[k] = value;
    if (value >= EXACT_BELOW) (counters.wideBase ??= new Map()).set(k, exact);
  }

  /** Facts about a step backwards. */
  #stepOf(counters: RawCounters, k: number, next: NextRecord | undefined): RawStep {
    const { type, timeUs, deltas } = counters;
    const seconds = counters.secondsOf(k);
    const following = next === undefined ? undefined : counters.valuesOf(next.number);
    const hasNext = following !== undefined && following.numbers[k] === following.numbers[k];
    const joules = this.energyUnits.of(type.schema.type, type.keys[k].name);
    const energies = {
      bound: joules === undefined ? Infinity : MAX_ENERGY_W * seconds / joules,
      usual: joules === undefined ? -1 : usualWatts(type.keys[k].name) * seconds / joules,
    };
    const rate = maxCountsPerSecond(type.schema.type, type.keys[k], type.units[k]);
    return {
      // a record may come a second late
      bound: type.isEnergy ? energies.bound : rate === rate ? rate * (seconds + 1) : undefined,
      usual: type.isEnergy ? energies.usual : undefined,
      next: hasNext ? following.exact(k) : undefined,
      expected: deltas[k] / counters.secondsBefore(k) * seconds,
      ratio: next === undefined ? 1 : (next.timeUs - timeUs) / 1e6 / seconds,
    };
  }

  /** Marks energies whose register may have passed its range more than once between two records. */
  #flagEnergies(counters: RawCounters): void {
    const { type, deltas } = counters;
    for (const k of type.events) {
      if (deltas[k] === deltas[k] && this.#canOverflow(type, k, counters.secondsOf(k))) {
        counters.flag(k, AT_LEAST);
      }
    }
  }

  /** Can an energy register pass its range in so many seconds? */
  #canOverflow(type: RawType, k: number, seconds: number): boolean {
    if (type.widths[k] > 32) return false;
    const { name } = type.keys[k];
    const joules = this.energyUnits.of(type.schema.type, name) ?? NaN;
    return usualWatts(name) * seconds > joules * 2 ** type.widths[k];
  }

  #record(
    counters: RawCounters,
    k: number,
    step: { kind: RawCorrectionKind; delta: bigint; from: bigint; to: bigint },
  ): void {
    counters.flag(k, CORRECTED);
    (counters.steps ??= []).push({
      timeUs: counters.timeUs,
      host: this.host,
      type: counters.type.schema.type,
      device: counters.device,
      key: counters.type.keys[k].name,
      ...step,
    });
  }

  #widen(type: RawType, numbers: Float64Array): void {
    for (let k = 0; k < numbers.length; k++) {
      if (numbers[k] >= 2 ** type.widths[k] && type.widths[k] < 64) type.widths[k] = 64;
    }
  }
}
