/**
 * Time series of raw stats as CSV, row by row as the samples come.
 *
 * @module
 */
import { csvField } from "../../formats/csv_row.ts";
import { EXACT_BELOW, type RawValues } from "../../formats/rawstats/columns.ts";
import { Piece } from "../byte_text.ts";
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
    const columns = this.#columnsOf(type);
    const seconds = counters.elapsedS;
    for (let k = 0; k < columns.length; k++) {
      const number = values.numbers[k];
      if (number !== number) continue;
      out.piece(this.#sample);
      out.piece(place);
      out.piece(columns[k]);
      if (number < EXACT_BELOW) out.number(number);
      else out.exact(values.exact(k));
      out.char(COMMA);
      const delta = deltas[k];
      if (isFirst || delta !== delta) out.char(COMMA);
      else {
        const exact = delta < EXACT_BELOW ? delta : counters.exactDelta(k)!;
        const scaledDelta = scaled(exact, type.units[k].scale);
        out.exact(scaledDelta);
        out.char(COMMA);
        out.number(Number(scaledDelta) / seconds);
      }
      out.char(LF);
    }
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
