/** Records of the kernel's sampling, made by hand: perf_event_open(2). */
import { type Machine, X86_64 } from "../../src/profile/machine.ts";
import type { RecordBytes } from "../../src/core/record_bytes.ts";
import { RECORD } from "../../src/profile/records.ts";

/** Where a record comes from. */
export interface Origin {
  readonly process: number;
  readonly thread?: number;
  readonly timeNs: number;
}

function record(type: number, misc: number, body: number[][], { process, thread, timeNs }: Origin) {
  const content = body.flat();
  const size = 8 + content.length + 24;
  const bytes = new Uint8Array(size), view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint16(4, misc, true);
  view.setUint16(6, size, true);
  bytes.set(content, 8);
  const at = size - 24;
  view.setUint32(at, process, true);
  view.setUint32(at + 4, thread ?? process, true);
  view.setBigUint64(at + 8, BigInt(timeNs), true);
  return bytes;
}

export const u32 = (value: number) => [...new Uint8Array(new Uint32Array([value]).buffer)];
export const u64 = (
  value: number,
) => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)];
const text = (value: string) => {
  const bytes = [...new TextEncoder().encode(value + "\0")];
  return [...bytes, ...new Array((8 - bytes.length % 8) % 8).fill(0)];
};

export function comm(name: string, from: Origin, isExec = true): Uint8Array {
  const { process, thread = process } = from;
  return record(RECORD.comm, isExec ? 0x2000 : 0, [u32(process), u32(thread), text(name)], from);
}

export function mapping(path: string, start: number, length: number, from: Origin): Uint8Array {
  const { process } = from;
  const body = [
    u32(process),
    u32(process),
    u64(start),
    u64(length),
    u64(0),
    u64(0),
    u64(0),
    u64(0),
  ];
  return record(RECORD.mmap2, 0, [...body, u64(5), text(path)], from);
}

export function task(kind: "fork" | "exit", parent: number, from: Origin): Uint8Array {
  const { process, thread = process, timeNs } = from;
  const body = [u32(process), u32(parent), u32(thread), u32(parent), u64(timeNs)];
  return record(RECORD[kind], 0, body, from);
}

/** A thread leaves a CPU, or comes back. */
export function switched(kind: "out" | "preempted" | "in", from: Origin): Uint8Array {
  return record(RECORD.switch, { out: 0x2000, preempted: 0x6000, in: 0 }[kind], [], from);
}

/** What a thread used on a CPU. */
export function cpuTime(ns: number, from: Origin): Uint8Array {
  const { process, thread = process } = from;
  return record(RECORD.read, 0, [u32(process), u32(thread), u64(ns)], from);
}

export function lost(count: number, from: Origin): Uint8Array {
  return record(RECORD.lost, 0, [u64(0), u64(count)], from);
}

/** A sample with registers by DWARF's numbers, and words of its stack. */
export function sample(
  registers: Readonly<Record<number, number>>,
  stack: readonly number[],
  { process, thread = process, timeNs }: Origin,
  machine: Machine = X86_64,
): Uint8Array {
  const body = [
    ...[
      u64(registers[machine.instructionPointer] ?? 0),
      u32(process),
      u32(thread),
      u64(timeNs),
      u32(0),
      u32(0),
      u64(2),
    ],
    ...machine.sampled.map((register) => u64(registers[register] ?? 0)),
    ...[u64(8 * stack.length), ...stack.map(u64), u64(8 * stack.length)],
  ].flat();
  const bytes = new Uint8Array(8 + body.length), view = new DataView(bytes.buffer);
  view.setUint32(0, RECORD.sample, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, bytes.length, true);
  bytes.set(body, 8);
  return bytes;
}

/** Mappings as a process writes them itself. */
export function maps(lines: string, from: Origin): Uint8Array {
  const { process, thread = process } = from;
  return record(RECORD.maps, 0, [u32(process), u32(thread), text(lines)], from);
}

/** A sample of a timer that stands for more than one period. */
export function withPeriods(bytes: Uint8Array, periods: number): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(36, periods - 1, true);
  return copy;
}

/** Records one behind the other, as they are copied out of a ring. */
export function together(records: readonly Uint8Array[]): RecordBytes {
  const length = records.reduce((sum, one) => sum + one.length, 0);
  const bytes = new Uint8Array(length + 8 - length % 8);
  let at = 0;
  for (const one of records) {
    bytes.set(one, at);
    at += one.length;
  }
  return { bytes, view: new DataView(bytes.buffer), words: new Uint32Array(bytes.buffer) };
}
