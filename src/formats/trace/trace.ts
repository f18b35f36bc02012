/**
 * GEOPM's trace: one row a step, one column a signal. geopmlaunch(1), `--geopm-trace`;
 * docs/reference/formats/trace.md.
 * ```
 * 0.004|0|0xd3d99e8b|0x00000001|nan|2100.704|1000.104|176|26|2550000000|40800000|32000000|60
 * ```
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import { unparsed } from "../../core/errors.ts";
import { formatSignal } from "../../core/number_format.ts";
import type { SignalFormat } from "../../core/signal.ts";
import { parseNumber } from "../scalar.ts";
import { headerLines, type LineSink, splitTrace, type TraceHeader } from "./header.ts";

/** Signals at the board that every trace begins with. */
export const DEFAULT_COLUMNS: readonly string[] = [
  "TIME",
  "EPOCH_COUNT",
  "REGION_HASH",
  "REGION_HINT",
  "REGION_PROGRESS",
  "CPU_ENERGY",
  "DRAM_ENERGY",
  "CPU_POWER",
  "DRAM_POWER",
  "CPU_FREQUENCY_STATUS",
  "CPU_CYCLES_THREAD",
  "CPU_CYCLES_REFERENCE",
  "CPU_CORE_TEMPERATURE",
];

/** A column and how its values print. */
export interface TraceColumn {
  /** Title of the column. */
  name: string;
  /** Format of its values in print. */
  format: SignalFormat;
}

/** A whole trace. */
export interface Trace {
  /** The lines above the columns. */
  header: TraceHeader;
  /** In the order of the file. */
  columns: TraceColumn[];
  /** One value a column; NaN: not available. */
  rows: number[][];
}

/** `SIGNAL` at the board, else `SIGNAL-domain-index`. */
export function columnName(signal: string, domain: Domain, index: number): string {
  return domain === "board" ? signal : `${signal}-${domain}-${index}`;
}

/** Writes a trace row by row. */
export class TraceWriter {
  readonly #sink: LineSink;
  readonly #columns: readonly TraceColumn[];

  /** Writes the header at once. */
  constructor(sink: LineSink, header: TraceHeader, columns: readonly TraceColumn[]) {
    this.#sink = sink;
    this.#columns = columns;
    sink.write(headerLines(header, columns.map((column) => column.name)));
  }

  /** @param values One a column. */
  row(values: ArrayLike<number>): void {
    this.#sink.write(rowLine(values, this.#columns));
  }
}

function rowLine(values: ArrayLike<number>, columns: readonly TraceColumn[]): string {
  let line = "";
  for (let i = 0; i < columns.length; i++) {
    if (i > 0) line += "|";
    line += formatSignal(values[i], columns[i].format);
  }
  return line + "\n";
}

/** The whole text of a trace. */
export function stringifyTrace(trace: Trace): string {
  const names = trace.columns.map((column) => column.name);
  return headerLines(trace.header, names) +
    trace.rows.map((row) => rowLine(row, trace.columns)).join("");
}

/**
 * Reads a trace, ours or GEOPM's. A column's format is the first one that prints its cells as they
 * are in the file.
 *
 * @param path For messages.
 * @throws {FormatError} With path and line, if it is not laid out as a trace.
 */
export function parseTrace(text: string, path = "trace"): Trace {
  const { header, columns, rows, firstRow } = splitTrace(text, path);
  const parsed = rows.map((cells, i) =>
    cells.map((cell) => {
      const value = parseCell(cell);
      if (value !== undefined) return value;
      throw unparsed(path, firstRow + i, "a number", JSON.stringify(cell));
    })
  );
  return {
    header,
    columns: columns.map((name, k) => ({ name, format: formatOf(rows, parsed, k) })),
    rows: parsed,
  };
}

/** The value of a cell in any of the forms that traces have; `undefined` for text. */
export function parseCell(cell: string): number | undefined {
  if (/^0x[0-9a-f]{16}$/i.test(cell)) return fromBits(cell);
  if (/^0x[0-9a-f]{1,13}$/i.test(cell)) return Number(cell);
  return cell === "NAN" ? NaN : parseNumber(cell);
}

function fromBits(cell: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(cell));
  return view.getFloat64(0);
}

function formatOf(cells: string[][], values: number[][], k: number): SignalFormat {
  for (const format of ["double", "float", "hex", "raw64", "integer"] as const) {
    if (cells.every((row, i) => formatSignal(values[i][k], format) === row[k])) return format;
  }
  return "double";
}
