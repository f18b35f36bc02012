/**
 * Power over time out of a trace, row by row, in constant memory.
 * @module
 */
import { HASH_UNMARKED } from "../../core/hash.ts";
import type { FormatError } from "../../core/errors.ts";
import { formatHex } from "../../core/number_format.ts";
import type { TraceHandler } from "../../formats/trace/scanner.ts";
import type { TraceHeader } from "../../formats/trace/header.ts";
import type { Timeline } from "./content.ts";
import { bucketsFor } from "./page.ts";
import { PARTS, PowerSeries } from "./series.ts";

/** Takes the rows of one trace. */
export class TraceSeries implements TraceHandler {
  /** Of the file; absent before it came. */
  about: TraceHeader | undefined;
  /** Rows that were left out, and why the first one was. */
  readonly errors: FormatError[] = [];
  rows = 0;
  readonly #hashes: number[] = [];
  #time = -1;
  #region = -1;
  #powers: { column: number; isEnergy: boolean }[] = [];
  #series = new PowerSeries([]);
  #lastS = NaN;

  header(about: TraceHeader, columns: readonly string[]): void {
    this.about = about;
    this.#time = columns.indexOf("TIME");
    this.#region = columns.indexOf("REGION_HASH");
    // Columns of powers serve where there is none of energy.
    const found = PARTS.map(({ name, power, energy }) => {
      const isEnergy = columns.includes(energy);
      return { name, isEnergy, column: columns.indexOf(isEnergy ? energy : power) };
    }).filter(({ column }) => column >= 0);
    this.#powers = found;
    this.#series = new PowerSeries(found.map(({ name }) => ({ name, unit: "W" })));
  }

  row(cells: readonly string[]): void {
    const timeS = Number(cells[this.#time]);
    if (!Number.isFinite(timeS)) return;
    this.rows++;
    this.#powers.forEach(({ column, isEnergy }, i) => {
      const value = Number(cells[column]);
      if (isEnergy) this.#series.energy(i, timeS, value);
      else this.#series.power(i, this.#lastS, timeS, value);
    });
    this.#series.region(this.#lastS, timeS, this.#number(Number(cells[this.#region])));
    this.#lastS = timeS;
  }

  error(error: FormatError): void {
    this.errors.push(error);
  }

  /** What was gathered. @param names Of regions, by hash. */
  timeline(names: ReadonlyMap<number, string>, pages: number): Timeline {
    return this.#series.timeline(
      this.about?.host ?? "",
      this.#hashes.map((hash) => names.get(hash) ?? formatHex(hash)),
      bucketsFor(pages, this.#powers.length),
    );
  }

  #number(hash: number): number {
    if (!(hash > 0) || hash === HASH_UNMARKED) return -1;
    const known = this.#hashes.indexOf(hash);
    return known >= 0 ? known : this.#hashes.push(hash) - 1;
  }
}
