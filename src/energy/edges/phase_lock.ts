/**
 * Do visits and the counter's updates follow one clock? Then an update never falls evenly into its
 * window, as the fit takes it to, and what it is off by depends on the region. docs/how-sure.md.
 *
 * Two things are seen modulo the update period: the positions of edges, and whether the residual at a
 * boundary depends on the time of the step that saw it. Only both together spoil the energies.
 * @module
 */

const BINS = 16;
/** Share of the edges that would have to move to make them even. */
const UNEVEN = 0.25;
const LEAST_EDGES = 200;
/** Edges that all count; of those after them, one in so many. */
const ALL_EDGES = 16_384, EACH = 8;
/** Ratio of variances between bins and inside them: below 10 beside a clock of its own, else 100s. */
const LOCKED = 20;
const LEAST_BOUNDARIES = 500;

/** Gathers phases of edges and boundaries of one counter. */
export class PhaseLock {
  /** Update period, s; 0: unknown, or changes have times of their own. */
  periodS = 0;
  readonly #edges = new Float64Array(BINS);
  readonly #counts = new Float64Array(BINS);
  readonly #sums = new Float64Array(BINS);
  #squares = 0;
  #came = 0;

  /** An edge at its time. */
  edge(timeS: number): void {
    if (!(this.periodS > 0)) return;
    if (++this.#came > ALL_EDGES && this.#came % EACH !== 0) return;
    this.#edges[this.#bin(timeS)]++;
  }

  /** A boundary seen at a step, and the energy that it moved by the fit, J. */
  boundary(timeS: number, joules: number): void {
    if (!(this.periodS > 0)) return;
    const bin = this.#bin(timeS);
    this.#counts[bin]++;
    this.#sums[bin] += joules;
    this.#squares += joules * joules;
  }

  /** Whether both keep one clock. */
  get isLocked(): boolean {
    return this.#unevenness() > UNEVEN && this.#ratio() > LOCKED;
  }

  #unevenness(): number {
    const all = this.#edges.reduce((sum, n) => sum + n, 0);
    if (all < LEAST_EDGES) return 0;
    return this.#edges.reduce((sum, n) => sum + Math.abs(n / all - 1 / BINS), 0) / 2;
  }

  #ratio(): number {
    const all = this.#counts.reduce((sum, n) => sum + n, 0);
    if (all < LEAST_BOUNDARIES) return 0;
    const mean = this.#sums.reduce((sum, x) => sum + x, 0) / all;
    let between = 0;
    for (let b = 0; b < BINS; b++) {
      if (this.#counts[b] > 0) between += this.#sums[b] ** 2 / this.#counts[b];
    }
    const inside = this.#squares - between;
    return ((between - all * mean * mean) / (BINS - 1)) / (inside / (all - BINS));
  }

  #bin(timeS: number): number {
    const turns = timeS / this.periodS;
    return Math.min(BINS - 1, Math.floor((turns - Math.floor(turns)) * BINS));
  }
}
