/**
 * The event log: GEOPM's profile trace, one row a record. geopmlaunch(1),
 * `--geopm-trace-profile`; docs/formats/event-log.md.
 * ```
 * TIME|PROCESS|EVENT|SIGNAL
 * 0.002|1001|REGION_ENTRY|0xd3d99e8b
 * ```
 * @module
 */
import { FormatError } from "../core/errors.ts";
import { formatG, formatHex, formatInteger } from "../core/number_format.ts";
import { EVENT, EVENT_NAMES, type RecordList } from "../core/record.ts";
import { parseNumber } from "./scalar.ts";
import { headerLines, type LineSink, splitTrace, type TraceHeader } from "./trace/header.ts";

const COLUMNS = ["TIME", "PROCESS", "EVENT", "SIGNAL"];
const CODES = new Map(Object.entries(EVENT_NAMES).map(([code, name]) => [name, Number(code)]));

/** One row. */
export interface EventLogRow {
  /** Seconds since the first start. */
  time: number;
  process: number;
  /** Number of the event, as in {@linkcode EVENT}. */
  event: number;
  /** Hash, epoch, CPU or seconds, by the event. */
  signal: number;
}

/** A whole event log. */
export interface EventLog {
  header: TraceHeader;
  rows: EventLogRow[];
}

/** Writes an event log step by step. */
export class EventLogWriter {
  readonly #sink: LineSink;

  /** Writes the header at once. */
  constructor(sink: LineSink, header: TraceHeader) {
    this.#sink = sink;
    sink.write(headerLines(header, COLUMNS));
  }

  /**
   * Writes the records of a step.
   *
   * @param sinceZero Seconds from time zero to a record's time.
   */
  step(records: RecordList, sinceZero: (timeNs: number) => number): void {
    if (records.length === 0) return;
    let text = "";
    for (let i = 0; i < records.length; i++) {
      const event = records.event[i];
      const signal = event === EVENT.OVERHEAD
        ? throughDouble(records.signal[i])
        : records.signal[i];
      text += line(sinceZero(records.timeNs[i]), records.process[i], event, signal);
    }
    this.#sink.write(text);
  }
}

function line(time: number, process: number, event: number, signal: number): string {
  return `${formatG(time, 16)}|${formatInteger(process)}|${EVENT_NAMES[event]}|${
    signalCell(event, signal)
  }\n`;
}

function signalCell(event: number, signal: number): string {
  if (event === EVENT.OVERHEAD) return formatG(signal, 16);
  const whole = event === EVENT.EPOCH_COUNT || event === EVENT.AFFINITY;
  return whole ? formatInteger(signal) : formatHex(signal);
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * GEOPM carries seconds of overhead as the bits of a double in an integer field, and that field
 * through a double: the last bits are lost on the way, and its files have what is left.
 */
function throughDouble(seconds: number): number {
  bits.setFloat64(0, seconds);
  bits.setBigUint64(0, BigInt(Number(bits.getBigUint64(0))));
  return bits.getFloat64(0);
}

/** The whole text of an event log. */
export function stringifyEventLog(log: EventLog): string {
  return headerLines(log.header, COLUMNS) +
    log.rows.map((row) => line(row.time, row.process, row.event, row.signal)).join("");
}

/**
 * Reads an event log, ours or GEOPM's profile trace.
 *
 * @param path For messages.
 * @throws {FormatError} With path and line, if it is not laid out as one.
 */
export function parseEventLog(text: string, path = "event log"): EventLog {
  const { header, columns, rows, firstRow } = splitTrace(text, path);
  const fail = (line: number, expected: string, found: string) =>
    new FormatError(path, line, { action: "parse", expected, found: JSON.stringify(found) });
  if (columns.join("|") !== COLUMNS.join("|")) {
    throw fail(firstRow - 1, `the columns ${COLUMNS.join("|")}`, columns.join("|"));
  }
  return {
    header,
    rows: rows.map((cells, i) => {
      const event = CODES.get(cells[2]);
      if (event === undefined) throw fail(firstRow + i, "the name of an event", cells[2]);
      const time = parseNumber(cells[0]);
      const process = parseNumber(cells[1]);
      const signal = /^0x[0-9a-f]{1,16}$/i.test(cells[3])
        ? Number(cells[3])
        : parseNumber(cells[3]);
      if (time === undefined || process === undefined || signal === undefined) {
        throw fail(firstRow + i, "numbers", cells.join("|"));
      }
      return { time, process, event, signal };
    }),
  };
}
