/**
 * State of each type and device while a reader goes through a raw stats file, and the values of the
 * current line.
 *
 * @module
 */
import type { RawSchema } from "./schema.ts";

const encoder = new TextEncoder();

/** A device of a type, as far as the file has shown it. */
export class RawDevice {
  /** Name in bytes as it is spelled before a blank: quicker to compare than to decode. */
  readonly bytes: Uint8Array;
  /** The device whose line followed last time: lines repeat their order. */
  next: RawDevice | undefined;
  /** Was it given up? Then another device may have its number. */
  isGone = false;
  /** Number of the record in which it was seen last. */
  record = -1;

  constructor(readonly name: string, readonly columns: RawColumns, readonly index: number) {
    this.bytes = encoder.encode(name + " ");
  }
}

/** The number of devices of a type that are always kept. */
const MAX_KEPT_DEVICES = 4096;
/** Records in which a device has not been seen before it may be given up. */
const IDLE_RECORDS = 100;

/** A type under one schema; a schema that changes makes a new one. */
export class RawColumns {
  readonly bytes: Uint8Array;
  readonly devices = new Map<string, RawDevice>();
  /** Numbers that devices have had, and those that are free again. */
  #made = 0;
  readonly #free: number[] = [];
  /** Columns that every line has; fewer than all if some are slow. */
  readonly fastCount: number;
  /** Column of each value in a fast sample. */
  readonly fast: Int32Array;
  first: RawDevice | undefined;
  /** The type whose lines followed last time. */
  next: RawColumns | undefined;

  /** @param index Number of this schema in its file, from 0. */
  constructor(readonly schema: RawSchema, readonly index: number) {
    this.bytes = encoder.encode(schema.type + " ");
    const fast: number[] = [];
    schema.keys.forEach((key, i) => {
      if (!key.slow) fast.push(i);
    });
    this.fast = Int32Array.from(fast);
    this.fastCount = fast.length;
  }

  /**
   * The device of that name, made when it is new.
   *
   * @param record Number of the record at hand: devices not seen for long, processes that are over
   * for example, are dropped when there are many.
   */
  device(name: string, record = 0): RawDevice {
    let device = this.devices.get(name);
    if (device === undefined) {
      if (this.devices.size >= this.#most) this.#giveUp(record - IDLE_RECORDS);
      device = new RawDevice(name, this, this.#free.pop() ?? this.#made++);
      this.devices.set(name, device);
      this.first ??= device;
    }
    return device;
  }

  /** From here on devices are given up; more if many are alive at once. */
  #most = MAX_KEPT_DEVICES;

  #giveUp(before: number): void {
    for (const [name, device] of this.devices) {
      if (device.record >= before) continue;
      this.devices.delete(name);
      this.#free.push(device.index);
      device.isGone = true;
      device.next = undefined;
    }
    this.#most = Math.max(MAX_KEPT_DEVICES, 2 * this.devices.size);
  }
}

/** Values below this are exact as plain numbers. */
export const EXACT_BELOW = 9007199254740992;

/** The values of one statistics line, reused for the next. */
export class RawValues {
  /** One per column; NaN if a fast sample omits it; rounded from 2^53 on. */
  readonly numbers: Float64Array;
  readonly #wide: BigUint64Array;
  /** Is any value 2^53 or larger? */
  hasWide = false;

  constructor(count: number) {
    this.numbers = new Float64Array(count);
    this.#wide = new BigUint64Array(count);
  }

  /** Copy of these values. */
  copy(): RawValues {
    const kept = new RawValues(this.numbers.length);
    kept.set(this);
    return kept;
  }

  /** Takes the values of another line of the same length. */
  set(other: RawValues): void {
    this.numbers.set(other.numbers);
    if (other.hasWide) this.#wide.set(other.#wide);
    this.hasWide = other.hasWide;
  }

  /** Order of two lists by number: below 0 if these come first, above 0 if the others do. */
  compare(other: RawValues): number {
    const count = Math.min(this.numbers.length, other.numbers.length);
    for (let i = 0; i < count; i++) {
      const [mine, theirs] = [this.exact(i), other.exact(i)];
      if (mine !== theirs) return mine < theirs ? -1 : 1;
    }
    return this.numbers.length - other.numbers.length;
  }

  /** Sets a value, which may be one that plain numbers cannot hold. */
  setWide(column: number, value: bigint): void {
    this.numbers[column] = Number(value);
    this.#wide[column] = value;
    this.hasWide = true;
  }

  /** The exact value of a column, 0 if it is missing. */
  exact(column: number): bigint {
    const value = this.numbers[column];
    if (value >= EXACT_BELOW) return this.#wide[column];
    return value === value ? BigInt(value) : 0n;
  }
}
