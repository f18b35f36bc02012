/**
 * The runtime's side of the guardian: it owns the application, we measure it.
 *
 * guardian.c describes the packets. A silent runtime does no harm: the application starts
 * without it after a second, and goes on when it is gone.
 * @module
 */
import { closeFile } from "../../os/files.ts";
import { ERRNO, errno, libc } from "../../os/libc.ts";
import { receivePassed } from "../../os/passed_descriptor.ts";
import { pollEntry } from "../../os/poll.ts";

/**
 * The hidden argument: `--joulemark-guardian=SOCKET:MESSAGES:LOCK:PID:HANDLER:RETURN:DESCRIPTORS:DIRECTORY`;
 * descriptors are numbers with commas.
 */
const FLAG = "--joulemark-guardian=";
const PACKET_BYTES = 256;
/** The guardian has nothing else to do: it answers within microseconds. */
const ANSWER_MS = 20;
/** A sign of life so often is enough: the guardian waits twenty times as long. */
const ALIVE_NS = 1e9;

/** The guardian's messages. */
export type GuardianEvent =
  /** The application was started at this moment, CLOCK_MONOTONIC_RAW in ns. */
  | { readonly kind: "started"; readonly ns: number }
  /** The kernel refused to execute it. */
  | { readonly kind: "refused"; readonly errno: number }
  /** A signal went to the application, or came when there was none. */
  | { readonly kind: "signal"; readonly signal: number }
  /** We took more than our budget, and have the lowest priority from now on. */
  | { readonly kind: "lowered" }
  /** End of the application: status as in a shell, the signal or 0, CLOCK_MONOTONIC_RAW in ns. */
  | { readonly kind: "ended"; readonly code: number; readonly signal: number; readonly ns: number };

/** The guardian of one run. */
export class Guardian {
  /** Readable when a packet has come. */
  readonly socket: number;
  /** The user's standard error; −1 if it was closed. */
  readonly messages: number;
  /** The lock of the node's monitor. */
  readonly lock: number;
  /** The application, parked until `go()`. */
  readonly pid: number;
  /** Addresses of confine_thread and return_from_signal (confine.h); 0 if they are not mapped. */
  readonly handler: bigint;
  readonly restorer: bigint;
  /** Descriptors of the application that this process has too, beside the standard streams. */
  readonly inherited: readonly number[];
  /** The session directory. */
  readonly directory: string;
  /** Start of the application, CLOCK_MONOTONIC_RAW in ns; NaN: not known so far. */
  startedNs = NaN;
  #open = true;
  #isDecided = false;
  #aliveNs = 0;
  /** The descriptor that came with the last answer. */
  #passed = -1;
  readonly #packet = new Uint8Array(PACKET_BYTES);
  /** Events that came while an answer was waited for. */
  readonly #early: GuardianEvent[] = [];

  private constructor(fields: readonly string[]) {
    [this.socket, this.messages, this.lock, this.pid] = fields.slice(1, 5).map((field) => {
      return field === "-" ? -1 : Number(field);
    });
    [this.handler, this.restorer] = [BigInt(fields[5]), BigInt(fields[6])];
    this.inherited = fields[7].split(",").filter((field) => field !== "").map(Number);
    this.directory = fields[8];
  }

  /** From the hidden argument; `undefined` when it is not one or is garbled. */
  static parse(argument: string | undefined): Guardian | undefined {
    if (!argument?.startsWith(FLAG)) return undefined;
    const match = /^(\d+):(\d+|-):(\d+):(\d+):(\d+):(\d+):([\d,]*):(\/.*)$/.exec(
      argument.slice(FLAG.length),
    );
    return match === null ? undefined : new Guardian(match);
  }

  /** May other processes of the launch join this session? election.h names the job of any other one `own-…`. */
  get isShared(): boolean {
    return !/\/own-[^/]*\/[^/]*$/.test(this.directory);
  }

  /** False when the guardian has ended: the application's end is not reported any more. */
  get open(): boolean {
    return this.#open;
  }

  /** The application may start, with these changes of its environment: guardian.c, command.h. */
  go(changes: readonly string[]): void {
    this.#isDecided = true;
    this.#send("G" + changes.map((change) => `${change}\0`).join(""));
  }

  /** The request cannot be served; the application never starts. */
  refuse(status: number): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#send(`N${status}`);
  }

  /** The application is to wait so long, for something that was asked for. */
  needsTime(seconds: number): void {
    if (!this.#isDecided) this.#send(`W${Math.ceil(seconds)}`);
  }

  /** To be called in every round of a loop: the guardian ends a runtime that falls silent. */
  alive(monotonicNs: number): void {
    if (monotonicNs - this.#aliveNs < ALIVE_NS) return;
    this.#aliveNs = monotonicNs;
    this.#send("B");
  }

  /**
   * Sets the monitor's maximum share of a core, %: the guardian watches it from now on. Infinity:
   * no bound.
   */
  budget(percent: number): void {
    this.#send(`L${Number.isFinite(percent) ? Math.max(1, Math.round(percent * 10)) : 0}`);
  }

  /** Lets it return the application's status now: it does not wait for the report. */
  leave(): void {
    this.#send("D");
  }

  /** The guardian's message if we die from here on. */
  lastWords(text: string): void {
    this.#send(`F${text}`);
  }

  /**
   * Facts from the environment of a process, which only the guardian may still read.
   *
   * @returns `undefined` when there is no answer in time.
   */
  lookAt(pid: number): LookedAt | undefined {
    const answer = this.#ask("P", pid);
    return answer?.kind === "looked" ? answer : undefined;
  }

  /** The lower half of the inode of the namespace that a process's number is of; 0: it cannot be seen. */
  namespaceOf(pid: number): number {
    const answer = this.#ask("Q", pid);
    return answer?.kind === "namespace" ? answer.namespace : 0;
  }

  /** Status of a process that ended and whose parent has not taken it, as in wait(2); `undefined`: not known. */
  statusOf(pid: number): number | undefined {
    const answer = this.#ask("Z", pid);
    return answer?.kind === "status" ? answer.status : undefined;
  }

  /**
   * Opens a file of a process: `maps`, or `root/PATH` for a path as the process sees it.
   *
   * @returns The descriptor; negative if there is none.
   */
  openOf(pid: number, name: string): number {
    this.#passed = -1;
    const answer = this.#ask("O", pid, ` ${name}`, receivePassed);
    if (answer?.kind === "opened" && answer.errno === 0) return this.#passed;
    if (this.#passed >= 0) closeFile(this.#passed);
    return -1;
  }

  #ask(
    question: keyof typeof ANSWERS,
    pid: number,
    more = "",
    receive: Receive = receivePlain,
  ): Answer | undefined {
    this.#send(question + pid + more);
    const poll = pollEntry(this.socket);
    for (let tries = 0; tries < 10 && this.#open; tries++) {
      for (let event = this.#read(receive); event !== undefined; event = this.#read(receive)) {
        if (!isAnswer(event)) this.#early.push(event);
        // Not one that came too late.
        else if (event.pid === pid && event.kind === ANSWERS[question]) return event;
      }
      libc().poll(poll, 1n, ANSWER_MS);
    }
  }

  /** Packets came while an answer was waited for: no poll reports them. */
  get hasEarly(): boolean {
    return this.#early.length > 0;
  }

  /** The next packet; `undefined` when there is none now. */
  next(): GuardianEvent | undefined {
    const early = this.#early.shift();
    if (early !== undefined) return early;
    for (let event = this.#read(); event !== undefined; event = this.#read()) {
      // an answer that came too late
      if (!isAnswer(event)) return event;
    }
  }

  #read(receive = receivePlain): GuardianEvent | Answer | undefined {
    while (this.#open) {
      const { size, fds: [fd = -1] } = receive(this.socket, this.#packet);
      // One that came too late.
      if (this.#passed >= 0 && fd >= 0) closeFile(this.#passed);
      if (fd >= 0) this.#passed = fd;
      if (size < 0) {
        if (errno() === ERRNO.EINTR) continue;
        return undefined;
      }
      if (size === 0) {
        this.#open = false;
        return undefined;
      }
      const event = eventOf(new TextDecoder().decode(this.#packet.subarray(0, size)));
      if (event?.kind === "started") this.startedNs = event.ns;
      if (event !== undefined) return event;
    }
  }

  #send(text: string): void {
    const bytes = new TextEncoder().encode(text);
    libc().write(this.socket, bytes, BigInt(bytes.length));
  }

  [Symbol.dispose](): void {
    closeFile(this.socket);
    this.#open = false;
  }
}

/** The guardian's facts about a process. */
export interface LookedAt {
  readonly pid: number;
  /** Is it of this run? `undefined`: its environment is closed to the guardian too. */
  readonly isMember: boolean | undefined;
  /** Rank of the process, if it belongs to this run and has one. */
  readonly rank: string | undefined;
}

/** The answer on a question. */
interface LookAnswer extends LookedAt {
  readonly kind: "looked";
}

interface NamespaceAnswer {
  readonly kind: "namespace";
  readonly pid: number;
  readonly namespace: number;
}

interface StatusAnswer {
  readonly kind: "status";
  readonly pid: number;
  readonly status: number | undefined;
}

interface OpenedAnswer {
  readonly kind: "opened";
  readonly pid: number;
  readonly errno: number;
}

type Answer = LookAnswer | NamespaceAnswer | StatusAnswer | OpenedAnswer;

/** Answer that belongs to each question. */
const ANSWERS = { P: "looked", Q: "namespace", Z: "status", O: "opened" } as const;
const KINDS: ReadonlySet<string> = new Set(Object.values(ANSWERS));

function isAnswer(event: GuardianEvent | Answer): event is Answer {
  return KINDS.has(event.kind);
}

/** Takes the next packet of a socket. */
type Receive = typeof receivePassed;

function receivePlain(socket: number, packet: Uint8Array): ReturnType<Receive> {
  return { size: Number(libc().read(socket, packet, BigInt(packet.length))), fds: [] };
}

function eventOf(text: string): GuardianEvent | Answer | undefined {
  const [a, b, c] = text.slice(1).trim().split(" ").map(Number);
  switch (text[0]) {
    case "S":
      return { kind: "started", ns: a };
    case "E":
      return { kind: "refused", errno: a };
    case "K":
      return { kind: "signal", signal: a };
    case "X":
      return { kind: "ended", code: a, signal: b, ns: c };
    case "L":
      return { kind: "lowered" };
    case "Q":
      return { kind: "namespace", pid: a, namespace: b };
    case "Z":
      return { kind: "status", pid: a, status: b };
    case "O":
      return { kind: "opened", pid: a, errno: b };
    case "P":
      return {
        kind: "looked",
        pid: a,
        isMember: b === 2 ? undefined : b === 1,
        rank: c === undefined ? undefined : String(c),
      };
  }
}

/** The hidden argument of a run that belongs to a launch with other options: only its request is read. */
export const CHECK_FLAG = "--joulemark-check";
/** The status of such a run whose request is right; 2 is a wrong one's. */
export const CHECKED = 3;
let checksOnly = false;

/** Sets that this process only checks the request. */
export function checkOnly(): void {
  checksOnly = true;
}

/** Does this process only check the request? */
export function isOnlyCheck(): boolean {
  return checksOnly;
}

let current: Guardian | undefined;

/** Remembers what the entry code handed over. */
export function setGuardian(guardian: Guardian): void {
  current = guardian;
}

/** The guardian of this process, if it has one. */
export function guardian(): Guardian | undefined {
  return current;
}
