/**
 * Marks of a shell script: lines that it appends to `PID.sh` in the session directory.
 *
 * ```
 * b 1764000000.123456 compile it
 * e 1764000001.654321 compile it
 * p 1764000001.700000
 * s 1764000001.800000 1 upload
 * f 1764000001.900000 1
 * ```
 *
 * `b` begins, `e` ends, `p` is an epoch, `s` and `f` begin and end a span by a number; then CLOCK_REALTIME in seconds, as bash has it in
 * EPOCHREALTIME, or `-` if the shell has no clock: then the line happened when it is read, or in a
 * new file when that was written. The rest of the line is the region's name. docs/reference/formats/ring.md.
 * @module
 */
import { HINT_UNKNOWN } from "../../core/hints.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { CPU_UNKNOWN, FLAG, NAMES_MAX, OTHER_NAME } from "../../core/events/ring_layout.ts";
import { rawNanoseconds, realtimeNanoseconds } from "../../os/clock.ts";
import { affinityOf } from "../../os/host.ts";
import { closeFile, modifiedAt, O, openOwnFile } from "../../os/files.ts";
import { libc } from "../../os/libc.ts";
import type { Refuse } from "./clock_limits.ts";
import { RingThread } from "./ring_thread.ts";
import { StampClock } from "./stamp_clock.ts";
import type { Marks } from "./marks.ts";

const CHUNK = 65536;
/** Between two looks no script writes that much; a file of holes, or one of another making, has it. */
const AT_ONCE_MAX = 256;
/** A file is opened at most so long after its first line, ns: an older time is wrong. */
const MAX_AGE_NS = 1e9;
/** {@linkcode modifiedAt} counts up to here, ns. */
const MODIFIED_MODULO = 2 ** 22 * 1e9;
const decoder = new TextDecoder();
const LINE = /^([bepsf]) (?:(\d{1,12})[.,](\d{6})\d*|-)(?: (.*))?$/s;
/** By the letter that a line begins with. */
const KINDS: Readonly<Record<string, number>> = {
  b: KIND.enter,
  e: KIND.exit,
  p: KIND.epoch,
  s: KIND.spanBegin,
  f: KIND.spanEnd,
};
/** A span's number, and its name if it begins. */
const SPAN = /^(\d{1,14})(?: (.*))?$/s;

/** Bytes that have the first line's time. */
const FIRST_BYTES = 64;

/** CLOCK_REALTIME of a line. */
function stampNs(seconds: string, micros: string): number {
  return Number(seconds) * 1e9 + Number(micros) * 1e3;
}

/** The marks of one script. */
export class ScriptMarks implements Marks {
  readonly pid: number;
  readonly execId = "script";
  readonly startNs: number;
  readonly cpus: readonly number[];
  /** Threads of the script; empty before the first poll, as for a ring. */
  readonly threads: RingThread[] = [];
  readonly names = [{ name: OTHER_NAME, hint: HINT_UNKNOWN }];
  readonly skipped = { nested: 0, refused: 0 };
  /** A shell's own way of noticing its end is left to the script. */
  readonly endsSilently = true;
  garbage = 0;
  otherVisits = 0;
  readonly #originNs: bigint;
  readonly #fd: number;
  readonly #numbers = new Map<string, number>();
  readonly #bytes = new Uint8Array(CHUNK);
  readonly #refuse: Refuse;
  #offset = 0n;
  #isOver = false;

  private constructor(
    fd: number,
    { pid, host }: { pid: number; host: number },
    originNs: bigint,
    refuse: Refuse,
  ) {
    this.#fd = fd;
    this.#refuse = refuse;
    this.pid = pid;
    this.#originNs = originNs;
    this.startNs = rawNanoseconds() - Number(originNs) - this.#ageNs();
    this.cpus = affinityOf(host);
  }

  /** A file of ours, or why it is none. @param refuse Hears why it is read no further. */
  static open(
    path: string,
    process: { pid: number; host: number },
    originNs: bigint,
    refuse: Refuse = () => {},
  ): ScriptMarks | { refused: string } {
    const fd = openOwnFile(path, O.RDONLY);
    return typeof fd === "string"
      ? { refused: fd }
      : new ScriptMarks(fd, process, originNs, refuse);
  }

  /** Time since the first line, as far as that is known, ns. */
  #ageNs(): number {
    const bytes = this.#bytes as Uint8Array<ArrayBuffer>;
    const n = Number(libc().preadAt(this.#fd, bytes, BigInt(FIRST_BYTES), 0n));
    const [, , seconds, micros] = LINE.exec(decoder.decode(bytes.subarray(0, Math.max(0, n)))) ??
      [];
    if (seconds === undefined) return this.#sinceWriteNs();
    const ageNs = Number(realtimeNanoseconds()) - stampNs(seconds, micros);
    return Math.min(MAX_AGE_NS, Math.max(0, ageNs));
  }

  /** Time since the last write, ns; some ms more, by the kernel's coarse clock. */
  #sinceWriteNs(): number {
    const modifiedNs = modifiedAt(this.#fd);
    const ns = Number(realtimeNanoseconds()) % MODIFIED_MODULO - modifiedNs;
    return modifiedNs < 0 ? 0 : Math.min(MAX_AGE_NS, Math.max(0, ns));
  }

  stopNs(): number {
    return NaN;
  }

  poll(): number {
    let lines = 0;
    const isFirst = this.#offset === 0n;
    if (this.threads.length === 0) {
      this.threads.push(new RingThread(this.pid, [], new StampClock(this.#originNs)));
    }
    for (let chunks = 0; !this.#isOver; chunks++) {
      if (chunks === AT_ONCE_MAX) {
        this.#isOver = true;
        this.garbage++;
        this.#refuse("more at once than a script writes: the rest is not read");
        break;
      }
      const n = Number(
        libc().preadAt(
          this.#fd,
          this.#bytes as Uint8Array<ArrayBuffer>,
          BigInt(CHUNK),
          this.#offset,
        ),
      );
      if (n <= 0) return lines;
      const end = this.#bytes.lastIndexOf(10, n - 1) + 1;
      if (end === 0) {
        // A line is being written; one that fills the whole piece never will be one.
        if (n < CHUNK) return lines;
        this.garbage++;
        this.#offset += BigInt(n);
        continue;
      }
      this.#offset += BigInt(end);
      const text = decoder.decode(this.#bytes.subarray(0, end - 1));
      const now = rawNanoseconds();
      // What was there when the file was found is older.
      const writtenNs = now - (isFirst ? this.#sinceWriteNs() : 0);
      const ahead = now - Number(realtimeNanoseconds());
      for (const line of text.split("\n")) {
        this.#take(line, { now, writtenNs, ahead });
        lines++;
      }
    }
    return lines;
  }

  hasName(index: number): boolean {
    return index < this.names.length;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }

  /** @param times Of a line without its own, and what CLOCK_MONOTONIC_RAW is ahead of CLOCK_REALTIME, ns. */
  #take(
    line: string,
    { now, writtenNs, ahead }: Record<"now" | "writtenNs" | "ahead", number>,
  ): void {
    const found = LINE.exec(line);
    if (found === null) {
      this.garbage++;
      return;
    }
    const [, what, seconds, micros, rest = ""] = found;
    const givenNs = seconds === undefined ? writtenNs : stampNs(seconds, micros) + ahead;
    // A clock that was set, or a wrong time from a script, does not move a mark out of the run.
    const ns = Math.min(now, Math.max(givenNs, this.startNs + Number(this.#originNs)));
    const span = what === "s" || what === "f" ? SPAN.exec(rest) : undefined;
    if (span === null) {
      this.garbage++;
      return;
    }
    const length = span === undefined ? 1 : 2, kind = KINDS[what];
    const name = span === undefined ? rest : span[2] ?? "";
    const record = new DataView(new ArrayBuffer(16 * length));
    record.setBigUint64(0, BigInt(Math.round(ns)), true);
    record.setUint32(8, kind | (FLAG.process | FLAG.nanoseconds) << 8 | CPU_UNKNOWN << 16, true);
    record.setUint32(12, what === "p" || what === "f" ? 0 : this.#number(name), true);
    if (span !== undefined) record.setBigUint64(16, BigInt(span[1]), true);
    this.threads[0].reserve(length).set(new Uint8Array(record.buffer));
    this.threads[0].filled(length);
  }

  #number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.names.length >= NAMES_MAX) {
      this.otherVisits++;
      return 0;
    }
    const region = this.names.length;
    this.names.push({ name, hint: HINT_UNKNOWN });
    this.#numbers.set(name, region);
    return region;
  }
}
