/**
 * Energies of classes whose time is known from samples alone, over all counters of a component, and in regions
 * whose energy is known from their marks. docs/explanation/energy-of-functions.md has the equations.
 * @module
 */
import { atOnce, dot, type Factor, factor, solveFactored } from "./linear.ts";
import type { SampledPowers } from "./sampled.ts";

/** A value with a greater error is not determined. */
export const ERROR_MOST = 0.1;
/** The data, and not the prior, decided at least half of its variance, unless it is as good as this. */
const PRIOR_LEFT = 0.5, GOOD = 0.02;
/** Part on the diagonal: regions that are all of the run have one sum too many. */
const DIAGONAL = 1e-10;
/** Share of a region's time that is rounding. */
const ROUNDING = 1e-9;

/** Energy of a part of the classes, J. */
export interface SampledEnergy {
  readonly energyJ: number;
  readonly seJ: number;
  /** Why it cannot be determined. */
  readonly why: string | undefined;
}

/** Classes whose powers are known together: those of a counter's domain. */
export type Powers = Pick<
  SampledPowers,
  "size" | "isKnown" | "powerW" | "floorW" | "priorW" | "spread" | "timeVariance"
>;

/** Power of waiting in each region beside the usual one, W: not known, as a thread may spin, or be kept from its CPU. */
export class WaitingPowers implements Powers {
  readonly isKnown = true;

  /** @param size Number of regions. @param meanW Mean power of a CPU, W. @param idleW The usual power of waiting, W. */
  constructor(readonly size: number, readonly meanW: number, readonly idleW: number) {}

  powerW(): number {
    return 0;
  }

  floorW(): number {
    return -this.idleW;
  }

  priorW(): number {
    return this.meanW;
  }

  spread(seconds: Float64Array): Float64Array {
    return seconds.map((s) => s * this.meanW ** 2);
  }

  timeVariance(): number {
    return 0;
  }
}

/** Energies of regions that their marks say. */
export interface RegionSums {
  /** J; NaN: not determined. */
  readonly energyJ: Float64Array;
  /** By region and region: covariance, J². */
  readonly covarianceJ2: Float64Array;
}

/** Times of classes in a region, s: those of the first domain, then those of the next one. */
export type ClassTimes = Float64Array;

/** Powers of all domains, so that the energies of each region add up to what its marks say. */
export class SampledSum {
  /** By place: its domain, and its class there. */
  readonly #domainOf: Powers[] = [];
  readonly #classOf: number[] = [];
  readonly #first: number[] = [];
  readonly #powerW: Float64Array;
  /** By region: factor that makes its energies add up. */
  readonly #scale: number[];
  /** By region that is held to its energy: covariances of powers with its energy. */
  readonly #held: number[];
  readonly #columns: Float64Array[];
  readonly #factor: Factor;
  readonly #sums: Float64Array;

  /**
   * @param whole By region: all times in it. The first one is outside of all others.
   * @param sums Energies of the others.
   */
  constructor(
    readonly domains: readonly Powers[],
    readonly whole: readonly ClassTimes[],
    totalJ: number,
    sums: RegionSums,
  ) {
    for (const domain of domains) {
      this.#first.push(this.#domainOf.length);
      for (let r = 0; r < domain.size; r++) {
        this.#domainOf.push(domain);
        this.#classOf.push(r);
      }
    }
    const power = Float64Array.from(this.#domainOf, (of, i) => of.powerW(this.#classOf[i]));
    const held = this.#held = whole.keys().drop(1)
      .filter((g) => sums.energyJ[g - 1] > 0 && whole[g].some((s) => s > 0)).toArray();
    const columns = this.#columns = held.map((g) => this.#spread(whole[g]));
    const count = held.length, matrix = new Float64Array(count * count);
    const covariance = this.#sums = new Float64Array(count * count), regions = whole.length - 1;
    held.forEach((g, i) => {
      held.forEach((h, j) => {
        matrix[i * count + j] = dot(whole[g], columns[j]);
        covariance[i * count + j] = sums.covarianceJ2[(g - 1) * regions + h - 1];
      });
      matrix[i * count + i] *= 1 + DIAGONAL;
    });
    this.#factor = atOnce(factor(matrix, count));
    const rest = held.map((g) => sums.energyJ[g - 1] - dot(whole[g], power));
    const along = solveFactored(this.#factor, Float64Array.from(rest));
    columns.forEach((column, i) => column.forEach((v, k) => power[k] += v * along[i]));
    this.#powerW = power.map((w, k) => Math.max(w, this.#domainOf[k].floorW(this.#classOf[k])));
    const heldJ = held.reduce((sum, g) => sum + sums.energyJ[g - 1], 0);
    const free = whole.keys().filter((g) => !held.includes(g)).toArray();
    const freeJ = free.reduce((sum, g) => sum + dot(whole[g], this.#powerW), 0);
    this.#scale = whole.map((times, g) => {
      if (!held.includes(g)) return freeJ > 0 ? Math.max(0, totalJ - heldJ) / freeJ : 1;
      return sums.energyJ[g - 1] / dot(times, this.#powerW);
    });
  }

  /** Covariances of powers times seconds, W: without what is known of regions. */
  #spread(times: ClassTimes): Float64Array {
    const out = new Float64Array(times.length);
    this.domains.forEach((domain, d) => {
      const from = this.#first[d];
      out.set(domain.spread(times.subarray(from, from + domain.size)), from);
    });
    return out;
  }

  /**
   * Energy of some time of classes, by region.
   *
   * @param why The cause if it cannot be determined.
   */
  energy(parts: ReadonlyMap<number, ClassTimes>, why: string): SampledEnergy {
    const all = new Float64Array(this.#domainOf.length);
    let energyJ = 0, prior = 0, times = 0, isWhole = true;
    for (const [g, part] of parts) {
      let joules = 0, inside = 0, beside = 0, restS = 0;
      part.forEach((s, k) => {
        const domain = this.#domainOf[k], r = this.#classOf[k], powerW = this.#powerW[k];
        all[k] += s;
        joules += s * powerW;
        inside += domain.timeVariance(r, s, powerW);
        const others = this.whole[g][k] - s;
        if (others > ROUNDING * this.whole[g][k]) {
          restS += others;
          beside += domain.timeVariance(r, others, powerW);
        }
      });
      const share = joules / dot(this.whole[g], this.#powerW);
      energyJ += joules * this.#scale[g];
      // The sum is known, so that an error of the time here is one of the other sign beside it.
      times += (1 - share) ** 2 * inside + share ** 2 * beside;
      if (restS > 0 || !this.#held.includes(g)) isWhole = false;
    }
    all.forEach((s, k) => prior += (this.#domainOf[k].priorW(this.#classOf[k]) * s) ** 2);
    const powers = Math.max(0, this.#variance(all)), seJ = Math.sqrt(powers + times);
    const isKnown = this.domains.every((domain) => domain.isKnown);
    const isSeparate = powers <= PRIOR_LEFT * prior || seJ <= GOOD * energyJ;
    const isDetermined = isWhole || isKnown && seJ <= ERROR_MOST * energyJ && isSeparate;
    return { energyJ, seJ, why: isDetermined || energyJ === 0 ? undefined : why };
  }

  /** Variance by powers, J². */
  #variance(times: ClassTimes): number {
    const own = dot(times, this.#spread(times)), count = this.#held.length;
    if (count === 0) return own;
    const shared = Float64Array.from(this.#columns, (column) => dot(times, column));
    const along = solveFactored(this.#factor, shared);
    let known = 0;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) known += along[i] * this.#sums[i * count + j] * along[j];
    }
    return own - dot(shared, along) + known;
  }
}
