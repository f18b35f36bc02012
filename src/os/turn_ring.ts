/**
 * Processes that take turns: sockets in a ring, on which one byte goes around. Whoever has it may write.
 *
 * Every process has two ends only, so that one that is gone is seen by the next at once.
 * @module
 */
import { closeFile } from "./files.ts";
import { libc } from "./libc.ts";
import { pollEntry } from "./poll.ts";

const AF_UNIX = 1, STREAM_CLOEXEC = 0o2000001;
const F_SETFD = 2, FD_CLOEXEC = 1n;
const WAIT = -1;

/** The process before is gone: no turn will come any more. */
export class TurnLost extends Error {
  override readonly name = "TurnLost";
}

/** Descriptors of one process: where its turn comes from, and where it goes to. */
export interface RingEnds {
  readonly from: number;
  readonly to: number;
}

/** The ends of a ring of processes, the first one's first; `undefined`: no sockets are left. */
export function openRing(count: number): RingEnds[] | undefined {
  const pairs: Int32Array[] = [];
  for (let i = 0; i < count; i++) {
    const pair = new Int32Array(2);
    if (libc().socketpair(AF_UNIX, STREAM_CLOEXEC, 0, new Uint8Array(pair.buffer)) !== 0) {
      for (const fd of pairs.flatMap((made) => [...made])) closeFile(fd);
      return undefined;
    }
    pairs.push(pair);
  }
  return pairs.map((pair, i) => ({ from: pairs.at(i - 1)![1], to: pair[0] }));
}

/** Closes what another process has by now. */
export function closeEnds({ from, to }: RingEnds): void {
  closeFile(from);
  closeFile(to);
}

/** Starts a process that has these ends. */
export function withEnds<Result>({ from, to }: RingEnds, start: () => Result): Result {
  for (const fd of [from, to]) libc().fcntl(fd, F_SETFD, 0n);
  try {
    return start();
  } finally {
    for (const fd of [from, to]) libc().fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

/** This process's place in the ring. */
export class RingPlace {
  readonly #ends: RingEnds;
  readonly #byte = new Uint8Array(1);
  readonly #poll: Uint8Array<ArrayBuffer>;

  constructor(ends: RingEnds) {
    this.#ends = ends;
    this.#poll = pollEntry(ends.from);
  }

  /** Is it this process's turn now? Does not wait. @throws {TurnLost} */
  has(): boolean {
    return this.#ready(0) && this.#take();
  }

  /** Waits for the turn. @throws {TurnLost} */
  wait(): void {
    while (!this.#ready(WAIT) || !this.#take());
  }

  /** It is the next one's turn; one that has ended needs none. */
  pass(): void {
    libc().write(this.#ends.to, this.#byte, 1n);
  }

  #ready(timeoutMs: number): boolean {
    return libc().poll(this.#poll, 1n, timeoutMs) === 1;
  }

  #take(): boolean {
    const n = Number(libc().read(this.#ends.from, this.#byte, 1n));
    if (n !== 0) return n === 1;
    throw new TurnLost();
  }
}
