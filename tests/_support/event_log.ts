/** Reads event logs, ours and GEOPM's profile traces, and writes them again. */
import { FormatError } from "../../src/core/errors.ts";
import { EVENT_NAMES } from "../../src/core/record.ts";
import { COLUMNS, eventLine } from "../../src/formats/event_log.ts";
import { parseNumber } from "../../src/formats/scalar.ts";
import { headerLines, splitTrace, type TraceHeader } from "../../src/formats/trace/header.ts";

const CODES = new Map(Object.entries(EVENT_NAMES).map(([code, name]) => [name, Number(code)]));

/** One row. */
export interface EventLogRow {
  /** Seconds since the first start. */
  time: number;
  process: number;
  /** Number of the event. */
  event: number;
  /** Hash, epoch, CPU or seconds, by the event. */
  signal: number;
}

/** A whole event log. */
export interface EventLog {
  header: TraceHeader;
  rows: EventLogRow[];
}

/** The whole text of an event log. */
export function stringifyEventLog(log: EventLog): string {
  return headerLines(log.header, COLUMNS) +
    log.rows.map((row) => eventLine(row.time, row.process, row.event, row.signal)).join("");
}

/**
 * Reads an event log.
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
