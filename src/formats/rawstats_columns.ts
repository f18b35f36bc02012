/**
 * What a reader of raw stats keeps of each type and device while it goes through a file, and the
 * values of the line at hand.
 *
 * @module
 */
import type { RawSchema } from "./rawstats_schema.ts";

const encoder = new TextEncoder();

/** A device of a type, as far as the file has shown it. */
export class RawDevice {
  /** As it is spelled before a blank: quicker to compare than to decode. */
  readonly bytes: Uint8Array;
  /** The device whose line followed last time: lines repeat their order. */
  next: RawDevice | undefined;
  /** Number of the record in which it was seen last. */
  record = -1;

  constructor(readonly name: string, readonly columns: RawColumns, readonly index: number) {
    this.bytes = encoder.encode(name + " ");
  }
}

/** A type under one schema; a schema that changes makes a new one. */
export class RawColumns {
  readonly bytes: Uint8Array;
  readonly devices = new Map<string, RawDevice>();
  /** Devices in the order of their first line. */
  readonly list: RawDevice[] = [];
  /** Columns that every line has; fewer than all where some are slow. */
  readonly fastCount: number;
  /** Of each value of a fast sample, the column. */
  readonly fast: Int32Array;
  first: RawDevice | undefined;
  /** The type whose lines followed last time. */
  next: RawColumns | undefined;
  /** Nobody wants its values: lines that look right are not decoded, and values are the last ones. */
  skipped = false;

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

  /** The device of that name, made when it is new. */
  device(name: string): RawDevice {
    let device = this.devices.get(name);
    if (device === undefined) {
      device = new RawDevice(name, this, this.list.length);
      this.devices.set(name, device);
      this.list.push(device);
      this.first ??= device;
    }
    return device;
  }
}

/** Values below this are exact as plain numbers. */
export const EXACT_BELOW = 9007199254740992;

/** The values of one statistics line, reused for the next. */
export class RawValues {
  /** One per column; NaN where a fast sample omits it; rounded from 2^53 on. */
  readonly numbers: Float64Array;
  readonly #wide: BigUint64Array;
  /** Is there any value from 2^53 on? */
  hasWide = false;

  constructor(count: number) {
    this.numbers = new Float64Array(count);
    this.#wide = new BigUint64Array(count);
  }

  /** Sets a value that plain numbers cannot hold. */
  setWide(column: number, value: bigint): void {
    this.numbers[column] = Number(value);
    this.#wide[column] = value;
    this.hasWide = true;
  }

  /** The exact value of a column, 0 where it is missing. */
  exact(column: number): bigint {
    const value = this.numbers[column];
    if (value >= EXACT_BELOW) return this.#wide[column];
    return value === value ? BigInt(value) : 0n;
  }
}
