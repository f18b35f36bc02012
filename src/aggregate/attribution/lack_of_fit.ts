/**
 * The fit tests itself: is so many watts a region enough, or do powers depend on more?
 *
 * Each set of families of columns is a model, at each time constant with which power may follow the load. Its
 * evidence is the marginal likelihood of the run (exact for a linear model). What the data decide takes
 * its place; what they do not decide stays, with its weight, in energy and error (Hoeting et al.,
 * "Bayesian model averaging: a tutorial", 1999). Where the counter changes about as often as it is
 * looked at, a loop that nearly keeps in step with it looks like power that depends on more: there the
 * plain model's energy stands, and the others are in its error alone.
 * docs/how-sure.md.
 * @module
 */
import { type LackOfFit, namedCauses } from "./causes.ts";
import { FAMILY, SWITCHED } from "./solver/columns.ts";
import type { FitStream } from "./fit_stream.ts";
import { bestLag, Model, type ModelFrame } from "./model.ts";
import type { Solution } from "./solver/nnls.ts";
import { constantAt } from "./slowness.ts";

/** Models of less weight are left out, and at most so many count. */
const LEAST_WEIGHT = 0.01;
const MOST_MODELS = 16;
/** Families of what a visit itself may change. */
const VISITS = 1 << FAMILY.FIRST | 1 << FAMILY.EARLY | 1 << FAMILY.LENGTH;
/** With fewer rows than this nothing can be tested. */
export const LEAST_ROWS = 96;
/** How likely each family is before the data, and a power that follows the load. */
const PRIORS: readonly number[] = [0.2, 0.2, 0.2, 0.1];
const PRIOR_SLOW = 0.2;
/** Of that, the part in which it follows with several time constants at a time. */
const PRIOR_MIXED = 0.2;
const MIXED = 1 << FAMILY.CARRIED;
const BESIDE = 1 << FAMILY.BESIDE;
/** Of it, the part of each stretch of time constants: long ones are rare. */
const STRETCHES: readonly number[] = [0.45, 0.3, 0.15, 0.07, 0.03];
/**
 * The error takes the data for less than they seem to say, and time constants for about as likely as
 * none: what simple powers explain as well as others is told simply, with an error that holds both.
 */
const DOUBT = 2;
const PRIOR_DOUBT = 0.5;
/** Places between time constants that are tried, for each of them. */
const PLACES = 4;
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
  readonly prior: { readonly families: number; readonly slowness: number };
}

/** The models that the data leave. */
export interface Likely {
  /** Likeliest first. */
  readonly models: readonly Weighted[];
  /** So many watts a region, at once. */
  readonly plain: Model;
}

/** The models that the data leave, and the plain one. */
export function likelyModels(stream: FitStream, classes: number, frame: ModelFrame): Likely {
  stream.gather();
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
    : normalised(tried.map(({ evidence }) => evidence));
  const doubts = normalised(
    tried.map(({ evidence, prior, slowness, families }) =>
      (evidence - prior.families - prior.slowness) / DOUBT + prior.families + prior.slowness +
      Math.log(
        slowness > 0 || (families & MIXED) !== 0
          ? PRIOR_DOUBT / PRIOR_SLOW
          : (1 - PRIOR_DOUBT) / (1 - PRIOR_SLOW),
      )
    ),
  );
  const kept = [...tried.keys()]
    .filter((i) => weights[i] >= LEAST_WEIGHT || doubts[i] >= LEAST_WEIGHT)
    .sort((i, j) => weights[j] - weights[i]).slice(0, MOST_MODELS);
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

/** Weights that add up to 1 from logarithms. */
function normalised(logarithms: readonly number[]): number[] {
  const most = Math.max(...logarithms);
  const weights = logarithms.map((one) => Math.exp(one - most));
  const sum = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => one / sum);
}

/** What the models say of the plain one. */
export function lackOf(models: readonly Weighted[], tested: boolean): LackOfFit {
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
  return { causes: namedCauses(odds, visits), tested, constantS };
}

/** Goes through the models of one run. */
class Search {
  readonly #stream: FitStream;
  readonly #classes: number;
  readonly #frame: ModelFrame;
  readonly #all: number;
  readonly #s2: number;
  readonly #most: number;

  constructor(stream: FitStream, classes: number, frame: ModelFrame) {
    this.#stream = stream;
    this.#classes = classes;
    this.#frame = frame;
    let all = 0;
    for (const { family } of stream.columns.list) {
      if (family !== FAMILY.CARRIED) all |= 1 << family;
    }
    this.#all = all;
    this.#most = stream.columns.carried.length;
    let best = stream.solve(classes, all, 0);
    for (let place = 1; place <= this.#most * PLACES; place++) {
      const solutions = stream.solve(classes, all, place / PLACES);
      if (!(solutions[stream.middle].rss < best[stream.middle].rss)) continue;
      best = solutions;
    }
    stream.s2 = best[stream.middle].rss / Math.max(1, stream.counted);
    this.#s2 = stream.s2;
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
    const first: Tried[][] = [];
    for (let families = 0; families <= this.#all; families++) {
      if ((families & ~this.#all) !== 0) continue;
      first.push(this.#along(families));
    }
    const best = (tried: readonly Tried[]) => Math.max(...tried.map(({ evidence }) => evidence));
    const most = Math.max(...first.map(best));
    return first.flatMap((tried) =>
      best(tried) > most + DOUBT * Math.log(LEAST_WEIGHT) ? this.#refined(tried) : []
    );
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

  /** The time constants around the best one, as far from each other as the data tell them apart. */
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
    // Where they lie closer than the data can tell them apart, the places that were tried serve.
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
    const stretch = STRETCHES[Math.ceil(slowness) - 1] ?? 0;
    const onLine = PRIOR_SLOW * (1 - PRIOR_MIXED) * stretch * width;
    const isMixed = (families & MIXED) !== 0;
    const prior = Math.log(
      slowness > 0 ? onLine : isMixed ? PRIOR_SLOW * PRIOR_MIXED : 1 - PRIOR_SLOW,
    );
    let wanted = 0;
    PRIORS.forEach((part, f) => wanted += Math.log((families >> f & 1) === 1 ? part : 1 - part));
    const evidence = wanted + prior + this.#evidence(solutions);
    return {
      ...{ families, slowness, solutions, prior: { families: wanted, slowness: prior } },
      evidence: Number.isFinite(evidence)
        ? evidence
        : families === 0 && slowness === 0
        ? 0
        : -1e300,
    };
  }

  /** Logarithm of a marginal likelihood, up to what all models share. */
  #evidence(solutions: readonly Solution[]): number {
    const { factor, ridge } = solutions[this.#stream.middle];
    let prior = 0;
    for (const i of factor.members) if (ridge[i] > 0) prior += Math.log(ridge[i]) / 2;
    const { rss, variance } = bestLag(this.#stream, solutions, this.#frame.lagUnitS);
    return prior + Math.log(variance) / 2 - (rss / this.#s2 + factor.logDeterminant) / 2;
  }
}
