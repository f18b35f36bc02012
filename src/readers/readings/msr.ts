/**
 * The hot part of the MSR reader: every register once a tick, without allocation.
 *
 * @module
 */
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../../core/machine/counter.ts";
import type { Host, Registers } from "../../core/machine/host.ts";
import { applyFunction, bits } from "../../core/machine/msr_field.ts";
import type { SignalReading } from "../../core/signal.ts";
import type { BatchOperation, RegisterBatch } from "../../os/devices/msr_batch.ts";
import type { MsrField } from "../tables/msr_fields.ts";
import { Troubled } from "./troubled.ts";

/** One requested row. */
export interface MsrItem {
  readonly name: string;
  readonly offset: number;
  /** CPU to read on, by instance; −1 for none. */
  readonly cpus: readonly number[];
  /** `undefined`: the whole register. */
  readonly field: MsrField | undefined;
  readonly scale: number;
  /** Read until it answers, then kept. */
  readonly constant: boolean;
  /** Fastest growth that is possible, in counts per second; `undefined`: any. */
  readonly maxPerSecond: number | undefined;
}

/** Where a field of a register goes. */
interface Target {
  readonly item: MsrItem;
  readonly column: number;
  readonly instance: number;
  readonly counters: Counters | undefined;
  /** Bits of the halves that belong to a counter. */
  readonly highMask: number;
  readonly lowMask: number;
  readonly tjMaxC: number;
}

/** Opens what reads many registers by one call; `undefined`: each is read by itself. */
export type OpenBatch = (operations: readonly BatchOperation[]) => RegisterBatch | undefined;

/** One register of one CPU. */
interface ReadOperation {
  readonly cpu: number;
  readonly offset: number;
  device: Registers;
  readonly targets: Target[];
  /** All its fields are constant: once is enough. */
  constant: boolean;
  done: boolean;
}

const RAW_DOUBLE = new Float64Array(1);
const RAW_WORDS = new Uint32Array(RAW_DOUBLE.buffer);

/** Reads the requested registers. */
export class MsrReading extends Troubled implements SignalReading {
  readonly #devices = new Map<number, Registers | undefined>();
  readonly #operations: ReadOperation[] = [];
  /**
   * Register numbers by operation. AMD's are above 2^31, no small integers, and a field of such
   * numbers would allocate one at every call; a list that also holds text keeps them as they are.
   */
  readonly #offsets: (number | string)[] = [""];
  readonly #last: Float64Array;
  readonly #absent: number[] = [];
  readonly #batch: RegisterBatch | undefined;

  constructor(
    host: Host,
    items: readonly MsrItem[],
    { tjMaxC, openBatch }: { tjMaxC: (cpu: number) => number; openBatch?: OpenBatch },
  ) {
    super();
    const byRegister = new Map<string, ReadOperation>();
    let column = 0;
    for (const item of items) {
      const counters = item.field?.fn === "overflow" ? counterOf(item) : undefined;
      for (let instance = 0; instance < item.cpus.length; instance++, column++) {
        const cpu = item.cpus[instance];
        const device = cpu < 0 ? undefined : this.#device(host, cpu, item.name);
        if (device === undefined) {
          this.#absent.push(column);
          continue;
        }
        const key = `${cpu}/${item.offset}`;
        const { offset, constant } = item;
        const made = { cpu, offset, device, targets: [], constant, done: false };
        const operation: ReadOperation = byRegister.getOrInsert(key, made);
        operation.constant &&= item.constant;
        const tj = item.field?.belowTjMax === undefined ? NaN : tjMaxC(cpu);
        const [highMask, lowMask] = masks(item.field?.end ?? 63);
        operation.targets.push({
          ...{ item, column, instance, counters, highMask, lowMask },
          tjMaxC: tj,
        });
      }
    }
    this.#last = new Float64Array(column).fill(NaN);
    // By CPU, so that the kernel's calls to one processor follow each other.
    this.#operations = [...byRegister.values()].sort((a, b) =>
      a.cpu - b.cpu || a.offset - b.offset
    );
    for (const operation of this.#operations) this.#offsets.push(operation.offset);
    // What never changes is read once, and alone.
    const often = this.#operations.filter((operation) => !operation.constant);
    this.#batch = openBatch?.(
      often.map(({ cpu, offset, device }) => ({ cpu, register: offset, device })),
    );
    this.#batch?.cells.forEach((cell, i) => often[i].device = cell);
  }

  readInto(out: Float64Array, timeS: number): void {
    for (let i = 0; i < this.#absent.length; i++) out[this.#absent[i]] = NaN;
    TAKEN[TIME_S] = timeS;
    this.#batch?.run();
    const operations = this.#operations;
    for (let i = 0; i < operations.length; i++) {
      const operation = operations[i];
      if (operation.constant && operation.done) this.#repeat(operation, out);
      else this.#perform(operation, this.#offsets[i + 1] as number, out);
    }
  }

  [Symbol.dispose](): void {
    this.#batch?.[Symbol.dispose]();
    for (const device of this.#devices.values()) device?.[Symbol.dispose]();
    this.#devices.clear();
  }

  #device(host: Host, cpu: number, signal: string): Registers | undefined {
    if (this.#devices.has(cpu)) return this.#devices.get(cpu);
    let device: Registers | undefined;
    try {
      device = host.registers(cpu);
    } catch (error) {
      this.noted.add(signal, "error", `CPU ${cpu}: ${(error as Error).message}`);
    }
    this.#devices.set(cpu, device);
    return device;
  }

  #repeat(operation: ReadOperation, out: Float64Array): void {
    const targets = operation.targets;
    for (let k = 0; k < targets.length; k++) out[targets[k].column] = this.#last[targets[k].column];
  }

  #perform(operation: ReadOperation, offset: number, out: Float64Array): void {
    const device = operation.device;
    const errno = device.read(offset);
    const targets = operation.targets;
    // A bus without a device answers all ones.
    const bad = errno !== 0 || (device.low & device.high) === -1;
    for (let k = 0; k < targets.length; k++) {
      const target = targets[k];
      if (bad) {
        out[target.column] = NaN;
        this.#failed(operation, target, errno);
        continue;
      }
      this.#decode(target, device, out);
      if (operation.constant) this.#last[target.column] = out[target.column];
    }
    if (!bad) operation.done = true;
  }

  /** Writes the value of a target; a number that it returned would be allocated. */
  #decode(target: Target, device: Registers, out: Float64Array): void {
    const { item, column, counters } = target;
    const { field, scale } = item;
    if (field === undefined) {
      RAW_WORDS[0] = device.low;
      RAW_WORDS[1] = device.high;
      out[column] = RAW_DOUBLE[0];
      return;
    }
    if (counters !== undefined) {
      // Counters begin at bit 0, so the halves need no shifting.
      TAKEN[HIGH] = (device.high & target.highMask) >>> 0;
      TAKEN[LOW] = (device.low & target.lowMask) >>> 0;
      counters.take(target.instance);
      if (counters.step > STEP.WRAPPED && counters.step < STEP.RESTARTED) {
        this.#judge(target, counters.step);
      }
      out[column] = TAKEN[TOTAL] * scale;
      return;
    }
    const number = bits(device.high, device.low, field.begin, field.end);
    if (field.belowTjMax !== undefined) {
      // The readout of a core means nothing while its valid bit is off.
      const valid = field.belowTjMax === "package" || (device.low & 0x80000000) !== 0;
      out[column] = valid ? target.tjMaxC - number : NaN;
    } else out[column] = applyFunction(field.fn, number) * scale;
  }

  #failed(operation: ReadOperation, target: Target, errno: number): void {
    const name = target.item.name;
    if (this.noted.again(name, "error")) return;
    const at = `register 0x${operation.offset.toString(16)} of CPU ${operation.cpu}`;
    this.noted.add(
      name,
      "error",
      errno === 0 ? `${at} reads all ones` : `${at}: errno ${errno}`,
    );
  }

  #judge(target: Target, step: number): void {
    const name = target.item.name;
    const kind = step === STEP.STALLED ? "stall" : step === STEP.LEAP ? "leap" : "reset";
    if (this.noted.again(name, kind)) return;
    const at = `instance ${target.instance}`;
    this.noted.add(
      name,
      kind,
      step === STEP.STALLED
        ? `${at} has not changed for long`
        : step === STEP.RESET
        ? `${at} went backwards by less than a wrap; nothing was added over the gap`
        : `${at} grew faster than is possible; nothing was added over the gap`,
    );
  }
}

/** Masks of a counter that ends at a bit, as signed 32-bit numbers. */
function masks(end: number): [high: number, low: number] {
  const width = (bitCount: number) => bitCount >= 32 ? -1 : (1 << Math.max(0, bitCount)) - 1;
  return [width(end - 31), width(end + 1)];
}

function counterOf(item: MsrItem): Counters {
  const field = item.field!;
  return new Counters(item.cpus.length, {
    range: 2 ** (field.end - field.begin + 1),
    wrapShare: field.wrapShare,
    maxPerSecond: item.maxPerSecond,
    stallAfterS: field.stallAfterS,
    showsGaps: field.unit === "J",
  });
}
