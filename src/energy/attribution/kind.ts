/**
 * The energies of classes from the counters of one kind: stretch by stretch, so that memory does not grow with the
 * run. The first stretch chooses the counter's answer, and so does one of mostly other classes; the others use it.
 * @module
 */
import {
  type Choice,
  type Estimate,
  estimate,
  estimateAgain,
  estimateAlike,
  FIRST_ROWS,
  type Fitted,
  type Refusal,
  refused,
  type Response,
} from "./estimate.ts";
import type { Domain } from "./domain.ts";
import { isOfLoad } from "./response.ts";
import { FAST_S } from "./search.ts";
import { RunSum } from "./run_sum.ts";
import { type Counter, Stretch } from "./stretch.ts";

/** A stretch ends with so many changes of the counter; it is taken up once there are so many more, or the run ends. */
const MORE_ROWS = 2048;
/** More events than this between two readings have no effects of single stays. */
const DENSE = 32;
/**
 * Stretches with more events than this between two readings are busy. Of them so many are fitted at first, then one
 * of so many: fits of all of them take 8 % of a core at 16 CPUs with 280 visits a second each, these 4.4 %.
 */
const BUSY = 16, BUSY_FITS = 4, BUSY_EACH = 8;
/** The fit before tells this much more of a stretch, by variance: the stretch's own is off by chance. */
const MORE_VARIANCE = 4;
/** Stretches that wait for a fit, 1 MiB each; the first fits take as long as several busy stretches. */
const MAX_WAITING = 8;
/** A choice is made again if classes that it does not know have this part of the time. */
const NEW_PART = 0.5;
/** A stretch ends with so many events (3 MiB) or readings, too. */
const MAX_EVENTS = 200_000, MAX_READINGS = 4 * FIRST_ROWS;
/** One with more events a reading than {@linkcode DENSE} ends with so many. */
const MAX_DENSE_EVENTS = 50_000;

/** Weight of an answer that is likelier than all others; time constants of one load by several counters differ less. */
const LIKELY = 0.5, ALIKE = 2;

/** Facts about some counters, by the last stretch. */
export interface DomainFacts {
  readonly counters: readonly number[];
  readonly periodS: number;
  readonly jitterS: number;
  /** Intervals with a break: a restart of the counter, or no reading. */
  readonly breaks: number;
  readonly response: Response | undefined;
  readonly refusal: Refusal | undefined;
  readonly notes: readonly string[];
}

/**
 * Goes on with the work of all kinds, one after the other: each takes much memory while it works.
 *
 * @param isTime Asked after each slice: is there time for more?
 */
export function workOn(kinds: readonly KindEnergies[], isTime: () => boolean): void {
  while (kinds.some((kind) => kind.work()) && isTime());
}

/** Busy stretches of a counter. */
interface Busy {
  /** The fit that gives the powers, and the number of stretches that have them. */
  fitted: Fitted;
  alike: number;
  /** Stretches that were fitted, and those since the last of them. */
  fits: number;
  skipped: number;
}

/** Records lanes and readings of one kind's counters, and estimates. */
export class KindEnergies {
  sum = new RunSum();
  /** By the first of its counters. */
  readonly facts = new Map<number, DomainFacts>();
  readonly #masks: Int32Array[] = [];
  readonly #maskOf = new Map<string, number>();
  readonly #choices = new Map<number, Choice>();
  /** By the first counter: its busy stretches. */
  readonly #busy = new Map<number, Busy>();
  #stretch: Stretch;
  /** Changes of the first counter, and the reading at which a stretch is to be cut. */
  #changes = 0;
  #lastJ = NaN;
  #cutAt = -1;
  /** The fit that goes on, and stretches that wait for it. */
  #work: Generator<void, void> | undefined;
  readonly #waiting: Stretch[] = [];

  /** @param finer A kind with the same load, whose counters may be faster. It takes its stretches up first. */
  constructor(
    readonly counters: readonly Counter[],
    readonly cpuCount: number,
    readonly isDevice: boolean,
    readonly finer?: KindEnergies,
  ) {
    this.#stretch = new Stretch(counters, cpuCount, this.#masks);
  }

  /** Forgets all: another process took the command's place. */
  restart(): void {
    this.sum = new RunSum();
    this.facts.clear();
    this.#choices.clear();
    this.#busy.clear();
    this.#begin(new Stretch(this.counters, this.cpuCount, this.#masks));
    this.#work = undefined;
    this.#waiting.length = 0;
  }

  /** A lane lives from a time on, or has other CPUs. */
  live(timeS: number, lane: number, cpus: Int32Array): void {
    const mask = this.#maskOf.getOrInsertComputed(
      cpus.join(),
      () => this.#masks.push(cpus.slice()) - 1,
    );
    this.#stretch.mask(timeS, lane, mask);
  }

  /** A lane lives no longer. */
  end(timeS: number, lane: number): void {
    this.#stretch.end(timeS, lane);
  }

  /** A lane is in a class from a time on. */
  edge(timeS: number, lane: number, classId: number): void {
    this.#stretch.edge(timeS, lane, classId);
  }

  /** A lane ran outside of all regions for some time, although its group has more lanes than CPUs. */
  ranOutside(timeS: number, lane: number, seconds: number): void {
    this.#stretch.ranOutside(timeS, lane, seconds);
  }

  /** A class had a part of a lane's time in another one since the last reading. */
  fold(lane: number, classId: number, seconds: number, around: number): void {
    this.#stretch.fold(lane, classId, seconds, around);
  }

  /** Readings of all counters, J; NaN: none. */
  step(timeS: number, valuesJ: ArrayLike<number>, stampsS: ArrayLike<number>): void {
    const stretch = this.#stretch;
    stretch.step(timeS, valuesJ, stampsS);
    if (valuesJ[0] !== this.#lastJ) this.#changes++;
    this.#lastJ = valuesJ[0];
    const { readings, events } = stretch;
    const mostEvents = events > DENSE * readings ? MAX_DENSE_EVENTS : MAX_EVENTS;
    if (
      this.#cutAt < 0 &&
      (this.#changes === FIRST_ROWS || readings >= MAX_READINGS || events >= mostEvents)
    ) {
      this.#cutAt = readings - 1;
    }
    const isDue = this.#changes >= FIRST_ROWS + MORE_ROWS || readings >= MAX_READINGS + MORE_ROWS ||
      events >= 5 / 4 * mostEvents;
    if (this.#cutAt < 0 || !isDue) return;
    const next = stretch.cut(this.#cutAt);
    this.#waiting.push(stretch);
    while (this.#waiting.length > MAX_WAITING) this.work();
    this.#begin(next);
  }

  /** Goes on with the work, if there is any. @returns Is there more? */
  work(): boolean {
    const next = this.#work === undefined ? this.#waiting.shift() : undefined;
    if (next !== undefined) this.#work = this.#take(next);
    if (this.#work?.next().done !== false) this.#work = undefined;
    return this.#work !== undefined || this.#waiting.length > 0;
  }

  /** The run is over. */
  finish(): void {
    this.#finishWork();
    const stretch = this.#stretch;
    if (stretch.readings < 2) return;
    // It can go on from the last reading.
    this.#begin(stretch.cut(stretch.readings - 1));
    this.#waiting.push(stretch);
    this.#finishWork();
  }

  #finishWork(): void {
    while (this.work());
  }

  #begin(stretch: Stretch): void {
    this.#stretch = stretch;
    this.#changes = 0;
    this.#cutAt = -1;
  }

  *#take(stretch: Stretch): Generator<void, void> {
    // Events of very many lanes at a time: what one stay does is averaged over all of them.
    const isDense = stretch.events > DENSE * stretch.readings;
    const isBusy = stretch.events > BUSY * stretch.readings;
    this.sum.begin();
    let capacity = 0;
    const { lives, sets } = stretch.sets();
    for (const counters of sets) {
      const domain = yield* stretch.domain(counters, lives, {
        isDevice: this.isDevice,
        isWhole: isDense,
      });
      if (domain === undefined) continue;
      yield;
      const [first] = counters, known = this.#choices.get(first);
      const isFirst = known === undefined || isNew(domain, known);
      const alike = isFirst || !isBusy ? undefined : this.#alike(first, domain);
      const estimated = alike ??
        (isFirst
          ? yield* estimate(domain, yield* this.#loadS())
          : yield* estimateAgain(domain, known));
      // Readings that fit nothing leave no finite numbers.
      const isFinite = estimated.energyJ.every(Number.isFinite) &&
        estimated.covariance.every(Number.isFinite);
      const result = isFinite
        ? estimated
        : refused(domain, "no power explains the counter's readings");
      if (result.choice !== undefined) this.#choices.set(first, result.choice);
      if (isBusy && alike === undefined && result.choice !== undefined) {
        this.#noteBusy(first, { ids: domain.ids, seconds: domain.seconds, estimate: result });
      }
      this.sum.add(domain, result);
      if (domain.ids.some((id) => id >= 0)) capacity += domain.facts.capacity;
      this.facts.set(first, factsOf(counters, domain, result));
    }
    this.sum.capacity = Math.max(this.sum.capacity, capacity);
  }

  /** Time constant of the load, s, as the finer kind shows it; 0: there is none; `undefined`: not known. */
  *#loadS(): Generator<void, number | undefined> {
    const { finer } = this;
    if (finer === undefined) return undefined;
    while (finer.#choices.size === 0 && finer.work()) yield;
    const known = [...finer.#choices].map(([first, { response: { family, kernel, weight } }]) => {
      const isFast = finer.facts.get(first)!.periodS < FAST_S && weight > LIKELY;
      return isFast && (family === "lag" || isOfLoad(kernel)) ? kernel.loadS : NaN;
    });
    const low = Math.min(...known), high = Math.max(...known);
    return known.length > 0 && high <= ALIKE * low ? (low + high) / 2 : undefined;
  }

  /** A busy stretch was fitted. If the fit before tells much more of it, that one stays. */
  #noteBusy(first: number, fitted: Fitted): void {
    const busy = this.#busy.getOrInsertComputed(first, () => {
      return { fitted, alike: 0, fits: 0, skipped: 0 };
    });
    busy.fits++;
    busy.skipped = 0;
    if (varianceOf(fitted, fitted) > MORE_VARIANCE * varianceOf(fitted, busy.fitted)) return;
    [busy.fitted, busy.alike] = [fitted, 0];
  }

  /** Energies of a busy stretch by one that was fitted; `undefined`: it is to be fitted itself. */
  #alike(first: number, domain: Domain): Estimate | undefined {
    const busy = this.#busy.get(first), { crowd } = domain.facts;
    if (busy === undefined || busy.fits < BUSY_FITS || busy.skipped === BUSY_EACH - 1) return;
    if (crowd !== undefined || domain.classes === 1) return;
    busy.skipped++;
    return estimateAlike(domain, busy.fitted, ++busy.alike);
  }
}

/** Variance of a stretch's energies by the powers of a fit, J²; a class that it did not see is unknown. */
function varianceOf({ ids, seconds, estimate }: Fitted, by: Fitted): number {
  const { covariance } = by.estimate, n = by.ids.length;
  return ids.reduce((sum, id, c) => {
    const i = by.ids.indexOf(id);
    if (i < 0) return sum + estimate.energyJ[c] ** 2;
    return sum + covariance[i * n + i] * (seconds[c] / by.seconds[i]) ** 2;
  }, 0);
}

/** Are most of the lanes' seconds those of classes that a choice does not know? */
function isNew({ ids, seconds }: Domain, { powers }: Choice): boolean {
  let known = 0, all = 0;
  ids.forEach((id, c) => {
    if (id < 0) return;
    all += seconds[c];
    if (powers.has(id)) known += seconds[c];
  });
  return all - known > NEW_PART * all;
}

function factsOf(counters: readonly number[], domain: Domain, result: Estimate): DomainFacts {
  const { periodS, jitterS, isWhole } = domain.boundaries, { choice, refusal, notes } = result;
  const breaks = isWhole.reduce((s, is) => s + 1 - is, 0);
  return { counters, periodS, jitterS, breaks, response: choice?.response, refusal, notes };
}
