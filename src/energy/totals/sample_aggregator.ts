/**
 * Totals and averages of signals per region, epoch, application and period:
 * geopm::SampleAggregator(3).
 *
 * A step belongs to the region and epoch that its domain instance was in at the step's begin, as
 * REGION_HASH and EPOCH_COUNT of that same instance had it; an average weighs the step with the
 * value at its end. Those two signals are sampled once a step for each domain instance, not once a
 * signal, and nothing allocates but the first sight of a region.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import { UsageError } from "../../core/errors.ts";
import { HASH_APPLICATION, HASH_EPOCH, HASH_INVALID, HASH_UNMARKED } from "../../core/hash.ts";
import type { SignalSource } from "../../core/signal.ts";
import {
  addAverage,
  addTotal,
  enterInterval,
  exitInterval,
  LAST,
  overall,
  WIDTH,
} from "./accumulator.ts";

const TOTAL = 0;
const AVERAGE = 1;
/** Accumulators that every signal has, one after the other. */
const APPLICATION = 0;
const EPOCH = WIDTH;
const PERIOD = 2 * WIDTH;
const FIXED = 3 * WIDTH;

/**
 * Adds up samples by what each domain instance was doing. Values of signals that were never available count for nothing.
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
 * const handle = engine.aggregator.pushSignal("TIME", "board", 0);
 * console.log(engine.aggregator.sampleApplication(handle));
 * ```
 */
export class SampleAggregator {
  readonly #source: SignalSource;
  readonly #scopes: Scope[] = [];
  readonly #scopeOf = new Map<string, number>();
  #timeHandle = -1;
  /** Place of a handle among the pushed signals; −1: not pushed here. */
  #placeOf: number[] = [];
  readonly #handles: number[] = [];
  readonly #modes: number[] = [];
  readonly #signalScope: number[] = [];
  /** Regions seen so far, over all signals; a place never changes. */
  readonly #regionPlace = new Map<number, number>();
  readonly #regionHash: number[] = [];
  /** By region: accumulators of all signals. */
  readonly #regions: Float64Array[] = [];
  /** By region: 1 if the signal has seen it. */
  readonly #seen: Uint8Array[] = [];
  #fixed = new Float64Array(0);
  #lastValue = new Float64Array(0);
  #lastEpoch = new Float64Array(0);
  #lastRegion = new Int32Array(0);
  readonly #placeOfRegion = (hash: number) => this.#region(hash);
  #updated = false;
  #frozen = false;
  #durationS = 0;
  #lastPeriod = 0;

  /** An aggregator without signals; push them before the first sample. @param source Where signals are pushed and sampled: a batch, or anything of its shape. */
  constructor(source: SignalSource) {
    this.#source = source;
  }

  /**
   * Requests a signal by its behavior: monotone as a total, variable as an average.
   *
   * @returns The source's own handle.
   * @throws {UsageError} If the signal is constant or a label, was pushed the other way, or the
   * first update has passed.
   */
  pushSignal(name: string, domain: Domain, index: number): number {
    const behavior = this.#source.behavior(name);
    if (behavior === "monotone") return this.pushSignalTotal(name, domain, index);
    if (behavior === "variable") return this.pushSignalAverage(name, domain, index);
    throw new UsageError({
      action: "summarize signal",
      target: name,
      expected: "a monotone or variable signal",
      found: behavior === "label" ? "a label" : "a constant",
    });
  }

  /** Requests the growth of a signal of any behavior. See {@linkcode pushSignal}. */
  pushSignalTotal(name: string, domain: Domain, index: number): number {
    return this.#push(name, domain, index, TOTAL);
  }

  /** Requests the time-weighted mean of a signal of any behavior. */
  pushSignalAverage(name: string, domain: Domain, index: number): number {
    return this.#push(name, domain, index, AVERAGE);
  }

  /** Takes the batch just read into account. The first call only remembers where all began. */
  update(): void {
    if (!this.#frozen) this.#freeze();
    const timeS = this.#source.sample(this.#timeHandle);
    const period = this.#periodAt(timeS);
    for (let s = 0; s < this.#scopes.length; s++) {
      this.#scopes[s].sample(this.#source, this.#placeOfRegion);
    }
    if (!this.#updated) this.#begin();
    else {
      const newPeriod = period !== this.#lastPeriod;
      for (let i = 0; i < this.#handles.length; i++) this.#add(i, timeS, period, newPeriod);
    }
    this.#lastPeriod = period;
    this.#updated = true;
  }

  /** All since the first update. NaN before it. */
  sampleApplication(i: number): number {
    if (!this.#updated) return NaN;
    const place = this.#place(i);
    return overall(this.#fixed, place * FIXED + APPLICATION, this.#modes[place] === AVERAGE);
  }

  /** All since the first update that saw the epoch count leave 0; 0 without epochs. */
  sampleEpoch(i: number): number {
    if (!this.#updated) return NaN;
    const place = this.#place(i);
    return overall(this.#fixed, place * FIXED + EPOCH, this.#modes[place] === AVERAGE);
  }

  /** Between the last two changes of the epoch count; 0 before there were two. */
  sampleEpochLast(i: number): number {
    if (!this.#updated) return NaN;
    return this.#fixed[this.#place(i) * FIXED + EPOCH + LAST];
  }

  /**
   * All steps that began in a region. Never seen: 0 for a total, NaN for an average.
   *
   * @param regionHash The epoch's and the application's own hashes give their totals.
   */
  sampleRegion(i: number, regionHash: number): number {
    if (!this.#updated) return NaN;
    if (regionHash === HASH_EPOCH) return this.sampleEpoch(i);
    if (regionHash === HASH_APPLICATION) return this.sampleApplication(i);
    const place = this.#place(i);
    const region = this.#seenRegion(place, regionHash);
    const average = this.#modes[place] === AVERAGE;
    if (region < 0) return average ? NaN : 0;
    return overall(this.#regions[region], place * WIDTH, average);
  }

  /** May a signal have something other of this region than of one that never was? */
  hasSeen(regionHash: number): boolean {
    return !this.#updated || regionHash === HASH_EPOCH || regionHash === HASH_APPLICATION ||
      this.#regionPlace.has(regionHash);
  }

  /**
   * The last completed contiguous run of steps in a region, never the running one.
   *
   * A value without {@linkcode periodDuration} too, as in GEOPM's program; its manual page has NAN.
   */
  sampleRegionLast(i: number, regionHash: number): number {
    if (!this.#updated) return NaN;
    if (regionHash === HASH_EPOCH) return this.sampleEpochLast(i);
    const place = this.#place(i);
    const region = this.#seenRegion(place, regionHash);
    if (region < 0) return this.#modes[place] === AVERAGE ? NaN : 0;
    return this.#regions[region][place * WIDTH + LAST];
  }

  /**
   * Sets the length of the periods of {@linkcode samplePeriodLast}.
   *
   * @throws {UsageError} If it is not above 0, or the first update has passed.
   */
  periodDuration(seconds: number): void {
    if (this.#updated) throw tooLate("set period duration");
    if (!(seconds > 0)) {
      throw new UsageError({
        action: "set period duration",
        expected: "seconds above 0",
        found: String(seconds),
      });
    }
    this.#durationS = seconds;
  }

  /** Periods completed since TIME 0; 0 without a duration. */
  getPeriod(): number {
    if (this.#durationS === 0 || this.#timeHandle < 0) return 0;
    return this.#periodAt(this.#source.sample(this.#timeHandle));
  }

  /** The last completed period; 0 before the first one, NaN without a duration. */
  samplePeriodLast(i: number): number {
    if (!this.#updated || this.#durationS === 0) return NaN;
    return this.#fixed[this.#place(i) * FIXED + PERIOD + LAST];
  }

  /** Forgets everything but what was pushed: the next update is the first one again. */
  restart(): void {
    this.#updated = false;
    this.#lastPeriod = 0;
    this.#fixed.fill(0);
    for (const accumulators of this.#regions) accumulators.fill(0);
    for (const seen of this.#seen) seen.fill(0);
  }

  #push(name: string, domain: Domain, index: number, mode: number): number {
    if (this.#updated) throw tooLate("push", name);
    const handle = this.#source.pushSignal(name, domain, index);
    const known = this.#placeOf[handle];
    if (known !== undefined) {
      if (this.#modes[known] === mode) return handle;
      throw new UsageError({
        action: "push",
        target: `${name}@${domain}-${index}`,
        expected: `${mode === TOTAL ? "an average" : "a total"}, as it was pushed before`,
      });
    }
    if (this.#timeHandle < 0) this.#timeHandle = this.#source.pushSignal("TIME", "board", 0);
    this.#placeOf[handle] = this.#handles.length;
    this.#handles.push(handle);
    this.#modes.push(mode);
    this.#signalScope.push(this.#scope(domain, index));
    return handle;
  }

  #scope(domain: Domain, index: number): number {
    return this.#scopeOf.getOrInsertComputed(`${domain}-${index}`, () => {
      return this.#scopes.push(new Scope(this.#source, domain, index)) - 1;
    });
  }

  #freeze(): void {
    this.#frozen = true;
    const n = this.#handles.length;
    this.#fixed = new Float64Array(n * FIXED);
    this.#lastValue = new Float64Array(n);
    this.#lastEpoch = new Float64Array(n);
    this.#lastRegion = new Int32Array(n);
  }

  #region(hash: number): number {
    const place = this.#regionPlace.getOrInsert(hash, this.#regions.length);
    if (place < this.#regions.length) return place;
    this.#regionHash.push(hash);
    this.#regions.push(new Float64Array(this.#handles.length * WIDTH));
    this.#seen.push(new Uint8Array(this.#handles.length));
    return place;
  }

  #begin(): void {
    for (let i = 0; i < this.#handles.length; i++) {
      const scope = this.#scopes[this.#signalScope[i]];
      // An average's first step begins at TIME 0, a total's at the first update.
      this.#lastValue[i] = this.#modes[i] === TOTAL ? this.#source.sample(this.#handles[i]) : 0;
      this.#lastRegion[i] = scope.region;
      this.#lastEpoch[i] = scope.epoch;
      this.#seen[scope.region][i] = 1;
    }
  }

  #add(i: number, timeS: number, period: number, newPeriod: boolean): void {
    const value = this.#source.sample(this.#handles[i]);
    const last = this.#lastValue[i];
    const base = i * FIXED;
    const region = this.#lastRegion[i];
    const inEpoch = this.#lastEpoch[i] !== 0;
    if (this.#modes[i] === TOTAL) {
      if (value !== value) return;
      const grown = last === last ? value - last : 0;
      addTotal(this.#fixed, base + APPLICATION, grown);
      if (inEpoch) addTotal(this.#fixed, base + EPOCH, grown);
      addTotal(this.#fixed, base + PERIOD, grown);
      addTotal(this.#regions[region], i * WIDTH, grown);
      this.#lastValue[i] = value;
    } else {
      const elapsedS = timeS - last;
      if (value === value && elapsedS === elapsedS) {
        addAverage(this.#fixed, base + APPLICATION, elapsedS, value);
        if (inEpoch) addAverage(this.#fixed, base + EPOCH, elapsedS, value);
        addAverage(this.#fixed, base + PERIOD, elapsedS, value);
        addAverage(this.#regions[region], i * WIDTH, elapsedS, value);
      }
      this.#lastValue[i] = timeS;
    }
    const scope = this.#scopes[this.#signalScope[i]];
    if (scope.epoch !== this.#lastEpoch[i]) this.#changeEpoch(i, scope.epoch);
    if (scope.region !== region) this.#changeRegion(i, region, scope.region);
    if (newPeriod) this.#changePeriod(i, period);
  }

  #changeEpoch(i: number, epoch: number): void {
    const at = i * FIXED + EPOCH;
    if (this.#lastEpoch[i] !== 0) exitInterval(this.#fixed, at, this.#modes[i] === AVERAGE);
    enterInterval(this.#fixed, at);
    this.#lastEpoch[i] = epoch;
  }

  #changeRegion(i: number, from: number, to: number): void {
    if (this.#regionHash[from] !== HASH_UNMARKED) {
      exitInterval(this.#regions[from], i * WIDTH, this.#modes[i] === AVERAGE);
    }
    this.#seen[to][i] = 1;
    if (this.#regionHash[to] !== HASH_UNMARKED) enterInterval(this.#regions[to], i * WIDTH);
    this.#lastRegion[i] = to;
  }

  #changePeriod(i: number, period: number): void {
    const at = i * FIXED + PERIOD;
    if (period !== 0) exitInterval(this.#fixed, at, this.#modes[i] === AVERAGE);
    enterInterval(this.#fixed, at);
  }

  #periodAt(timeS: number): number {
    const period = this.#durationS === 0 ? 0 : Math.trunc(timeS / this.#durationS);
    return period === period ? period : 0;
  }

  #place(handle: number): number {
    const place = this.#placeOf[handle];
    if (place !== undefined) return place;
    throw new UsageError({
      action: "sample handle",
      target: String(handle),
      expected: "a handle that was pushed to the aggregator",
    });
  }

  /** Place of a region that this signal has seen, −1 otherwise. */
  #seenRegion(place: number, hash: number): number {
    const region = this.#regionPlace.get(hash);
    return region !== undefined && this.#seen[region][place] === 1 ? region : -1;
  }
}

function tooLate(action: string, target?: string): UsageError {
  return new UsageError({ action, target, expected: "a call before the first update" });
}

/**
 * A domain instance that signals are attributed by: its own region hash and epoch count, sampled
 * once a step however many signals share it.
 */
class Scope {
  /** Place of the region among the regions seen, by the caller's count. */
  region = -1;
  epoch = 0;
  readonly #hashHandle: number;
  readonly #epochHandle: number;
  #hash = NaN;

  constructor(source: SignalSource, domain: Domain, index: number) {
    this.#hashHandle = source.pushSignal("REGION_HASH", domain, index);
    this.#epochHandle = source.pushSignal("EPOCH_COUNT", domain, index);
  }

  /** @param placeOf Finds or makes the place of a region hash. */
  sample(source: SignalSource, placeOf: (hash: number) => number): void {
    const sampled = source.sample(this.#hashHandle);
    const hash = sampled === sampled ? sampled : HASH_INVALID;
    if (hash !== this.#hash) {
      this.#hash = hash;
      this.region = placeOf(hash);
    }
    const epoch = source.sample(this.#epochHandle);
    // A scope without a process has no epochs. GEOPM converts its NaN to a whole number, with a
    // result that differs from one processor to the next.
    this.epoch = epoch === epoch ? epoch : 0;
  }
}
