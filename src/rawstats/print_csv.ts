/**
 * Time series of raw stats as CSV, row by row as the samples come.
 *
 * @module
 */
import { csvField } from "../formats/csv_row.ts";
import { EXACT_BELOW, type RawValues } from "../formats/rawstats_columns.ts";
import type { RawCounters } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";
import type { Sink } from "./print_json.ts";
import { scaled } from "./series.ts";

/** The first row. */
export const CSV_HEADER = "time,host,job,type,device,key,unit,kind,raw,delta,rate\n";

/** See the module: one row per time, device and key; `delta` and `rate` are in `unit`. */
export class CsvRows implements JobListener {
  #prefix = "";

  constructor(readonly sink: Sink, readonly wants: (type: string) => boolean) {}

  sample({ timeUs, host, jobs }: RawSample): void {
    this.#prefix = `${timeUs / 1e6},${csvField(host)},${csvField(jobs.join(" "))},`;
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const { type, device, deltas } = counters;
    if (!this.wants(type.schema.type)) return;
    const place = `${this.#prefix}${type.schema.type},${csvField(device)},`;
    let text = "";
    type.keys.forEach(({ name, kind }, k) => {
      const number = values.numbers[k];
      if (number !== number) return;
      const raw = number < EXACT_BELOW ? number : values.exact(k);
      const unit = type.units[k];
      text += `${place}${name},${unit.name},${kind},${raw},`;
      const delta = deltas[k];
      if (isFirst || delta !== delta) text += ",\n";
      else {
        const exact = delta < EXACT_BELOW ? delta : counters.exactDelta(k)!;
        const out = scaled(exact, unit.scale);
        text += `${out},${Number(out) / counters.elapsedS}\n`;
      }
    });
    this.sink(text);
  }
}
