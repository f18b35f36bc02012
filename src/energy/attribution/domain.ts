/**
 * One domain as the fit sees it: numbered classes, pieces of time, boundaries; designs for kernels.
 * @module
 */
import { type Boundaries, lengthsOf } from "./clock.ts";
import { NONE, OWN, type PieceLog } from "./pieces.ts";
import { type Kernel, type Parts, prepared, respond, type Room, type Spans } from "./response.ts";

/** Most classes, those of the estimator's own included: a power each costs little, and the rest goes to effects. */
export const MAX_CLASSES = 64;
/** Pieces that are looked at together: slow answers show each of them in a hundred intervals. */
const SLICE = 128;
/** Pieces that are numbered between two pauses. */
const NUMBERED = 8192;
/** Numbers that are set to 0 between two pauses: 1 MiB. */
const ZEROED = 131_072;

/** Pieces of a slice: from which on, and how many. */
interface Slice {
  readonly from: number;
  readonly count: number;
}

/** Part of an interval's capacity that must be known for the interval to be fitted. */
const KNOWN = 0.98;

/** Values of columns by piece: those of piece i are begin[i] up to begin[i + 1]. */
export interface Sparse {
  readonly begin: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/** Columns of a design over pieces, each in units of its own. */
export interface Columns extends Spans, Sparse {
  /** Number of columns; classes come first. */
  readonly width: number;
  /** Family of each column, and the class that it belongs to (−1: pairs). */
  readonly families: Int8Array;
  readonly classes: Int32Array;
  /** Pieces that are no pairs; those come behind them. */
  readonly own: number;
}

/** A domain, complete once its classes are numbered. Times are seconds after its first reading. */
export class Domain {
  /** By class: the caller's number, or one of {@linkcode OWN}; those with most time first. */
  readonly ids: readonly number[] = [];
  /** By class: CPU-seconds. */
  readonly seconds: Float64Array;
  /** CPU-seconds of those that have no place of their own. */
  readonly joinedS: ReadonlyMap<number, number>;
  readonly lengthS: Float64Array;
  readonly energyJ: Float64Array;
  /** Mean power of a CPU, W. */
  readonly meanW: number;
  #design = new Float64Array(0);
  readonly #room: Room = { interval: new Int32Array(0), partS: new Float64Array(0) };
  readonly #classOf: (id: number) => number;
  /** By piece: its class. Filled by {@linkcode number}. */
  readonly pieceClass: Int32Array;
  /** By stay: the class before, −1: none. Filled by {@linkcode number}. */
  readonly stayBefore: Int32Array;

  constructor(
    readonly log: PieceLog,
    readonly boundaries: Boundaries,
    /** capacity: CPUs; totalJ: the counter's difference; isLost: some of it was not seen. */
    readonly facts: {
      readonly endS: number;
      readonly capacity: number;
      readonly totalJ: number;
      readonly isLost: boolean;
      /** Part of its two ends at which a lane lives. */
      readonly alive: number;
      readonly isDevice: boolean;
      /** More threads in regions than CPUs for them. */
      readonly crowd: { readonly threads: number; readonly cpus: number } | undefined;
    },
  ) {
    const all = log.seconds().sort((a, b) => b[1] - a[1]);
    const isOwn = (id: number) => id === OWN.other || id === OWN.outside;
    const order = [...all.filter(([id]) => isOwn(id)), ...all.filter(([id]) => !isOwn(id))];
    const isMany = order.length > MAX_CLASSES;
    const kept = new Set(order.slice(0, isMany ? MAX_CLASSES - 1 : order.length).map(([id]) => id));
    this.ids = all.map(([id]) => id).filter((id) => kept.has(id)).concat(
      isMany ? [OWN.joined] : [],
    );
    const number = new Map(this.ids.map((id, c) => [id, c])), last = this.ids.length - 1;
    this.#classOf = (id) => number.get(id) ?? last;
    this.seconds = new Float64Array(this.ids.length);
    for (const [id, s] of all) this.seconds[this.#classOf(id)] += s;
    this.pieceClass = new Int32Array(log.count);
    this.stayBefore = new Int32Array(log.stays);
    this.joinedS = new Map(all.filter(([id]) => !kept.has(id)));
    const { valueJ } = boundaries;
    this.energyJ = valueJ.slice(1).map((v, k) => v - valueJ[k]);
    this.lengthS = lengthsOf(boundaries).map((d) => Math.max(d, 1e-9));
    this.meanW = facts.totalJ / Math.max(facts.endS * facts.capacity, 1e-12);
  }

  /** Numbers the classes of pieces and stays. */
  *number(): Generator<void, void> {
    const { count, stay, stays, stayClass, stayBefore } = this.log;
    const classes = new Int32Array(stays);
    for (let s = 0; s < stays; s++) {
      if (s % NUMBERED === 0) yield;
      classes[s] = this.#classOf(stayClass[s]);
      this.stayBefore[s] = stayBefore[s] === NONE ? -1 : this.#classOf(stayBefore[s]);
    }
    for (let i = 0; i < count; i++) {
      if (i % NUMBERED === 0) yield;
      this.pieceClass[i] = classes[stay[i]];
    }
  }

  /** Columns before a design. */
  get classes(): number {
    return this.ids.length;
  }

  get intervals(): number {
    return this.energyJ.length;
  }

  /**
   * Z = G S: what each interval shows of each column, column after column, valid until the next call; and which
   * intervals are whole, their exposures all known.
   */
  *design(
    kernel: Kernel,
    columns: Columns,
  ): Generator<void, { z: Float64Array; isWhole: Uint8Array }> {
    const n = this.intervals, length = n * columns.width;
    if (this.#design.length !== length) this.#design = new Float64Array(length);
    const z = this.#design;
    for (let from = 0; from < length; from += ZEROED) {
      yield;
      z.fill(0, from, from + ZEROED);
    }
    for (const shown of this.#respond(kernel, columns)) {
      yield;
      addColumns(z, n, columns, shown);
    }
    const isWhole = new Uint8Array(n), { capacity } = this.facts;
    for (let k = 0; k < n; k++) {
      let all = 0;
      for (let c = 0; c < this.classes; c++) all += z[c * n + k];
      const isKnown = all > KNOWN * capacity * this.lengthS[k] - 1e-6;
      isWhole[k] = isKnown ? this.boundaries.isWhole[k] : 0;
    }
    return { z, isWhole };
  }

  /** Parts that intervals show of the columns' pieces, some pieces at a time. */
  *#respond(kernel: Kernel, { count, startS, endS }: Columns): Generator<Parts & Slice> {
    const answer = prepared(this.boundaries, kernel);
    for (let from = 0; from < count; from += SLICE) {
      const to = Math.min(count, from + SLICE);
      const some = {
        count: to - from,
        startS: startS.subarray(from, to),
        endS: endS.subarray(from, to),
      };
      yield { from, count: some.count, ...respond(some, answer, this.#room) };
    }
  }

  /** Zv without Z. */
  *along(kernel: Kernel, columns: Columns, v: Float64Array): Generator<void, Float64Array> {
    const out = new Float64Array(this.intervals);
    for (const shown of this.#respond(kernel, columns)) {
      yield;
      addAlong(out, v, columns, shown);
    }
    return out;
  }

  /** Intervals without a break that begin so long after the first reading; at most so many of the first. */
  since(seconds: number, most = Infinity): Uint8Array {
    const { isWhole, yS, aS } = this.boundaries;
    return isWhole.map((is, k) => is === 1 && k < most && yS[k] - aS[k] >= seconds ? 1 : 0);
  }
}

/** Adds what intervals show of each column. */
function addColumns(z: Float64Array, n: number, columns: Columns, shown: Parts & Slice): void {
  const { begin: first, column, value } = columns, { from, count, begin, interval, partS } = shown;
  for (let i = 0; i < count; i++) {
    const to = first[from + i + 1], firstPart = begin[i], lastPart = begin[i + 1];
    for (let s = first[from + i]; s < to; s++) {
      const o = column[s] * n, x = value[s];
      for (let k = firstPart; k < lastPart; k++) z[o + interval[k]] += x * partS[k];
    }
  }
}

/** Adds what intervals show of all columns, each times its coefficient. */
function addAlong(
  out: Float64Array,
  v: Float64Array,
  { begin: first, column, value }: Columns,
  { from, count, begin, interval, partS }: Parts & Slice,
): void {
  for (let i = 0; i < count; i++) {
    let x = 0;
    const to = first[from + i + 1];
    for (let s = first[from + i]; s < to; s++) x += value[s] * v[column[s]];
    for (let k = begin[i]; k < begin[i + 1]; k++) out[interval[k]] += x * partS[k];
  }
}
