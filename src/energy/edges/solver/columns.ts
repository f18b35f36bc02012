/**
 * The columns beside the classes in a fit: they test whether a constant power per region is
 * right, and replace it where it is not.
 *
 * Each has a family, for which it is decided together whether the data need it, and a prior: powers
 * rarely depend on such things by more than some part of them (Jeffreys: "Theory of Probability", 5;
 * MacKay, "Bayesian interpolation", 1992). docs/how-sure.md.
 * @module
 */
import type { RowStore } from "./row_store.ts";
import { CONSTANTS, TERM, type Term, type VisitTerms } from "../visit_terms.ts";

/** Families of columns, in the order of their bits: of terms, then of the load that power follows, then of unmarked time. */
export const FAMILY = {
  FIRST: 0,
  EARLY: 1,
  LENGTH: 2,
  BESIDE: 3,
  AFTER: 4,
  CARRIED: 5,
  UNMARKED: 6,
} as const;
/** Those that are let in or left out; of the others, unmarked time's is always in. */
export const SWITCHED = 5;
/** Bits of all of them. */
export const ALL_FAMILIES = (1 << SWITCHED) - 1;
/** Family of a term of one class. */
const FAMILY_OF: readonly number[] = [FAMILY.FIRST, FAMILY.FIRST, FAMILY.EARLY, FAMILY.LENGTH];
/** Part of a power by which a column's likely effect differs from none, by kind of term. */
const LIKELY: readonly number[] = [0.4, 0.3, 0.25, 0.15];
/** The same of what a class leaves to those that come after it. */
const LIKELY_AFTER = 0.15;
/** The same of what it leaves to their beginnings. */
const LIKELY_SOON = 0.2;
/** Part of the power that follows the load with each time constant, where it may with several. */
const LIKELY_LATE = 1;
/** The same of the two shortest: they look like a lag. */
const LIKELY_SHORT = 0.1;
const SHORT = 2;
/** The same of long unmarked stays: starting and having ended are not of the power of what lies between regions. */
const LIKELY_UNMARKED = 0.3;
/** The same beside others: of all classes together, of one class, and by one class. */
const LIKELY_BESIDE = { all: 0.25, victim: 0.1, cause: 0.15 } as const;
/** Classes with columns of their own: those with the most CPU time. */
const MOST_CLASSES = 6;
/** With more classes than this nothing is tested: it costs several times what the fit does. */
export const MANY_CLASSES = 24;
const LEAST_VISITS = 32;
const LEAST_SHARE = 0.01;
/** Below this standard deviation of a length's logarithm all visits are of one length. */
const LEAST_SPREAD = 0.05;
/** Beginnings that are nearly all of the visits are nothing of their own. */
const MOST_OF_VISITS = 0.95;

/** One column. */
export interface Column {
  readonly number: number;
  readonly family: number;
  /** Class, by the number that it came with; −1: none. */
  readonly a: number;
  /** Standard deviation of what is likely: of the class's power, or as it is where there is none. */
  readonly likely: number;
}

/** Two classes beside each other: each column gets the term's amount times a power. */
export interface Pair {
  readonly term: number;
  /** Own numbers of the classes. */
  readonly a: number;
  readonly b: number;
  /** Columns of what a class draws beside others, and of what others draw beside it. */
  readonly victims: readonly [ofA: number, ofB: number];
  readonly causes: readonly [ofA: number, ofB: number];
  /** Column of what all classes draw beside others. */
  readonly all: number;
}

/** A class after another one: its column gets the term's amount times the class's power. */
export interface Order {
  readonly term: number;
  /** Own number of the class that comes after. */
  readonly to: number;
  readonly number: number;
}

/** The columns of one fit. */
export class Columns {
  readonly list: readonly Column[];
  readonly pairs: readonly Pair[];
  /** By term: its place in `pairs`, −1: none. */
  readonly pairOf: Int32Array;
  readonly orders: readonly Order[];
  /** By term: its place in `orders`, −1: none. */
  readonly orderOf: Int32Array;
  /** What an amount of a pair's term is divided by. */
  readonly others: number;
  /** Numbers of those for power that follows the load, by time constant. */
  readonly carried: readonly number[];

  private constructor(
    list: readonly Column[],
    { pairs, orders, others }: Pick<Columns, "pairs" | "orders" | "others">,
    terms: number,
  ) {
    this.list = list;
    this.pairs = pairs;
    this.others = others;
    this.orders = orders;
    this.orderOf = new Int32Array(terms).fill(-1);
    orders.forEach(({ term }, k) => this.orderOf[term] = k);
    this.pairOf = new Int32Array(terms).fill(-1);
    pairs.forEach(({ term }, k) => this.pairOf[term] = k);
    this.carried = list.filter(({ family }) => family === FAMILY.CARRIED).map((c) => c.number);
  }

  /** Does any come from the edges of terms? */
  get needsTerms(): boolean {
    return this.list.some(({ family }) => family !== FAMILY.CARRIED);
  }

  /** None. */
  static none(): Columns {
    return new Columns([], { pairs: [], orders: [], others: 1 }, 0);
  }

  /** Chooses columns for the classes seen so far; rows know their numbers from now on. */
  static choose(rows: RowStore, visits: VisitTerms, cpus: number): Columns {
    const seconds = rows.seconds();
    const all = seconds.reduce((sum, s) => sum + s, 0);
    const of = (raw: number) => rows.hasOwn(raw) ? seconds[rows.fitOf[raw]] : 0;
    const large = [...rows.fitOf.keys()].filter((raw) => of(raw) >= LEAST_SHARE * all)
      .sort((a, b) => of(b) - of(a)).slice(0, MOST_CLASSES);
    const isFew = rows.classCount <= MANY_CLASSES;
    rows.columnOf = new Int32Array(Math.max(1, visits.terms.length)).fill(-1);
    const list: Column[] = [];
    visits.terms.forEach((term, id) => {
      const isUnmarked = term.kind === TERM.UNMARKED;
      if (isUnmarked && isFew && rows.hasOwn(0) && isVaried(term)) {
        const number = rows.columnOf[id] = rows.addColumn();
        const likely = LIKELY_UNMARKED / spreadOf(term);
        list.push({ number, family: FAMILY.UNMARKED, a: 0, likely });
      }
      if (!isFew || term.kind >= FAMILY_OF.length || !large.includes(term.a)) return;
      const likely = likelyOf(term);
      if (likely === undefined) return;
      const number = rows.addColumn();
      rows.columnOf[id] = number;
      list.push({ number, family: FAMILY_OF[term.kind], a: term.a, likely });
    });
    const pairs = isFew && visits.pairs ? choosePairs(rows, visits, large, list) : [];
    const orders = isFew && visits.orders ? chooseOrders(rows, visits, large, list) : [];
    if (isFew && rows.classCount > 1) {
      CONSTANTS.forEach(() => {
        list.push({ number: rows.addColumn(), family: FAMILY.CARRIED, a: -1, likely: Infinity });
      });
    }
    const others = Math.max(1, cpus - 1);
    return new Columns(list, { pairs, orders, others }, visits.terms.length);
  }

  /**
   * What is known of the columns before the data: λ by number, which is added to the diagonal.
   *
   * @param power W per CPU by class. @param s2 Variance of a row of weight 1, W².
   * @param families Bits of those that are let in; the others are left out (Infinity).
   */
  ridge(
    rows: RowStore,
    { power, s2, families }: { power: Float64Array; s2: number; families: number },
  ): Float64Array {
    const ridge = new Float64Array(rows.count);
    for (const { number, family, a, likely } of this.list) {
      if (family === FAMILY.CARRIED) {
        // Without a place on the line (`slowness.ts`) they are columns like others.
        const part = this.carried.indexOf(number) < SHORT ? LIKELY_SHORT : LIKELY_LATE;
        if ((families >> family & 1) === 1) ridge[number] = s2 / part ** 2;
        continue;
      }
      const own = a < 0 ? -1 : rows.fitOf[a];
      const watts = a < 0 ? 1 : own < power.length ? power[own] : 0;
      const deviation = likely * watts;
      const isIn = family === FAMILY.UNMARKED || (families >> family & 1) === 1;
      ridge[number] = !isIn || !(deviation > 0) ? Infinity : s2 / (deviation * deviation);
    }
    return ridge;
  }
}

/** Columns for pairs of classes that are beside each other, and for each class of them. */
function choosePairs(
  rows: RowStore,
  { terms }: VisitTerms,
  large: readonly number[],
  list: Column[],
): Pair[] {
  const family = FAMILY.BESIDE;
  const columns = new Map<number, readonly [victim: number, cause: number]>();
  let all = -1;
  const columnOf = (likely: number) => {
    const number = rows.addColumn();
    list.push({ number, family, a: -1, likely });
    return number;
  };
  const columnsOf = (raw: number) =>
    columns.getOrInsertComputed(
      raw,
      () => [columnOf(LIKELY_BESIDE.victim), columnOf(LIKELY_BESIDE.cause)] as const,
    );
  const pairs: Pair[] = [];
  terms.forEach(({ kind, a, b, visits }, term) => {
    const isWanted = kind === TERM.BESIDE && visits >= LEAST_VISITS && large.includes(a) &&
      large.includes(b);
    if (!isWanted) return;
    if (all < 0) all = columnOf(LIKELY_BESIDE.all);
    const [ofA, ofB] = [columnsOf(a), columnsOf(b)];
    // Any column: what comes in of the term is kept.
    rows.columnOf[term] = ofA[0];
    pairs.push({
      term,
      a: rows.fitOf[a],
      b: rows.fitOf[b],
      victims: [ofA[0], ofB[0]],
      causes: [ofA[1], ofB[1]],
      all,
    });
  });
  return pairs;
}

/** A column for each class of what it leaves to those after it: where what comes after it comes after others too. */
function chooseOrders(
  rows: RowStore,
  { terms }: VisitTerms,
  large: readonly number[],
  list: Column[],
): Order[] {
  const wanted = terms.flatMap(({ kind, a, b, visits }, term) =>
    (kind === TERM.AFTER || kind === TERM.SOON) && visits >= LEAST_VISITS &&
      large.includes(a) && large.includes(b)
      ? [{ term, kind, a, b }]
      : []
  );
  const before = (b: number) =>
    wanted.filter((one) => one.kind === TERM.AFTER && one.b === b).length;
  if (!wanted.some(({ b }) => before(b) > 1)) return [];
  const columns = new Map<string, number>();
  return wanted.map(({ term, kind, a, b }): Order => {
    const number = columns.getOrInsertComputed(`${kind} ${a}`, () => {
      const number = rows.addColumn();
      const likely = kind === TERM.AFTER ? LIKELY_AFTER : LIKELY_SOON;
      list.push({ number, family: FAMILY.AFTER, a: -1, likely });
      return number;
    });
    rows.columnOf[term] = number;
    return { term, to: rows.fitOf[b], number };
  });
}

/** Likely effect of a term of one class, of the class's power; `undefined`: there is nothing to see. */
function likelyOf(term: Term): number | undefined {
  const { kind, visits, seconds, weighted } = term;
  if (visits < LEAST_VISITS) return undefined;
  if (kind !== TERM.LENGTH) return seconds < MOST_OF_VISITS * weighted ? LIKELY[kind] : undefined;
  return isVaried(term) ? LIKELY[kind] / spreadOf(term) : undefined;
}

/** Are there visits enough, short ones and long ones? */
function isVaried(term: Term): boolean {
  return term.visits >= LEAST_VISITS && spreadOf(term) > LEAST_SPREAD;
}

/** Standard deviation of what lengths count as, over the time of visits. */
function spreadOf({ seconds, weighted, squares }: Term): number {
  const mean = weighted / seconds;
  return Math.sqrt(Math.max(0, squares / seconds - mean * mean));
}
