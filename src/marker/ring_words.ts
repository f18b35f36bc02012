/**
 * Numbers of a ring file as the writer needs them. Layout: core/events/ring_layout.ts.
 * @module
 */
import { CPU_UNKNOWN } from "../core/events/ring_layout.ts";

const TWO_32 = 4294967296;

/** A whole number below 2^53 as u64. */
export function put64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_32, true);
  view.setUint32(at + 4, Math.floor(value / TWO_32), true);
}

/** Chunk k holds first · 2^k entries. */
export function chunkOf(index: number, first: number): { chunk: number; place: number } {
  const chunk = 31 - Math.clz32(Math.floor(index / first) + 1);
  return { chunk, place: index - first * ((1 << chunk) - 1) };
}

/** The one CPU of a mask, CPU_UNKNOWN when there are more. */
export function onlyCpu(mask: Uint8Array): number {
  let found: number = CPU_UNKNOWN;
  for (let cpu = 0; cpu < mask.length * 8; cpu++) {
    if (((mask[cpu >> 3] >> (cpu & 7)) & 1) === 0) continue;
    if (found !== CPU_UNKNOWN) return CPU_UNKNOWN;
    found = cpu;
  }
  return found;
}
