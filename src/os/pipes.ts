/**
 * Pipes in the place of files: one with a writer is read, one that stays silent is left out.
 * @module
 */
import { monotonicNanoseconds } from "./clock.ts";
import { libc } from "./libc.ts";
import { pollEntry } from "./poll.ts";

/** All pipes of a process together are waited for so long, ms. */
const PATIENCE_MS = 2000;
let leftMs = PATIENCE_MS;
const silent = new Set<string>();
let log: (line: string) => void = () => {};
let waiting: () => void = () => {};

/** Reason that a silent pipe is left out. */
export const SILENT = "a pipe without data for 2 s";

/** From now on this is called before a pipe is waited for. */
export function beforePipeWaits(call: () => void): void {
  waiting = call;
}

/** From now on a line is logged for each pipe that is left out. */
export function logSilentPipes(to: (line: string) => void): void {
  log = to;
}

/**
 * Waits until a pipe has data or ends.
 *
 * @returns False if it stays silent: it is not waited for again.
 */
export function awaitPipe(fd: number): boolean {
  waiting();
  const beforeNs = monotonicNanoseconds();
  const isReady = libc().poll(pollEntry(fd), 1n, Math.ceil(leftMs)) > 0;
  leftMs = Math.max(0, leftMs - (monotonicNanoseconds() - beforeNs) * 1e-6);
  return isReady;
}

/** Logs that a pipe is left out, once. */
export function leaveOut(path: string): void {
  if (silent.has(path)) return;
  silent.add(path);
  log(`${path} is ${SILENT}: it is left out`);
}
