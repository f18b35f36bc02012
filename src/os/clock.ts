/**
 * Clocks and sleeping, without allocation.
 *
 * Measurements are stamped with CLOCK_MONOTONIC_RAW, which no time daemon bends, like GEOPM's TIME;
 * sleeping is against CLOCK_MONOTONIC, the only one of the two that clock_nanosleep(2) takes.
 * @module
 */
import { libc } from "./libc.ts";

const REALTIME = 0;
const MONOTONIC = 1;
/** getrusage(2) is no match: it counts kernel ticks, which a loop with a period beats against. */
const PROCESS_CPUTIME = 2;
const MONOTONIC_RAW = 4;
const TIMER_ABSTIME = 1;

const spec = new Int32Array(4);
const specBytes = new Uint8Array(spec.buffer);
const wide = new BigInt64Array(spec.buffer);

function nanoseconds(clock: number): number {
  libc().clockGettime(clock, specBytes);
  // Seconds since boot fit 32 bits, so does the low word of the epoch until 2106.
  return (spec[0] >>> 0) * 1e9 + spec[2];
}

/** Seconds of CLOCK_MONOTONIC_RAW. */
export function rawSeconds(): number {
  return nanoseconds(MONOTONIC_RAW) * 1e-9;
}

/** Nanoseconds of CLOCK_MONOTONIC_RAW, exact below 104 days of uptime and to 2 ns beyond. */
export function rawNanoseconds(): number {
  return nanoseconds(MONOTONIC_RAW);
}

/** Nanoseconds of CLOCK_MONOTONIC. */
export function monotonicNanoseconds(): number {
  return nanoseconds(MONOTONIC);
}

/** Nanoseconds since the epoch, exact. */
export function realtimeNanoseconds(): bigint {
  libc().clockGettime(REALTIME, specBytes);
  return wide[0] * 1_000_000_000n + wide[1];
}

/** Sleeps until a moment of CLOCK_MONOTONIC; returns early when a signal arrives. */
export function sleepUntil(ns: number): void {
  spec[0] = Math.floor(ns / 1e9);
  spec[1] = 0;
  spec[2] = ns % 1e9;
  spec[3] = 0;
  libc().clockNanosleep(MONOTONIC, TIMER_ABSTIME, specBytes, 0n);
}

/** CPU seconds used by all threads of this process, exact: CLOCK_PROCESS_CPUTIME_ID. */
export function cpuSeconds(): number {
  return nanoseconds(PROCESS_CPUTIME) * 1e-9;
}

const usage = new BigInt64Array(18);
const usageBytes = new Uint8Array(usage.buffer);

/** Maximum resident size of this process so far, in KiB. */
export function maxResidentKib(): number {
  libc().getrusage(0, usageBytes);
  return Number(usage[4]);
}
