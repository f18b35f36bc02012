/**
 * The kernel's tick: timers of CPU time end at one, so that no such timer is faster.
 * @module
 */
import { bindMore } from "../bind.ts";

const SYMBOLS = {
  clock_getres: { parameters: ["i32", "buffer"], result: "i32" }, // clock, struct timespec
} as const;
/** A clock whose resolution is a tick: clock_getres(2). */
const CLOCK_REALTIME_COARSE = 5;

/** Ticks a second; `undefined`: not known. */
export function ticksPerSecond(): number | undefined {
  const spec = new BigInt64Array(2);
  const failed = bindMore(SYMBOLS)?.clock_getres(
    CLOCK_REALTIME_COARSE,
    new Uint8Array(spec.buffer),
  );
  return failed === 0 && spec[1] > 0n ? Math.round(1e9 / Number(spec[1])) : undefined;
}
