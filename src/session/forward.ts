/**
 * What the monitor owes the application whatever happens: its signals, and somebody who waits for it.
 * @module
 */
import { monotonicNanoseconds } from "../os/clock.ts";
import { type Ended, openPidfd, reap, sendSignal } from "../os/process.ts";
import { Waiter } from "../os/wait.ts";

/** Hands on the signals that came. @param ended The application is over: they are dropped. */
export function forwardSignals(waiter: Waiter, pid: number, ended: boolean): void {
  for (;;) {
    const got = waiter.nextSignal();
    if (got === undefined) return;
    // What the terminal sent went to the application as well.
    if (got.fromTerminal || ended) continue;
    sendSignal(pid, got.signal);
  }
}

/** Waits for the application when nothing else is left to do. */
export function waitFor(pid: number): Ended {
  using waiter = new Waiter(openPidfd(pid));
  for (;;) {
    const ended = reap(pid);
    if (ended !== undefined) return ended;
    if (waiter.until(monotonicNanoseconds() + 1e8) === "signal") forwardSignals(waiter, pid, false);
  }
}
