/**
 * The statistics report of a sampling session: geopmsession(1), `--report-out`.
 * ```
 * host: "node01"
 * sample-time-first: "2024-10-24T08:00:00.123456789-0700"
 * sample-time-total: 0.004983
 * sample-count: 2
 * sample-period-mean: 0.004983
 * sample-period-std: 0
 * metrics:
 *   CPU_POWER:
 *     count: 1
 *     first: 73.3594
 * ```
 * NaN samples are not counted; a statistic of nothing is `nan`.
 * @module
 */
import { formatG } from "../core/number_format.ts";
import { textScalar } from "./scalar.ts";

/** Count, sums and extremes of one signal, streaming. */
class Metric {
  count = 0;
  first = NaN;
  last = NaN;
  min = NaN;
  max = NaN;
  /** Mean and sum of squared deviations so far, by Welford's recurrence. */
  mean = NaN;
  #squares = 0;

  add(value: number): void {
    if (value !== value) return;
    if (this.count++ === 0) {
      this.first =
        this.min =
        this.max =
        this.mean =
          value;
    } else {
      const deviation = value - this.mean;
      this.mean += deviation / this.count;
      this.#squares += deviation * (value - this.mean);
      if (value < this.min) this.min = value;
      if (value > this.max) this.max = value;
    }
    this.last = value;
  }

  /** @param lost Degrees of freedom. */
  deviation(lost: number): number {
    return this.count > lost ? Math.sqrt(Math.max(0, this.#squares / (this.count - lost))) : NaN;
  }
}

/** Collects samples of a session. */
export class SessionStats {
  readonly #names: readonly string[];
  readonly #metrics: Metric[];
  readonly #periods = new Metric();
  #count = 0;
  #firstS = NaN;
  #lastS = NaN;

  /** @param names `SIGNAL` at the board, else `SIGNAL-domain-index`. */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#metrics = names.map(() => new Metric());
  }

  /** @param values One per name; NaN: not available. */
  add(timeS: number, values: ArrayLike<number>): void {
    if (this.#count++ === 0) this.#firstS = timeS;
    else this.#periods.add(timeS - this.#lastS);
    this.#lastS = timeS;
    for (let i = 0; i < this.#metrics.length; i++) this.#metrics[i].add(values[i]);
  }

  /**
   * The report as a YAML document.
   *
   * @param firstTime Time of the first sample, as reports have it.
   */
  text(host: string, firstTime: string): string {
    const lines = [
      `host: ${JSON.stringify(host)}`,
      `sample-time-first: ${JSON.stringify(firstTime)}`,
      `sample-time-total: ${formatG(this.#count > 0 ? this.#lastS - this.#firstS : 0)}`,
      `sample-count: ${this.#count}`,
      // Below three samples there is no deviation of the period, below two no period.
      `sample-period-mean: ${formatG(this.#periods.count > 0 ? this.#periods.mean : 0)}`,
      `sample-period-std: ${formatG(this.#periods.count > 1 ? this.#periods.deviation(1) : 0)}`,
      "metrics:",
    ];
    this.#metrics.forEach((m, i) => {
      lines.push(`  ${textScalar(this.#names[i])}:`);
      const figures: [string, number][] = [
        ["first", m.first],
        ["last", m.last],
        ["min", m.min],
        ["max", m.max],
        ["mean", m.mean],
        ["std", m.deviation(1)],
      ];
      lines.push(`    count: ${m.count}`);
      for (const [name, value] of figures) lines.push(`    ${name}: ${formatG(value)}`);
    });
    return lines.join("\n") + "\n";
  }
}
