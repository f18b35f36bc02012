/**
 * The event log: GEOPM's profile trace, one row a record. geopmlaunch(1),
 * `--geopm-trace-profile`; docs/reference/formats/event-log.md.
 * ```
 * TIME|PROCESS|EVENT|SIGNAL
 * 0.002|1001|REGION_ENTRY|0xd3d99e8b
 * ```
 * @module
 */
import { formatG, formatHex, formatInteger } from "../core/number_format.ts";
import { EVENT, EVENT_NAMES, type RecordList } from "../core/record.ts";
import { headerLines, type LineSink, type TraceHeader } from "./trace/header.ts";

/** Titles of the columns. */
export const COLUMNS: readonly string[] = ["TIME", "PROCESS", "EVENT", "SIGNAL"];

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
      text += eventLine(sinceZero(records.timeNs[i]), records.process[i], event, signal);
    }
    this.#sink.write(text);
  }
}

/** One row: seconds since the first start, and by the event its hash, epoch, CPU or seconds. */
export function eventLine(time: number, process: number, event: number, signal: number): string {
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
