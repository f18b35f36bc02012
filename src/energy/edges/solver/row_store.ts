/**
 * Intervals as sparse rows, waiting to be fitted.
 *
 * Classes are renumbered by first appearance. Where there are more than the fit takes, those with
 * the most CPU time keep numbers of their own; another one has that of the nearest class around it,
 * and what is in none shares one. A class gets its own number once it has a good part of the CPU time. So cost and memory do not grow with names.
 * @module
 */
import { grown } from "../../../core/grow.ts";
import { BLOCK_ROWS, RowBlock, type TermExposures } from "./row_block.ts";

/** Classes that a fit can hold, the shared one included. */
export const MOST_CLASSES = 64;
/** Share of the CPU time below which a class of too many has no number of its own. */
const LEAST_SHARE = 1e-3;
/** Numbers that classes get without asking after the limit was set. */
const FREE_CLASSES = MOST_CLASSES / 2;
/** Share of the CPU time so far with which a later class gets one. */
const LATE_SHARE = 1 / 128;

/** Room for entries that a store begins with. */
const FIRST_ROOM = { entries: 512, terms: 1024, faded: 512 };

/** Exposures of an interval. */
export interface Exposures {
  readonly count: number;
  readonly classes: Int32Array;
  readonly tau: Float64Array;
  /** Numbers of an entry; a store's others are 0. @default all that a store takes */
  readonly width?: number;
  /** What power draws late, of all classes together. @default responses are by class, in `tau` */
  readonly lateJ?: Float64Array | undefined;
}

/** A row's values beside exposures. */
export interface Interval {
  readonly energyJ: number;
  readonly lengthS: number;
  /** It does not follow the row before it. */
  readonly fresh: boolean;
  /** When the step was that saw its beginning. */
  readonly beginS: number;
}

/** A queue of sparse rows. Row i is in `blocks[i / BLOCK_ROWS]`, at what is left. */
export class RowStore {
  rows = 0;
  /** J, s, and 1 where the row does not follow the one before it. */
  energyJ = new Float64Array(64);
  lengthS = new Float64Array(64);
  fresh = new Int32Array(64);
  /** When the step was that saw the row's beginning. */
  beginS = new Float64Array(64);
  /** Entries held. */
  entries = 0;
  /** Numbers held: what memory goes by. */
  amounts = 0;
  /** Numbers of an entry that comes in, and those of them that are kept. */
  readonly lags: number;
  #kept: number;
  termLags = 0;
  #blocks: (RowBlock | undefined)[] = [];
  /** Number of each term that is a column; −1: it is none. */
  columnOf = new Int32Array(0);
  /** Numbers that are columns, not classes. */
  isColumn = new Uint8Array(16);
  columns = 0;
  /** Own number of each class that came in; −1: not seen. */
  fitOf = new Int32Array(16).fill(-1);
  /** Numbers given out, those of columns included. */
  count = 0;
  /** Number of the class that the rest shares; −1: there is none. */
  shared = -1;
  #limited = false;
  /** Place of the lag that CPU time is counted at. */
  readonly #timeLag: number;
  /** CPU-seconds so far, and those of each class that has no number of its own. */
  #seconds = 0;
  #lateS = new Float64Array(0);
  #isOwn = new Uint8Array(16);
  /** By own number: place of the entry in the row being made + 1. */
  #place = new Int32Array(16);

  readonly #numbers: Float64Array;
  readonly #parentOf: ((raw: number) => number) | undefined;

  /**
   * @param timeLag Place of the lag that CPU time is counted at.
   * @param parentOf Class that a class is nested in, at most 0 for none: where there is no number
   * left, a class has that of the nearest class around it that has one.
   */
  constructor(lags: number, timeLag = 0, parentOf?: (raw: number) => number) {
    this.#parentOf = parentOf;
    this.lags = lags;
    this.#numbers = new Float64Array(lags);
    this.#kept = lags;
    this.#timeLag = timeLag;
  }

  /** From the next block on, of each entry only so many of its first numbers are kept. */
  narrow(lags: number): void {
    this.#kept = lags;
  }

  /** The same, and the others are not needed any more: the block that is being filled lets them go. */
  narrowNow(lags: number): void {
    this.narrow(lags);
    if (this.rows > 0) this.block(this.rows - 1).narrow(lags);
  }

  /** Block of a row; its place there is `i % BLOCK_ROWS`. */
  block(i: number): RowBlock {
    return this.#blocks[Math.floor(i / BLOCK_ROWS)]!;
  }

  /** Rows before this one are needed no more. */
  release(before: number): void {
    const end = Math.floor(before / BLOCK_ROWS);
    for (let k = end - 1; k >= 0 && this.#blocks[k] !== undefined; k--) this.#blocks[k] = undefined;
  }

  /** Appends a row. @param length Entries in `classes` and `tau`. */
  push(row: Exposures, { energyJ, lengthS, fresh, beginS }: Interval): void {
    const i = this.rows;
    if (i >= this.energyJ.length) {
      this.energyJ = grown(this.energyJ, i + 1);
      this.lengthS = grown(this.lengthS, i + 1);
      this.fresh = grown(this.fresh, i + 1);
      this.beginS = grown(this.beginS, i + 1);
    }
    const at = i % BLOCK_ROWS;
    const block = at === 0 ? this.#open(i) : this.block(i);
    block.reserve(block.start[at] + row.count);
    const from = block.start[at];
    block.faded?.begin(at);
    const end = this.#fill(block, { from, before: from, at }, row);
    this.#count(block, end - from + (block.faded?.countOf(at) ?? 0));
    block.start[at + 1] = end;
    block.addLate(at, row.lateJ, false);
    this.energyJ[i] = energyJ;
    this.lengthS[i] = lengthS;
    this.fresh[i] = fresh ? 1 : 0;
    this.beginS[i] = beginS;
    this.rows++;
  }

  /** Adds to the last row what comes right behind it: both are one interval. */
  extend(row: Exposures, { energyJ, lengthS }: Interval): void {
    const i = this.rows - 1;
    const at = i % BLOCK_ROWS;
    const block = this.block(i);
    const from = block.start[at];
    this.#unfade(block, at);
    const before = block.start[at + 1];
    block.reserve(before + row.count);
    for (let e = from; e < before; e++) this.#place[block.classes[e]] = e + 1;
    const end = this.#fill(block, { from, before }, row);
    this.#count(block, end - before);
    block.start[at + 1] = end;
    block.addLate(at, row.lateJ, true);
    this.energyJ[i] += energyJ;
    this.lengthS[i] += lengthS;
  }

  /** What has no CPU time in the last row of a block may get some: these are entries like the others. */
  #unfade({ faded }: RowBlock, at: number): void {
    if (faded === undefined) return;
    const block = this.block(this.rows - 1), end = faded.start[at + 1];
    const numbers = this.#numbers, from = faded.start[at];
    faded.start[at + 1] = from;
    block.reserve(block.start[at + 1] + end - from);
    for (let e = from; e < end; e++) {
      const place = block.start[at + 1]++;
      block.classes[place] = faded.classes[e];
      block.tau.set(faded.numbers(at, e, numbers), place * this.lags);
    }
  }

  #count({ lags }: RowBlock, entries: number): void {
    this.entries += entries;
    this.amounts += entries * lags;
  }

  /** A block that begins with row i. */
  #open(i: number): RowBlock {
    const k = i / BLOCK_ROWS;
    if (this.#blocks[k]?.lags === this.#kept) return this.#blocks[k];
    const before = k > 0 ? this.#blocks[k - 1] : undefined;
    const room = before?.like(BLOCK_ROWS) ?? FIRST_ROOM;
    return this.#blocks[k] = new RowBlock(this.#kept, this.termLags, room);
  }

  /**
   * Adds entries to a row from `from` that has some up to `before`, by own number. @returns Their end.
   *
   * @param at Place of a row that is made: what has no CPU time in it may be apart.
   */
  #fill(
    { classes, tau, lags: kept, faded }: RowBlock,
    { from, before, at: made = -1 }: { from: number; before: number; at?: number },
    row: Exposures,
  ): number {
    const width = row.width ?? this.lags, isNarrow = width < this.lags;
    const numbers = isNarrow ? this.#numbers.fill(0) : row.tau;
    let end = before;
    for (let k = 0; k < row.count; k++) {
      const first = isNarrow ? 0 : k * width;
      if (isNarrow) { for (let l = 0; l < width; l++) numbers[l] = row.tau[k * width + l]; }
      const c = this.#own(row.classes[k], numbers[first + this.#timeLag]);
      if (made >= 0 && faded?.take(made, c, numbers, first) === true) continue;
      let at = this.#place[c] - 1;
      const isNew = at < from;
      if (isNew) {
        at = end++;
        this.#place[c] = at + 1;
        classes[at] = c;
      }
      for (let l = 0; l < kept; l++) {
        const more = numbers[first + l];
        if (isNew) tau[at * kept + l] = more;
        else tau[at * kept + l] += more;
      }
    }
    for (let e = from; e < end; e++) this.#place[classes[e]] = 0;
    return end;
  }

  /** CPU-seconds in the rows held, by own number. */
  seconds(): Float64Array {
    const seconds = new Float64Array(this.count);
    for (let i = 0; i < this.rows; i += BLOCK_ROWS) {
      const { start, classes, tau, lags } = this.block(i);
      const end = start[Math.min(BLOCK_ROWS, this.rows - i)];
      for (let e = 0; e < end; e++) seconds[classes[e]] += tau[e * lags + this.#timeLag];
    }
    return seconds;
  }

  /** Adds exposures to terms to the last row. */
  pushTerms(terms: TermExposures): void {
    if (terms.width > 0) this.termLags = terms.width;
    const at = (this.rows - 1) % BLOCK_ROWS, block = this.block(this.rows - 1);
    this.amounts += block.addTerms(at, terms, this.columnOf) * terms.width;
  }

  /** The same where the last row was extended. */
  extendTerms(terms: TermExposures): void {
    const at = (this.rows - 1) % BLOCK_ROWS, block = this.block(this.rows - 1);
    this.amounts += block.extendTerms(at, terms, this.columnOf) * terms.width;
  }

  /** Numbers that are classes. */
  get classCount(): number {
    return this.count - this.columns;
  }

  /** A number for a column. */
  addColumn(): number {
    const number = this.#number();
    if (number >= this.isColumn.length) this.isColumn = grown(this.isColumn, number + 1);
    this.isColumn[number] = 1;
    this.columns++;
    return number;
  }

  /** Whether a class has a number of its own. */
  hasOwn(raw: number): boolean {
    return raw < this.#isOwn.length && this.#isOwn[raw] === 1;
  }

  /** Values by number as values by the class that came in; 0: it has no number, or none of them. */
  byClass(values: Float64Array): Float64Array {
    return Float64Array.from(
      this.fitOf,
      (own) => own >= 0 && own < values.length ? values[own] : 0,
    );
  }

  /** Drops all rows, and the room of all but a few; numbers stay. */
  clear(): void {
    if (this.rows > BLOCK_ROWS) {
      this.#blocks = this.#blocks.slice(0, 1);
      this.energyJ = new Float64Array(64);
      this.lengthS = new Float64Array(64);
      this.fresh = new Int32Array(64);
      this.beginS = new Float64Array(64);
    }
    this.rows = this.entries = this.amounts = 0;
  }

  /**
   * From here on there are at most {@linkcode MOST_CLASSES} numbers. Where there are more now, the
   * classes with the most CPU time keep theirs and the others share one.
   */
  limit(): void {
    const again = this.#limited;
    this.#limited = true;
    if (again || this.classCount < MOST_CLASSES || this.columns > 0) return;
    const seconds = this.seconds();
    const all = seconds.reduce((sum, s) => sum + s, 0);
    const kept = [...seconds.keys()].filter((c) => seconds[c] >= LEAST_SHARE * all)
      .sort((a, b) => seconds[b] - seconds[a]).slice(0, MOST_CLASSES - 1);
    const isKept = new Uint8Array(this.count);
    for (const old of kept) isKept[old] = 1;
    const moved = new Int32Array(this.count).fill(kept.length);
    kept.forEach((old, rank) => moved[old] = rank);
    this.shared = kept.length;
    this.count = kept.length + 1;
    this.#lateS = new Float64Array(this.fitOf.length);
    const before = this.fitOf.slice();
    for (let raw = 0; raw < before.length; raw++) {
      const old = before[raw];
      if (old < 0 || isKept[old] === 1) continue;
      const around = this.#around(raw, (c) => before[c] >= 0 && isKept[before[c]] === 1);
      if (around > 0) moved[old] = moved[before[around]];
      this.#lateS[raw] = seconds[old];
    }
    for (let raw = 0; raw < before.length; raw++) {
      if (before[raw] >= 0) this.fitOf[raw] = moved[before[raw]];
    }
    for (let raw = 0; raw < before.length; raw++) {
      if (before[raw] >= 0 && isKept[before[raw]] === 1) this.#setOwn(raw);
    }
    this.#rewrite(moved);
  }

  /** The nearest class around one that fulfils the condition; 0: none. */
  #around(raw: number, isWanted: (raw: number) => boolean): number {
    const parentOf = this.#parentOf;
    if (parentOf === undefined) return 0;
    let at = parentOf(raw);
    while (at > 0 && !isWanted(at)) at = parentOf(at);
    return Math.max(0, at);
  }

  #setOwn(raw: number): void {
    if (raw >= this.#isOwn.length) this.#isOwn = grown(this.#isOwn, raw + 1);
    this.#isOwn[raw] = 1;
  }

  /** Renumbers the rows, adding up what now has one number. */
  #rewrite(moved: Int32Array): void {
    this.entries = 0;
    for (let first = 0; first < this.rows; first += BLOCK_ROWS) {
      const { start, classes, tau, lags, faded } = this.block(first);
      for (let e = 0; e < (faded?.classes.length ?? 0); e++) {
        faded!.classes[e] = moved[faded!.classes[e]];
      }
      let end = 0;
      let begin = 0;
      for (let i = 0; i < Math.min(BLOCK_ROWS, this.rows - first); i++) {
        const stop = start[i + 1];
        const from = end;
        for (let e = begin; e < stop; e++) {
          const c = moved[classes[e]];
          let at = this.#place[c] - 1;
          const isNew = at < from;
          if (isNew) {
            at = end++;
            this.#place[c] = at + 1;
            classes[at] = c;
          }
          for (let l = 0; l < lags; l++) {
            const more = tau[e * lags + l];
            if (isNew) tau[at * lags + l] = more;
            else tau[at * lags + l] += more;
          }
        }
        for (let e = from; e < end; e++) this.#place[classes[e]] = 0;
        begin = stop;
        start[i + 1] = end;
      }
      this.entries += end;
    }
  }

  #own(raw: number, seconds: number): number {
    if (raw >= this.fitOf.length) this.fitOf = grown(this.fitOf, raw + 1, -1);
    this.#seconds += seconds;
    if (raw < this.#isOwn.length && this.#isOwn[raw] === 1) return this.fitOf[raw];
    if (this.shared < 0) {
      if (!this.#limited || this.classCount < FREE_CLASSES) return this.#give(raw);
      this.shared = this.#number();
    }
    if (raw >= this.#lateS.length) this.#lateS = grown(this.#lateS, raw + 1);
    this.#lateS[raw] += seconds;
    const large = this.#lateS[raw] >= LATE_SHARE * this.#seconds;
    if (large && this.classCount < MOST_CLASSES) return this.#give(raw);
    if (this.fitOf[raw] >= 0) return this.fitOf[raw];
    const around = this.#around(raw, (c) => c < this.#isOwn.length && this.#isOwn[c] === 1);
    return this.fitOf[raw] = around > 0 ? this.fitOf[around] : this.shared;
  }

  #give(raw: number): number {
    this.#setOwn(raw);
    return this.fitOf[raw] = this.#number();
  }

  #number(): number {
    const own = this.count++;
    if (own >= this.#place.length) this.#place = grown(this.#place, own + 1);
    return own;
  }
}
