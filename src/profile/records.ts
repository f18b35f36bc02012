/**
 * Records of the kernel's sampling, and the attribute that asks for them. Truth: perf_event_open(2),
 * linux/perf_event.h.
 * @module
 */
import type { RecordBytes } from "../core/record_bytes.ts";
import { textAt } from "./elf.ts";
import type { Machine } from "./machine.ts";

/** Settings of the sampling. */
export interface Sampling {
  /** Time on the CPU between two samples, ns. */
  readonly periodNs: number;
  /** Bytes of each stack that are copied. */
  readonly stackBytes: number;
  /** Samples are also taken inside the kernel, which a plain user may not. */
  readonly withKernel: boolean;
  /** Mappings come with the build id of their file: Linux 5.12. */
  readonly withBuildIds: boolean;
  /** When threads leave a CPU, and come back. */
  readonly offCpu: boolean;
  /**
   * `cpu-clock`: the kernel samples. `timer`: threads do it themselves, also in the kernel; no records tell of their
   * mappings, ends and CPU time.
   */
  readonly event: SamplingEvent;
}

/** The source of samples. */
export type SamplingEvent = "cpu-clock" | "timer";

const ATTRIBUTE_BYTES = 128;
/** PERF_TYPE_SOFTWARE. Its event 0 is the CPU clock. */
const SOFTWARE = 1;
/** PERF_COUNT_SW_CONTEXT_SWITCHES: a sample of it is where a thread leaves a CPU. */
const CONTEXT_SWITCHES = 3;
/** Switches may be many: less of their stacks is copied. */
const SWITCH_STACK_BYTES = 8192;
const SAMPLE = {
  ip: 1,
  tid: 2,
  time: 4,
  callchain: 0x20,
  cpu: 0x80,
  period: 0x100,
  registers: 0x1000,
  stack: 0x2000,
};
/** Flag bits at 40. */
const FLAG = {
  disabled: 0,
  inherit: 1,
  excludeKernel: 5,
  excludeHypervisor: 6,
  mmap: 8,
  comm: 9,
  inheritStat: 11,
  enableOnExec: 12,
  task: 13,
  sampleIdAll: 18,
  excludeUserChain: 22,
  mmap2: 23,
  commExec: 24,
  useClock: 25,
  contextSwitch: 26,
  buildId: 34,
};
const NEVER_WAKE = 1 << 30;
const CLOCK_MONOTONIC_RAW = 4;

/** struct perf_event_attr: CPU time of a command and all that it starts, from its execve(2) on. */
export function samplingAttribute(
  sampling: Sampling,
  machine: Machine,
): Uint8Array<ArrayBuffer> {
  const { periodNs, stackBytes, withKernel, withBuildIds, offCpu } = sampling;
  const attribute = new DataView(new ArrayBuffer(ATTRIBUTE_BYTES));
  const { ip, tid, time, callchain, cpu, period, registers, stack } = SAMPLE;
  const type = ip | tid | time | cpu | registers | stack | (withKernel ? callchain : 0) |
    (offCpu ? period : 0);
  const { excludeKernel, excludeUserChain, buildId, contextSwitch, ...always } = FLAG;
  const bits = [...Object.values(always), withKernel ? excludeUserChain : excludeKernel];
  if (withBuildIds) bits.push(buildId);
  if (offCpu) bits.push(contextSwitch);
  attribute.setUint32(0, SOFTWARE, true);
  attribute.setUint32(4, ATTRIBUTE_BYTES, true);
  attribute.setBigUint64(16, BigInt(Math.round(periodNs)), true);
  attribute.setBigUint64(24, BigInt(type), true);
  attribute.setBigUint64(40, bits.reduce((flags, bit) => flags | 1n << BigInt(bit), 0n), true);
  attribute.setUint32(48, NEVER_WAKE, true);
  attribute.setBigUint64(80, BigInt(machine.sampledMask), true);
  attribute.setUint32(88, stackBytes, true);
  attribute.setInt32(92, CLOCK_MONOTONIC_RAW, true);
  return new Uint8Array(attribute.buffer);
}

/** struct perf_event_attr for threads that leave a CPU: a sample for each, of the period 1, and no other record. */
export function switchAttribute(
  sampling: Sampling,
  machine: Machine,
): Uint8Array<ArrayBuffer> {
  const bytes = samplingAttribute(sampling, machine), attribute = new DataView(bytes.buffer);
  const { disabled, inherit, excludeHypervisor, enableOnExec, sampleIdAll } = FLAG;
  const kept = [disabled, inherit, excludeHypervisor, enableOnExec, sampleIdAll];
  const bits = [...kept, FLAG.excludeUserChain, FLAG.useClock];
  attribute.setBigUint64(8, BigInt(CONTEXT_SWITCHES), true);
  attribute.setBigUint64(16, 1n, true);
  attribute.setBigUint64(40, bits.reduce((flags, bit) => flags | 1n << BigInt(bit), 0n), true);
  attribute.setUint32(88, Math.min(sampling.stackBytes, SWITCH_STACK_BYTES), true);
  return bytes;
}

/** PERF_RECORD_. */
export const RECORD = {
  lost: 2,
  comm: 3,
  exit: 4,
  throttle: 5,
  fork: 7,
  read: 8,
  sample: 9,
  mmap2: 10,
  lostSamples: 13,
  switch: 14,
  /** Text of /proc/PID/maps from a process that samples itself: no record of the kernel. */
  maps: 128,
} as const;

const HEADER_BYTES = 8;
const SAMPLE_ID_BYTES = 24;
const COMM_EXEC = 0x2000, MMAP_BUILD_ID = 0x4000, SWITCH_OUT = 0x2000, SWITCH_PREEMPTED = 0x4000;
const HIGH = 4294967296;
/** Missed periods that one sample stands for at most: a timer of 1000 Hz is never this late. */
const MISSED_MOST = 1 << 14;

/** Bytes of a record at least, without the 24 of its sample_id. */
const MIN_BYTES: Readonly<Record<number, number>> = {
  [RECORD.comm]: 24,
  [RECORD.exit]: 24,
  [RECORD.fork]: 24,
  [RECORD.read]: 24,
  [RECORD.lost]: 24,
  [RECORD.lostSamples]: 16,
  [RECORD.mmap2]: 72,
  [RECORD.sample]: 24,
  [RECORD.maps]: 16,
};

/** Begin or end of a thread. */
export interface TaskRecord {
  readonly process: number;
  readonly parent: number;
  readonly thread: number;
  readonly parentThread: number;
}

/** A file that became part of a process's code. */
export interface MappedFile {
  readonly path: string;
  readonly offset: number;
  /** In hex; empty: the kernel does not tell it. */
  readonly buildId: string;
  /** 0: the kernel tells the build id instead. */
  readonly inode: number;
}

/** Looks into records where they lie; makes no object for a sample. */
export class RecordReader {
  readonly #withKernel: boolean;
  readonly #hasPeriod: boolean;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array();
  #view: DataView<ArrayBuffer> = new DataView(new ArrayBuffer(0));
  #words: Uint32Array<ArrayBuffer> = new Uint32Array();
  /**
   * Registers of the sample that was read last, by DWARF's numbers, and the offset of its stack's
   * copy.
   */
  readonly registers: Float64Array;
  readonly #sampled: readonly number[];
  stackAt = 0;
  stackBytes = 0;
  /** The copy of the stack has all the bytes that were asked for. */
  isFull = false;
  /** Addresses in the kernel, innermost first: differences from KERNEL_HIGH; and their number. */
  readonly kernelAddresses: Float64Array = new Float64Array(256);
  kernelDepth = 0;

  constructor(
    machine: Machine,
    { withKernel, offCpu }: Pick<Sampling, "withKernel" | "offCpu">,
  ) {
    this.#sampled = machine.sampled;
    this.registers = new Float64Array(machine.registers);
    [this.#withKernel, this.#hasPeriod] = [withKernel, offCpu];
  }

  open({ bytes, view, words }: RecordBytes): void {
    [this.#bytes, this.#view, this.#words] = [bytes, view, words];
  }

  type(at: number): number {
    return this.#words[at >>> 2];
  }

  size(at: number): number {
    return this.#view.getUint16(at + 6, true);
  }

  /** Is there a whole record before an end? Programs may write anything into rings of theirs. */
  isWhole(at: number, end: number): boolean {
    if (at + HEADER_BYTES > end) return false;
    const size = this.size(at), least = MIN_BYTES[this.type(at)] ?? HEADER_BYTES;
    return size >= least + SAMPLE_ID_BYTES && size % 8 === 0 && at + size <= end;
  }

  timeNs(at: number): number {
    const isSample = this.type(at) === RECORD.sample;
    return this.#word(isSample ? at + 24 : at + this.size(at) - SAMPLE_ID_BYTES + 8);
  }

  /** Process and thread of any record but those of a sample. */
  process(at: number): number {
    return this.#words[(at + 8) >>> 2];
  }

  /** Thread of a COMM or READ record. */
  thread(at: number): number {
    return this.#words[(at + 12) >>> 2];
  }

  sampleProcess(at: number): number {
    return this.#words[(at + 16) >>> 2];
  }

  sampleThread(at: number): number {
    return this.#words[(at + 20) >>> 2];
  }

  sampleCpu(at: number): number {
    return this.#words[(at + 32) >>> 2];
  }

  /** Periods that a sample stands for: the kernel's have one. Of a timer, any program may write any number. */
  periods(at: number): number {
    return 1 + Math.min(this.#words[(at + 36) >>> 2], MISSED_MOST);
  }

  /** Process, its parent, thread and the parent's thread of a FORK or EXIT record. */
  task(at: number): TaskRecord {
    const [process, parent, thread, parentThread] = this.#words.subarray(
      (at + 8) >>> 2,
      (at + 24) >>> 2,
    );
    return { process, parent, thread, parentThread };
  }

  /** Count of a LOST or READ record. */
  count(at: number): number {
    return this.#word(at + 16);
  }

  lostSamples(at: number): number {
    return this.#word(at + HEADER_BYTES);
  }

  /** Is a sample of a thread that leaves a CPU? */
  isSwitch(at: number): boolean {
    return this.#hasPeriod && this.#word(at + 40) === 1;
  }

  /** Did a thread leave the CPU, by a SWITCH record? Otherwise it came back. */
  isOut(at: number): boolean {
    return (this.#view.getUint16(at + 4, true) & SWITCH_OUT) !== 0;
  }

  /** Did it still want to run? */
  isPreempted(at: number): boolean {
    return (this.#view.getUint16(at + 4, true) & SWITCH_PREEMPTED) !== 0;
  }

  isExec(at: number): boolean {
    return (this.#view.getUint16(at + 4, true) & COMM_EXEC) !== 0;
  }

  comm(at: number): string {
    return textAt(this.#bytes.subarray(at + 16, at + this.size(at) - SAMPLE_ID_BYTES), 0);
  }

  /** Whole lines of /proc/PID/maps. */
  maps(at: number): string {
    const text = textAt(this.#bytes.subarray(at + 16, at + this.size(at) - SAMPLE_ID_BYTES), 0);
    return text.slice(0, text.lastIndexOf("\n") + 1);
  }

  mapping(at: number): { start: number; end: number; file: MappedFile } {
    const start = this.#word(at + 16),
      hasId = (this.#view.getUint16(at + 4, true) & MMAP_BUILD_ID) !== 0;
    const idBytes = Math.min(20, this.#bytes[at + 40]);
    return {
      start,
      end: start + this.#word(at + 24),
      file: {
        path: textAt(this.#bytes.subarray(at + 72, at + this.size(at) - SAMPLE_ID_BYTES), 0),
        offset: this.#word(at + 32),
        buildId: hasId ? this.#bytes.subarray(at + 44, at + 44 + idBytes).toHex() : "",
        inode: hasId ? 0 : this.#word(at + 48),
      },
    };
  }

  /** Takes the registers and the stack of a sample. @returns False: it is of a thread of the kernel. */
  openSample(at: number): boolean {
    let p = at + (this.#hasPeriod ? 48 : 40);
    this.kernelDepth = 0;
    // Another process of the user may hand over an event whose records have another layout.
    const end = at + this.size(at);
    if (this.#withKernel) p = this.#openChain(p, end);
    if (this.#word(p) === 0) return false;
    p += 8;
    const sampled = this.#sampled;
    for (let i = 0; i < sampled.length; i++) this.registers[sampled[i]] = this.#word(p + 8 * i);
    p += 8 * sampled.length;
    const size = this.#word(p);
    this.stackAt = p + 8;
    const valid = Math.min(size, this.#word(p + 8 + size), end - this.stackAt);
    this.stackBytes = valid > 0 ? valid : 0;
    this.isFull = this.stackBytes === size;
    return true;
  }

  #openChain(at: number, end: number): number {
    const count = Math.min(this.#word(at), (end - at) >> 3);
    for (let i = 0; i < count; i++) {
      const low = this.#words[(at + 8 + 8 * i) >>> 2], high = this.#words[(at + 12 + 8 * i) >>> 2];
      const isMarker = high === 0xffffffff && low >= 0xfffff000;
      const isKernel = high >= KERNEL_LEAST && !isMarker;
      if (!isKernel || this.kernelDepth === this.kernelAddresses.length) continue;
      this.kernelAddresses[this.kernelDepth++] = (high - KERNEL_HIGH) * HIGH + low;
    }
    return at + 8 + 8 * count;
  }

  #word(at: number): number {
    return this.#words[at >>> 2] + this.#words[(at >>> 2) + 1] * HIGH;
  }
}

/**
 * The upper half of the kernel's addresses from here on; a double holds only differences from it. Code of Linux
 * before 5.4 on aarch64 lies below.
 */
export const KERNEL_HIGH = 0xffff8000;
/** The upper half of the lowest address. */
export const KERNEL_LEAST = 0xffff0000;

/** An address in the kernel, from its difference. */
export function kernelAddress(difference: number): bigint {
  return (BigInt(KERNEL_HIGH) << 32n) + BigInt(difference);
}
