/**
 * Differences of one node's counters from sample to sample, over any number of its files.
 *
 * Differences are made per device and column, exactly: plain numbers below 2^53, BigInt beyond.
 * Every step backwards is judged and recorded; gauges and control registers are never differenced.
 * @module
 */
import type { RawDevice, RawValues } from "../formats/rawstats/columns.ts";
import { EXACT_BELOW } from "../formats/rawstats/columns.ts";
import { parseRawUnit, type RawKey, type RawUnit, sameSchema } from "../formats/rawstats/schema.ts";
import type { RawKind, RawSchema } from "../formats/rawstats/schema.ts";
import { judgeStep, type RawCorrectionKind } from "./judge.ts";
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
  /** What happened to the counter. */
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
  /** Of all devices, where no column is a counter. */
  readonly noDeltas: Float64Array;
  readonly devices = new Map<string, RawCounters>();

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
}

/** The counters of one device: what they were, and by how much they grew in the last step. */
export class RawCounters {
  /** Counts since the sample before; NaN for gauges, controls and first samples. */
  readonly deltas: Float64Array;
  /** Deltas from 2^53 on, exact. */
  wideDeltas: Map<number, bigint> | undefined;
  /** Microseconds since the epoch: the sample before, and this one; NaN where there is none. */
  previousUs = NaN;
  timeUs = NaN;
  /** Number of the stretch in which time went forward. */
  stretch = -1;
  readonly base: Float64Array;
  wideBase: Map<number, bigint> | undefined;

  /** @param index Number of the device within its node, over all types, from 0. */
  constructor(readonly type: RawType, readonly device: string, readonly index: number) {
    const hasEvents = type.events.length > 0;
    this.deltas = hasEvents ? new Float64Array(type.keys.length).fill(NaN) : type.noDeltas;
    this.base = hasEvents ? new Float64Array(type.keys.length).fill(NaN) : type.noDeltas;
  }

  /** A delta, exact. */
  exactDelta(column: number): bigint | undefined {
    const delta = this.deltas[column];
    if (delta !== delta) return undefined;
    return delta < EXACT_BELOW ? BigInt(delta) : this.wideDeltas!.get(column)!;
  }

  /** Seconds since the sample before; NaN for a first one. */
  get elapsedS(): number {
    return (this.timeUs - this.previousUs) / 1e6;
  }
}

/** More corrections than these are counted, not kept. */
const MAX_CORRECTIONS = 100_000;
/** The same for devices: names of processes come and go for ever. */
const MAX_DEVICES = 20_000;

/** Takes samples in order of time and gives their differences. */
export class RawDiffer {
  readonly types = new Map<string, RawType>();
  readonly corrections: RawCorrection[] = [];
  readonly counts: Record<RawCorrectionKind, number> = { wrap: 0, reset: 0, dip: 0 };
  /** Counts per second that an energy counter cannot exceed; NaN: unknown. */
  energyLimit: (type: string, key: string) => number = () => NaN;
  #stretch = 0;
  #made = 0;
  /** Of the file at hand: counters by number of schema and device. */
  #slots: (RawCounters | undefined)[][] = [];
  /** The same for types that are derived: their schemas are numbered from −1 downwards. */
  #derivedSlots: (RawCounters | undefined)[][] = [];

  constructor(readonly host: string) {}

  /** Another file of the same node begins. */
  startFile(): void {
    this.#slots = [];
    this.#derivedSlots = [];
  }

  /** No line of the node follows: what counters were is given up. */
  end(): void {
    for (const { devices } of this.types.values()) devices.clear();
    this.types.clear();
    this.#slots = [];
    this.#derivedSlots = [];
  }

  /** Time stepped back: nothing is differenced across it. */
  stepBack(): void {
    this.#stretch++;
  }

  /** Takes one statistics line; the device's counters, with their deltas. */
  take(device: RawDevice, values: RawValues, timeUs: number): RawCounters {
    const counters = this.#countersOf(device);
    if (counters.stretch !== this.#stretch) {
      counters.stretch = this.#stretch;
      counters.base.fill(NaN);
      counters.wideBase = undefined;
      counters.timeUs = NaN;
    }
    counters.previousUs = counters.timeUs;
    counters.timeUs = timeUs;
    counters.wideDeltas = undefined;
    const { deltas, base } = counters;
    const { events } = counters.type;
    const numbers = values.numbers;
    const plain = !values.hasWide && counters.wideBase === undefined;
    for (let i = 0; i < events.length; i++) {
      const k = events[i];
      const value = numbers[k];
      if (plain && value >= base[k]) {
        deltas[k] = value - base[k];
        base[k] = value;
      } else this.#odd(counters, values, k);
    }
    if (widensBySight(counters.type.schema.type)) this.#widen(counters.type, numbers);
    return counters;
  }

  #countersOf(device: RawDevice): RawCounters {
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
      if (type.devices.size < MAX_DEVICES) type.devices.set(device.name, counters);
    }
    return slots[device.index] = counters;
  }

  /** A first value, a missing one, a wide one or a step backwards. */
  #odd(counters: RawCounters, values: RawValues, k: number): void {
    const { deltas, base, type } = counters;
    const value = values.numbers[k];
    if (value !== value) {
      deltas[k] = NaN;
      return;
    }
    const cur = values.exact(k);
    if (base[k] !== base[k]) deltas[k] = NaN;
    else {
      const prev = base[k] < EXACT_BELOW ? BigInt(base[k]) : counters.wideBase!.get(k)!;
      let delta = cur - prev;
      if (delta < 0n) {
        const seconds = counters.elapsedS;
        const limit = isEnergy(type.schema.type)
          ? this.energyLimit(type.schema.type, type.keys[k].name) * seconds
          : NaN;
        const judged = judgeStep(prev, cur, type.widths[k], limit === limit ? limit : undefined);
        delta = judged.delta;
        this.#record(counters, k, { ...judged, from: prev, to: cur });
        if (judged.kind === "dip") {
          deltas[k] = 0;
          return;
        }
      }
      deltas[k] = Number(delta);
      if (deltas[k] >= EXACT_BELOW) (counters.wideDeltas ??= new Map()).set(k, delta);
    }
    base[k] = value;
    if (value >= EXACT_BELOW) (counters.wideBase ??= new Map()).set(k, cur);
  }

  #record(
    counters: RawCounters,
    k: number,
    step: { kind: RawCorrectionKind; delta: bigint; from: bigint; to: bigint },
  ): void {
    this.counts[step.kind]++;
    if (this.corrections.length >= MAX_CORRECTIONS) return;
    this.corrections.push({
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
