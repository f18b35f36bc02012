/**
 * Samples of raw stats as rows, one for each time, device and key, written as they come.
 *
 * @module
 */
import { jsonText } from "../../../core/printable.ts";
import { csvField } from "../../../formats/csv_row.ts";
import { EXACT_BELOW, type RawValues } from "../../format/columns.ts";
import type { RawCounters, RawType } from "../differ.ts";
import { type Exact, scaled } from "../exact.ts";
import type { JobListener, RawSample } from "../node.ts";

const COLUMNS = "time host job type device key unit kind raw delta rate".split(" ");

/** The parts of a row; `delta` and `rate` are in `unit`, and absent if there is none. */
interface RowFormat {
  /** Text before the first row. */
  readonly head: string;
  /** Fields of a sample, of a device and of a column, in front of the numbers. */
  fields(texts: readonly (string | number)[], from: number): string;
  numbers(raw: Exact, delta: Exact | undefined, rate: number): string;
}

const CSV: RowFormat = {
  head: `${COLUMNS.join(",")}\n`,
  fields: (texts) => texts.map((text) => csvField(String(text)) + ",").join(""),
  numbers: (raw, delta, rate) => delta === undefined ? `${raw},,\n` : `${raw},${delta},${rate}\n`,
};

const JSONL: RowFormat = {
  head: "",
  fields: (texts, from) =>
    (from === 0 ? "{" : "") +
    texts.map((text, i) => `"${COLUMNS[from + i]}":${jsonText(text)},`).join(""),
  numbers: (raw, delta, rate) =>
    `"raw":${raw},"delta":${delta ?? "null"},"rate":${delta === undefined ? "null" : rate}}\n`,
};

/** Formats of rows. */
export const ROW_FORMATS = { csv: CSV, jsonl: JSONL } as const;

const PIECE_CHARACTERS = 1 << 16;
const encoder = new TextEncoder();

/** Writes text in pieces. */
export class RowWriter {
  #text: string;

  constructor(readonly format: RowFormat, readonly write: (bytes: Uint8Array) => void) {
    this.#text = format.head;
  }

  add(row: string): void {
    this.#text += row;
    if (this.#text.length >= PIECE_CHARACTERS) this.flush();
  }

  flush(): void {
    this.write(encoder.encode(this.#text));
    this.#text = "";
  }
}

/** Prints the samples of one node. */
export class NodeRows implements JobListener {
  readonly #out: RowWriter;
  readonly #wants: (type: string) => boolean;
  /** Text of each column, by type. */
  readonly #columns = new Map<RawType, string[]>();
  #sample = "";

  constructor(out: RowWriter, wants: (type: string) => boolean) {
    this.#out = out;
    this.#wants = wants;
  }

  sample({ timeUs, host, jobs }: RawSample): void {
    this.#sample = this.#out.format.fields([timeUs / 1e6, host, jobs.join(" ")], 0);
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const { type, device } = counters;
    if (!this.#wants(type.schema.type)) return;
    const { format } = this.#out;
    const columns = this.#columns.getOrInsertComputed(
      type,
      () =>
        type.keys.map(({ name, kind }, k) => format.fields([name, type.units[k].name, kind], 5)),
    );
    const begin = this.#sample + format.fields([type.schema.type, device], 3);
    for (let k = 0; k < columns.length; k++) {
      const number = values.numbers[k];
      if (number !== number) continue;
      const raw = number < EXACT_BELOW ? number : values.exact(k);
      const delta = isFirst ? undefined : deltaOf(counters, k);
      const rate = Number(delta) / counters.secondsOf(k);
      this.#out.add(begin + columns[k] + format.numbers(raw, delta, rate));
    }
  }
}

function deltaOf(counters: RawCounters, k: number): Exact | undefined {
  const delta = counters.deltas[k];
  if (delta !== delta) return undefined;
  return scaled(
    delta < EXACT_BELOW ? delta : counters.exactDelta(k)!,
    counters.type.units[k].scale,
  );
}
