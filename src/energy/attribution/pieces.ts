/**
 * Stays and pieces of time of one domain: a stay is a lane in one class without a break; it is cut into pieces
 * at ages, and when the lane's weight changes. At every moment weights add up to the domain's capacity.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Classes of the estimator's own, below those of the caller. */
export const OWN = {
  /** CPUs that no living lane may use, while some lane of the domain lives. */
  other: -1,
  /** Before the first lane of the domain begins, and after the last one ends. */
  outside: -2,
  /** All classes that have no place of their own. */
  joined: -3,
} as const;
/** Lanes below 0: CPUs without lanes, and time of lanes that was divided. */
export const REST = -1, DIVIDED = -2;
/** Class before a lane's first stay: none. */
export const NONE = -9;

/**
 * Ages at which stays are cut, s: a factor of four apart, from half a fast counter's period to where a stay fills
 * intervals of its own. Closer ones would be nearly the same columns.
 */
export const AGES_S = [0.0005, 0.002, 0.008, 0.032];
/** Pieces that are looked at between two pauses. */
export const PIECES_AT_ONCE = 2048;
/** Weights below this are none, CPUs. */
const NO_WEIGHT = 1e-9;

/** Stays of all lanes, in the order of their ends, and the pieces of each. */
export class PieceLog {
  /** Stays: from when to when, in which class, after which one, on which lane (−1: of the domain's rest). */
  stays = 0;
  stayStartS: Float64Array;
  stayEndS: Float64Array;
  stayClass: Int32Array;
  stayBefore: Int32Array;
  stayLane: Int32Array;
  /** Pieces: from when to when, of how many CPUs, of which stay, and which of the ages (the last: older). */
  count = 0;
  startS: Float64Array;
  endS: Float64Array;
  weight: Float64Array;
  stay: Int32Array;
  age: Uint8Array;
  /** The sum of weights, and the number of living lanes, from each time on. */
  readonly totals: { timeS: number; weight: number; lanes: number }[] = [];
  readonly #open = new Map<number, OpenStay>();
  #weight = 0;
  /** CPU-seconds by place: the class, counted from the lowest of the estimator's own; places that are used. */
  #seconds = new Float64Array(64);
  readonly #places = new Set<number>();

  /**
   * @param isWhole Stays are not cut at ages.
   * @param most Stays that have room at once.
   */
  constructor(readonly isWhole = false, most = 64) {
    this.stayStartS = new Float64Array(most);
    this.stayEndS = new Float64Array(most);
    this.stayClass = new Int32Array(most);
    this.stayBefore = new Int32Array(most);
    this.stayLane = new Int32Array(most);
    this.startS = new Float64Array(most);
    this.endS = new Float64Array(most);
    this.weight = new Float64Array(most);
    this.stay = new Int32Array(most);
    this.age = new Uint8Array(most);
  }

  /** From a time on, a lane has a weight; 0: it does not live. */
  lane(timeS: number, lane: number, weight: number): void {
    const open = this.#open.get(lane);
    if ((open?.weight ?? 0) === weight) return;
    this.#weight += weight - (open?.weight ?? 0);
    if (open === undefined) {
      this.#open.set(lane, new OpenStay(timeS, 0, NONE, weight));
    } else if (weight > 0) open.weigh(timeS, weight);
    else {
      this.#close(timeS, lane, open);
      this.#open.delete(lane);
    }
    const last = this.totals[this.totals.length - 1];
    const total = { timeS, weight: this.#weight, lanes: this.#open.size };
    if (last?.timeS === timeS) Object.assign(last, total);
    else this.totals.push(total);
  }

  /** From a time on, a lane that lives is in a class. */
  edge(timeS: number, lane: number, classId: number): void {
    const open = this.#open.get(lane);
    if (open === undefined) return;
    const { classId: before } = open;
    const isNew = this.#close(timeS, lane, open);
    open.begin(timeS, classId, isNew ? before : open.before);
  }

  /**
   * A class had a part of the time that a lane was in another one, it is not known when: evenly.
   *
   * @param part CPUs.
   */
  divide(fromS: number, toS: number, of: { from: number; to: number; part: number }): void {
    for (const [classId, weight] of [[of.from, -of.part], [of.to, of.part]]) {
      const stay = this.#stay(fromS, toS, classId, NONE, DIVIDED);
      this.#piece(stay, fromS, toS, weight, AGES_S.length);
    }
  }

  /** Weight of a lane that lives; 0: it does not. */
  weightOf(lane: number): number {
    return this.#open.get(lane)?.weight ?? 0;
  }

  /** CPU-seconds by class, in the order of their first pieces. */
  seconds(): [number, number][] {
    return [...this.#places].map((place) => [place + OWN.joined, this.#seconds[place]]);
  }

  /** Nothing comes after this. Capacity that no lane had is the rest. */
  finish(endS: number, capacity: number): void {
    for (const [lane, open] of this.#open) this.#close(endS, lane, open);
    this.#open.clear();
    const at = [{ timeS: 0, weight: 0, lanes: 0 }, ...this.totals];
    const isAlive = at.map(({ weight }) => weight > NO_WEIGHT);
    const first = isAlive.indexOf(true), last = isAlive.lastIndexOf(true);
    const rest = { startS: 0, weight: -1, classId: OWN.other as number };
    const close = (timeS: number) => {
      if (rest.weight <= NO_WEIGHT || !(timeS > rest.startS)) return;
      const stay = this.#stay(rest.startS, timeS, rest.classId, NONE, REST);
      this.#cut(stay, rest.startS, timeS, rest.weight);
    };
    at.forEach(({ timeS, weight }, k) => {
      const isInside = first < 0 || (k >= first && k <= last);
      const classId = isInside ? OWN.other : OWN.outside, free = capacity - weight;
      if (Math.abs(free - rest.weight) < NO_WEIGHT && classId === rest.classId) return;
      close(Math.min(timeS, endS));
      Object.assign(rest, { startS: timeS, weight: free, classId });
    });
    close(endS);
  }

  /** @returns Did it last? */
  #close(timeS: number, lane: number, open: OpenStay): boolean {
    if (!(timeS > open.startS)) return false;
    const stay = this.#stay(open.startS, timeS, open.classId, open.before, lane);
    for (let k = 0; k < open.times.length; k++) {
      const to = k + 1 < open.times.length ? open.times[k + 1] : timeS;
      this.#cut(stay, open.times[k], to, open.weights[k]);
    }
    return true;
  }

  #stay(startS: number, endS: number, classId: number, before: number, lane: number): number {
    if (this.stays === this.stayStartS.length) {
      this.stayStartS = grown(this.stayStartS);
      this.stayEndS = grown(this.stayEndS);
      this.stayClass = grown(this.stayClass);
      this.stayBefore = grown(this.stayBefore);
      this.stayLane = grown(this.stayLane);
    }
    const at = this.stays++;
    this.stayStartS[at] = startS;
    this.stayEndS[at] = endS;
    this.stayClass[at] = classId;
    this.stayBefore[at] = before;
    this.stayLane[at] = lane;
    return at;
  }

  /** A part of a stay of one weight is cut at ages. */
  #cut(stay: number, fromS: number, toS: number, weight: number): void {
    const beginS = this.stayStartS[stay];
    for (let age = 0, startS = fromS; startS < toS && weight > 0; age++) {
      if (this.isWhole) age = AGES_S.length;
      const untilS = age < AGES_S.length ? Math.min(toS, beginS + AGES_S[age]) : toS;
      if (!(untilS > startS)) continue;
      this.#piece(stay, startS, untilS, weight, age);
      startS = untilS;
    }
  }

  #piece(stay: number, startS: number, endS: number, weight: number, age: number): void {
    if (this.count === this.startS.length) {
      this.startS = grown(this.startS);
      this.endS = grown(this.endS);
      this.weight = grown(this.weight);
      this.stay = grown(this.stay);
      this.age = grown(this.age);
    }
    const at = this.count++, place = this.stayClass[stay] - OWN.joined;
    if (place >= this.#seconds.length) this.#seconds = grown(this.#seconds, place + 1);
    if (this.#seconds[place] === 0) this.#places.add(place);
    this.#seconds[place] += (endS - startS) * weight;
    this.startS[at] = startS;
    this.endS[at] = endS;
    this.weight[at] = weight;
    this.stay[at] = stay;
    this.age[at] = age;
  }
}

/** A stay that goes on. */
class OpenStay {
  /** Weights since its begin, and from when on. */
  times: number[];
  weights: number[];

  constructor(
    public startS: number,
    public classId: number,
    public before: number,
    weight: number,
  ) {
    this.times = [startS];
    this.weights = [weight];
  }

  get weight(): number {
    return this.weights[this.weights.length - 1];
  }

  weigh(timeS: number, weight: number): void {
    if (timeS > this.times[this.times.length - 1]) {
      this.times.push(timeS);
      this.weights.push(weight);
    } else this.weights[this.weights.length - 1] = weight;
  }

  begin(timeS: number, classId: number, before: number): void {
    if (this.times.length > 1) {
      this.weights = [this.weight];
      this.times = [timeS];
    } else this.times[0] = timeS;
    this.startS = timeS;
    this.classId = classId;
    this.before = before;
  }
}
