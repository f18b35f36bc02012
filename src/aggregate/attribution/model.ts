/**
 * One way to explain a run: with some families of columns let in, its energies and their error.
 * docs/how-sure.md.
 * @module
 */
import { FAMILY } from "./solver/columns.ts";
import type { FitStream } from "./fit_stream.ts";
import { LAG_GRID, leastOf, slopeAt, spreadAround, sum, weightsAt } from "./lag_curve.ts";
import type { Solution } from "./solver/nnls.ts";
import { CONSTANTS } from "./visit_terms.ts";
import { type Given, type Reach, Variances } from "./uncertainty.ts";

/** The lag's distribution inside the window is not quite even. */
const WINDOW_SHARE = 0.05;

/** Power follows the load with about one time constant, not with exactly one: part of what it carries. */
const SHAPE = 0.1;
/** What two classes draw beside each other cannot be told apart from each other by more than that. */
const EITHER = 0.05;

/** What a run says of the counter, as far as a model needs it. */
export interface ModelFrame {
  readonly lagUnitS: number;
  readonly windowS: number;
  /** Most of an interval is its windows: the errors there look like what other models explain. */
  readonly isClose: boolean;
  /** Nothing beside the plain model is known. */
  readonly isUntested: boolean;
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
  /** By class, J: what power that follows the load brings it from others. */
  readonly carriedJ: Float64Array;
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
    this.lag = bestLag(stream, solutions, frame.lagUnitS);
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
    const s2 = this.lag.rss / Math.max(1, stream.counted);
    this.#spread = spreadAround(
      solutions.map(({ rss }) => rss),
      { x, value: this.lag.rss },
      (above) => -above / (2 * DOUBT * s2),
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
    this.#either = (families >> FAMILY.BESIDE & 1) === 1
      ? eitherOf(stream, this.solution.power)
      : [];
    this.#lagVariance = this.lag.variance + (WINDOW_SHARE * frame.windowS) ** 2;
  }

  /** 1 where the power of a class is a guess. */
  get isGuess(): Uint8Array {
    return this.#reach.isGuess;
  }

  /** Variance of the sum of classes, each with its weight, J². */
  variance(weights: Float64Array): number {
    let g = 0;
    for (let c = 0; c < weights.length; c++) g += weights[c] * this.#slope[c];
    let shape = 0;
    for (let c = 0; c < weights.length; c++) shape += SHAPE * weights[c] * this.carriedJ[c];
    let either = 0;
    for (const { a, b, joules } of this.#either) {
      either += EITHER * Math.abs(weights[a] - weights[b]) * joules;
    }
    const lag = Math.max(g * g * this.#lagVariance, this.#overLags(weights));
    return this.#variances.of(weights) + lag + shape * shape + either * either;
  }

  /** The same by the lags that are about as likely: a loop of their own length looks alike at several. */
  #overLags(weights: Float64Array): number {
    const at = this.#at.map((energies) => {
      let joules = 0;
      for (let c = 0; c < weights.length; c++) joules += weights[c] * energies[c];
      return joules;
    });
    let variance = 0;
    for (let k = 0; k < at.length; k++) {
      for (let l = 0; l < at.length; l++) {
        variance += this.#spread[k * at.length + l] * at[k] * at[l];
      }
    }
    return Math.max(0, variance);
  }
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
    if (number >= power.length || power[number] === 0 || family === FAMILY.BESIDE) return [];
    if (family === FAMILY.CARRIED) {
      const constant = columns.carried.indexOf(number);
      return carriedTo(stream, constant, { power, number, seconds, all: d[number] });
    }
    const own = store.fitOf[a];
    // Beyond the intervals as within them.
    const whole = d[number] * (d[own] > 0 ? Math.min(2, seconds[own] / d[own]) : 1);
    return [{ number, to: own, amount: whole }];
  });
  return [...given, ...besideTo(stream, power, d)];
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
  const given: { number: number; to: number; amount: number }[] = [];
  const sums = new Float64Array(power.length);
  const add = (number: number, to: number, seconds: number) => {
    const amount = seconds * power[to];
    given.push({ number, to, amount });
    sums[number] += amount;
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
  return given.flatMap(({ number, to, amount }) =>
    sums[number] > 0 ? [{ number, to, amount: amount * d[number] / sums[number] }] : []
  );
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

/** Where the counter's lag lies. */
export interface Lag {
  readonly lagS: number;
  readonly variance: number;
  readonly x: number;
  readonly stepS: number;
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

/** T = b + (S − M)π, and the mean power of what lies in no interval, by class. */
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
  unitS: number,
): Lag {
  const stepS = (LAG_GRID[1] - LAG_GRID[0]) * unitS;
  const widest = (LAG_GRID[LAG_GRID.length - 1] - LAG_GRID[0]) * unitS;
  const most = widest * widest / 12;
  const middleS = LAG_GRID[stream.lags[stream.middle].lag] * unitS;
  const { x, value, bend } = leastOf(solutions.map((solution) => solution.rss));
  const s2 = solutions[stream.middle].rss / Math.max(1, stream.counted);
  const variance = bend > 0 ? Math.min(most, 2 * s2 * stepS * stepS / bend) : most;
  return { lagS: middleS + x * stepS, variance, x, stepS, rss: value };
}
