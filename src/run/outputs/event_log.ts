/**
 * `--event-log`: every mark with its time, GEOPM's profile trace. docs/reference/formats/trace.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { EventLogWriter } from "../../formats/event_log.ts";
import type { LineSink } from "../../formats/trace/header.ts";
import type { Opener, OutputSite } from "./output.ts";

/** The log of `--event-log`. */
export function makeEventLog(values: OptionValues, site: OutputSite): Opener {
  const sink = site.lines(site.nameOf(values.get("event-log")!));
  return sink === undefined ? () => undefined : eventLogTo(sink);
}

/** A log of every mark. */
export function eventLogTo(sink: LineSink): Opener {
  return ({ tracker, header }) => {
    let writer = new EventLogWriter(sink, header);
    const sinceZero = (timeNs: number) => tracker.sinceZero(timeNs);
    return {
      sample: () => writer.step(tracker.records, sinceZero),
      restart() {
        if (sink.restart === undefined) return;
        sink.restart();
        writer = new EventLogWriter(sink, header);
      },
    };
  };
}
