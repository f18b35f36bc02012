/**
 * Coverage: the time, and the parts of a node, that an energy or a power covers.
 *
 * A value of a report adds up the counters of several parts (packages, memories, GPUs) from step to
 * step. A part may not be available for some time (NaN), or its counter may begin again, which it
 * shows by a step back (`core/machine/counter.ts`). The count between two valid values that grow is
 * known, at any distance. The counts up to a step back, before the first value and after the last
 * one are not known. The rules, and what a report makes of them: docs/reference/coverage.md.
 *
 * Nothing allocates after the first sight of a region.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import { HASH_APPLICATION, HASH_EPOCH, HASH_INVALID } from "../../core/hash.ts";
import { grown } from "../../core/grow.ts";
import { NEVER_CHANGED, TOO_SHORT, ZERO_POWER } from "../../core/job_totals.ts";
import type { SignalSource } from "../../core/signal.ts";

/** Source of the parts' values: a batch, before its first step. */
export interface PartSource extends SignalSource {
  /** Handles of a signal at each instance of its own domain inside an instance; none if absent. */
  pushParts(name: string, domain: Domain, index: number): number[];
  /** Seconds between two changes of its counter; `undefined`: not known. */
  updatePeriodS(name: string): number | undefined;
  /** Is it calculated from other signals, as the integral of a power? */
  isDerived(name: string): boolean;
}

/** One part of a figure that does not cover the whole time. */
export interface PartLoss {
  /** Place among the parts. */
  readonly part: number;
  /** Seconds since the first step at which it was seen first and last. */
  readonly fromS: number;
  /** End of the time that is known. */
  readonly untilS: number;
  /** Seconds between the two of which nothing is known, and how often it began again. */
  readonly lostS: number;
  /** Number of times that the counter began again. */
  readonly restarts: number;
  /** True if the counter never changed. */
  readonly isStill: boolean;
}

/** Value over the whole time, as far as it is known. */
export interface Known {
  /** Sum over parts: J, or W for a power; NaN if nothing is covered. */
  readonly value: number;
  /** Each part over its own covered time, W. */
  readonly powerW: number;
  /** Part of the time, over all parts, that is covered: 0 to 1. */
  readonly share: number;
  /** Number of parts that the value has. */
  readonly parts: number;
  /** Lost times, by part. */
  readonly losses: readonly PartLoss[];
}

/**
 * Coverage of each value: the part of a run's time, and of a node's parts.
 *
 * @example
 * ```ts
 * import { buildCatalogue, Engine, openHost, PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const table = buildCatalogue({ host: openHost(""), readers: [], application: [tracker] });
 * using engine = new Engine({
 *   topology,
 *   tracker,
 *   table,
 *   host: "node01",
 *   profile: "example",
 *   startTime: "2024-10-24T08:00:00.000000000+0000",
 *   version: "3.1.0",
 * });
 * if (engine.gaps().size > 0) throw new Error("expected no gap before the first sample");
 * ```
 */
export class Coverage {
  readonly #source: PartSource;
  readonly #figures: FigureCoverage[] = [];
  readonly #placeOf = new Map<number, number>();
  readonly #timeHandle: number;

  /** Coverage without figures yet. */
  constructor(source: PartSource) {
    this.#source = source;
    this.#timeHandle = source.pushSignal("TIME", "board", 0);
  }

  /**
   * Watches a figure; `undefined` if the signal is absent. Before the first step.
   *
   * @ignore
   */
  watch(name: string, domain: Domain, index: number): FigureCoverage | undefined {
    const handles = this.#source.pushParts(name, domain, index);
    if (handles.length === 0) return undefined;
    const region = this.#source.pushSignal("REGION_HASH", domain, index);
    const epoch = this.#source.pushSignal("EPOCH_COUNT", domain, index);
    const isPower = this.#source.behavior(name) !== "monotone";
    const isLimit = isPower && LIMIT.test(name);
    const updatePeriodS = this.#source.updatePeriodS(name) ?? 0;
    const stillReason = isPower || this.#source.isDerived(name) ? ZERO_POWER : NEVER_CHANGED;
    const figure = new FigureCoverage(
      { name, handles, region, epoch, isPower, isLimit, updatePeriodS, stillReason },
      this.#placeOf,
    );
    this.#figures.push(figure);
    return figure;
  }

  /**
   * Takes the batch just settled into account; the first call only remembers where all began.
   *
   * @param tookS Seconds of each region in this step, by hash, if it was so long that there may be
   * several. @default all of it was in the region that it began in
   * @param isOver The program had ended before this step: a change in it says nothing about the program.
   */
  step(tookS?: ReadonlyMap<number, number>, isOver = false): void {
    const timeS = this.#source.sample(this.#timeHandle);
    if (timeS !== timeS) return;
    for (let i = 0; i < this.#figures.length; i++) {
      this.#figures[i].step(this.#source, timeS, tookS, isOver);
    }
  }

  /** Signals of which no counter changed since the first step, and the reason: nothing is known of them. */
  get still(): ReadonlyMap<string, string> {
    const all = Map.groupBy(this.#figures, ({ name }) => name);
    return new Map(
      [...all].filter(([, list]) => list.every(({ isStill }) => isStill))
        .map(([name, [figure]]) => [name, figure.stillReason]),
    );
  }

  /** Counters that changed so rarely that their totals are rough: how often each did. */
  get rare(): ReadonlyMap<string, number> {
    const rare = new Map<string, number>();
    for (const { name, rareChanges } of this.#figures) {
      if (rareChanges !== undefined) rare.set(name, rareChanges);
    }
    return rare;
  }

  /** Forgets everything but what is watched. */
  restart(): void {
    for (const figure of this.#figures) figure.restart();
  }
}

/** Names of powers that are set, not measured: 0 means that there is none. */
const LIMIT = /LIMIT|CAP/;
/** A total may be off by what a counter counts between two changes at each end: here 5 % of it. */
const MIN_CHANGES = 20;

interface Handles {
  readonly name: string;
  readonly handles: readonly number[];
  readonly region: number;
  readonly epoch: number;
  readonly isPower: boolean;
  readonly isLimit: boolean;
  readonly updatePeriodS: number;
  readonly stillReason: string;
}

/** Seconds or joules by region: those in doubt, which become lost or known, and those lost. */
class RegionSums {
  readonly #placeOf: Map<number, number>;
  #doubt = new Float64Array(16);
  #lost = new Float64Array(16);
  /** Regions in doubt, and which of them are listed. */
  #listed = new Int32Array(16);
  #isListed = new Uint8Array(16);
  #count = 0;
  #hasLost = false;

  constructor(placeOf: Map<number, number>) {
    this.#placeOf = placeOf;
  }

  /** Place of a region, made at first sight. */
  place(hash: number): number {
    const place = this.#placeOf.getOrInsert(hash, this.#placeOf.size);
    if (place >= this.#lost.length) this.#grow(place + 1);
    return place;
  }

  doubt(place: number, amount: number): void {
    this.#doubt[place] += amount;
    if (this.#isListed[place] !== 0) return;
    this.#isListed[place] = 1;
    this.#listed[this.#count++] = place;
  }

  /** All doubt is over. @param lost It was lost; else it is known after all. */
  resolve(lost: boolean): void {
    for (let k = 0; k < this.#count; k++) {
      const place = this.#listed[k];
      if (lost) this.#lost[place] += this.#doubt[place];
      this.#hasLost ||= lost;
      this.#doubt[place] = 0;
      this.#isListed[place] = 0;
    }
    this.#count = 0;
  }

  /** Amount lost of a region. @param withDoubt What is in doubt counts as lost. */
  lost(hash: number, withDoubt: boolean): number {
    // As in most runs, and there may be very many regions.
    if (!this.#hasLost && (!withDoubt || this.#count === 0)) return 0;
    const place = this.#placeOf.get(hash);
    if (place === undefined || place >= this.#lost.length) return 0;
    return this.#lost[place] + (withDoubt ? this.#doubt[place] : 0);
  }

  clear(): void {
    this.resolve(false);
    this.#hasLost = false;
    this.#lost.fill(0);
  }

  #grow(least: number): void {
    this.#doubt = grown(this.#doubt, least);
    this.#lost = grown(this.#lost, least);
    this.#listed = grown(this.#listed, least);
    this.#isListed = grown(this.#isListed, least);
  }
}

/** One figure: a signal at a domain instance. */
export class FigureCoverage {
  readonly name: string;
  readonly isPower: boolean;
  readonly #isLimit: boolean;
  readonly #updatePeriodS: number;
  readonly #stillReason: string;
  readonly #handles: Int32Array;
  readonly #regionHandle: number;
  readonly #epochHandle: number;
  readonly #regions: RegionSums;
  /** Seconds of regions in steps that began in other regions. */
  readonly #beside: RegionSums;
  /** Growth of the sum over all parts, J, with the region that it counts for. */
  readonly #joules: RegionSums;
  /** By part: last valid value, NaN before it; when it came or changed; what is known so far. */
  readonly #value: Float64Array;
  readonly #sinceS: Float64Array;
  readonly #fromS: Float64Array;
  readonly #sum: Float64Array;
  readonly #coveredS: Float64Array;
  readonly #lostS: Float64Array;
  readonly #restarts: Int32Array;
  readonly #changes: Int32Array;
  /** Flags of parts that were not available at the last step. */
  readonly #missing: Uint8Array;
  #startS = NaN;
  #lastS = NaN;
  #steps = 0;
  #region = 0;
  #hash = NaN;
  #inEpoch = false;
  #epochDoubtS = 0;
  #epochLostS = 0;
  /** Last sum over all parts that has all of them, and what the step after it counts for. */
  #total = NaN;
  #totalRegion = 0;
  #totalInEpoch = false;
  #epochDoubtJ = 0;
  #epochLostJ = 0;

  constructor(
    { name, handles, region, epoch, isPower, isLimit, updatePeriodS, stillReason }: Handles,
    placeOf: Map<number, number>,
  ) {
    this.name = name;
    this.isPower = isPower;
    this.#isLimit = isLimit;
    this.#updatePeriodS = updatePeriodS;
    this.#stillReason = stillReason;
    this.#handles = Int32Array.from(handles);
    [this.#regionHandle, this.#epochHandle] = [region, epoch];
    this.#regions = new RegionSums(placeOf);
    this.#beside = new RegionSums(placeOf);
    this.#joules = new RegionSums(placeOf);
    const n = handles.length;
    this.#value = new Float64Array(n).fill(NaN);
    this.#sinceS = new Float64Array(n);
    this.#fromS = new Float64Array(n).fill(NaN);
    this.#sum = new Float64Array(n);
    this.#coveredS = new Float64Array(n);
    this.#lostS = new Float64Array(n);
    this.#restarts = new Int32Array(n);
    this.#changes = new Int32Array(n);
    this.#missing = new Uint8Array(n);
  }

  step(
    source: SignalSource,
    timeS: number,
    tookS: ReadonlyMap<number, number> | undefined,
    isOver: boolean,
  ): void {
    for (const [hash, seconds] of tookS ?? []) {
      if (hash !== this.#hash) this.#beside.doubt(this.#beside.place(hash), seconds);
    }
    if (this.#startS === this.#startS) this.#advance(source, timeS, isOver);
    else this.#begin(source, timeS);
    this.#lastS = timeS;
    const sampled = source.sample(this.#regionHandle);
    const hash = sampled === sampled ? sampled : HASH_INVALID;
    if (hash !== this.#hash) {
      this.#hash = hash;
      this.#region = this.#regions.place(hash);
    }
    const epoch = source.sample(this.#epochHandle);
    this.#inEpoch = epoch === epoch && epoch !== 0;
    if (this.#missing.includes(1)) return;
    this.#totalRegion = this.#region;
    this.#totalInEpoch = this.#inEpoch;
  }

  restart(): void {
    this.#startS = NaN;
    this.#value.fill(NaN);
    this.#fromS.fill(NaN);
    for (const rows of [this.#sum, this.#coveredS, this.#lostS]) rows.fill(0);
    for (const rows of [this.#restarts, this.#changes, this.#missing]) rows.fill(0);
    this.#steps = 0;
    this.#regions.clear();
    this.#beside.clear();
    this.#joules.clear();
    this.#total = NaN;
    this.#epochDoubtS =
      this.#epochLostS =
      this.#epochDoubtJ =
      this.#epochLostJ =
        0;
  }

  /** Is the figure of a region, the epochs or the application known for all its time and parts? */
  isWhole(hash: number): boolean {
    // Without time there is nothing to lose, and nothing known.
    if (hash === HASH_APPLICATION && this.isStill) return false;
    return this.lostS(hash) === 0 && this.besideS(hash) === 0;
  }

  /** Seconds of a region in which a part was lost, in steps that are not counted as its own. */
  besideS(hash: number): number {
    return hash === HASH_EPOCH || hash === HASH_APPLICATION
      ? 0
      : this.#beside.lost(hash, this.#isMissing);
  }

  /** Seconds of it in which a part was lost; of the application, over all parts. */
  lostS(hash: number): number {
    const missing = this.#isMissing;
    if (hash === HASH_EPOCH) return this.#epochLostS + (missing ? this.#epochDoubtS : 0);
    if (hash !== HASH_APPLICATION) return this.#regions.lost(hash, missing);
    let lost = 0;
    for (let i = 0; i < this.#lostS.length; i++) lost += this.#lostSOf(i);
    return lost;
  }

  /** Energy of the region in those seconds, as far as the sum over the steps has it, J. */
  lostJ(hash: number): number {
    if (this.isPower) return 0;
    const missing = this.#isMissing;
    if (hash === HASH_EPOCH) return this.#epochLostJ + (missing ? this.#epochDoubtJ : 0);
    return this.#joules.lost(hash, missing);
  }

  get #isMissing(): boolean {
    // Asked for each of very many regions.
    for (let i = 0; i < this.#missing.length; i++) {
      if (this.#missing[i] !== 0 || this.#isStill(i)) return true;
    }
    return false;
  }

  /** Value for the application, as far as it is known. */
  known(): Known {
    const lengthS = this.#lastS - this.#startS;
    let value = 0, powerW = 0, covered = 0;
    const losses: PartLoss[] = [];
    for (let i = 0; i < this.#sum.length; i++) {
      const lostS = this.#lostSOf(i);
      const coveredS = Math.max(0, lengthS - lostS);
      covered += coveredS;
      const mean = coveredS > 0 ? this.#sum[i] / coveredS : 0;
      value += this.isPower ? mean : this.#sum[i];
      powerW += mean;
      const isStill = this.#isStill(i);
      if (lostS === 0 && !isStill) continue;
      const fromS = isStill ? NaN : this.#fromS[i] - this.#startS;
      const untilS = this.#missing[i] !== 0 ? this.#sinceS[i] - this.#startS : lengthS;
      const tailS = fromS === fromS ? fromS + (lengthS - untilS) : lengthS;
      losses.push({
        part: i,
        fromS,
        untilS,
        lostS: Math.max(0, lostS - tailS),
        restarts: this.#restarts[i],
        isStill,
      });
    }
    const parts = this.#sum.length;
    const share = lengthS > 0 ? Math.min(1, covered / (parts * lengthS)) : 0;
    // Of nothing nothing is known, which is not 0.
    if (share === 0) value = powerW = NaN;
    return { value, powerW, share, parts, losses };
  }

  /** Did no part change since the first step, while the program ran? After one step none has. */
  get isStill(): boolean {
    return this.#handles.every((_, i) => this.#isStill(i));
  }

  /** Why a figure that is still is not known. */
  get stillReason(): string {
    const lengthS = this.#lastS - this.#startS;
    if (lengthS > 0 && lengthS >= this.#updatePeriodS) return this.#stillReason;
    return this.#updatePeriodS > 0 ? `${TOO_SHORT} (${this.#updatePeriodS} s)` : TOO_SHORT;
  }

  /**
   * Number of changes of the part with the fewest changes, if that makes the total inaccurate.
   * `undefined`: it changed often enough, or about as often as it was read, which shows nothing; or
   * a part of the value is lost, which a longer run does not fix.
   */
  get rareChanges(): number | undefined {
    if (this.isPower || !this.isWhole(HASH_APPLICATION)) return undefined;
    const moving = this.#changes.filter((count) => count > 0);
    if (moving.length === 0) return undefined;
    const least = moving.reduce((a, b) => Math.min(a, b));
    return least < MIN_CHANGES && 2 * least < this.#steps ? least : undefined;
  }

  /**
   * A counter that never changed, or a meter at 0 W, may not count at all: nothing is known about it. Nor is
   * anything known of a counter that was read once.
   */
  #isStill(i: number): boolean {
    if (!(this.#lastS > this.#startS)) return !this.#isLimit;
    const isAtZero = this.isPower ? this.#sum[i] === 0 : this.#changes[i] === 0;
    return !this.#isLimit && isAtZero && this.#restarts[i] === 0 &&
      this.#fromS[i] === this.#startS;
  }

  #lostSOf(i: number): number {
    if (this.#isStill(i)) return this.#lastS - this.#startS;
    if (this.#missing[i] === 0) return this.#lostS[i];
    return this.#lostS[i] + this.#lastS - this.#sinceS[i];
  }

  #begin(source: SignalSource, timeS: number): void {
    this.#startS = timeS;
    this.#sinceS.fill(timeS);
    for (let i = 0; i < this.#handles.length; i++) {
      const value = source.sample(this.#handles[i]);
      this.#value[i] = value;
      this.#missing[i] = value === value ? 0 : 1;
      if (value === value) this.#fromS[i] = timeS;
    }
    this.#total = sumOf(this.#value);
  }

  #advance(source: SignalSource, timeS: number, isOver: boolean): void {
    this.#steps++;
    const elapsedS = timeS - this.#lastS;
    let open = false, lost = false;
    for (let i = 0; i < this.#handles.length; i++) {
      const value = source.sample(this.#handles[i]);
      const last = this.#value[i];
      this.#missing[i] = value === value ? 0 : 1;
      if (value !== value) {
        open = true;
        continue;
      }
      // A power that comes back has no information about the time without it.
      const gapS = timeS - this.#sinceS[i];
      // The value at the end of a step stands for all of it, and the first one of a rate for the time since the
      // counter's first reading: the next one comes after an update, which may be late by as much.
      const bridgedS = last === last ? elapsedS : Math.max(elapsedS, 2 * this.#updatePeriodS);
      const gone = this.isPower ? gapS > bridgedS : last !== last || value < last;
      if (!this.isPower && value === last) {
        open = true;
        continue;
      }
      if (this.#fromS[i] !== this.#fromS[i]) this.#fromS[i] = gone ? timeS : this.#sinceS[i];
      if (gone) {
        lost = true;
        this.#lostS[i] += gapS;
        if (last === last) this.#restarts[i]++;
      } else {
        this.#coveredS[i] += gapS;
        this.#sum[i] += this.isPower ? value * gapS : value - last;
        if (!isOver) this.#changes[i]++;
      }
      this.#value[i] = value;
      this.#sinceS[i] = timeS;
    }
    this.#regions.doubt(this.#region, elapsedS);
    if (this.#inEpoch) this.#epochDoubtS += elapsedS;
    if (!this.isPower && !this.#missing.includes(1)) this.#grow();
    if (!lost && open) return;
    this.#regions.resolve(lost);
    this.#beside.resolve(lost);
    this.#joules.resolve(lost);
    if (lost) {
      this.#epochLostS += this.#epochDoubtS;
      this.#epochLostJ += this.#epochDoubtJ;
    }
    this.#epochDoubtS = this.#epochDoubtJ = 0;
  }

  /** Counts the growth of the sum as a sum over steps does: all since it had all parts, for the region of then. */
  #grow(): void {
    const total = sumOf(this.#value), grownJ = total - this.#total;
    this.#total = total;
    if (grownJ !== grownJ) return;
    this.#joules.doubt(this.#totalRegion, grownJ);
    if (this.#totalInEpoch) this.#epochDoubtJ += grownJ;
  }
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
