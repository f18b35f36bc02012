/**
 * A vendor's library in a process of its own: if it blocks, crashes or exits, only its
 * figures are lost.
 *
 * The helper is this program once more, at the other end of a socket pair. Packets: first the helper's
 * facts as JSON; then a question, and its answer, as 32-bit words:
 *
 * ```
 * question:  number of the question, then per figure: query, device
 * answer:    the same number, CPU time of the helper in ms, then per figure: status, low, high
 * ```
 *
 * One question is under way at most. An answer that comes too late is taken when it comes.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { cpuSeconds, monotonicNanoseconds } from "../clock.ts";
import { closeFile, listDirectory, O, openFile } from "../files.ts";
import { Confiner } from "../confinement/confine.ts";
import { dropPermissions } from "../confinement/drop_permissions.ts";
import { confineCode, inheritedState } from "../inherited.ts";
import type { Places } from "../confinement/landlock.ts";
import { ERRNO, errno, libc } from "../libc.ts";
import { confined, LIBRARY_DIRECTORIES } from "./library.ts";
import { pollEntry } from "../poll.ts";
import { reap, spawn } from "../process.ts";
import { HIDDEN_VERBS, selfCommand } from "../self.ts";

/** Statuses of ours, beside the library's. */
export const HELPER = { LATE: -1, GONE: -2 } as const;

/** Meanings of the helper's statuses. */
export const HELPER_TEXTS: Readonly<Record<number, string>> = {
  [HELPER.LATE]: "the library does not answer",
  [HELPER.GONE]: "the library ended its process",
};

/** A library must be ready by then; with many GPUs that takes seconds. */
const OPEN_MS = 5000;
/** For a figure that is asked for the first time, and then for all of a sample together. */
const FIRST_MS = 1000;
const SAMPLE_MS = 50;
/** One that has not answered for so long is ended: it may take a whole core. */
const MAX_ANSWER_MS = 10_000;
const PACKET_BYTES = 65536;
const AF_UNIX = 1, SEQPACKET_NONBLOCK_CLOEXEC = 5 | 0o4000 | 0o2000000;
const F_SETFD = 2, CLOEXEC = 1n;
const SIGKILL = 9, PR_SET_PDEATHSIG = 1;
const ALL_SIGNALS = 0xffff_ffff_ffff_ffffn;
/** Words before the figures. */
const QUESTION = 1, ANSWER = 2;
const PER_QUESTION = 2, PER_ANSWER = 3;
const helpersMs: { cpuMs: number }[] = [];

/** CPU time of all helpers of this process, as last reported, s. */
export function helpersCpuS(): number {
  return helpersMs.reduce((sum, helper) => sum + helper.cpuMs, 0) * 1e-3;
}

/** Parent's side of a library helper. */
export class LibraryHelper implements Disposable {
  /** Halves of the last answer that was looked at. */
  low = 0;
  high = 0;
  cpuMs = 0;
  readonly #fd: number;
  readonly #pid: number;
  readonly #packet = new Uint32Array(PACKET_BYTES / 4);
  readonly #bytes = new Uint8Array(this.#packet.buffer);
  readonly #poll: Uint8Array<ArrayBuffer>;
  /** Figures by their place in questions: query and device, status and value, asked for of late? */
  readonly #places = new Map<number, number>();
  readonly #figures: { query: number; device: number; used: boolean }[] = [];
  #statuses = new Int32Array(64);
  #values = new Uint32Array(128);
  /** Places in the question under way, its number and how many figures; 0: none is. */
  #asked = new Int32Array(64);
  #askedCount = 0;
  #askedNs = NaN;
  #number = 0;
  #isPending = false;
  /** True if the library did not answer in time: it is not waited for any more. */
  #isSlow = false;
  #isGone = false;

  private constructor(fd: number, pid: number) {
    [this.#fd, this.#pid] = [fd, pid];
    this.#poll = pollEntry(fd);
    helpersMs.push(this);
  }

  /**
   * Starts a helper and waits for its facts.
   *
   * @param kind Which library, as the helper's first argument.
   * @returns The facts and the helper; or why there is none.
   */
  static open<Facts>(kind: string): { facts: Facts; helper: LibraryHelper } | string {
    const ends = new Int32Array(2);
    const bytes = new Uint8Array(ends.buffer);
    if (libc().socketpair(AF_UNIX, SEQPACKET_NONBLOCK_CLOEXEC, 0, bytes) !== 0) {
      return "no socket for a process with the library";
    }
    let helper: LibraryHelper;
    try {
      helper = new LibraryHelper(ends[0], start(kind, ends[1]));
    } catch (error) {
      closeFile(ends[0]);
      return (error as Error).message;
    } finally {
      closeFile(ends[1]);
    }
    // Bound now: a running monitor may bind no function any more.
    reap(helper.#pid);
    const size = helper.#receive(OPEN_MS);
    if (size > 0) {
      const text = new TextDecoder().decode(helper.#bytes.subarray(0, size));
      return { facts: JSON.parse(text), helper };
    }
    const ended = helper.#isGone;
    helper[Symbol.dispose]();
    return ended ? "the library ended its process" : `no answer within ${OPEN_MS / 1000} s`;
  }

  /**
   * A sample begins: all figures that were looked at since the last one are asked for together.
   * Waits for the answer for some milliseconds; if it once came later, not at all.
   */
  refresh(): void {
    if (this.#isGone) return;
    if (this.#isPending) {
      this.#take(this.#receive(0));
      if (this.#isPending) {
        this.#statuses.fill(HELPER.LATE);
        if (monotonicNanoseconds() - this.#askedNs > MAX_ANSWER_MS * 1e6) this.#kill();
      }
    }
    if (this.#isPending || this.#isGone) return;
    let count = 0;
    for (let place = 0; place < this.#figures.length; place++) {
      const figure = this.#figures[place];
      if (!figure.used) continue;
      figure.used = false;
      this.#asked[count++] = place;
    }
    this.#ask(count, this.#isSlow ? 0 : SAMPLE_MS);
  }

  /** A figure of a device: the library's status, and its halves in `low` and `high`. */
  look(query: number, device: number): number {
    const key = query * 65536 + device;
    const place = this.#places.get(key) ?? this.#add(key, query, device);
    const figure = this.#figures[place];
    if (this.#isGone) return HELPER.GONE;
    if (this.#statuses[place] === UNASKED) {
      if (this.#isPending) return HELPER.LATE;
      this.#asked[0] = place;
      this.#ask(1, FIRST_MS);
      if (this.#isGone) return HELPER.GONE;
    }
    figure.used = true;
    this.low = this.#values[2 * place];
    this.high = this.#values[2 * place + 1];
    return this.#statuses[place];
  }

  /** The helper sees the end of its socket and ends; one that does not answer is killed. */
  [Symbol.dispose](): void {
    if (!this.#isGone && (this.#isPending || this.#number === 0)) this.#kill();
    closeFile(this.#fd);
    this.#isGone = true;
    reap(this.#pid);
  }

  #add(key: number, query: number, device: number): number {
    const place = this.#figures.push({ query, device, used: false }) - 1;
    this.#places.set(key, place);
    if (place >= this.#statuses.length) {
      this.#statuses = grown(this.#statuses);
      this.#asked = grown(this.#asked);
      this.#values = grown(this.#values);
    }
    this.#statuses[place] = UNASKED;
    return place;
  }

  #ask(count: number, waitMs: number): void {
    if (count === 0) return;
    this.#packet[0] = ++this.#number;
    for (let i = 0; i < count; i++) {
      const { query, device } = this.#figures[this.#asked[i]];
      this.#packet[QUESTION + PER_QUESTION * i] = query;
      this.#packet[QUESTION + PER_QUESTION * i + 1] = device;
    }
    const size = BigInt(4 * (QUESTION + PER_QUESTION * count));
    this.#askedCount = count;
    this.#askedNs = monotonicNanoseconds();
    this.#isPending = libc().write(this.#fd, this.#bytes, size) === size;
    if (!this.#isPending) return this.#end();
    this.#take(this.#receive(waitMs));
    // Who is not waited for keeps the values of the answer before, until the next sample.
    if (!this.#isPending || waitMs === 0) return;
    this.#isSlow = true;
    for (let i = 0; i < count; i++) this.#statuses[this.#asked[i]] = HELPER.LATE;
  }

  #take(size: number): void {
    const count = this.#askedCount;
    if (size <= 0 || this.#packet[0] !== this.#number) return;
    this.#isPending = false;
    this.cpuMs = this.#packet[1];
    for (let i = 0; i < count; i++) {
      const place = this.#asked[i], at = ANSWER + PER_ANSWER * i;
      this.#statuses[place] = this.#packet[at] | 0;
      this.#values[2 * place] = this.#packet[at + 1];
      this.#values[2 * place + 1] = this.#packet[at + 2];
    }
  }

  /** @returns Bytes of a packet, 0 when none came in time or the other side is gone. */
  #receive(waitMs: number): number {
    const endNs = monotonicNanoseconds() + waitMs * 1e6;
    for (;;) {
      const size = Number(libc().read(this.#fd, this.#bytes, BigInt(PACKET_BYTES)));
      if (size > 0) return size;
      if (size === 0 || (errno() !== ERRNO.EAGAIN && errno() !== ERRNO.EINTR)) {
        this.#end();
        return 0;
      }
      const leftMs = Math.ceil((endNs - monotonicNanoseconds()) / 1e6);
      if (leftMs <= 0) return 0;
      libc().poll(this.#poll, 1n, leftMs);
    }
  }

  #kill(): void {
    libc().kill(this.#pid, SIGKILL);
    this.#end();
  }

  #end(): void {
    this.#isGone = true;
    this.#isPending = false;
  }
}

/** Status of a value that was not requested yet. */
const UNASKED = 0x7fffffff;

/** The helper's process: it has its end of the socket, nothing else of ours, and no stream. */
function start(kind: string, end: number): number {
  for (const name of listDirectory("/proc/self/fd")) {
    const fd = Number(name);
    if (fd > 2) libc().fcntl(fd, F_SETFD, fd === end ? 0n : CLOEXEC);
  }
  const args = selfCommand(HIDDEN_VERBS.libraryHelper, kind, String(end));
  // Signals of a terminal and of the job are not for it.
  const inherited = { ...inheritedState(), blocked: ALL_SIGNALS, openFiles: NaN };
  return confined(() => spawn({ path: "/proc/self/exe", args, inherited }));
}

/** Served library of a helper. */
export interface Served {
  /** Sent first. */
  readonly facts: unknown;
  /** By query: answers a status, and leaves the halves in `halves`. */
  readonly look: (query: number, device: number) => number;
  readonly halves: { readonly low: number; readonly high: number };
}

/**
 * Places that an open GPU library goes on opening: devices, facts of the kernel, parts of itself.
 */
function placesOfLibraries(): Places {
  const devices = listDirectory("/dev").filter((name) => /^(nvidia|kfd$|dri$)/.test(name));
  return {
    reads: ["/proc", "/sys", "/etc/ld.so.cache", ...LIBRARY_DIRECTORIES],
    devices: devices.map((name) => `/dev/${name}`),
    own: [],
    outputs: [],
  };
}

/** The helper's side, until the other one closes. @param fd Its end of the socket. */
export function serveLibrary(fd: number, open: () => Served): void {
  libc().prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL), 0n, 0n, 0n);
  const nowhere = openFile("/dev/null", O.RDWR);
  for (const stream of [0, 1, 2]) libc().dup2(nowhere, stream);
  libc().fcntl(fd, F_SETFD, CLOEXEC);
  const { facts, look, halves } = open();
  const first = new TextEncoder().encode(JSON.stringify(facts));
  libc().write(fd, first, BigInt(first.length));
  dropPermissions();
  const confiner = new Confiner(confineCode(), placesOfLibraries());
  let isConfined = false;
  const words = new Uint32Array(PACKET_BYTES / 4);
  const bytes = new Uint8Array(words.buffer);
  const answer = new Uint32Array(PACKET_BYTES / 2);
  const answerBytes = new Uint8Array(answer.buffer);
  const poll = pollEntry(fd);
  for (;;) {
    isConfined ||= confiner.goOn();
    const size = Number(libc().read(fd, bytes, BigInt(PACKET_BYTES)));
    if (size === 0) return;
    if (size < 0) {
      if (errno() !== ERRNO.EAGAIN && errno() !== ERRNO.EINTR) return;
      libc().poll(poll, 1n, -1);
      continue;
    }
    const count = (size / 4 - QUESTION) / PER_QUESTION;
    answer[0] = words[0];
    for (let i = 0; i < count; i++) {
      const at = ANSWER + PER_ANSWER * i;
      const from = QUESTION + PER_QUESTION * i;
      answer[at] = look(words[from], words[from + 1]);
      answer[at + 1] = halves.low;
      answer[at + 2] = halves.high;
    }
    answer[1] = Math.round(cpuSeconds() * 1e3);
    libc().write(fd, answerBytes, BigInt(4 * (ANSWER + PER_ANSWER * count)));
  }
}
