/**
 * Time series of raw stats as CSV, row by row as the samples come.
 *
 * @module
 */
import { csvField } from "../../formats/csv_row.ts";
import { EXACT_BELOW, type RawValues } from "../../formats/rawstats/columns.ts";
import { Pair, Piece } from "../byte_text.ts";
import type { RawCounters, RawType } from "../differ.ts";
import type { JobListener, RawSample } from "../node.ts";
import { scaled } from "../series.ts";
import type { Turns } from "../turns.ts";

const COMMA = 44, LF = 10;
/** Devices whose names are kept as bytes: names of processes come for ever. */
const MAX_PLACES = 20_000;

/** The first row. */
export const CSV_HEADER = "time,host,job,type,device,key,unit,kind,raw,delta,rate\n";

/** Prints one row per time, device and key; `delta` and `rate` are in `unit`. */
export class CsvRows implements JobListener {
  readonly #turns: Turns;
  readonly #wants: (type: string) => boolean;
  #sample = new Piece("");
  /** What a line's rows begin with. */
  readonly #begin = new Pair();
  /** By number of the device: `TYPE,DEVICE,`. */
  readonly #places: (Piece | undefined)[] = [];
  /** By type: `KEY,UNIT,KIND,` of each column. */
  readonly #columns = new Map<RawType, Piece[]>();

  constructor(turns: Turns, wants: (type: string) => boolean) {
    this.#turns = turns;
    this.#wants = wants;
  }

  sample({ timeUs, host, jobs }: RawSample): void {
    this.#sample = new Piece(
      `${timeUs / 1e6},${csvField(host)},${csvField(jobs.join(" "))},`,
    );
    this.#begin.begin(this.#sample);
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const { type, device, index, deltas } = counters;
    if (!this.#wants(type.schema.type)) return;
    const turns = this.#turns;
    turns.spend(type.keys.length);
    if (!turns.isOwn) return;
    const { out } = turns;
    let place = this.#places[index];
    if (place === undefined) {
      place = new Piece(`${type.schema.type},${csvField(device)},`);
      if (index < MAX_PLACES) this.#places[index] = place;
    }
    this.#begin.end(place);
    const columns = this.#columnsOf(type);
    const seconds = counters.elapsedS;
    for (let k = 0; k < columns.length; k++) {
      const number = values.numbers[k];
      if (number !== number) continue;
      const delta = isFirst ? NaN : deltas[k];
      const scaledDelta = delta * type.units[k].scale;
      if (number < EXACT_BELOW && (delta !== delta || scaledDelta < EXACT_BELOW)) {
        out.row(this.#begin, columns[k], number, scaledDelta, scaledDelta / seconds);
      } else this.#wide(counters, values, k, place, isFirst);
    }
  }

  /** A row of a number that is too large for a plain one. */
  #wide(counters: RawCounters, values: RawValues, k: number, place: Piece, isFirst: boolean): void {
    const { out } = this.#turns;
    const { type, elapsedS } = counters;
    out.piece(this.#sample);
    out.piece(place);
    out.piece(this.#columnsOf(type)[k]);
    out.exact(values.exact(k));
    out.char(COMMA);
    const exact = isFirst ? undefined : counters.exactDelta(k);
    if (exact !== undefined) {
      const delta = scaled(exact < EXACT_BELOW ? Number(exact) : exact, type.units[k].scale);
      out.exact(delta);
      out.char(COMMA);
      out.number(Number(delta) / elapsedS);
    } else out.char(COMMA);
    out.char(LF);
  }

  #columnsOf(type: RawType): Piece[] {
    let columns = this.#columns.get(type);
    if (columns === undefined) {
      columns = type.keys.map(({ name, kind }, k) =>
        new Piece(`${name},${type.units[k].name},${kind},`)
      );
      this.#columns.set(type, columns);
    }
    return columns;
  }
}
