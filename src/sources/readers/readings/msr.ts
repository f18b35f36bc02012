/**
 * The hot part of the MSR reader: every register once a tick, without allocation.
 *
 * @module
 */
import { errorText } from "../../../os/libc.ts";
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../../../core/machine/counter.ts";
import type { Host, Registers } from "../../../core/machine/host.ts";
import { applyFunction, bits } from "../../../core/machine/msr_field.ts";
import type { SignalReading } from "../../../core/signal.ts";
import type { BatchOperation, RegisterBatch } from "../../../os/devices/msr_batch.ts";
import type { MsrField } from "../tables/msr_fields.ts";
import { Troubled } from "./troubled.ts";

/** One requested row. */
export interface MsrItem {
  readonly name: string;
  readonly offset: number;
  /** CPUs to read on, by instance: their values add up; −1 for none. */
  readonly cpus: readonly (readonly number[])[];
  /** `undefined`: the whole register. */
  readonly field: MsrField | undefined;
  readonly scale: number;
  /** Read until it answers, then kept. */
  readonly constant: boolean;
  /** Fastest growth that is possible, in counts per second; `undefined`: any. */
  readonly maxPerSecond: number | undefined;
}

/** Target of a register's field. */
interface Target {
  readonly item: MsrItem;
  /** Index in the values, and in the item's counters. */
  readonly at: number;
  readonly counter: number;
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
  /** Values as they were read, NaN for those without a device, and the column to which each adds. */
  readonly #values: Float64Array;
  readonly #columns: Int32Array;
  readonly #batch: RegisterBatch | undefined;

  constructor(
    host: Host,
    items: readonly MsrItem[],
    { tjMaxC, openBatch }: { tjMaxC: (cpu: number) => number; openBatch?: OpenBatch },
  ) {
    super();
    const byRegister = new Map<string, ReadOperation>();
    const columns: number[] = [];
    let firstColumn = 0;
    for (const item of items) {
      const counters = item.field?.fn === "overflow" ? counterOf(item) : undefined;
      const reads = item.cpus.flatMap((cpus, instance) => cpus.map((cpu) => ({ cpu, instance })));
      for (const [counter, { cpu, instance }] of reads.entries()) {
        const at = columns.push(firstColumn + instance) - 1;
        const device = cpu < 0 ? undefined : this.#device(host, cpu, item.name);
        if (device === undefined) continue;
        const key = `${cpu}/${item.offset}`;
        const { offset, constant } = item;
        const made = { cpu, offset, device, targets: [], constant, done: false };
        const operation: ReadOperation = byRegister.getOrInsert(key, made);
        operation.constant &&= item.constant;
        const tj = item.field?.belowTjMax === undefined ? NaN : tjMaxC(cpu);
        const [highMask, lowMask] = masks(item.field?.end ?? 63);
        operation.targets.push({
          item,
          at,
          counter,
          instance,
          counters,
          highMask,
          lowMask,
          tjMaxC: tj,
        });
      }
      firstColumn += item.cpus.length;
    }
    this.#values = new Float64Array(columns.length).fill(NaN);
    this.#columns = Int32Array.from(columns);
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
    TAKEN[TIME_S] = timeS;
    this.#batch?.run();
    const operations = this.#operations;
    for (let i = 0; i < operations.length; i++) {
      const operation = operations[i];
      if (operation.constant && operation.done) continue;
      this.#perform(operation, this.#offsets[i + 1] as number);
    }
    const columns = this.#columns, values = this.#values;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      // The values of one instance follow each other.
      if (i > 0 && column === columns[i - 1]) out[column] += values[i];
      else out[column] = values[i];
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

  #perform(operation: ReadOperation, offset: number): void {
    const device = operation.device;
    const errno = device.read(offset);
    const targets = operation.targets;
    // A bus without a device answers all ones.
    const bad = errno !== 0 || (device.low & device.high) === -1;
    for (let k = 0; k < targets.length; k++) {
      const target = targets[k];
      if (bad) {
        this.#values[target.at] = NaN;
        this.#failed(operation, target, errno);
        continue;
      }
      this.#decode(target, device);
    }
    if (!bad) operation.done = true;
  }

  /** Writes the value of a target; a number that it returned would be allocated. */
  #decode(target: Target, device: Registers): void {
    const { item, at, counters } = target;
    const out = this.#values;
    const { field, scale } = item;
    if (field === undefined) {
      RAW_WORDS[0] = device.low;
      RAW_WORDS[1] = device.high;
      out[at] = RAW_DOUBLE[0];
      return;
    }
    if (counters !== undefined) {
      // Counters begin at bit 0, so the halves need no shifting.
      TAKEN[HIGH] = (device.high & target.highMask) >>> 0;
      TAKEN[LOW] = (device.low & target.lowMask) >>> 0;
      counters.take(target.counter);
      if (counters.step > STEP.WRAPPED && counters.step < STEP.RESTARTED) {
        this.#judge(target, counters.step);
      }
      out[at] = TAKEN[TOTAL] * scale;
      return;
    }
    const number = bits(device.high, device.low, field.begin, field.end);
    if (field.belowTjMax !== undefined) {
      // The readout of a core means nothing while its valid bit is off.
      const valid = field.belowTjMax === "package" || (device.low & 0x80000000) !== 0;
      out[at] = valid ? target.tjMaxC - number : NaN;
    } else out[at] = applyFunction(field.fn, number) * scale;
  }

  #failed(operation: ReadOperation, target: Target, errno: number): void {
    const name = target.item.name;
    if (this.noted.again(name, "error")) return;
    const at = `register 0x${operation.offset.toString(16)} of CPU ${operation.cpu}`;
    this.noted.add(
      name,
      "error",
      errno === 0 ? `${at} reads all ones` : `${at}: ${errorText(errno)}`,
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
  return new Counters(item.cpus.flat().length, {
    range: 2 ** (field.end - field.begin + 1),
    wrapShare: field.wrapShare,
    maxPerSecond: item.maxPerSecond,
    stallAfterS: field.stallAfterS,
    showsGaps: field.unit === "J",
  });
}
