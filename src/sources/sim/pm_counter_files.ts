/**
 * The pm_counters of a simulated node: one publication of all files after another, in whole watts
 * and joules, counted by `freshness`.
 *
 * Format: HPE Cray "pm_counters" (S-0043), and readers/cray.ts.
 * @module
 */
import { Random } from "../../core/random.ts";
import { NumberFile } from "./number_file.ts";
import type { SimSpec } from "./spec.ts";
import type { TreeWriter } from "./tree_writer.ts";

const DIR = "/sys/cray/pm_counters";
/** Counters of a publication: the node, its packages together, its memory together. */
const PARTS = ["", "cpu_", "memory_"] as const;
export const PM_COLUMNS = PARTS.length;

/** Publishes the files of pm_counters. */
export class PmCounterFiles {
  readonly #energy: NumberFile[] = [];
  readonly #power: NumberFile[] = [];
  readonly #freshness: NumberFile;
  readonly #firstFreshness: number;
  readonly #startJ: number[];
  readonly #stamps: boolean;

  constructor(spec: SimSpec, writer: TreeWriter, wallUs: number) {
    const random = new Random(spec.seed + 77);
    this.#stamps = spec.stamps;
    this.#startJ = PARTS.map(() => random.below(5_000_000));
    const stamp = spec.stamps ? wallUs : NaN;
    PARTS.forEach((part, i) => {
      this.#energy.push(new NumberFile(writer, `${DIR}/${part}energy`, "J"));
      this.#power.push(new NumberFile(writer, `${DIR}/${part}power`, "W"));
      this.#energy[i].make(this.#startJ[i], stamp, 0o444);
      this.#power[i].make(0, stamp, 0o444);
    });
    new NumberFile(writer, `${DIR}/power_cap`, "W").make(0, stamp, 0o444);
    this.#firstFreshness = random.below(1_000_000);
    this.#freshness = new NumberFile(writer, `${DIR}/freshness`);
    this.#freshness.make(this.#firstFreshness, NaN, 0o444);
    const bare = {
      generation: 1,
      startup: Math.floor(wallUs) - 86_400_000_000 - random.below(1e9),
      version: 2,
      raw_scan_hz: Math.round(spec.pmHz),
    };
    for (const [name, value] of Object.entries(bare)) {
      new NumberFile(writer, `${DIR}/${name}`).make(value, NaN, 0o444);
    }
  }

  /**
   * One publication. Energies are those since the beginning, J; the last thing to change is
   * `freshness`, by which readers know that all files belong together.
   */
  publish(moment: number, joules: Float64Array, watts: Float64Array, stampUs: number): void {
    const stamp = this.#stamps ? Math.floor(stampUs) : NaN;
    for (let i = 0; i < PM_COLUMNS; i++) {
      this.#energy[i].write(this.#startJ[i] + joules[i], stamp);
      this.#power[i].write(Math.round(watts[i]), stamp);
    }
    this.#freshness.write(this.#firstFreshness + moment);
  }
}
