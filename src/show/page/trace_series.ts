/**
 * Power over time out of a trace, row by row, in constant memory.
 * @module
 */
import { HASH_UNMARKED } from "../../core/hash.ts";
import type { FormatError } from "../../core/errors.ts";
import { formatHex } from "../../core/number_format.ts";
import type { TraceHandler } from "../../formats/trace/scanner.ts";
import type { TraceHeader } from "../../formats/trace/header.ts";
import type { TimelineFile } from "./data.ts";
import { PARTS, PowerSeries, STRIPS } from "./power_series.ts";

/** Takes the rows of one trace. */
export class TraceSeries implements TraceHandler {
  /** Header of the file; absent before it came. */
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
  /** A trace has no nested regions. */
  readonly #line = new Int32Array(STRIPS);

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
    this.#line[0] = this.#number(Number(cells[this.#region]));
    this.#series.path(this.#lastS, timeS, this.#line);
    this.#lastS = timeS;
  }

  error(error: FormatError): void {
    this.errors.push(error);
  }

  /** The file that a run would have left. @param names Of regions, by hash. */
  timeline(names: ReadonlyMap<number, string>): TimelineFile {
    return this.#series.document({
      host: this.about?.host ?? "",
      started: this.about?.startTime ?? "",
      process: "the node",
      paths: {
        parent: () => 0,
        name: (number) =>
          names.get(this.#hashes[number - 1]) ?? formatHex(this.#hashes[number - 1]),
      },
    });
  }

  /** From 1 on; 0: outside of all regions. */
  #number(hash: number): number {
    if (!(hash > 0) || hash === HASH_UNMARKED) return 0;
    const known = this.#hashes.indexOf(hash);
    return known >= 0 ? known + 1 : this.#hashes.push(hash);
  }
}
