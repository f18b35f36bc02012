/**
 * The fit tests itself: is so many watts a region enough, or do powers depend on more?
 *
 * Each set of families of columns is a model, at each time constant with which power may follow the load. Its
 * evidence is the marginal likelihood of the run (exact for a linear model). What the data decide takes
 * its place; what they do not decide stays, with its weight, in energy and error (Hoeting et al.,
 * "Bayesian model averaging: a tutorial", 1999). Where the counter changes about as often as it is
 * looked at, a loop that is nearly in phase with it looks like power that depends on more: there the
 * plain model's energy is reported, and the others are in its error only.
 * docs/how-sure.md.
 * @module
 */
import { type LackOfFit, namedCauses } from "./causes.ts";
import type { Untested } from "./untested.ts";
import { FAMILY, SWITCHED } from "./solver/columns.ts";
import type { FitStream } from "./fit_stream.ts";
import { bestLag, hiddenConstantS, Model, type ModelFrame } from "./model.ts";
import type { Solution } from "./solver/nnls.ts";
import { constantAt } from "./solver/slowness.ts";

/** Models of less weight are left out, and at most so many count. */
const LEAST_WEIGHT = 0.01;
const MOST_MODELS = 16;
/** Families of what a visit itself may change. */
const VISITS = 1 << FAMILY.FIRST | 1 << FAMILY.EARLY | 1 << FAMILY.LENGTH;
const BEGINNINGS = 1 << FAMILY.FIRST | 1 << FAMILY.EARLY;
/** Above this weight something is taken to be. */
const SURELY = 0.5;
/** With fewer rows than this nothing can be tested. */
export const LEAST_ROWS = 96;
/** How likely each family is before the data, and a power that follows the load. */
const PRIORS: readonly number[] = [0.2, 0.2, 0.2, 0.1, 0.1];
const PRIOR_SLOW = 0.2;
/** Of that, the part in which it follows with several time constants at a time. */
const PRIOR_MIXED = 0.2;
const MIXED = 1 << FAMILY.CARRIED;
const BESIDE = 1 << FAMILY.BESIDE;
/**
 * Of it, the part of each stretch of time constants: long ones are rare. Those below 0.4 ms look like a lag,
 * and which of both it is goes by how well windows are known: they are in the error rather than in the energy.
 */
const STRETCHES: readonly number[] = [0.04, 0.11, 0.3, 0.2, 0.16, 0.12, 0.07];
/**
 * The error gives the data less weight than they seem to have, and takes time constants, above all short ones, for
 * likelier than none: where simple powers explain the data as well as others, the simple result is reported, with an
 * error for both.
 */
const DOUBT = 3;
const PRIOR_DOUBT = 0.85;
const STRETCHES_DOUBT: readonly number[] = [0.28, 0.4, 0.1, 0.08, 0.06, 0.05, 0.03];
/**
 * Short time constants, s. They differ from a lag by the shape of a window alone, which is known
 * about: the error gives what the data say against them less weight still.
 */
const SHORT_S = 0.0004;
const SHORT_DOUBT = 8;
/** Part of the lags' unit by which the counter may seem to show what comes: its windows are not quite known. */
const EARLY = 0.05;
/** Places between time constants that are tried, for each of them. */
const PLACES = 4;
/** Sets of families so much less likely than another one are not looked at closely: a logarithm. */
const UNLIKELY = 40;
/** Around the best place, in standard deviations of it. */
const AROUND: readonly number[] = [-2, -1, 0, 1, 2];

/** A model with its weight in the energy, and in the error; each add up to 1. */
export interface Weighted {
  readonly model: Model;
  /** What it stands for: bits of families. */
  readonly families: number;
  readonly weight: number;
  readonly doubt: number;
}

interface Tried {
  readonly families: number;
  /** See `stretchAt()`. */
  readonly slowness: number;
  readonly solutions: readonly Solution[];
  /** Logarithm of its posterior weight, and the part of it that is known before the data. */
  readonly evidence: number;
  /** A short time constant beside a lag: logarithm of the marginal likelihood at once. */
  readonly beside?: number;
  /** At once: in the error it is as likely as this, a logarithm of a marginal likelihood. */
  readonly likelyAs?: number;
  /** It is for the error alone. */
  readonly isDoubt?: boolean;
  readonly prior: {
    readonly families: number;
    readonly slowness: number;
    /** Of the slowness, for the error. */
    readonly doubt: number;
  };
}

/** The models that the data leave. */
export interface Likely {
  /** Likeliest first. */
  readonly models: readonly Weighted[];
  /** So many watts a region, at once. */
  readonly plain: Model;
}

/** The models that the data leave, and the plain one. */
export function likelyModels(stream: FitStream, classes: number, known: ModelFrame): Likely {
  stream.gather();
  const atOnce = bestLag(stream, stream.solve(classes, 0, 0), known);
  const earlyS = EARLY * known.lagUnitS + (known.isSteady ? known.windowS / 2 : 0);
  let frame: ModelFrame = { ...known, leastLagS: Math.min(0, atOnce.lagS) - earlyS };
  if (frame.isUntested || stream.counted < LEAST_ROWS) {
    const solutions = stream.solve(classes, 0, 0);
    const plain = new Model(stream, { families: 0, slowness: 0, solutions }, frame);
    return { models: [{ model: plain, families: 0, weight: 1, doubt: 1 }], plain };
  }
  const search = new Search(stream, classes, frame);
  const tried = search.all();
  if (frame.isClose) tried.push(search.plain);
  const plain = tried.length - 1;
  const weights = frame.isClose
    ? tried.map((_, i) => i === plain ? 1 : 0)
    : normalised(tried.map(({ evidence, isDoubt }) => isDoubt === true ? -Infinity : evidence));
  const doubts = normalised(tried.map(doubtOf));
  // Visits that begin otherwise than they go on take up most of what tells a short time constant from a lag.
  const begins = tried.reduce(
    (sum, { families }, i) => sum + ((families & BEGINNINGS) === 0 ? 0 : weights[i]),
    0,
  );
  frame = { ...frame, hidesLate: begins > SURELY };
  const most = (i: number) => Math.max(weights[i], doubts[i]);
  const kept = [...tried.keys()].filter((i) => most(i) >= LEAST_WEIGHT)
    .sort((i, j) => most(j) - most(i)).slice(0, MOST_MODELS)
    .sort((i, j) => weights[j] - weights[i]);
  const all = kept.reduce((sum, i) => sum + weights[i], 0);
  const allDoubt = kept.reduce((sum, i) => sum + doubts[i], 0);
  const models = kept.flatMap((i): Weighted[] => {
    const { families } = tried[i];
    const [weight, doubt] = [weights[i] / all, doubts[i] / allDoubt];
    const model = new Model(stream, tried[i], frame);
    if ((families & BESIDE) === 0) return [{ model, families, weight, doubt }];
    // Which of two classes draws less beside the other is not in the data: half by the columns' rule,
    // half by none.
    const without = new Model(stream, search.without(BESIDE, tried[i]), frame);
    const half = { families, weight: weight / 2, doubt: doubt / 2 };
    return [{ model, ...half }, { model: without, ...half }];
  });
  return { models, plain: new Model(stream, search.plain, frame) };
}

/** Logarithm of a model's weight in the error. */
function doubtOf({ evidence, prior, beside, likelyAs }: Tried): number {
  const known = likelyAs ?? evidence - prior.families - prior.slowness;
  const data = beside === undefined
    ? known / DOUBT
    : Math.max(known / DOUBT, beside / DOUBT + (known - beside) / SHORT_DOUBT);
  return data + prior.families + prior.doubt;
}

/** Weights that add up to 1 from logarithms. */
function normalised(logarithms: readonly number[]): number[] {
  const most = Math.max(...logarithms);
  const weights = logarithms.map((one) => Math.exp(one - most));
  const sum = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => one / sum);
}

/** The other models' results about the plain one. */
export function lackOf(models: readonly Weighted[], why: Untested | undefined): LackOfFit {
  const odds = new Float64Array(SWITCHED + 1);
  let visits = 0;
  let constantS = 0;
  for (const { model, families, weight } of models) {
    const { slowness } = model;
    for (let f = 0; f < SWITCHED; f++) if ((families >> f & 1) === 1) odds[f] += weight;
    if ((families & VISITS) !== 0) visits += weight;
    if (slowness > 0 || (families & MIXED) !== 0) odds[FAMILY.CARRIED] += weight;
    constantS += weight * (slowness > 0 ? constantAt(slowness) : model.mixedConstantS);
  }
  const tested = why === undefined ? { tested: true } : { tested: false, why };
  return { causes: namedCauses(odds, visits), ...tested, constantS };
}

/** Goes through the models of one run. */
class Search {
  readonly #stream: FitStream;
  readonly #classes: number;
  readonly #frame: ModelFrame;
  readonly #all: number;
  readonly #s2: number;
  readonly #most: number;
  /** The time constants that are best with all families and with none of them; 0: none. */
  readonly #places: readonly number[];

  constructor(stream: FitStream, classes: number, frame: ModelFrame) {
    this.#stream = stream;
    this.#classes = classes;
    this.#frame = frame;
    let all = 0;
    for (const { family } of stream.columns.list) {
      if (family < SWITCHED) all |= 1 << family;
    }
    this.#all = all;
    this.#most = stream.columns.carried.length;
    const [withAll, withNone] = [this.#bestPlace(all), this.#bestPlace(0)];
    this.#places = [...new Set([withAll.place, withNone.place])].filter((place) => place > 0);
    stream.s2 = withAll.rss / Math.max(1, stream.counted);
    this.#s2 = stream.s2;
  }

  /** The time constant that leaves least unexplained with some families. */
  #bestPlace(families: number): { place: number; rss: number } {
    const stream = this.#stream;
    let least = { place: 0, rss: Infinity };
    for (let k = 0; k <= this.#most * PLACES; k++) {
      const place = k / PLACES;
      const { rss } = stream.solve(this.#classes, families, place)[stream.middle];
      if (rss < least.rss) least = { place, rss };
    }
    return least;
  }

  /** So many watts a region, at once. */
  get plain(): Tried {
    return this.#try(0, 0, 1);
  }

  /** A model without a family of its own. */
  without(family: number, { families, slowness }: Tried): Tried {
    return this.#try(families & ~family, slowness, 1);
  }

  /** Every model that may count. */
  all(): Tried[] {
    const best = (tried: readonly Tried[]) => Math.max(...tried.map(({ evidence }) => evidence));
    const some: { families: number; evidence: number }[] = [];
    for (let families = 0; families <= this.#all; families++) {
      if ((families & ~this.#all) !== 0) continue;
      some.push({ families, evidence: best(this.#some(families)) });
    }
    const likely = Math.max(...some.map(({ evidence }) => evidence)) - UNLIKELY;
    const first = some.filter(({ evidence }) => evidence >= likely)
      .map(({ families }) => this.#along(families));
    const most = Math.max(...first.map(best));
    return first.flatMap((tried) =>
      best(tried) > most + DOUBT * Math.log(LEAST_WEIGHT)
        ? [...this.#refined(this.#credible(tried)), ...this.#short(tried)]
        : []
    );
  }

  /** One set of families at once, with all time constants, and with those that are likeliest. */
  #some(families: number): Tried[] {
    const tried = [this.#try(families, 0, 1)];
    if (this.#most === 0) return tried;
    tried.push(this.#try(families | MIXED, 0, 1));
    for (const place of this.#places) tried.push(this.#try(families, place, 1));
    return tried;
  }

  /** One set of families at each time constant. */
  #along(families: number): Tried[] {
    const tried = [this.#try(families, 0, 1)];
    if (this.#most > 0) tried.push(this.#try(families | MIXED, 0, 1));
    for (let place = 1; place <= this.#most * PLACES; place++) {
      tried.push(this.#try(families, place / PLACES, 1 / PLACES));
    }
    return tried;
  }

  /**
   * A short time constant that explains most with a lag below 0 stands for something else: in the error, power at once
   * is as likely.
   */
  #credible([atOnce, ...others]: readonly Tried[]): readonly Tried[] {
    const short = others.filter(({ slowness }) => slowness > 0 && constantAt(slowness) <= SHORT_S);
    if (short.length === 0 || this.#frame.isSteady) return [atOnce, ...others];
    const data = ({ evidence, prior }: Tried) => evidence - prior.families - prior.slowness;
    const best = short.reduce((most, one) => data(one) > data(most) ? one : most);
    const isOther = data(best) > data(atOnce) &&
      bestLag(this.#stream, best.solutions, this.#frame).lagS < 0;
    return [isOther ? { ...atOnce, likelyAs: data(best) } : atOnce, ...others];
  }

  /** What a lag may be in part: time constants up to it, for the error. */
  #short([atOnce, ...others]: readonly Tried[]): Tried[] {
    const { prior, evidence, solutions } = atOnce;
    const beside = evidence - prior.families - prior.slowness;
    const mostS = bestLag(this.#stream, solutions, this.#frame).lagS -
      (this.#frame.leastLagS ?? 0);
    const shortS = Math.min(mostS, Math.max(SHORT_S, hiddenConstantS(this.#frame)));
    return others.filter(({ slowness }) => slowness > 0 && constantAt(slowness) <= shortS)
      .map((tried) => ({ ...tried, beside, isDoubt: true }));
  }

  /** The time constants around the best one, at the distance that the data can resolve. */
  #refined(tried: readonly Tried[]): Tried[] {
    const [atOnce, mixed, ...slow] = tried;
    if (slow.length < 3) return [atOnce];
    let at = 0;
    slow.forEach(({ evidence }, k) => at = evidence > slow[at].evidence ? k : at);
    const middle = Math.min(Math.max(at, 1), slow.length - 2);
    const [low, mid, high] = [middle - 1, middle, middle + 1].map((k) => slow[k].evidence);
    const bend = 2 * mid - low - high;
    const spacing = 1 / PLACES;
    const deviation = bend > 0 ? spacing / Math.sqrt(bend) : Infinity;
    // Where they are closer than the data can resolve, the tried places are used.
    if (!(deviation < spacing)) return [...tried];
    const place = slow[middle].slowness + spacing * (high - low) / (2 * bend);
    const around = AROUND.map((k) => place + k * deviation)
      .filter((place) => place > 0 && place <= this.#most);
    return [
      atOnce,
      mixed,
      ...around.map((place) => this.#try(slow[0].families, place, deviation)),
    ];
  }

  /** @param width Of the line of time constants that it stands for. */
  #try(families: number, slowness: number, width: number): Tried {
    const solutions = this.#stream.solve(this.#classes, families, slowness);
    const isMixed = (families & MIXED) !== 0;
    const stretch = Math.ceil(slowness) - 1;
    const likely = (slow: number, stretches: readonly number[]) =>
      Math.log(
        slowness > 0
          ? slow * (1 - PRIOR_MIXED) * (stretches[stretch] ?? 0) * width
          : isMixed
          ? slow * PRIOR_MIXED
          : 1 - slow,
      );
    const prior = likely(PRIOR_SLOW, STRETCHES);
    let wanted = 0;
    PRIORS.forEach((part, f) => wanted += Math.log((families >> f & 1) === 1 ? part : 1 - part));
    const evidence = wanted + prior + this.#evidence(solutions);
    return {
      families,
      slowness,
      solutions,
      prior: {
        families: wanted,
        slowness: prior,
        doubt: likely(PRIOR_DOUBT, STRETCHES_DOUBT),
      },
      evidence: Number.isFinite(evidence)
        ? evidence
        : families === 0 && slowness === 0
        ? 0
        : -1e300,
    };
  }

  /** Logarithm of a marginal likelihood, up to what all models share. */
  #evidence(solutions: readonly Solution[]): number {
    const { factor, ridge, slopes } = solutions[this.#stream.middle];
    let prior = 0;
    // A part at 0 has the room beside it that the data leave.
    for (const { slope, lambda } of slopes) {
      const room = Math.sqrt(2 * this.#s2 * lambda / Math.PI) / Math.max(0, slope);
      prior += Math.log(Math.min(1, room));
    }
    for (const i of factor.members) if (ridge[i] > 0) prior += Math.log(ridge[i]) / 2;
    const { rss, variance } = bestLag(this.#stream, solutions, this.#frame);
    return prior + Math.log(variance) / 2 - (rss / this.#s2 + factor.logDeterminant) / 2;
  }
}
