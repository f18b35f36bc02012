/**
 * Conditions that may change a class's power: length and age of a stay, the class before, the
 * classes on other CPUs, the recent power, the time in the run. Columns of a design over pieces of
 * time.
 * @module
 */
import { type Columns, type Domain } from "./domain.ts";
import { FAMILY } from "./model.ts";
import { findPairs, type Pairs, type PairSpans } from "./pairs.ts";
import { AGES_S, PIECES_AT_ONCE } from "./pieces.ts";

/** Shares of the time below which a context, a class's memory, its line have no column. */
const MIN_SHARE = 0.001, MIN_MEMORY = 0.002, MIN_LINE = 0.005;
/** A context with more of its class than this is the class. */
const WHOLE = 0.995;
/** Octaves of a stay's length begin here, s: a quarter of a fast counter's period; the last is that of 256 ms. */
const OCTAVE_S = 0.00025, OCTAVES = 10;
/** Keys of a context, at most: octaves, ages, or classes before. */
const KEYS = 20;
/** Ages that are the first 2 ms of a stay: licences and ramps end there. */
const FIRST_AGES = 2;
/**
 * Time constants of memories, s: a factor of four apart, from a fast governor's period to where intervals show
 * the change themselves.
 */
const MEMORIES_S = [0.004, 0.016, 0.064];
/** Steps of the power's history: an eighth of the shortest memory; over long runs so many of them. */
const HISTORY_S = 0.0005, HISTORY = 400_000;
/** All columns of a counter, lag and shape included: cost (p²/2 multiply-adds a row). At most a sixth of its rows. */
const MAX_COLUMNS = 128;
const ROWS_A_COLUMN = 6, MIN_COLUMNS = 8;
/** Numbers of a design, for memory: as many as a stretch has by its changes; coarse counters have more rows. */
const MAX_NUMBERS = 12_288 * MAX_COLUMNS;
/** Columns of pairs, memories and lines: at most so many, and this part of what there is. */
const PAIRS = 24, PAIRS_PART = 6, MEMORY = 36, MEMORY_PART = 4, LINES = 24, LINES_PART = 8;

/** The columns of a counter. */
export interface Contexts {
  readonly columns: Columns;
  readonly pairs: Pairs | undefined;
}

/** Columns of classes, effects, memories, lines and pairs. @param rows Intervals that there are. */
export function* makeContexts(
  domain: Domain,
  powers: Float64Array,
  rows: number,
): Generator<void, Contexts> {
  const { classes } = domain;
  const most = Math.max(
    MIN_COLUMNS,
    Math.min(MAX_COLUMNS, Math.floor(rows / ROWS_A_COLUMN), Math.floor(MAX_NUMBERS / rows)) - 2 -
      classes,
  );
  const beside = yield* findPairs(domain, powers, Math.min(PAIRS, Math.floor(most / PAIRS_PART)));
  const left = most - (beside === undefined ? 0 : beside.pairs.list.length + 1);
  yield;
  const made = new ColumnMaker(domain);
  // Stays of very many lanes at a time have no effects of their own.
  if (!domain.log.isWhole) {
    const memories = chosen(
      domain,
      MIN_MEMORY,
      Math.floor(Math.min(MEMORY, Math.floor(left / MEMORY_PART)) / MEMORIES_S.length),
    );
    const lines = chosen(domain, MIN_LINE, Math.min(LINES, Math.floor(left / LINES_PART)));
    yield* addEffects(made, left - memories.length * MEMORIES_S.length - lines.length);
    yield;
    yield* addMemories(made, memories, powers);
    yield;
    yield* addLines(made, lines);
    yield;
  }
  const columns = yield* made.finish(beside?.spans, beside?.pairs.list.length);
  yield;
  return { columns, pairs: beside?.pairs };
}

/** Classes with most of the time, those above a share of it, at most so many. */
function chosen({ seconds }: Domain, share: number, most: number): number[] {
  const all = seconds.reduce((sum, s) => sum + s, 0);
  return [...seconds.keys()].sort((a, b) => seconds[b] - seconds[a])
    .filter((c) => seconds[c] > share * all).slice(0, Math.max(0, most));
}

/** Columns by piece while they are made. */
class ColumnMaker {
  readonly families: number[];
  readonly classes: number[];
  /** By piece: values of its columns beside its class, in the order of their making. */
  readonly #more: { piece: Int32Array; column: Int32Array | number; value: Float64Array }[] = [];

  constructor(readonly domain: Domain) {
    this.families = domain.ids.map(() => FAMILY.own);
    this.classes = domain.ids.map((_, c) => c);
  }

  get width(): number {
    return this.families.length;
  }

  /** Numbers of a new column. */
  push(family: number, c: number): number {
    this.classes.push(c);
    return this.families.push(family) - 1;
  }

  /** Values of one column, or of columns by piece. */
  add(piece: Int32Array, column: Int32Array | number, value: Float64Array): void {
    this.#more.push({ piece, column, value });
  }

  *finish(pairs: PairSpans | undefined, pairColumns = 0): Generator<void, Columns> {
    const { log, pieceClass } = this.domain, own = log.count, spans = pairs?.startS.length ?? 0;
    const count = own + spans, begin = new Int32Array(count + 1).fill(1, 1, own + 1);
    for (const { piece } of this.#more) {
      yield;
      for (const i of piece) begin[i + 1]++;
    }
    yield;
    for (let i = 0; i < spans; i++) begin[own + i + 1] = pairs!.begin[i + 1] - pairs!.begin[i];
    for (let i = 0; i < count; i++) begin[i + 1] += begin[i];
    const column = new Int32Array(begin[count]), value = new Float64Array(begin[count]);
    const next = begin.slice(0, own);
    for (let i = 0; i < own; i++) {
      if (i % PIECES_AT_ONCE === 0) yield;
      column[next[i]] = pieceClass[i];
      value[next[i]++] = log.weight[i];
    }
    for (const { piece, column: of, value: values } of this.#more) {
      yield;
      for (let k = 0; k < piece.length; k++) {
        const at = next[piece[k]]++;
        column[at] = typeof of === "number" ? of : of[k];
        value[at] = values[k];
      }
    }
    const first = this.width;
    if (pairs !== undefined) {
      for (let k = 0; k < pairColumns; k++) this.push(FAMILY.beside, -1);
      this.push(FAMILY.common, -1);
      pairs.column.forEach((j, k) => column[begin[own] + k] = first + j);
      value.set(pairs.value, begin[own]);
    }
    yield;
    const startS = new Float64Array(count), endS = new Float64Array(count);
    startS.set(log.startS.subarray(0, own));
    endS.set(log.endS.subarray(0, own));
    startS.set(pairs?.startS ?? [], own);
    endS.set(pairs?.endS ?? [], own);
    const families = Int8Array.from(this.families), classes = Int32Array.from(this.classes);
    return { count, own, startS, endS, begin, column, value, width: this.width, families, classes };
  }
}

/** Families 1 to 4: zero-mean effects around the class's power; those with most time × (1 − their share) first. */
function* addEffects(made: ColumnMaker, budget: number): Generator<void, void> {
  const { domain } = made, { log, pieceClass, stayBefore, classes, seconds } = domain;
  const n = log.count, all = seconds.reduce((sum, s) => sum + s, 0);
  const octaves = new Uint8Array(log.stays);
  for (let s = 0; s < log.stays; s++) {
    if (s % PIECES_AT_ONCE === 0) yield;
    const lengthS = Math.max(log.stayEndS[s] - log.stayStartS[s], 1e-9);
    octaves[s] = Math.max(-1, Math.min(OCTAVES, Math.floor(Math.log2(lengthS / OCTAVE_S)))) + 1;
  }
  const keyOf: Record<number, (i: number) => number> = {
    [FAMILY.length]: (i) => octaves[log.stay[i]],
    [FAMILY.age]: (i) => log.age[i] < AGES_S.length ? log.age[i] : -1,
    [FAMILY.before]: (i) => stayBefore[log.stay[i]] + 1,
    [FAMILY.beforeFirst]: (i) => log.age[i] < FIRST_AGES ? stayBefore[log.stay[i]] + 1 : -1,
  };
  const families = Object.keys(keyOf).map(Number), width = classes + KEYS;
  const candidates: { rank: number; family: number; key: number; c: number }[] = [];
  for (const family of families) {
    const sums = new Float64Array(classes * width);
    for (let i = 0; i < n; i++) {
      if (i % PIECES_AT_ONCE === 0) yield;
      const key = keyOf[family](i);
      if (key >= 0) {
        sums[pieceClass[i] * width + key] += (log.endS[i] - log.startS[i]) * log.weight[i];
      }
    }
    sums.forEach((s, key) => {
      const c = Math.floor(key / width);
      if (!(s > 0) || s < MIN_SHARE * all || s > WHOLE * seconds[c]) return;
      const rank = s / all * (family === FAMILY.beforeFirst ? 1 : 1 - s / seconds[c]);
      candidates.push({ rank, family, key, c });
    });
  }
  candidates.sort((a, b) => b.rank - a.rank).splice(Math.max(0, budget));
  const columnOf = new Map<number, Int32Array>();
  for (const { family, key, c } of candidates) {
    const columns = columnOf.getOrInsertComputed(
      family,
      () => new Int32Array(classes * width).fill(-1),
    );
    columns[key] = made.push(family, c);
  }
  for (const [family, columns] of columnOf) {
    const piece = new Int32Array(n), column = new Int32Array(n), value = new Float64Array(n);
    let used = 0;
    for (let i = 0; i < n; i++) {
      if (i % PIECES_AT_ONCE === 0) yield;
      const key = keyOf[family](i), at = key < 0 ? -1 : columns[pieceClass[i] * width + key];
      if (at < 0) continue;
      piece[used] = i;
      column[used] = at;
      value[used++] = log.weight[i];
    }
    made.add(piece.slice(0, used), column.slice(0, used), value.slice(0, used));
  }
}

/** Pieces by class. */
function* piecesOf({ log, pieceClass, classes }: Domain): Generator<void, Int32Array[]> {
  const lists: number[][] = Array.from({ length: classes }, () => []);
  for (let i = 0; i < log.count; i++) {
    if (i % PIECES_AT_ONCE === 0) yield;
    lists[pieceClass[i]].push(i);
  }
  return lists.map((list) => Int32Array.from(list));
}

/** ∫ of what pieces draw from 0 to each point of an even grid; pieces begin behind its first point. */
export function* cumulated(
  spans: Pick<Domain["log"], "startS" | "endS">,
  which: Iterable<number>,
  watts: (piece: number) => number,
  grid: { startS: number; stepS: number; count: number },
): Generator<void, Float64Array> {
  const { startS, stepS, count } = grid, out = new Float64Array(count);
  // Power that whole cells have, as differences; and energy in cells that pieces have a part of.
  const power = new Float64Array(count + 1);
  let added = 0;
  for (const i of which) {
    if (added++ % PIECES_AT_ONCE === 0) yield;
    const a = (spans.startS[i] - startS) / stepS,
      b = Math.min((spans.endS[i] - startS) / stepS, count - 1);
    if (!(b > a)) continue;
    const w = watts(i), first = Math.floor(a), last = Math.floor(b);
    if (first === last) {
      out[first + 1] += w * (b - a) * stepS;
      continue;
    }
    out[first + 1] += w * (first + 1 - a) * stepS;
    if (last + 1 < count) out[last + 1] += w * (b - last) * stepS;
    power[first + 1] += w;
    power[last] -= w;
  }
  let sum = 0, now = 0;
  for (let j = 1; j < count; j++) {
    now += power[j - 1];
    sum += out[j] + now * stepS;
    out[j] = sum;
  }
  out[0] = 0;
  return out;
}

/**
 * Family 6: the domain's power, predicted from its classes, after first orders; a column of each class times each.
 * A governor, a cap, a budget and heat all act by it.
 */
function* addMemories(
  made: ColumnMaker,
  classes: readonly number[],
  powers: Float64Array,
): Generator<void, void> {
  if (classes.length === 0) return;
  const { domain } = made, { log, pieceClass } = domain, n = log.count;
  let endS = 0;
  for (let i = 0; i < n; i++) endS = Math.max(endS, log.endS[i]);
  const stepS = Math.max(HISTORY_S, endS / HISTORY);
  const grid = { startS: 0, stepS, count: Math.floor(endS / stepS) + 2 };
  const drawn = yield* cumulated(
    log,
    rangeTo(n),
    (i) => log.weight[i] * powers[pieceClass[i]],
    grid,
  );
  const power = new Float64Array(grid.count);
  for (let j = 1; j < grid.count; j++) power[j] = drawn[j] - drawn[j - 1];
  const mean = Math.max(drawn[grid.count - 1] / grid.count, 1e-300);
  yield;
  const pieces = yield* piecesOf(domain), value = new Float64Array(n);
  for (const tau of MEMORIES_S) {
    yield;
    const q = Math.exp(-stepS / tau), h = new Float64Array(grid.count);
    let last = 0;
    for (let j = 0; j < grid.count; j++) h[j] = last = q * last + (1 - q) * (power[j] / mean - 1);
    let all = 0, sum = 0, square = 0;
    for (let i = 0; i < n; i++) {
      if (i % PIECES_AT_ONCE === 0) yield;
      const at = Math.min((log.startS[i] + log.endS[i]) / 2 / stepS, grid.count - 1);
      const j = Math.min(Math.floor(at), grid.count - 2), d = log.endS[i] - log.startS[i];
      const x = value[i] = h[j] + (at - j) * (h[j + 1] - h[j]);
      all += d;
      sum += d * x;
      square += d * x * x;
    }
    const deviation = Math.sqrt(Math.max(0, square / all - (sum / all) ** 2));
    for (const c of classes) {
      yield;
      addCentred(made, pieces[c], value, deviation, made.push(FAMILY.memory, c));
    }
  }
}

/** Family 7: a class's power may change over the run: a line in time, of variance 1 over the run. */
function* addLines(made: ColumnMaker, classes: readonly number[]): Generator<void, void> {
  if (classes.length === 0) return;
  const { domain } = made, { log, facts } = domain, pieces = yield* piecesOf(domain);
  const value = new Float64Array(log.count);
  for (let i = 0; i < log.count; i++) {
    if (i % PIECES_AT_ONCE === 0) yield;
    value[i] = ((log.startS[i] + log.endS[i]) / 2 / facts.endS - 0.5) * Math.sqrt(12);
  }
  for (const c of classes) {
    yield;
    addCentred(made, pieces[c], value, 1, made.push(FAMILY.time, c));
  }
}

/** A value by piece, centred in its class. */
function addCentred(
  made: ColumnMaker,
  pieces: Int32Array,
  value: Float64Array,
  deviation: number,
  column: number,
): void {
  const { log } = made.domain;
  let all = 0, sum = 0;
  for (const i of pieces) {
    all += log.endS[i] - log.startS[i];
    sum += value[i] * (log.endS[i] - log.startS[i]);
  }
  const scale = Math.max(deviation, 1e-9), mean = sum / all;
  made.add(
    pieces,
    column,
    Float64Array.from(pieces, (i) => (value[i] - mean) / scale * log.weight[i]),
  );
}

function* rangeTo(n: number): Generator<number> {
  for (let i = 0; i < n; i++) yield i;
}
