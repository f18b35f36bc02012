/**
 * One way to explain a run: with some families of columns let in, its energies and their error.
 * docs/how-sure.md.
 * @module
 */
import { FAMILY } from "./solver/columns.ts";
import type { FitStream } from "./fit_stream.ts";
import { LAG_GRID, leastOf, slopeAt, spreadAround, sum, weightsAt } from "./solver/lag_curve.ts";
import type { Solution } from "./solver/nnls.ts";
import { CONSTANTS } from "./visit_terms.ts";
import { constantAt } from "./solver/slowness.ts";
import { dot, type Given, type Reach, Variances } from "./uncertainty.ts";

/** The lag's distribution inside the window is not quite even. */
const WINDOW_SHARE = 0.05;

/** Where nothing was tested, or it is hidden: time constants up to the lag, and to this, s, by their standard deviation. */
const LATEST_S = 0.0004, LATE = 0.4;
/** Power follows the load with about one time constant, not with exactly one: part of what it carries. */
const SHAPE = 0.1;
/** The powers of two simultaneous classes cannot be separated by more than that. */
const EITHER = 0.05;

/** The counter's properties in a run, as far as a model needs them. */
export interface ModelFrame {
  /** Unit of the lags in seconds, and mean window before a change. */
  readonly lagUnitS: number;
  readonly windowS: number;
  /** The counter is no earlier than that: it does not show what comes. @default any */
  readonly leastLagS?: number;
  /** Updates come at one unknown place of their windows: these are narrower than they seem. */
  readonly isSteady: boolean;
  /**
   * Changes come about as often as steps, so that most of an interval is its windows: the errors there look like
   * what other models explain.
   */
  readonly isClose: boolean;
  /** Nothing beside the plain model is known: it was given up to test anything. */
  readonly isUntested: boolean;
  /** A short time constant is not to be told from a lag. @default false */
  readonly hidesLate?: boolean;
  /** CPU-seconds of each class in the whole run, by own number. */
  readonly seconds: Float64Array;
}

/** Rows are not quite independent: two logarithms of likelihoods count half. */
const DOUBT = 2;

/** Energies of one explanation. */
export class Model {
  readonly families: number;
  /** See `stretchAt()`. */
  readonly slowness: number;
  /** At the lag in the middle. */
  readonly solution: Solution;
  readonly lag: Lag;
  /** J by number; what columns have is in their classes. */
  readonly energies: Float64Array;
  readonly #slope: Float64Array;
  readonly #reach: Reach;
  readonly #variances: Variances;
  readonly #lagVariance: number;
  /** Energies at the lags that are followed, and how the likely lags spread over these. */
  readonly #at: readonly Float64Array[];
  readonly #spread: Float64Array;
  /** Mean time constant where power follows the load with several, s. */
  mixedConstantS = 0;
  /** By class, J: what power that follows the load brings it from others, and from those with less power. */
  readonly carriedJ: Float64Array;
  readonly #risesJ: Float64Array;
  /** Part of what is carried that is uncertain, since the time constant is. */
  readonly #shape: number;
  /** By class, J: what rises and falls that come late may move, where that was not tested or is hidden. */
  readonly #late: readonly [rises: Float64Array, falls: Float64Array] | undefined;
  /** Pairs of classes, and J that may be the one's or the other's. */
  readonly #either: readonly { a: number; b: number; joules: number }[];

  constructor(
    stream: FitStream,
    { families, slowness, solutions }: {
      families: number;
      slowness: number;
      solutions: readonly Solution[];
    },
    frame: ModelFrame,
  ) {
    const classes = solutions[stream.middle].power.length;
    this.families = families;
    this.slowness = slowness;
    this.solution = solutions[stream.middle];
    this.lag = bestLag(stream, solutions, frame);
    const reaches = solutions.map((solution, k) => reachOf(stream, k, solution, frame.seconds));
    const at = reaches.map((reach, k) => energiesAt(stream, k, reach));
    this.energies = new Float64Array(classes);
    this.#slope = new Float64Array(classes);
    const { x, stepS } = this.lag;
    const [weights, slopes] = [
      weightsAt(x, solutions.length),
      slopeAt(x, solutions.length),
    ];
    for (let c = 0; c < classes; c++) {
      if (!(frame.seconds[c] > 0)) continue;
      const values = at.map((energies) => energies[c]);
      this.energies[c] = sum(weights, values);
      this.#slope[c] = sum(slopes, values) / stepS;
    }
    this.#at = at;
    const s2 = Math.max(0, this.lag.rss) / Math.max(1, stream.counted);
    this.#spread = spreadAround(
      solutions.map(({ rss }) => rss),
      { x, value: this.lag.rss, fromX: this.lag.fromX },
      (above) => above > 0 ? -above / (2 * DOUBT * s2) : 0,
    );
    this.#reach = reaches[stream.middle];
    this.#variances = new Variances(stream, this.solution, this.#reach);
    this.carriedJ = new Float64Array(classes);
    const carriers = new Set(stream.columns.carried);
    const { carried } = stream.columns;
    for (let m = 0; m < carried.length; m++) {
      this.mixedConstantS += CONSTANTS[m] * Math.max(0, this.solution.power[carried[m]] ?? 0);
    }
    for (const { number, to, amount } of this.#reach.given) {
      if (carriers.has(number)) this.carriedJ[to] += amount * this.solution.power[number];
    }
    this.#risesJ = risesTo(stream, this.solution.power);
    const constantS = slowness > 0 ? constantAt(slowness) : this.mixedConstantS;
    const hiddenS = hiddenConstantS(frame);
    this.#shape = SHAPE + (constantS > 0 ? Math.hypot(1, hiddenS / constantS) - 1 : 0);
    this.#either = (families >> FAMILY.BESIDE & 1) === 1
      ? eitherOf(stream, this.solution.power)
      : [];
    this.#lagVariance = this.lag.variance + (WINDOW_SHARE * frame.windowS) ** 2;
    const isTested = !frame.isUntested && stream.columns.list.length > 0;
    const isHidden = frame.hidesLate === true && constantS <= LATEST_S;
    this.#late = isTested && !isHidden
      ? undefined
      : lateOf(stream, this.lag.lagS, this.solution.power, frame);
  }

  /** 1 where the power of a class is a guess. */
  get isGuess(): Uint8Array {
    return this.#reach.isGuess;
  }

  /** Variance of the sum of classes, each with its weight, J². */
  variance(weights: Float64Array): number {
    const g = dot(weights, this.#slope);
    // Power may rise and fall with constants of their own.
    let rises = 0;
    let falls = 0;
    for (let c = 0; c < weights.length; c++) {
      const part = this.#shape * weights[c];
      rises += part * this.#risesJ[c];
      falls += part * (this.carriedJ[c] - this.#risesJ[c]);
    }
    let late = 0;
    let either = 0;
    for (const { a, b, joules } of this.#either) {
      either += EITHER * Math.abs(weights[a] - weights[b]) * joules;
    }
    for (const part of this.#late ?? []) {
      const joules = dot(weights, part);
      late += joules * joules;
    }
    const lag = Math.max(g * g * this.#lagVariance, this.#overLags(weights));
    return this.#variances.of(weights) + lag + rises ** 2 + falls ** 2 + either ** 2 + late;
  }

  /** The same by the lags that are about as likely: a loop of their own length looks the same at several. */
  #overLags(weights: Float64Array): number {
    const at = this.#at.map((energies) => dot(weights, energies));
    let variance = 0;
    for (let k = 0; k < at.length; k++) {
      for (let l = 0; l < at.length; l++) {
        variance += this.#spread[k * at.length + l] * at[k] * at[l];
      }
    }
    return Math.max(0, variance);
  }
}

/**
 * Windows that seem wider than they are hide a time constant as wide as them, s: variances add up.
 */
export function hiddenConstantS({ isSteady, windowS }: ModelFrame): number {
  return isSteady ? windowS / Math.sqrt(12) : 0;
}

/**
 * Where nothing was tested a part of the lag may be a time constant: what rises and falls it would have moved, by
 * the classes before.
 */
function lateOf(
  { visits, store }: FitStream,
  lagS: number,
  power: Float64Array,
  frame: ModelFrame,
): [rises: Float64Array, falls: Float64Array] {
  const [rises, falls] = [new Float64Array(power.length), new Float64Array(power.length)];
  const counts = new Float64Array(power.length);
  const constantS = LATE * Math.min(LATEST_S, Math.max(0, lagS + WINDOW_SHARE * frame.lagUnitS));
  if (visits === undefined || !(constantS > 0)) return [rises, falls];
  visits.moves.each((from, to, count) => {
    const [own, other] = [store.fitOf[to] ?? -1, store.fitOf[from] ?? -1];
    if (own < 0 || other < 0 || own >= power.length || other >= power.length) return;
    counts[own] += count;
    const above = power[other] - power[own];
    (above < 0 ? rises : falls)[own] += count * above;
  });
  for (let c = 0; c < power.length; c++) {
    const visitS = counts[c] > 0 ? frame.seconds[c] / counts[c] : 0;
    const partS = constantS * -Math.expm1(-visitS / constantS);
    rises[c] *= partS;
    falls[c] *= partS;
  }
  return [rises, falls];
}

/** What columns give to classes, by their amounts over the run. */
function givenTo(
  stream: FitStream,
  k: number,
  power: Float64Array,
  seconds: Float64Array,
): Given[] {
  const { store, columns, lags } = stream;
  const { d } = lags[k].shares;
  const given = columns.list.flatMap(({ number, family, a }): Given[] => {
    if (number >= power.length || power[number] === 0) return [];
    // Of pairs and orders below.
    if (family === FAMILY.BESIDE || family === FAMILY.AFTER) return [];
    if (family === FAMILY.CARRIED) {
      const constant = columns.carried.indexOf(number);
      return carriedTo(stream, constant, { power, number, seconds, all: d[number] });
    }
    const own = store.fitOf[a];
    // Beyond the intervals as within them.
    const whole = d[number] * (d[own] > 0 ? Math.min(2, seconds[own] / d[own]) : 1);
    return [{ number, to: own, amount: whole }];
  });
  return [...given, ...besideTo(stream, power, d), ...afterTo(stream, power, d)];
}

/** What classes drew after others, J for each part of their power that it changes. */
function afterTo({ visits, columns }: FitStream, power: Float64Array, d: Float64Array): Given[] {
  const given = columns.orders.filter(({ to }) => to < power.length)
    .map(({ term, to, number }) => {
      return { number, to, amount: visits!.log.exposureSoFar(term) * power[to] };
    });
  return inAll(given, d);
}

/** Amounts that add up to those of their columns. */
function inAll(given: readonly Given[], d: Float64Array): Given[] {
  const sums = new Map<number, number>();
  for (const { number, amount } of given) sums.set(number, (sums.get(number) ?? 0) + amount);
  return given.flatMap(({ number, to, amount }) => {
    const sum = sums.get(number)!;
    return sum > 0 ? [{ number, to, amount: amount * d[number] / sum }] : [];
  });
}

/** What pairs of classes draw on average while they are beside each other, J. */
function eitherOf(
  { visits, columns }: FitStream,
  power: Float64Array,
): { a: number; b: number; joules: number }[] {
  return columns.pairs.filter(({ a, b }) => Math.max(a, b) < power.length)
    .map(({ term, a, b }) => {
      const seconds = visits!.log.exposureSoFar(term) / columns.others;
      return { a, b, joules: seconds * (power[a] + power[b]) / 2 };
    });
}

/** What classes drew beside others, J for each part of their power that it changes. */
function besideTo({ visits, columns }: FitStream, power: Float64Array, d: Float64Array): Given[] {
  const given: Given[] = [];
  const add = (number: number, to: number, seconds: number) => {
    given.push({ number, to, amount: seconds * power[to] });
  };
  for (const { term, a, b, victims, causes, all } of columns.pairs) {
    if (a >= power.length || b >= power.length) continue;
    const seconds = visits!.log.exposureSoFar(term);
    add(victims[0], a, seconds);
    add(victims[1], b, seconds);
    add(causes[0], b, seconds);
    add(causes[1], a, seconds);
    add(all, a, seconds);
    add(all, b, seconds);
  }
  return inAll(given, d);
}

/** The part of it that comes from classes with less power, J: what each of them lacks while its power rises. */
function risesTo({ visits, store, columns }: FitStream, power: Float64Array): Float64Array {
  const joules = new Float64Array(power.length);
  if (!columns.carried.some((number) => power[number] > 0)) return joules;
  for (const { to, from, seconds } of visits?.carried.values() ?? []) {
    const [own, other] = [store.fitOf[to] ?? -1, store.fitOf[from] ?? -1];
    if (own < 0 || other < 0 || own >= power.length || other >= power.length) continue;
    const above = Math.min(0, power[other] - power[own]);
    columns.carried.forEach((number, m) =>
      joules[own] += above * seconds[m] * (power[number] ?? 0)
    );
  }
  return joules;
}

/** What power that follows the load carried from class to class, J for each part of it that does. */
function carriedTo(
  { visits, store }: FitStream,
  constant: number,
  { power, number, seconds, all }: {
    power: Float64Array;
    number: number;
    seconds: Float64Array;
    all: number;
  },
): Given[] {
  const joules = new Float64Array(power.length);
  for (const { to, from, seconds } of visits?.carried.values() ?? []) {
    const [own, other] = [store.fitOf[to] ?? -1, store.fitOf[from] ?? -1];
    if (own < 0 || other < 0 || own >= power.length || other >= power.length) continue;
    joules[own] += (power[other] - power[own]) * seconds[constant];
  }
  let rest = all;
  let time = 0;
  for (let c = 0; c < power.length; c++) {
    rest -= joules[c];
    time += c < seconds.length ? seconds[c] : 0;
  }
  const given: Given[] = [];
  for (let c = 0; c < power.length; c++) {
    if (!(seconds[c] > 0)) continue;
    given.push({ number, to: c, amount: joules[c] + rest * seconds[c] / time });
  }
  return given;
}

/** The counter's lag. */
export interface Lag {
  readonly lagS: number;
  readonly variance: number;
  readonly x: number;
  readonly stepS: number;
  /** Places before this are no lags. */
  readonly fromX: number;
  /** What is left unexplained there. */
  readonly rss: number;
}

/** What the powers found at a lag stand for. */
function reachOf(
  stream: FitStream,
  k: number,
  { power, seen }: Solution,
  seconds: Float64Array,
): Reach {
  const { d, meanW } = stream.lags[k].shares;
  const n = power.length;
  const reach = {
    power: power.slice(),
    isGuess: new Uint8Array(n),
    seconds: new Float64Array(n),
    outsideS: new Float64Array(n),
    atMeanS: new Float64Array(n),
    meanW,
    given: givenTo(stream, k, power, seconds),
  };
  for (let c = 0; c < n; c++) {
    if (stream.store.isColumn[c] === 1) continue;
    const rest = Math.max(0, seconds[c] - d[c]);
    reach.outsideS[c] = rest;
    // A power found on less time than it would be used for is worth nothing: the mean serves.
    if (rest < d[c]) reach.seconds[c] = d[c] + rest;
    else {
      reach.seconds[c] = d[c];
      reach.atMeanS[c] = rest;
    }
    if (seen[c] === 1) continue;
    reach.power[c] = meanW;
    reach.isGuess[c] = 1;
  }
  return reach;
}

/** T = b + (S − M)π, and the mean power outside all intervals, by class. */
function energiesAt(stream: FitStream, k: number, reach: Reach): Float64Array {
  const out = new Float64Array(reach.power.length);
  for (const { number, to, amount } of reach.given) out[to] += amount * reach.power[number];
  stream.lags[k].shares.energies(reach.power, reach.seconds, out);
  for (let c = 0; c < out.length; c++) out[c] += reach.atMeanS[c] * reach.meanW;
  return out;
}

/** Where least is left unexplained. */
export function bestLag(
  stream: FitStream,
  solutions: readonly Solution[],
  { lagUnitS, leastLagS = -Infinity }: { lagUnitS: number; leastLagS?: number },
): Lag {
  const stepS = (LAG_GRID[1] - LAG_GRID[0]) * lagUnitS;
  const widest = (LAG_GRID[LAG_GRID.length - 1] - LAG_GRID[0]) * lagUnitS;
  const most = widest * widest / 12;
  const middleS = LAG_GRID[stream.lags[stream.middle].lag] * lagUnitS;
  const fromX = (leastLagS - middleS) / stepS;
  const { x, value, bend, slope } = leastOf(solutions.map((solution) => solution.rss), fromX);
  const s2 = solutions[stream.middle].rss / Math.max(1, stream.counted);
  const own = bend > 0
    ? 2 * s2 * stepS * stepS / bend
    : slope > 0
    ? (2 * s2 * stepS / slope) ** 2
    : Infinity;
  return { lagS: middleS + x * stepS, variance: Math.min(most, own), x, stepS, fromX, rss: value };
}
