/**
 * `--trace`: a row of signals per sample, GEOPM's trace. docs/reference/formats/trace.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { parseSignalList } from "../../core/signal_list.ts";
import {
  columnName,
  DEFAULT_COLUMNS,
  type TraceColumn,
  TraceWriter,
} from "../../formats/trace/trace.ts";
import type { LineSink } from "../../formats/trace/header.ts";
import type { Opener, OutputSite } from "./output.ts";
import { signalOf } from "../../sources/signals/batch.ts";

/** Samples come a little early or late; half a microsecond decides nothing. */
const SAME_TIME_S = 5e-7;

/** Options of a trace. */
export interface TraceOptions {
  /** Sink of the rows; without it no rows are written, and the list is only checked. */
  readonly sink?: LineSink;
  /** `SIGNAL[@domain],…` @default none */
  readonly signals?: string;
  /** Minimum time between two rows, s. @default 0, every sample */
  readonly periodS?: number;
}

/** The trace of `--trace` and `--trace-signals`. */
export function makeTrace(values: OptionValues, site: OutputSite): Opener {
  const path = values.get("trace");
  const sink = path === undefined ? undefined : site.lines(site.nameOf(path));
  const signals = values.get("trace-signals")?.text;
  return traceTo({ sink, signals, periodS: site.tracePeriodS });
}

/**
 * A trace.
 *
 * @throws {UsageError} From the opener, if the list cannot be read.
 * @throws {UnknownNameError} From the opener, if no source knows a name.
 */
export function traceTo({ sink, signals = "", periodS = 0 }: TraceOptions): Opener {
  return (run) => {
    const asked = parseSignalList(signals, "trace signal");
    const names = asked.map(({ name }) => name);
    if (sink === undefined) {
      // An unknown name is an error also without a trace.
      for (const name of names) run.batch.behavior(name);
      return { asked: names };
    }
    const columns: TraceColumn[] = [];
    const handles: number[] = [];
    const column = (name: string, domain: typeof asked[number]["domain"], index: number) => {
      handles.push(run.batch.pushSignal(name, domain, index));
      columns.push({
        name: columnName(name, domain, index),
        format: signalOf(run.table, name)?.row.format ?? "double",
      });
    };
    for (const name of DEFAULT_COLUMNS) column(name, "board", 0);
    for (const { name, domain } of asked) {
      for (let i = 0; i < run.topology.count(domain); i++) column(name, domain, i);
    }
    for (const { name, format } of run.agent.traceColumns ?? []) {
      columns.push({ name, format: format ?? "double" });
    }
    const { batch, agent, header } = run;
    const row = new Float64Array(columns.length), agentRow = row.subarray(handles.length);
    let writer = new TraceWriter(sink, header, columns);
    let lastRowS = -Infinity;
    return {
      asked: names,
      /** The update after the loop is no row; the step that ends the loop is one, however soon. */
      sample(timeS, last, ends) {
        const isSoon = timeS - lastRowS < periodS - SAME_TIME_S;
        if (last || (isSoon && !ends)) return;
        lastRowS = timeS;
        for (let i = 0; i < handles.length; i++) row[i] = batch.shown(handles[i]);
        agent.traceValues?.(agentRow);
        writer.row(row);
      },
      restart() {
        lastRowS = -Infinity;
        if (sink.restart === undefined) return;
        sink.restart();
        writer = new TraceWriter(sink, header, columns);
      },
    };
  };
}
