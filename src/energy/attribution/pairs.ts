/**
 * Pairs of classes on different lanes at a time: which of them have columns of a design, and when.
 * @module
 */
import { grown } from "../../core/grow.ts";
import type { Domain } from "./domain.ts";
import { countUpTo, median, sort } from "./linear.ts";
import { PIECES_AT_ONCE } from "./pieces.ts";

/** Share of the time below which a pair has no column. */
const MIN_SHARE = 0.001;
/** More moments than this at which lanes change have no pairs. */
const MAX_MOMENTS = 400_000;
/** More moments than this, and than this an interval, are put together by cells of this part of an interval. */
const MIN_CELLED = 8192, CELLED_AN_INTERVAL = 8, CELL_PART = 4;
/** Smaller weights are none, CPUs. */
const NO_WEIGHT = 1e-9;

/** Pairs of classes on different lanes. */
export interface Pairs {
  /** By pair with a column: its classes and its CPU-seconds. */
  readonly list: readonly { readonly a: number; readonly b: number; readonly seconds: number }[];
  /** CPU-seconds of the common column. */
  readonly commonS: number;
  /** Activities of classes: their power above the minimum, over the mean. */
  readonly activity: Float64Array;
  /** CPU-seconds of all pairs, classes × classes. */
  readonly together: Float64Array;
}

/** Moments and what changes then, as columns of pieces that are pairs. */
export interface PairSpans {
  readonly startS: Float64Array;
  readonly endS: Float64Array;
  readonly begin: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/**
 * Family 5: pairs of classes on different lanes. With N_r the weight of lanes in r, W that of all living lanes and
 * w = W / their number: a mixed pair's exposure is N_r N_s/(W − w), a like pair's N_r max(N_r − w, 0)/(W − w).
 */
export function* findPairs(
  domain: Domain,
  powers: Float64Array,
  budget: number,
): Generator<void, { spans: PairSpans; pairs: Pairs } | undefined> {
  const { log, classes } = domain;
  const room = new Int32Array(log.count);
  let used = 0, firstLane = -1, areSeveral = false;
  for (let i = 0; i < log.count; i++) {
    if (i % PIECES_AT_ONCE === 0) yield;
    const lane = log.stayLane[log.stay[i]];
    if (lane < 0) continue;
    if (used === 0) firstLane = lane;
    areSeveral ||= lane !== firstLane;
    room[used++] = i;
  }
  if (!areSeveral) return undefined;
  const pieces = room.subarray(0, used), ends = new Float64Array(2 * used);
  for (let k = 0; k < used; k++) {
    if (k % PIECES_AT_ONCE === 0) yield;
    ends[2 * k] = log.startS[pieces[k]];
    ends[2 * k + 1] = log.endS[pieces[k]];
  }
  const all = yield* sort(ends);
  let moments = 0;
  for (let k = 0; k < all.length; k++) {
    if (k % PIECES_AT_ONCE === 0) yield;
    if (moments === 0 || all[k] !== all[moments - 1]) all[moments++] = all[k];
  }
  if (moments > MAX_MOMENTS || moments < 2) return undefined;
  const t = all.subarray(0, moments);
  const changes = yield* changesAt(domain, pieces, t);
  const living = new Float64Array(moments);
  let next = 0, count = 0;
  for (let k = 0; k < moments; k++) {
    if (k % PIECES_AT_ONCE === 0) yield;
    while (next < log.totals.length && log.totals[next].timeS <= t[k] + 1e-12) {
      count = log.totals[next++].lanes;
    }
    living[k] = count;
  }
  const timeline = { t, living, changes, now: new Float64Array(classes) };
  const together = new Float64Array(classes * classes), inLanes = new Float64Array(classes);
  for (let k = 0; k + 1 < moments; k += PIECES_AT_ONCE) {
    yield;
    addTogether(timeline, k, Math.min(k + PIECES_AT_ONCE, moments - 1), together, inLanes);
  }
  for (let a = 0; a < classes; a++) {
    for (let b = 0; b < a; b++) {
      together[a * classes + b] += together[b * classes + a];
      together[b * classes + a] = together[a * classes + b];
    }
  }
  const allS = inLanes.reduce((sum, s) => sum + s, 0);
  const list: { a: number; b: number; seconds: number }[] = [];
  for (let a = 0; a < classes; a++) {
    for (let b = a; b < classes; b++) {
      const seconds = together[a * classes + b];
      if (seconds > MIN_SHARE * allS) list.push({ a, b, seconds });
    }
  }
  list.sort((x, y) => y.seconds - x.seconds).splice(Math.max(0, budget));
  if (list.length === 0) return undefined;
  let least = Infinity, meanW = 0;
  for (let c = 0; c < classes; c++) if (inLanes[c] > 0) least = Math.min(least, powers[c]);
  for (let c = 0; c < classes; c++) meanW += inLanes[c] * powers[c] / allS;
  const activity = inLanes.map((s, c) => s > 0 ? Math.max(powers[c] - least, 0) / meanW : 0);
  // Of very many moments those within a small part of an interval are one.
  const isMany = moments > Math.max(MIN_CELLED, CELLED_AN_INTERVAL * domain.intervals);
  const cellS = isMany ? median(domain.lengthS) / CELL_PART : 0;
  const cells = new PairCells(timeline, list, activity, cellS);
  timeline.now.fill(0);
  for (let k = 0; k + 1 < moments; k += PIECES_AT_ONCE) {
    yield;
    cells.add(k, Math.min(k + PIECES_AT_ONCE, moments - 1));
  }
  return {
    spans: cells.spans(),
    pairs: { list, commonS: cells.commonS, activity, together },
  };
}

/** Changes of weights: those at moment k are begin[k] up to begin[k + 1]. */
interface Changes {
  readonly begin: Int32Array;
  readonly classOf: Int32Array;
  readonly weight: Float64Array;
}

function* changesAt(
  { log, pieceClass }: Domain,
  some: Int32Array,
  at: Float64Array,
): Generator<void, Changes> {
  const begin = new Int32Array(at.length + 1), places = new Int32Array(2 * some.length);
  for (let k = 0; k < some.length; k++) {
    if (k % PIECES_AT_ONCE === 0) yield;
    const i = some[k];
    begin[(places[2 * k] = countUpTo(at, log.startS[i]) - 1) + 1]++;
    begin[(places[2 * k + 1] = countUpTo(at, log.endS[i]) - 1) + 1]++;
  }
  for (let k = 0; k < at.length; k++) begin[k + 1] += begin[k];
  const to = begin.slice(),
    classOf = new Int32Array(2 * some.length),
    weight = new Float64Array(2 * some.length);
  yield;
  for (let k = 0; k < places.length; k++) {
    if (k % PIECES_AT_ONCE === 0) yield;
    const i = some[k >> 1], p = to[places[k]]++;
    classOf[p] = pieceClass[i];
    weight[p] = (k & 1) === 0 ? log.weight[i] : -log.weight[i];
  }
  yield;
  return { begin, classOf, weight };
}

/** Weights of classes over time. */
interface Timeline {
  /** Moments at which they change, and the number of living lanes from each on. */
  readonly t: Float64Array;
  readonly living: Float64Array;
  readonly changes: Changes;
  /** Weights between two moments, by class. */
  readonly now: Float64Array;
}

/** Weights become those after a moment. */
function change({ changes: { begin, classOf, weight }, now }: Timeline, k: number): void {
  for (let i = begin[k]; i < begin[k + 1]; i++) now[classOf[i]] += weight[i];
}

/** Adds the seconds of classes, and of pairs of them, from one moment to another. */
function addTogether(
  timeline: Timeline,
  from: number,
  to: number,
  together: Float64Array,
  inLanes: Float64Array,
): void {
  const { t, living, now } = timeline, classes = now.length;
  const present = new Int32Array(classes), weights = new Float64Array(classes);
  for (let k = from; k < to; k++) {
    change(timeline, k);
    const dt = t[k + 1] - t[k];
    let found = 0, sum = 0;
    for (let c = 0; c < classes; c++) {
      const w = now[c];
      if (!(w >= NO_WEIGHT)) continue;
      present[found] = c;
      weights[found++] = w;
      inLanes[c] += w * dt;
      sum += w;
    }
    if (living[k] < 1.5) continue;
    const one = sum / living[k], rest = dt / Math.max(sum - one, 1e-9);
    for (let i = 0; i < found; i++) {
      const a = present[i], row = a * classes, of = weights[i] * rest;
      together[row + a] += of * Math.max(weights[i] - one, 0);
      for (let j = i + 1; j < found; j++) together[row + present[j]] += of * weights[j];
    }
  }
}

/** Columns of pairs, cell after cell of time. */
class PairCells {
  /** Seconds of the common column. */
  commonS = 0;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #cell: Float64Array;
  readonly #startS: Float64Array;
  readonly #endS: Float64Array;
  readonly #begin: Int32Array;
  #column = new Int32Array(1024);
  #value = new Float64Array(1024);
  #spans = 0;
  #values = 0;
  #fromS: number;

  constructor(
    readonly timeline: Timeline,
    list: Pairs["list"],
    readonly activity: Float64Array,
    /** Minimum length of a cell. */
    readonly cellS: number,
  ) {
    const { length } = timeline.t;
    this.#first = Int32Array.from(list, ({ a }) => a);
    this.#second = Int32Array.from(list, ({ b }) => b);
    this.#cell = new Float64Array(list.length + 1);
    this.#startS = new Float64Array(length);
    this.#endS = new Float64Array(length);
    this.#begin = new Int32Array(length + 1);
    this.#fromS = timeline.t[0];
  }

  /** Goes from one moment to another. */
  add(from: number, to: number): void {
    const { timeline, activity } = this, { t, living, now } = timeline, classes = now.length;
    const first = this.#first, second = this.#second, cell = this.#cell, pairs = first.length;
    for (let k = from; k < to; k++) {
      change(timeline, k);
      const dt = t[k + 1] - t[k], least = 1e-12 * dt;
      let sum = 0;
      for (let c = 0; c < classes; c++) if (now[c] >= NO_WEIGHT) sum += now[c];
      if (living[k] >= 1.5) {
        const one = sum / living[k], rest = dt / Math.max(sum - one, 1e-9);
        for (let j = 0; j < pairs; j++) {
          const a = first[j], b = second[j];
          const z = rest * now[a] * (a === b ? Math.max(now[a] - one, 0) : now[b]);
          if (!(z > least)) continue;
          cell[j] += z;
          cell[pairs] += z * activity[a] * activity[b];
        }
      }
      if (t[k + 1] - this.#fromS >= this.cellS || k + 2 >= t.length) this.#close(t[k + 1]);
    }
  }

  spans(): PairSpans {
    return {
      startS: this.#startS.subarray(0, this.#spans),
      endS: this.#endS.subarray(0, this.#spans),
      begin: this.#begin,
      column: this.#column.subarray(0, this.#values),
      value: this.#value.subarray(0, this.#values),
    };
  }

  #close(endS: number): void {
    const cell = this.#cell, lengthS = endS - this.#fromS;
    this.commonS += cell[cell.length - 1];
    if (this.#values + cell.length > this.#column.length) {
      this.#column = grown(this.#column);
      this.#value = grown(this.#value);
    }
    for (let j = 0; j < cell.length; j++) {
      if (cell[j] === 0) continue;
      this.#column[this.#values] = j;
      this.#value[this.#values++] = cell[j] / lengthS;
      cell[j] = 0;
    }
    this.#startS[this.#spans] = this.#fromS;
    this.#endS[this.#spans++] = this.#fromS = endS;
    this.#begin[this.#spans] = this.#values;
  }
}
