/**
 * Raw stats type: a key list, from which both its schema line and its values come, and `collect`.
 * One type, or one family of similar types, per file; `all.ts` lists them.
 *
 * Names, keys and units are those of hpcperfstats 2.3.5, so that its own post-processing reads the
 * monitor's files.
 * @module
 */
import type { Host } from "../../../core/machine/host.ts";
import { ScopedHost } from "../../../core/machine/scoped_host.ts";
import type { Needs } from "../../../core/signal.ts";
import type { RawMachine } from "../../../os/raw_machine.ts";
import { identifyProcessor, type RawProcessor } from "./processor.ts";

/** A node, as a type may see it. */
export interface RawNodeAccess {
  /** Files, scoped to what the type declared. */
  readonly host: Host;
  /** Registers, PCI functions, owners. */
  readonly machine: RawMachine;
  readonly processor: RawProcessor;
  /** Was the type requested by its name, on the machine itself? Required for types that others would notice. */
  readonly isNamed?: boolean;
}

/** One raw stats type. */
export interface RawStatsType {
  readonly name: string;
  /** Key list as in the schema line, `user,E,U=cs nice,E,U=cs`. */
  readonly keys: string;
  /** Correct key list for readers, if the original's schema is wrong. */
  readonly trueKeys?: string;
  readonly needs: Needs;
  /**
   * Opens the type on a node; `undefined` if the kind of processor or device that it is for is
   * not there, so that headers do not list it. A type that opens may still have nothing to collect.
   */
  open(node: RawNodeAccess): RawCollector | undefined;
}

/** An open type. */
export interface RawCollector {
  /** Keys on this node, if its processor has others than the type: no signals are made of them. */
  readonly keys?: string;
  /** Writes the control registers, if programming is allowed; what failed, in one line. */
  program?(): string | undefined;
  /** Puts the values of each device into `row` and emits it. Allocates little, never throws. */
  collect(row: RawRow): void;
  /** Notes for people, written once after the header as marks. */
  marks?(): string[];
  [Symbol.dispose]?(): void;
}

/** The values of one device at a time, reused for the next. */
export class RawRow {
  /** Exact, in the order of the keys. */
  readonly values: BigUint64Array;
  /** Halves in the same memory: low and high words of each value, alternating. */
  readonly halves: Uint32Array;
  /** Flags of the keys that have ever had a source. */
  readonly seen: Uint8Array;
  /** Devices emitted since the last `begin`. */
  emitted = 0;
  /** Has any value been set since the last emission? */
  hasAny = false;
  #take: (device: string) => void;

  /** @param take Is given each device; `halves` then holds its values. */
  constructor(readonly count: number, take: (device: string) => void) {
    this.values = new BigUint64Array(count);
    this.halves = new Uint32Array(this.values.buffer);
    this.seen = new Uint8Array(count);
    this.#take = take;
  }

  /** A new collection. */
  begin(): void {
    this.emitted = 0;
    this.clear();
  }

  /** All values to 0, without a source. */
  clear(): void {
    this.halves.fill(0);
    this.hasAny = false;
  }

  /** Sets a value given as two words. */
  put(key: number, low: number, high: number): void {
    this.halves[2 * key] = low;
    this.halves[2 * key + 1] = high;
    this.seen[key] = 1;
    this.hasAny = true;
  }

  /** Sets a whole number below 2^53. */
  putNumber(key: number, value: number): void {
    this.put(key, value % 4294967296, Math.floor(value / 4294967296));
  }

  /** Adds to a value, modulo 2^64. */
  add(key: number, low: number, high: number): void {
    const sum = this.halves[2 * key] + low;
    const carry = sum >= 4294967296 ? 1 : 0;
    this.put(key, sum % 4294967296, (this.halves[2 * key + 1] + high + carry) >>> 0);
  }

  /** Hands the values on under a device's name, and clears them; without a source: nothing. */
  emit(device: string): void {
    if (this.hasAny) {
      this.emitted++;
      this.#take(device);
    }
    this.clear();
  }
}

/** A type's view of a node. */
export function accessOf(
  type: RawStatsType,
  machine: RawMachine,
  processor: RawProcessor = identifyProcessor(machine.host),
  named?: ReadonlySet<string>,
): RawNodeAccess {
  const host = new ScopedHost(machine.host, type.name, type.needs);
  // a tree has no devices to ask
  const isNamed = machine.host.root === "" && named?.has(type.name) === true;
  return { host, machine, processor, isNamed };
}

/** Names of the keys, in order. */
export function keyNames(keys: string): string[] {
  return keys.split(" ").map((key) => key.split(",", 1)[0]);
}
