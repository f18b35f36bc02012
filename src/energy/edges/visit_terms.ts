/**
 * What powers may depend on beside the region: the beginning of a visit, its length, what the
 * other CPUs do, and where the CPU was before. Exposures to the first three become columns of
 * the fit (`columns.ts`), which makes them from the edges here as it does for regions.
 *
 * A visit is a CPU's stay in one class. CPUs that moved together are followed by one of them.
 * The length of a visit counts by its logarithm, up to {@linkcode LONGEST_S}: until then it waits to be
 * known, and so do the intervals. docs/how-sure.md, "What it assumes".
 * @module
 */
import { UNTESTED, type Untested } from "./untested.ts";
import { EdgeLog } from "./intervals/edge_log.ts";
import { grown } from "../../core/grow.ts";
import type { Moves } from "./solver/moves.ts";

/** Visits that last longer all count as that long. */
export const LONGEST_S = 0.064;
/** Visits that are shorter all count as that short. */
const SHORTEST_S = 0.0005;
/** What counts as the beginning of a visit, from narrow to wide. */
const BEGINNINGS_S: readonly number[] = [0.0005, 0.0015, 0.004];
/** What counts as right after another class. */
const SOON_S = 0.002;
/** Time constants of power that follows the load. */
export const CONSTANTS: readonly number[] = [
  ...[0.00015, 0.0004, 0.001, 0.0022, 0.005, 0.012, 0.035],
];
/** Classes in one place at which pairs of them are followed no more. */
const MOST_PRESENT = 6;
const MOST_TERMS = 304;
/** Orders of two classes beyond which none are followed any more. */
const MOST_ORDERS = 48;
/** Unmarked time that is shorter does not count as what ran before. */
const LEAST_BEFORE_S = 0.001;
/** Classes that a CPU's power may still remember. */
const REMEMBERED = 4;
const LEAST_MEMORY = 0.001;
const MOST_PAIRS = 4096;
/** Classes below this are found without a search. */
const DENSE = 32;
/** Weights of lengths are multiples of this, so that sums of them are exact. */
const GRAIN = 1 / 64;

/** What a term is an exposure to. */
export const TERM = {
  FIRST: 0,
  NEXT: 1,
  EARLY: 2,
  LENGTH: 3,
  BESIDE: 4,
  AFTER: 5,
  SOON: 6,
  UNMARKED: 7,
} as const;

/** One term: of a class (`UNMARKED`: its long stays), of two beside each other, or of one (`b`) after, or soon after, another (`a`). */
export interface Term {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  /**
   * Visits and their CPU-seconds in the term; of lengths, sums over those of the weight and its
   * square; of beginnings, `weighted` is the CPU-seconds of the whole visits.
   */
  visits: number;
  seconds: number;
  weighted: number;
  squares: number;
}

/** CPU-seconds that power which follows the load moved from one class to another, by time constant. */
export interface Carried {
  readonly to: number;
  readonly from: number;
  readonly seconds: Float64Array;
}

/** CPUs that leave a class together. */
interface Leaving {
  readonly from: number;
  readonly leader: number;
  readonly sinceS: number;
  /** −1: the length of the visit is not reported. */
  readonly weight: number;
  readonly count: number;
  readonly cpu: number;
  readonly to: number;
  /** The term of the order that ends; −1: none. */
  readonly order: number;
}

/** So often it is looked at how fast edges come, and at most so many a second are followed. */
const LOOK_EDGES = 1024, MOST_EDGES_A_SECOND = 20_000;

/** Follows the visits of one domain instance. */
export class VisitTerms {
  /** Edges of the terms: their numbers are classes there. */
  readonly log = new EdgeLog();
  readonly terms: Term[] = [];
  readonly carried = new Map<number, Carried>();
  /** Pairs of classes are followed, and all orders of two of them. */
  pairs = true;
  orders = true;
  /** Who reads edges of terms; without any there are none. */
  readers = 0;
  /** Who may ask for anything of this; without any nothing is followed. */
  followers = 0;
  readonly #classes: EdgeLog;
  /** By CPU: its class, since when, whether the visit's length is reported, and whose memory it shares. */
  readonly #class: Int32Array;
  readonly #sinceS: Float64Array;
  readonly #weight: Float64Array;
  readonly #leader: Int32Array;
  /** By CPU: the class before its class, and the term of that order; −1: none. */
  readonly #previous: Int32Array;
  readonly #order: Int32Array;
  readonly #orders = new Map<number, number>();
  /** By CPU and place: classes that its power remembers, and by how much for each time constant. */
  readonly #from: Int32Array;
  readonly #left: Float64Array;
  readonly #own = new Float64Array(CONSTANTS.length);
  readonly #keep = new Float64Array(CONSTANTS.length);
  /** Sums of `carried` by class and class before it. */
  readonly #dense: (Float64Array | undefined)[] = new Array(DENSE * DENSE).fill(undefined);
  readonly #first = new Map<number, number>();
  readonly #pair = new Map<number, number>();
  #counts = new Float64Array(16);

  /**
   * Edges came so fast that following them would cost more than sampling, or visits came without: nothing
   * is known any more, and why.
   */
  tooMuch: Untested | undefined;
  #edges = 0;
  #lookedS = 0;

  /** @param classes The edges of the classes themselves. */
  constructor(classes: EdgeLog, cpuCount: number) {
    this.#classes = classes;
    this.#class = new Int32Array(cpuCount).fill(-1);
    this.#sinceS = new Float64Array(cpuCount);
    this.#weight = new Float64Array(cpuCount).fill(-1);
    this.#leader = Int32Array.from({ length: cpuCount }, (_, cpu) => cpu);
    this.#previous = new Int32Array(cpuCount).fill(-1);
    this.#order = new Int32Array(cpuCount).fill(-1);
    this.#from = new Int32Array(cpuCount * REMEMBERED);
    this.#left = new Float64Array(cpuCount * REMEMBERED * CONSTANTS.length);
  }

  /** CPUs that went from class to class, whether or not anything else is followed. */
  get moves(): Moves {
    return this.#classes.moves;
  }

  /** CPUs of the domain go to a class; those that are in it already stay. */
  edge(timeS: number, cpus: ArrayLike<number>, members: Uint8Array, to: number): void {
    if (this.tooMuch !== undefined || this.followers === 0) return;
    if ((++this.#edges & (LOOK_EDGES - 1)) === 0) {
      const isMuch = (timeS - this.#lookedS) * MOST_EDGES_A_SECOND < LOOK_EDGES;
      if (isMuch) this.tooMuch = UNTESTED.visits;
      this.#lookedS = timeS;
    }
    for (let i = 0; i < cpus.length;) {
      const cpu = cpus[i];
      if (members[cpu] !== 1 || this.#class[cpu] === to) {
        i++;
        continue;
      }
      const from = this.#class[cpu], leader = this.#leader[cpu], sinceS = this.#sinceS[cpu];
      const weight = this.#weight[cpu], left = this.#order[cpu];
      const isBrief = from === 0 && timeS - sinceS < LEAST_BEFORE_S;
      const previous = isBrief ? this.#previous[cpu] : from;
      const order = this.#orderOf(previous, to);
      let count = 0;
      for (; i < cpus.length; i++) {
        const other = cpus[i];
        if (members[other] !== 1) continue;
        const same = this.#class[other] === from && this.#sinceS[other] === sinceS &&
          (from < 0 || this.#leader[other] === leader);
        if (!same) break;
        this.#class[other] = to;
        this.#sinceS[other] = timeS;
        this.#weight[other] = -1;
        this.#leader[other] = cpu;
        this.#previous[other] = previous;
        this.#order[other] = order;
        count++;
      }
      if (left >= 0) this.#ends(timeS, left, { sinceS, count });
      if (order >= 0) this.log.insert(timeS, order, count);
      this.#leave(timeS, { from, leader, sinceS, weight, count, cpu, to, order: left });
      if (this.pairs && this.readers > 0) this.#beside(timeS, from, to, count);
    }
  }

  /** A step: visits that last long are known to. */
  step(timeS: number): void {
    if (this.readers > 0 && this.tooMuch === undefined) this.#tell(timeS, LONGEST_S);
  }

  /** Nothing comes behind this: visits that go on have the length that they have. */
  end(timeS: number): void {
    if (this.tooMuch === undefined) this.#tell(timeS, 0);
  }

  #tell(timeS: number, longerS: number): void {
    const cpus = this.#class;
    for (let cpu = 0; cpu < cpus.length;) {
      const c = cpus[cpu], sinceS = this.#sinceS[cpu], ageS = timeS - sinceS;
      if (c < 0 || this.#weight[cpu] >= 0 || !(ageS > longerS)) {
        cpu++;
        continue;
      }
      const weight = weightOf(c, ageS), order = this.#order[cpu];
      let count = 0;
      for (; cpu < cpus.length; cpu++) {
        if (cpus[cpu] !== c || this.#sinceS[cpu] !== sinceS || this.#weight[cpu] >= 0) break;
        if (this.#order[cpu] !== order) break;
        this.#weight[cpu] = weight;
        count++;
      }
      this.#begin(c, timeS, { sinceS, weight, count, order });
    }
  }

  #leave(timeS: number, leaving: Leaving): void {
    const { from, sinceS, weight, count, order } = leaving;
    const lengthS = timeS - sinceS;
    if (from >= 0 && lengthS > 0 && this.readers > 0) {
      const known = weight >= 0 ? weight : weightOf(from, lengthS);
      if (weight < 0) this.#begin(from, timeS, { sinceS, weight: known, count, order });
      const first = this.#termsOf(from), length = from === 0 ? first : first + TERM.LENGTH;
      if (first >= 0) {
        if (known > 0) this.log.insert(timeS, length, -count * known);
        const term = this.terms[length];
        term.visits++;
        term.seconds += count * lengthS;
        term.weighted += count * lengthS * known;
        term.squares += count * lengthS * known * known;
      }
    }
    this.#carry(leaving, lengthS);
  }

  /** A visit whose length is known: its beginning, and its length from its beginning on. */
  #begin(
    c: number,
    untilS: number,
    { sinceS, weight, count, order }: Pick<Leaving, "sinceS" | "weight" | "count" | "order">,
  ): void {
    if (order >= 0) {
      this.log.insert(sinceS, order + 1, count);
      this.log.insert(Math.min(untilS, sinceS + SOON_S), order + 1, -count);
      const soon = this.terms[order + 1];
      soon.visits++;
      soon.seconds += count * Math.min(untilS - sinceS, SOON_S);
    }
    const first = this.#termsOf(c);
    if (first < 0) return;
    if (c === 0) {
      if (weight > 0) this.log.insert(sinceS, first, count);
      return;
    }
    for (let k = 0; k < BEGINNINGS_S.length; k++) {
      this.log.insert(sinceS, first + k, count);
      this.log.insert(Math.min(untilS, sinceS + BEGINNINGS_S[k]), first + k, -count);
      const term = this.terms[first + k];
      term.visits++;
      term.seconds += count * Math.min(untilS - sinceS, BEGINNINGS_S[k]);
      term.weighted += count * (untilS - sinceS);
    }
    this.log.insert(sinceS, first + TERM.LENGTH, count * weight);
  }

  /** Power that follows the load: what the classes before still draw in this visit. */
  #carry({ from: c, leader, count, cpu, to }: Leaving, lengthS: number): void {
    const width = CONSTANTS.length, from = this.#from, left = this.#left;
    const own = this.#own.fill(1), keep = this.#keep;
    for (let m = 0; m < width; m++) keep[m] = Math.exp(-lengthS / CONSTANTS[m]);
    const base = leader * REMEMBERED, target = cpu * REMEMBERED;
    let weakest = 0;
    let least = Infinity;
    for (let k = 0; k < REMEMBERED; k++) {
      const class_ = from[base + k];
      const sums = c < 0
        ? undefined
        : this.#remembers(base + k)
        ? this.#between(c, class_)
        : undefined;
      let most = 0;
      for (let m = 0; m < width; m++) {
        const w = left[(base + k) * width + m];
        if (w !== 0 && sums !== undefined) sums[m] += count * w * CONSTANTS[m] * (1 - keep[m]);
        const kept = w * keep[m];
        const now = class_ === to || kept < LEAST_MEMORY ? 0 : kept;
        own[m] -= kept;
        left[(target + k) * width + m] = now;
        if (now > most) most = now;
      }
      from[target + k] = class_;
      if (most < least) {
        least = most;
        weakest = k;
      }
    }
    // Time without an owner drew no power of its own.
    if (c < 0 || c === to) return;
    from[target + weakest] = c;
    for (let m = 0; m < width; m++) {
      left[(target + weakest) * width + m] = own[m] < LEAST_MEMORY ? 0 : own[m];
    }
  }

  /** Is anything left of the class at a place? */
  #remembers(place: number): boolean {
    const width = CONSTANTS.length;
    for (let m = 0; m < width; m++) if (this.#left[place * width + m] !== 0) return true;
    return false;
  }

  /** Sums of what went from one class to another; `undefined`: there are too many. */
  #between(to: number, from: number): Float64Array | undefined {
    const isDense = to < DENSE && from < DENSE;
    const at = to * DENSE + from;
    const known = isDense ? this.#dense[at] : this.carried.get(to * 65536 + from)?.seconds;
    if (known !== undefined) return known;
    if (this.carried.size === MOST_PAIRS) return undefined;
    const carried = { to, from, seconds: new Float64Array(CONSTANTS.length) };
    this.carried.set(to * 65536 + from, carried);
    if (isDense) this.#dense[at] = carried.seconds;
    return carried.seconds;
  }

  /** Numbers of CPUs times each other, for simultaneous classes. */
  #beside(timeS: number, from: number, to: number, count: number): void {
    const { present, presentCount } = this.#classes;
    if (presentCount > MOST_PRESENT) {
      this.pairs = false;
      return;
    }
    const most = Math.max(from, to);
    if (most >= this.#counts.length) this.#counts = grown(this.#counts, most + 1);
    const counts = this.#counts;
    for (let k = 0; k < presentCount; k++) {
      const c = present[k];
      if (c === from || c === to) continue;
      const n = c < counts.length ? counts[c] : 0;
      if (n === 0) continue;
      if (from >= 0) this.#together(timeS, from, c, -count * n);
      this.#together(timeS, to, c, count * n);
    }
    if (from >= 0) {
      const [a, b] = [counts[from], counts[to]];
      this.#together(timeS, from, to, (a - count) * (b + count) - a * b);
      counts[from] -= count;
    }
    counts[to] += count;
  }

  /** The term of a class after another one; −1: it is not followed. */
  #orderOf(previous: number, to: number): number {
    if (previous < 0 || to <= 0 || previous === to || this.readers === 0) return -1;
    const key = previous * 65536 + to;
    const known = this.#orders.get(key);
    if (known !== undefined) return known;
    const isRoom = this.#orders.size < MOST_ORDERS && this.terms.length + 2 <= MOST_TERMS;
    if (!isRoom) this.orders = false;
    const made = isRoom ? this.#newTerm(TERM.AFTER, previous, to) : -1;
    if (isRoom) this.#newTerm(TERM.SOON, previous, to);
    this.#orders.set(key, made);
    return made;
  }

  #ends(timeS: number, order: number, { sinceS, count }: { sinceS: number; count: number }): void {
    this.log.insert(timeS, order, -count);
    const term = this.terms[order];
    term.visits++;
    term.seconds += count * (timeS - sinceS);
  }

  #together(timeS: number, a: number, b: number, change: number): void {
    if (change === 0) return;
    const key = Math.max(a, b) * 65536 + Math.min(a, b);
    let term = this.#pair.get(key);
    if (term === undefined) {
      if (this.terms.length >= MOST_TERMS) return;
      term = this.#newTerm(TERM.BESIDE, Math.min(a, b), Math.max(a, b));
      this.#pair.set(key, term);
    }
    this.terms[term].visits++;
    this.log.insert(timeS, term, change);
  }

  /** Number of the first of a class's terms: its beginnings, then its lengths; of unmarked time its only one; −1: none. */
  #termsOf(c: number): number {
    const known = this.#first.get(c);
    if (known !== undefined) return known;
    let made = -1;
    if (c === 0) made = this.#newTerm(TERM.UNMARKED, c, -1);
    else if (this.terms.length + 4 <= MOST_TERMS / 2) {
      made = this.#newTerm(TERM.FIRST, c, -1);
      this.#newTerm(TERM.NEXT, c, -1);
      this.#newTerm(TERM.EARLY, c, -1);
      this.#newTerm(TERM.LENGTH, c, -1);
    }
    this.#first.set(c, made);
    return made;
  }

  #newTerm(kind: number, a: number, b: number): number {
    return this.terms.push({ kind, a, b, visits: 0, seconds: 0, weighted: 0, squares: 0 }) - 1;
  }
}

/** What the length of a visit counts as: its logarithm; of an unmarked stay whether it is long. */
function weightOf(c: number, lengthS: number): number {
  if (c === 0) return lengthS < LONGEST_S ? 0 : 1;
  const bounded = Math.min(LONGEST_S, Math.max(SHORTEST_S, lengthS));
  return Math.round(Math.log2(bounded / SHORTEST_S) / GRAIN) * GRAIN;
}
