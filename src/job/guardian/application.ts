/**
 * The application from the monitor's side: the guardian starts it, forwards its
 * signals and waits for it; this file receives its reports, between two samples.
 * @module
 */
import type { Guardian } from "./guardian.ts";
import { monotonicNanoseconds, rawNanoseconds } from "../../os/clock.ts";
import { closeFile } from "../../os/files.ts";
import { inheritedState, mayEnd, signalBit } from "../../os/inherited.ts";
import { isAlive, openPidfd } from "../../os/process.ts";
import type { NewNames } from "../../os/new_names.ts";
import { signalName } from "../../core/signal_names.ts";
import { Waiter } from "../../os/wait.ts";

const SIGKILL = 9;
/** The shortest time between two reports that are made for signals, by any sender. */
const SIGNAL_REPORT_NS = 0.5e9;
/** The guardian's word on the application's end comes at once after the end, or never. */
const WORD_NS = 0.5e9;
/** Maximum time from the application's end to the monitor's next look, ns: the figures end with that one. */
const LAST_LOOK_NS = 5e6;
/** A launch whose command failed has this time to end by itself, ns. */
const FAILED_NS = 2e9;
/** Time between checks for the application's end if there is no guardian, ns. */
const LOOK_NS = 0.1e9;

/** The guardian lets the command wait for a second; nobody could tell it that this one needs more. */
const MISSED =
  "this machine took more than a second to start the monitor, and the command began without what " +
  "was to change it (--preload, --python, --phase): it has no regions of theirs";

/** End of the application. */
export interface Ended {
  /** Exit status as a shell has it: 128 + N for signal N. */
  readonly code: number;
  readonly signal: number;
  /** CLOCK_MONOTONIC_RAW in ns. */
  readonly ns: number;
  /** The status was lost with the guardian. */
  readonly isUnknown?: boolean;
}

/** Outcome of the application, with the keys of the report. */
export interface Outcome {
  readonly "exit status"?: number;
  readonly "ended by"?: string;
  /** A signal ended it that came from outside: the run is not whole. */
  readonly partial?: true;
}

/** The command under the guardian. */
export class Application implements Disposable {
  readonly pid: number;
  readonly #guardian: Guardian;
  readonly #pidfd: number;
  readonly #waiter: Waiter;
  #startNs = NaN;
  #refused = 0;
  #ended: Ended | undefined;
  #signalled = false;
  readonly #forwarded = new Set<number>();
  #reportedNs = -Infinity;
  #hurry = false;
  #lowered = false;
  /** CLOCK_MONOTONIC_RAW in ns when it could start with changes of its environment; NaN: with none. */
  #changesNs = NaN;
  readonly #log: (line: string) => void;
  /** The application is gone: CLOCK_MONOTONIC in ns when that was seen, and the raw clock's. */
  #goneNs = NaN;
  #seenNs = NaN;

  /** @param log For a line that people should read. */
  constructor(guardian: Guardian, log: (line: string) => void) {
    [this.#guardian, this.#log] = [guardian, log];
    this.pid = guardian.pid;
    this.#pidfd = openPidfd(guardian.pid);
    this.#waiter = new Waiter(guardian.socket, this.#pidfd);
  }

  /** CLOCK_MONOTONIC_RAW in ns when it was started; NaN before. */
  get startNs(): number {
    return this.#startNs;
  }

  /** The kernel's error when it could not be executed, 0 for none. */
  get refused(): number {
    return this.#refused;
  }

  get ended(): Ended | undefined {
    return this.#ended;
  }

  /**
   * Outcome of the application for the report; a launcher returns 128 + N if signal N ended its
   * command.
   */
  get outcome(): Outcome {
    const { code, signal, isUnknown } = this.#ended ?? { code: 0, signal: 0, isUnknown: true };
    if (isUnknown) return {};
    const forwarded = signal === 0 ? code - 128 : signal;
    const isPartial = this.#forwarded.has(forwarded);
    return {
      "exit status": signal === 0 ? code : undefined,
      "ended by": signal !== 0 || isPartial ? signalName(forwarded) : undefined,
      partial: isPartial ? true : undefined,
    };
  }

  /**
   * CLOCK_MONOTONIC_RAW in ns when it ended, by the guardian or the kernel, whichever came first: a
   * guardian may be stopped; NaN before.
   */
  get endNs(): number {
    if (this.#ended === undefined) return this.#seenNs;
    return this.#seenNs < this.#ended.ns ? this.#seenNs : this.#ended.ns;
  }

  /** A signal came after the application's end: only the report is to be left, and soon. */
  get hurry(): boolean {
    return this.#hurry;
  }

  /** Looks whether such a signal has come. */
  isUrged(): boolean {
    this.#receive();
    return this.#hurry;
  }

  /** The guardian gave us the lowest priority: we took more than our budget. */
  get lowered(): boolean {
    return this.#lowered;
  }

  /**
   * Lets it start.
   *
   * @param changes As command.h of the guardian has them.
   * @param report Where members of the launch find their processes.
   */
  start(changes: readonly string[], report?: string): void {
    if (changes.length > 0) this.#changesNs = rawNanoseconds();
    this.#guardian.go(report === undefined ? changes : [...changes, `r${report}`]);
    this.#startNs = rawNanoseconds();
  }

  /**
   * Was a signal forwarded that may be the last thing that we live to see? True once for all that
   * came since the last time, and not more often than a report can be written.
   */
  takeSignal(): boolean {
    if (!this.#signalled) return false;
    const now = monotonicNanoseconds();
    if (now - this.#reportedNs < SIGNAL_REPORT_NS) return false;
    this.#signalled = false;
    this.#reportedNs = now;
    return true;
  }

  /**
   * Sleeps until a moment of CLOCK_MONOTONIC, or the application's end, or a signal to report on.
   *
   * @param nowNs That clock, read some microseconds ago at most.
   * @param names It ends for new ones, too.
   */
  sleep(untilNs: number, nowNs: number = monotonicNanoseconds(), names?: NewNames): void {
    this.#guardian.alive(nowNs);
    if (nowNs - this.#goneNs > WORD_NS) this.#gone();
    const running = this.#ended === undefined;
    for (let now = nowNs, until = untilNs;; now = monotonicNanoseconds()) {
      const wake = this.#guardian.hasEarly ? "message" : this.#waiter.until(until, now, names);
      if (wake === "time") break;
      if (wake === "ended") {
        this.#waiter.watchProcess(-1);
        this.#goneNs = monotonicNanoseconds();
        this.#seenNs = rawNanoseconds();
        until = Math.min(until, this.#goneNs + LAST_LOOK_NS);
        continue;
      }
      this.#receive();
      if (!this.#guardian.open) this.#alone();
      if (this.#signalled || this.#hurry || running !== (this.#ended === undefined)) return;
    }
  }

  /**
   * Sleeps until a moment of CLOCK_MONOTONIC while the application has not been started.
   *
   * @returns A signal that the application would have ended by, 0 for none.
   */
  sleepBefore(untilNs: number): number {
    this.#guardian.alive(monotonicNanoseconds());
    for (;;) {
      const wake = this.#guardian.hasEarly ? "message" : this.#waiter.until(untilNs);
      if (wake === "time") return 0;
      if (wake === "ended") return SIGKILL;
      for (let event = this.#guardian.next(); event !== undefined; event = this.#guardian.next()) {
        if (event.kind !== "signal" || !mayEnd(event.signal)) continue;
        if ((inheritedState().ignored & signalBit(event.signal)) === 0n) return event.signal;
      }
      if (!this.#guardian.open) this.#waiter.ignoreMessages();
    }
  }

  #receive(): void {
    for (let event = this.#guardian.next(); event !== undefined; event = this.#guardian.next()) {
      if (event.kind === "started") {
        this.#startNs = event.ns;
        if (event.ns < this.#changesNs) this.#log(MISSED);
      } else if (event.kind === "refused") this.#refused = event.errno;
      else if (event.kind === "ended") this.#ended = event;
      else if (event.kind === "lowered") this.#lowered = true;
      else if (mayEnd(event.signal)) {
        if (this.#ended === undefined) {
          this.#signalled = true;
          this.#forwarded.add(event.signal);
        } else {
          this.#hurry = true;
        }
      }
    }
  }

  /** The guardian was killed: the application's end is all that can be seen, without a status. */
  #alone(): void {
    this.#waiter.ignoreMessages();
    if (!isAlive(this.pid)) this.#gone();
  }

  #gone(): void {
    const ns = Number.isNaN(this.#seenNs) ? rawNanoseconds() : this.#seenNs;
    this.#ended ??= { code: 0, signal: 0, ns, isUnknown: true };
  }

  /**
   * Others of the launch go on: the launcher, which may end them for a command that failed, gets its status now.
   */
  leaveLaunch(): void {
    const { code, ns } = this.#ended ?? { code: 0, ns: NaN };
    if (code === 0 || !this.#guardian.isShared || !this.#guardian.open) return;
    if (rawNanoseconds() - ns > FAILED_NS) this.#guardian.leave();
  }

  /** Waits for the end when nothing else is left to do. */
  waitForEnd(): void {
    while (this.#ended === undefined && this.#refused === 0) {
      this.sleep(monotonicNanoseconds() + LOOK_NS);
      if (!this.#guardian.open && !isAlive(this.pid)) this.#gone();
    }
  }

  [Symbol.dispose](): void {
    closeFile(this.#pidfd);
  }
}
