/**
 * Input of one node's job metrics: sums, peaks and a few series.
 *
 * Its fields are plain data, so that a process of its own may have gathered them.
 * @module
 */

/** The inputs of one node's metrics; times are in microseconds since the epoch. */
export class MetricSums {
  firstUs = NaN;
  lastUs = NaN;
  samples = 0;
  /** Microseconds between the first and the last sample in which the job did not run, or the clock was set. */
  gapsUs = 0;
  /** Nominal frequency of the cores; NaN if unknown. */
  nominalHz = NaN;
  /** Maximum memory in use by programs, in bytes. */
  memoryBytes = NaN;
  /** Per sample after the first: seconds since the epoch, and user time in cores. */
  readonly userTimes: number[] = [];
  readonly userRates: number[] = [];
  /** Means over the devices of one sample: percent, and watts. */
  readonly gpuUtilization: number[] = [];
  readonly gpuWatts: number[] = [];
  /** Names of the inputs that were fed; in their order: sums in the base unit, maximum rates. */
  inputs: readonly string[] = [];
  totals: Float64Array = new Float64Array();
  peaks: Float64Array = new Float64Array();
  /** `CORRECTED` and `AT_LEAST` of each input. */
  flags: Uint8Array = new Uint8Array();
  /** Flags of all inputs that were asked for; set it to 0 before a metric is computed. */
  seen = 0;

  constructor(readonly host: string) {}

  /** From the fields alone, as another process sends them. */
  static revived(fields: MetricSums): MetricSums {
    return Object.assign(new MetricSums(fields.host), fields);
  }

  /** Time of the job on this node. */
  get seconds(): number {
    return (this.lastUs - this.firstUs - this.gapsUs) / 1e6;
  }

  /** Sum of an input, in the base unit; NaN if nothing fed it. */
  total(input: string): number {
    return this.#of(this.totals, input);
  }

  /** The sum of those that there are; NaN if there is none. */
  sum(...inputs: string[]): number {
    const there = inputs.map((input) => this.total(input)).filter((v) => v === v);
    return there.length === 0 ? NaN : there.reduce((a, b) => a + b);
  }

  /** Maximum rate of an input over one interval. */
  peak(input: string): number {
    return this.#of(this.peaks, input);
  }

  #of(values: Float64Array, input: string): number {
    const i = this.inputs.indexOf(input);
    if (i < 0) return NaN;
    this.seen |= this.flags[i];
    return values[i];
  }
}
