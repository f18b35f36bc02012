/**
 * One counter's energies: which answers it may have, their fits, and the mixture of them.
 * @module
 */
import { type Contexts, makeContexts } from "./contexts.ts";
import type { Domain } from "./domain.ts";
import { type Energies, energiesOf, isLocked, type Part } from "./energies.ts";
import { withoutSum } from "./linear.ts";
import { type Effects, FAMILY, type Fit, type Noise } from "./model.ts";
import { type Family, familyOf, isOfLoad, type Kernel, lengthOf, reachOf } from "./response.ts";
import { type Candidate, FAST_S, MIN_ROWS, ofFamily, priorOf, ROWS, search } from "./search.ts";
import { PIECES_AT_ONCE } from "./pieces.ts";
import { joulesOf, type Solution, solve, type Start } from "./solve.ts";

/** Intervals that choose the answer. */
export const FIRST_ROWS = 8192;
/** Determined: a standard error of at most this part. */
export const MAX_ERROR = 0.1;
/** −2 ln likelihood counts a third: rows are not independent given a wrong noise. */
const TEMPER = 3;
/**
 * Candidates within this of the best (−2 ln L of the search) have a full fit: first orders and windows of those. It
 * ends where −2 ln L of the fit is as far from that of another.
 */
const NEAR = 100, ORDERS = 3, WINDOWS = 2;
/** Two lengths within this (of the logarithm) are one. */
const SAME = 0.1;
/**
 * Probability that a first order of a slow counter is its own filter and not the load's: slow
 * counters are filtered by design.
 */
const FILTERED = 0.75;
/** Weight, in the error alone, of an answer that fits better and cannot be: two ends equally likely. */
const ODD = 0.5;
/** A family of effects this large beside a first order: the first order is not the explanation. */
const UNEXPLAINED = 0.2;
/** The pure lag's energies are taken while its weight is above this; the error is that of all. */
const SIMPLE = 0.05;
/** Answers of less weight are left out. */
const MIN_WEIGHT = 0.01;
/** Standard errors by which a lag must be below 0 to be impossible: a counter cannot show later energy. */
const IMPOSSIBLE = 2;
/** A kernel moves by its columns: rows of a comparison begin so much later than it sees. */
const REACH = 1.2;
/** An answer of more weight is noted, and what it caused is reported. */
export const SURE = 0.95;
/** A family of effects that is noted: three times what visits of one region differ by. */
const NOTED = 0.06;

/** Why nothing is determined. */
export type Refusal =
  | "too few changes of the counter"
  | "program and samples are synchronized with the counter"
  | "no power explains the counter's readings"
  | `${number} threads share ${number} CPU${"" | "s"}`;

/** Response of the counter, as far as it is known. */
export interface Response {
  readonly family: Family;
  readonly kernel: Kernel;
  readonly lagSeS: number;
  /** Weight of this family of answers among all. */
  readonly weight: number;
  readonly intervals: number;
  readonly columns: number;
}

/**
 * Facts about a counter once its answer has been chosen: later stretches of the run need no choice.
 */
export interface Choice {
  readonly kernel: Kernel;
  readonly noise: Noise;
  readonly effects: Effects;
  /** W by the caller's number of a class. */
  readonly powers: ReadonlyMap<number, number>;
  /** By other answers: their weight, and what their energies differ by, W by class; first the mixture's own. */
  readonly apartW: readonly {
    readonly weight: number;
    readonly watts: ReadonlyMap<number, number>;
  }[];
  readonly response: Response;
}

/** Energies by another answer of the counter: all stretches of a run are off alike. */
export interface Apart {
  readonly weight: number;
  readonly joules: Float64Array;
}

/** One counter's result. */
export interface Estimate {
  /** By class of the domain. */
  readonly energyJ: Float64Array;
  /** Covariance without the difference between answers, which is `apart`. */
  readonly covariance: Float64Array;
  readonly apart: readonly Apart[];
  /** By class: which part of the power's prior variance is left, 0 to 1. */
  readonly priorLeft: Float64Array;
  /**
   * Energy caused by each class's load, J; differs from the drawn energy only if power follows
   * late.
   */
  readonly causedJ: Float64Array;
  readonly choice: Choice | undefined;
  readonly refusal?: Refusal;
  /** Variances by origin, for the likeliest answer. */
  readonly parts: Readonly<Partial<Record<Part, Float64Array>>>;
  /** Notes on conditions other than the class that power depends on. */
  readonly notes: readonly string[];
}

/** A fitted answer. */
interface Answer {
  readonly solution: Pick<Solution, "kernel" | "lagS" | "lagSeS" | "fit" | "powers">;
  readonly energies: Energies;
  /** Energies if a first order is the counter's own filter. */
  readonly asFilter: Energies | undefined;
  readonly isLocked: boolean;
  readonly rows: number;
}

/**
 * Estimates the energies of a domain's classes; yields now and then.
 *
 * @param loadS Time constant of the load, if a faster counter shows it; 0: there is none.
 */
export function* estimate(domain: Domain, loadS?: number): Generator<void, Estimate> {
  const { classes: n, facts, boundaries } = domain;
  if (n === 1) return nothing(Float64Array.of(facts.totalJ), new Float64Array(1));
  const whole = boundaries.isWhole.reduce((s, is) => s + is, 0);
  if (whole < MIN_ROWS) return refused(domain, "too few changes of the counter");
  if (facts.crowd !== undefined) return crowded(domain, facts.crowd);
  const found = yield* search(domain, { loadS });
  const contexts = yield* makeContexts(domain, found.powers, whole);
  const pure = (of: readonly Candidate[]) => ofFamily(of, "lag")[0];
  const [top] = found.candidates;
  const first = [pure(found.candidates), ...(familyOf(top.kernel) === "lag" ? [] : [top.kernel])];
  const begun: Solution[] = [];
  for (const kernel of first) {
    const start = begun.length > 0
      ? startAt(begun[0])
      : { noise: found.noise, effects: new Map<number, number>() };
    begun.push(yield* solve(domain, contexts, kernel, start, rowsOf(domain, first, ROWS)));
  }
  const likelier = begun.sort((a, b) => a.fit.deviance - b.fit.deviance)[0];
  const { fit: { noise, theta }, scale } = likelier, start = startAt(likelier);
  // Contexts and answers look alike: the search is repeated with the power that contexts predict.
  const watts = yield* predicted(contexts, theta, scale, domain);
  begun.length = 0;
  const again = yield* search(domain, { noise, watts, loadS });
  const picked = pick(again.candidates, pure(again.candidates), boundaries.periodS);
  const isUsed = rowsOf(domain, picked), answers: Answer[] = [], unlikely = new Set<Family>();
  let mostDeviance = Infinity, lagLogWeight = NaN;
  for (const kernel of picked) {
    const family = familyOf(kernel);
    if (unlikely.has(family)) continue;
    const solution = yield* solve(domain, contexts, kernel, { ...start, mostDeviance }, isUsed);
    const { deviance } = solution.fit;
    const logWeight = Math.log(priorOf(kernel, found.shapes)) - deviance / (2 * TEMPER);
    if (family === "lag") lagLogWeight = logWeight;
    // It would have no weight, nor would less likely ones of its family.
    if (logWeight < lagLogWeight + Math.log(MIN_WEIGHT)) unlikely.add(family);
    if (deviance > mostDeviance || unlikely.has(family)) continue;
    mostDeviance = Math.min(mostDeviance, deviance + NEAR);
    answers.push(yield* answerOf(domain, contexts, solution));
    yield;
  }
  // Readings that fit nothing leave no finite numbers.
  const finite = answers.filter(({ solution, energies: { energyJ, covariance } }) =>
    [solution.fit.deviance, ...energyJ, ...covariance].every(Number.isFinite)
  );
  if (finite.length === 0) return refused(domain, "no power explains the counter's readings");
  return mixture(domain, finite, found.shapes, contexts.columns.width);
}

/** A fit begins where another kernel's ended. */
function startAt({ fit: { noise, effects, s2, theta }, scale, powers }: Solution): Start {
  return { noise, effects, s2, powers, knownJ: joulesOf(scale, { theta }) };
}

/** Estimate without a fit. */
function nothing(energyJ: Float64Array, covariance: Float64Array): Estimate {
  const priorLeft = new Float64Array(energyJ.length).fill(1);
  return {
    energyJ,
    covariance,
    apart: [],
    priorLeft,
    causedJ: energyJ,
    choice: undefined,
    parts: {},
    notes: [],
  };
}

/** Energies by time alone, with an error as large as they are. */
export function refused({ seconds, meanW, classes: n }: Domain, refusal: Refusal): Estimate {
  const energyJ = seconds.map((s) => s * meanW), covariance = new Float64Array(n * n);
  energyJ.forEach((joules, c) => covariance[c * n + c] = joules ** 2);
  return { ...nothing(energyJ, withoutSum(covariance, energyJ)), refusal };
}

function crowded(domain: Domain, { threads, cpus }: { threads: number; cpus: number }): Estimate {
  return refused(domain, `${threads} threads share ${cpus} CPU${cpus === 1 ? "" : "s"}`);
}

/** Estimates the energies of a later stretch of a run. */
export function* estimateAgain(domain: Domain, choice: Choice): Generator<void, Estimate> {
  const { classes: n, facts, boundaries, ids, seconds, meanW } = domain;
  if (n === 1) return nothing(Float64Array.of(facts.totalJ), new Float64Array(1));
  const whole = boundaries.isWhole.reduce((s, is) => s + is, 0);
  if (whole < MIN_ROWS) return refused(domain, "too few changes of the counter");
  if (facts.crowd !== undefined) return crowded(domain, facts.crowd);
  const powers = Float64Array.from(ids, (id) => choice.powers.get(id) ?? meanW);
  const contexts = yield* makeContexts(domain, powers, whole);
  yield;
  const { kernel, noise, effects } = choice;
  const start = { noise, effects, powers, moves: 1 };
  const solution = yield* solve(domain, contexts, kernel, start, rowsOf(domain, [kernel]));
  const { energyJ, covariance, parts, causedJ } = yield* energiesOf(domain, contexts, solution);
  const [own, ...others] = choice.apartW.map(({ weight, watts }) => ({
    weight,
    joules: centred(Float64Array.from(ids, (id, c) => (watts.get(id) ?? 0) * seconds[c]), seconds),
  }));
  return {
    energyJ: energyJ.map((x, c) => x + own.joules[c]),
    causedJ: causedJ.map((x, c) => x + own.joules[c]),
    covariance,
    apart: others,
    priorLeft: priorLeft(solution.fit, n),
    choice,
    parts,
    notes: notesOf(solution.fit.effects, choice.response),
  };
}

/** A stretch that was fitted: its classes, their seconds, and its energies. */
export interface Fitted {
  readonly ids: readonly number[];
  readonly seconds: Float64Array;
  readonly estimate: Estimate;
}

/**
 * Energies of a stretch by the powers of an earlier one, in proportion, so that they add up to the counter's.
 *
 * @param nth Number of this stretch among those that have the same powers.
 */
export function estimateAlike(domain: Domain, fitted: Fitted, nth: number): Estimate {
  const { ids, seconds, meanW, classes: n, facts } = domain, { estimate } = fitted;
  const at = ids.map((id) => fitted.ids.indexOf(id)), count = fitted.ids.length;
  // A class that the fit did not see has the mean power.
  const ratio = Float64Array.from(at, (i, c) => i < 0 ? 0 : seconds[c] / fitted.seconds[i]);
  const scaled = (joules: Float64Array, newW: number) =>
    Float64Array.from(at, (i, c) => i < 0 ? newW * seconds[c] : joules[i] * ratio[c]);
  const drawnJ = scaled(estimate.energyJ, meanW);
  const factor = facts.totalJ / drawnJ.reduce((sum, x) => sum + x, 0);
  const energyJ = drawnJ.map((x) => x * factor), covariance = new Float64Array(n * n);
  // An error of a power is in all of these stretches: the variance of k of them is k² times that of one.
  const more = 2 * nth + 1;
  for (let c = 0; c < n; c++) {
    for (let d = 0; d < n; d++) {
      if (at[c] < 0 || at[d] < 0) continue;
      const of = estimate.covariance[at[c] * count + at[d]];
      covariance[c * n + d] = more * ratio[c] * ratio[d] * of;
    }
    if (at[c] < 0) covariance[c * n + c] = energyJ[c] ** 2;
  }
  const parts = Object.entries(estimate.parts).map(([name, of]) => {
    return [name, Float64Array.from(at, (i, c) => i < 0 ? 0 : more * ratio[c] ** 2 * of[i])];
  });
  return {
    energyJ,
    covariance,
    apart: estimate.apart.map(({ weight, joules }) => ({
      weight,
      joules: centred(scaled(joules, 0), seconds),
    })),
    // What the prior decides is added by standard deviations.
    priorLeft: Float64Array.from(at, (i) => i < 0 ? 1 : estimate.priorLeft[i] / more),
    causedJ: scaled(estimate.causedJ, meanW).map((x, c) => x - drawnJ[c] + energyJ[c]),
    choice: estimate.choice,
    parts: Object.fromEntries(parts),
    notes: estimate.notes,
  };
}

/** Differences of energies add up to nothing. */
function centred(joules: Float64Array, seconds: Float64Array): Float64Array {
  const sum = joules.reduce((s, x) => s + x, 0), all = seconds.reduce((s, x) => s + x, 0);
  return joules.map((x, c) => x - sum * seconds[c] / all);
}

/** The prior of a power has variance 1, in units of the mean. */
function priorLeft({ v, theta }: Pick<Fit, "v" | "theta">, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, c) => Math.min(1, v[c * theta.length + c]));
}

/** Rows that each of these sees whole, should it move a little. */
function rowsOf(domain: Domain, kernels: readonly Kernel[], most = FIRST_ROWS): Uint8Array {
  const reach = Math.max(...kernels.map(reachOf)) * REACH + domain.boundaries.periodS;
  const rows = domain.since(reach, most);
  return rows.reduce((s, is) => s + is, 0) >= MIN_ROWS ? rows : domain.since(0, most);
}

/** Power of each piece by a fit, in units of the mean; pairs are left out. */
function* predicted(
  { columns: { own, begin, column, value, families } }: Contexts,
  theta: Float64Array,
  scale: Float64Array,
  { meanW }: Domain,
): Generator<void, Float64Array> {
  const out = new Float64Array(own);
  for (let i = 0; i < own; i++) {
    if (i % PIECES_AT_ONCE === 0) yield;
    for (let s = begin[i]; s < begin[i + 1]; s++) {
      const j = column[s];
      if (families[j] !== FAMILY.beside) out[i] += value[s] * theta[j] * scale[j] / meanW;
    }
  }
  return out;
}

/** Answers that have a full fit. */
function pick(candidates: readonly Candidate[], lag: Kernel, periodS: number): Kernel[] {
  const near = candidates.filter(({ deviance }, k) =>
    k === 0 || deviance < candidates[0].deviance + NEAR
  );
  return [
    lag,
    ...ofFamily(near, "first order").slice(0, ORDERS),
    ...(periodS < FAST_S ? ofFamily(near, "mean").slice(0, 1) : ofFamily(candidates, "mean")),
    ...ofFamily(near, "window").slice(0, WINDOWS),
  ];
}

function* answerOf(
  domain: Domain,
  contexts: Contexts,
  solution: Solution,
): Generator<void, Answer> {
  const { kernel, lagS, lagSeS, fit, rows } = solution;
  const filter = { ...solution, kernel: { ...kernel, loadS: 0 } };
  return {
    solution: { kernel, lagS, lagSeS, fit, powers: solution.powers },
    energies: yield* energiesOf(domain, contexts, solution),
    asFilter: isOfLoad(kernel) && !(domain.boundaries.periodS < FAST_S)
      ? yield* energiesOf(domain, contexts, filter)
      : undefined,
    isLocked: isLocked(domain, solution),
    rows: rows.length,
  };
}

/** T is that of the pure lag while it may be, else the weighted mean; the covariance is that of the mixture about T. */
function mixture(
  domain: Domain,
  answers: readonly Answer[],
  shapes: readonly Kernel[],
  columns: number,
): Estimate {
  const { classes: n } = domain, of = answers.map(({ solution }) => solution);
  const prior = of.map(({ kernel }, j) => {
    const isSame = of.slice(0, j).some(({ kernel: other }) =>
      familyOf(other) === familyOf(kernel) && familyOf(kernel) !== "lag" &&
      Math.abs(Math.log(lengthOf(kernel) / lengthOf(other))) < SAME
    );
    return isSame ? 0 : priorOf(kernel, shapes);
  });
  const deviance = of.map(({ fit }) => fit.deviance), least = Math.min(...deviance);
  let isEarly = of.map(({ kernel, lagS, lagSeS }) =>
    ["first order", "mean"].includes(familyOf(kernel)) &&
    kernel.lagS + lagS < -IMPOSSIBLE * lagSeS
  );
  const best = deviance.indexOf(least);
  const isOrder = of.map(({ kernel }) => familyOf(kernel) === "first order");
  // So are its milder forms.
  if (isEarly[best] && isOrder[best]) isEarly = isEarly.map((is, j) => is || isOrder[j]);
  const possible = Math.min(...deviance.filter((_, j) => !isEarly[j]));
  const raw = prior.map((p, j) =>
    isEarly[j] ? 0 : p * Math.exp(-(deviance[j] - possible) / (2 * TEMPER))
  );
  const all = raw.reduce((s, w) => s + w, 0), weights = raw.map((w) => w / all);
  const lead = of[weights.indexOf(Math.max(...weights))];
  const isDoubtful = isOrder[of.indexOf(lead)] &&
    (lead.kernel.lagS <= lead.lagSeS || Math.max(...lead.fit.effects.values()) > UNEXPLAINED);
  const parts: { weight: number; energies: Energies; answer: Answer; isPlain: boolean }[] = [];
  answers.forEach((answer, j) => {
    let weight = weights[j];
    const isLag = familyOf(of[j].kernel) === "lag";
    const isBetter = isEarly[j] && deviance[j] === least && possible > least;
    // What an impossible answer explains better is not explained; a lag at its end is as doubtful.
    if (isBetter || (isDoubtful && isLag && weight < ODD)) weight = ODD;
    else if (weight < MIN_WEIGHT) return;
    const isPlain = isLag && weight !== ODD;
    const { energies, asFilter } = answer;
    if (asFilter === undefined) return parts.push({ weight, energies, answer, isPlain });
    parts.push({ weight: weight * (1 - FILTERED), energies, answer, isPlain });
    parts.push({ weight: weight * FILTERED, energies: asFilter, answer, isPlain });
  });
  const total = parts.reduce((s, { weight }) => s + weight, 0);
  const plain = parts.filter(({ isPlain }) => isPlain);
  const plainWeight = plain.reduce((s, { weight }) => s + weight, 0) / total;
  const taken = plainWeight > SIMPLE ? plain : parts;
  const takenWeight = taken.reduce((s, { weight }) => s + weight, 0);
  const strongest = parts.reduce((a, b) => b.weight > a.weight ? b : a);
  if (strongest.answer.isLocked) {
    return refused(domain, "program and samples are synchronized with the counter");
  }
  const energyJ = new Float64Array(n), covariance = new Float64Array(n * n);
  for (const { weight, energies } of taken) {
    energies.energyJ.forEach((x, c) => energyJ[c] += weight / takenWeight * x);
  }
  const apart = parts.map(({ weight, energies }) => {
    energies.covariance.forEach((x, i) => covariance[i] += weight / total * x);
    return { weight: weight / total, joules: energies.energyJ.map((x, c) => x - energyJ[c]) };
  });
  const base = taken.reduce((a, b) => b.weight > a.weight ? b : a),
    { fit, kernel, lagSeS } = base.answer.solution;
  const causes = strongest.energies;
  const family = familyOf(kernel), isFilter = base.energies === base.answer.asFilter;
  const isAlike = ({ answer, energies }: typeof base) =>
    familyOf(answer.solution.kernel) === family &&
    (energies === answer.asFilter) === isFilter;
  const response = {
    family,
    kernel,
    lagSeS,
    weight: parts.reduce((s, part) => s + (isAlike(part) ? part.weight : 0), 0) / total,
    intervals: base.answer.rows,
    columns: columns + (family === "lag" ? 1 : 2),
  };
  const wattsOf = (joules: Float64Array) =>
    new Map(domain.ids.map((id, c) => [id, joules[c] / domain.seconds[c]]));
  const own = { weight: 0, joules: energyJ.map((x, c) => x - base.energies.energyJ[c]) };
  return {
    energyJ,
    covariance,
    apart,
    priorLeft: priorLeft(fit, n),
    causedJ: causes.causedJ.map((x, c) => x - causes.energyJ[c] + energyJ[c]),
    choice: {
      kernel: isFilter ? { ...kernel, loadS: 0 } : kernel,
      noise: fit.noise,
      effects: fit.effects,
      powers: new Map(domain.ids.map((id, c) => [id, base.answer.solution.powers[c]])),
      apartW: [own, ...apart].map(({ weight, joules }) => ({ weight, watts: wattsOf(joules) })),
      response,
    },
    parts: causes.parts,
    notes: notesOf(
      strongest.answer.solution.fit.effects,
      response,
      isDoubtful || isEarly[best] ? of[best].kernel : undefined,
    ),
  };
}

/** Words for families of effects. */
const EFFECT_WORDS: Record<number, string> = {
  [FAMILY.length]: "power depends on the length of a visit",
  [FAMILY.age]: "power depends on the time since a visit began",
  [FAMILY.before]: "power depends on the region before",
  [FAMILY.beforeFirst]: "power depends on the region before, for the first 2 ms",
  [FAMILY.beside]: "power depends on what other threads do",
  [FAMILY.memory]: "power depends on the power of the last 64 ms",
  [FAMILY.time]: "power changes over the run",
};

/**
 * Notes on conditions other than the class that power depends on, and on the counter's response if
 * it is no pure lag.
 */
function notesOf(effects: ReadonlyMap<number, number>, response: Response, odd?: Kernel): string[] {
  const { kernel, family, weight } = response,
    ms = (s: number) => `${(1000 * s).toPrecision(2)} ms`;
  const notes: string[] = [];
  if (weight > SURE && family !== "lag") {
    const length = ms(lengthOf(kernel));
    if (family === "mean") notes.push(`each update of the counter is a mean of ${length}`);
    else if (family === "window") notes.push(`the counter shows the last ${length} of each update`);
    else if (isOfLoad(kernel)) notes.push(`power follows the load late (time constant ${length})`);
    else notes.push(`the counter follows the power with a time constant of ${length}`);
  }
  for (const [f, sd] of effects) {
    if (sd > NOTED) notes.push(`${EFFECT_WORDS[f]} (${(100 * sd).toFixed(0)} %)`);
  }
  if (odd !== undefined && familyOf(odd) !== "lag") {
    notes.push(
      `looks like a ${familyOf(odd)} of ${ms(lengthOf(odd))} that begins before its cause`,
    );
  }
  return notes;
}
