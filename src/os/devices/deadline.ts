/**
 * Bounds the time that a system call may block this thread: a counter file or a file system that does
 * not answer must not stop the sampling, nor keep a run from its end.
 *
 * timer_create(2) sends SIGALRM to this thread, whose handler does nothing (signals.ts); a call that is blocked then
 * ends with EINTR. A call that no signal interrupts (a hard NFS mount) is not bounded: then the
 * guardian ends the runtime when the application has ended.
 * @module
 */
import { monotonicNanoseconds } from "../clock.ts";
import { signalBit } from "../inherited.ts";
import { libc, SYSCALLS } from "../libc.ts";
import { handleWithoutEffect, signalSet } from "../signals.ts";

const SIGALRM = 14;
const SIG_UNBLOCK = 1;
const CLOCK_MONOTONIC = 1;
const SIGEV_THREAD_ID = 4;
/** After the first time, for further calls that block. */
const AGAIN_NS = 50_000_000n;

/** The timer is set to so many times the bound, and again when less than the bound is left of it. */
const AHEAD = 1.5;

/** A bound on blocking calls of this thread. */
export class Deadline implements Disposable {
  readonly #spec = new BigInt64Array(4); // interval, value: seconds and nanoseconds
  readonly #bytes = new Uint8Array(this.#spec.buffer);
  /** −1 if the kernel gives no timer: then nothing is bounded. */
  readonly #timer: number;
  #seconds = NaN;
  /** Time when the timer ends, ns. */
  #endNs = NaN;

  constructor() {
    const c = libc();
    // struct sigevent: value, signal, kind, thread
    const event = new Int32Array(16);
    event.set([SIGALRM, SIGEV_THREAD_ID, Number(c.gettid(SYSCALLS.gettid))], 2);
    const timer = new Int32Array(1);
    const [eventBytes, timerBytes] = [new Uint8Array(event.buffer), new Uint8Array(timer.buffer)];
    const made = handleWithoutEffect(SIGALRM) &&
      c.timerCreate(SYSCALLS.timerCreate, CLOCK_MONOTONIC, eventBytes, timerBytes) === 0n;
    this.#timer = made ? timer[0] : -1;
    if (!made) return;
    c.sigmask(SIG_UNBLOCK, signalSet(signalBit(SIGALRM)), new Uint8Array(128));
  }

  /**
   * Calls that block longer than this, and half as long again, end with EINTR from now on, until it is
   * set again. Most calls of this find enough time left, and make no system call.
   *
   * @param nowNs CLOCK_MONOTONIC.
   */
  set(seconds: number, nowNs: number = monotonicNanoseconds()): void {
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      const aheadS = AHEAD * seconds;
      this.#spec[1] = AGAIN_NS;
      this.#spec[2] = BigInt(Math.floor(aheadS));
      this.#spec[3] = BigInt(Math.round((aheadS % 1) * 1e9));
    } else if (this.#endNs - nowNs >= seconds * 1e9) return;
    this.#endNs = nowNs + AHEAD * seconds * 1e9;
    this.#apply();
  }

  /** Nothing is bounded any more. */
  [Symbol.dispose](): void {
    this.#spec.fill(0n);
    this.#apply();
  }

  #apply(): void {
    if (this.#timer < 0) return;
    libc().timerSettime(SYSCALLS.timerSettime, this.#timer, 0, this.#bytes, 0n);
  }
}
