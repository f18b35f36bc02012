/**
 * A BMC's power, asked for once a second and never waited for.
 *
 * A request goes out at one tick, its answer is fetched at a later one; in between the last figure
 * is used. What a BMC may do: answer late, not at all, with an error, or to a request that was given up;
 * its driver may go away and come back. Each is a counted trouble, and a figure that is older than
 * {@linkcode PATIENCE_S} is NaN, unless the ticks themselves are slower.
 * @module
 */
import { errorText } from "../../../os/libc.ts";
import {
  GET_POWER_READING,
  GROUP_RESPONSE,
  type NoPower,
  parsePower,
} from "../../../core/machine/dcmi.ts";
import type { PowerStatistics } from "../../../core/machine/dcmi.ts";
import type { SignalReading } from "../../../core/signal.ts";
import { monotonicNanoseconds, sleepUntil } from "../../../os/clock.ts";
import type { BmcDoor, OpenedDoor } from "../../../os/devices/ipmi.ts";
import { isGone } from "./text.ts";
import { Troubled } from "./troubled.ts";

/** A BMC renews its figure about as often, and answers others too. */
const PERIOD_S = 1;
/** Maximum time of an answer, and maximum age of a value, s. */
const PATIENCE_S = 5;
const RESPONSE = 1;
/** Most unexpected messages fetched in one tick. */
const MAX_STRAY_MESSAGES = 16;
const PAUSE_NS = 5e6;

/** Places in the array of numbers: a number field of an object is allocated when it changes. */
const WATTS = 0, KNOWN_S = 1, ASKED_S = 2, TRIED_S = 3, TICK_S = 4;

/** Is the message that was fetched the answer to our request? */
function isAnswer({ message }: BmcDoor, id: number): boolean {
  return message.type === RESPONSE && message.id === id && message.netfn === GROUP_RESPONSE &&
    message.command === GET_POWER_READING;
}

/** Sends one request and waits for the answer: only before the ticks begin. */
export function askAndWait(door: BmcDoor, id: number, limitS: number): PowerStatistics | NoPower {
  const broken = (reason: string): NoPower => ({ ok: false, kind: "broken", reason });
  const sent = door.send(id);
  if (sent < 0) return broken(`the request was not taken: ${errorText(-sent)}`);
  const end = monotonicNanoseconds() + limitS * 1e9;
  for (let now = end - limitS * 1e9; now < end; now = monotonicNanoseconds()) {
    door.wait(Math.ceil((end - now) / 1e6));
    const got = door.fetch();
    if (got < 0) return broken(`no answer can be fetched: ${errorText(-got)}`);
    if (got === 1 && isAnswer(door, id)) return parsePower(door.bytes, door.message.length);
    // A device that reports "ready" and has no data must not keep the CPU busy.
    if (got === 0) sleepUntil(Math.min(end, monotonicNanoseconds() + PAUSE_NS));
  }
  return { ok: false, kind: "later", reason: `the BMC did not answer within ${limitS} s` };
}

/** Reads the power that the BMC last answered. */
export class IpmiReading extends Troubled implements SignalReading {
  readonly #name: string;
  readonly #open: () => OpenedDoor;
  readonly #numbers = Float64Array.of(NaN, -Infinity, NaN, -Infinity, NaN);
  #door: BmcDoor | undefined;
  /** Number of the last request; 31 bits, so that it stays a small integer. */
  #id: number;
  #waiting = false;
  #begun = false;

  /**
   * @param name Of the signal, for its troubles.
   * @param open Opens the device again after it went away.
   * @param first What the door answered just now; NaN: nothing.
   */
  constructor(
    name: string,
    open: () => OpenedDoor,
    door: BmcDoor,
    { id, watts }: { id: number; watts: number },
  ) {
    super();
    this.#name = name;
    this.#open = open;
    this.#door = door;
    this.#id = id;
    this.#numbers[WATTS] = watts;
  }

  readInto(out: Float64Array, timeS: number): void {
    const n = this.#numbers;
    if (!this.#begun) {
      this.#begun = true;
      n[KNOWN_S] = timeS;
      n[TRIED_S] = timeS;
      if (n[WATTS] !== n[WATTS]) n[TRIED_S] = -Infinity;
    }
    if (this.#waiting) this.#collect(timeS);
    if (!this.#waiting && timeS - n[TRIED_S] >= PERIOD_S) this.#ask(timeS);
    const age = timeS - n[KNOWN_S];
    if (age > PATIENCE_S && age > timeS - n[TICK_S]) n[WATTS] = NaN;
    n[TICK_S] = timeS;
    out[0] = n[WATTS];
  }

  [Symbol.dispose](): void {
    this.#door?.[Symbol.dispose]();
    this.#door = undefined;
  }

  #ask(timeS: number): void {
    this.#numbers[TRIED_S] = timeS;
    if (this.#door === undefined) {
      const opened = this.#open();
      if (!opened.ok) {
        this.#note("gone", opened.reason);
        return;
      }
      this.#door = opened.door;
    }
    this.#id = (this.#id + 1) & 0x3fffffff;
    const sent = this.#door.send(this.#id);
    if (sent < 0) {
      this.#fail("the request was not taken:", -sent);
      return;
    }
    this.#numbers[ASKED_S] = timeS;
    this.#waiting = true;
  }

  #collect(timeS: number): void {
    for (let i = 0; i < MAX_STRAY_MESSAGES; i++) {
      const got = this.#door!.fetch();
      if (got === 0) break;
      if (got < 0) {
        this.#fail("no answer can be fetched:", -got);
        return;
      }
      if (!isAnswer(this.#door!, this.#id)) continue;
      this.#waiting = false;
      this.#take(timeS);
      return;
    }
    if (timeS - this.#numbers[ASKED_S] < PATIENCE_S) return;
    // An answer that still comes bears the number of a request that is over.
    this.#waiting = false;
    this.#note("error", `the BMC did not answer within ${PATIENCE_S} s`);
  }

  #take(timeS: number): void {
    const answer = parsePower(this.#door!.bytes, this.#door!.message.length);
    if (answer.ok) {
      this.#numbers[WATTS] = answer.watts;
      this.#numbers[KNOWN_S] = timeS;
      return;
    }
    // A BMC that is busy for a moment has not changed its mind about the figure.
    if (answer.kind !== "later") this.#numbers[WATTS] = NaN;
    this.#note(answer.kind === "broken" ? "torn" : "error", answer.reason);
  }

  #fail(what: string, errno: number): void {
    this.#waiting = false;
    this.#numbers[WATTS] = NaN;
    if (!isGone(errno)) {
      this.#note("error", `${what} ${errorText(errno)}`);
      return;
    }
    this.#note("gone", `${what} ${errorText(errno)}`);
    this[Symbol.dispose]();
  }

  #note(kind: string, reason: string): void {
    if (this.noted.again(this.#name, kind)) return;
    const path = this.#door === undefined ? "" : `${this.#door.path}: `;
    this.noted.add(this.#name, kind, `${path}${reason}`);
  }
}
