/**
 * `--perfetto`: regions of every thread beside the node's power, for ui.perfetto.dev. docs/how-to/viewers.md.
 * @module
 */
import type { EventReceiver, EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import type { OptionValues } from "../../core/option.ts";
import { PerfettoWriter } from "../../formats/perfetto.ts";
import type { ByteSink } from "../../formats/trace/header.ts";
import { pushQuantities, QUANTITIES } from "../../sources/signals/quantities.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** The trace of `--perfetto`. */
export function makePerfetto(values: OptionValues, site: OutputSite): Opener {
  const sink = site.lines(site.nameOf(values.get("perfetto")!));
  return (run) => sink === undefined ? undefined : new PerfettoTrace(run, sink, site);
}

/** Rows of what nests within itself: the regions of one dialect on a thread, one span. */
interface Row {
  readonly track: number;
  /** Open regions, outermost first. */
  readonly open: string[];
}

/** Tracks of one process. */
interface ProcessTracks {
  readonly pid: number;
  readonly track: number;
  readonly threads: Map<number, number>;
  /** By thread and track of the mark. */
  readonly rows: Map<string, Row>;
  /** Rows of spans: one span at a time each. */
  readonly lanes: Row[];
  readonly spans: Map<number, Row>;
}

class PerfettoTrace implements OpenOutput, EventReceiver {
  readonly order = "kept";
  readonly events: EventReceiver = this;
  readonly #run: RunView;
  readonly #sink: ByteSink;
  readonly #writer: PerfettoWriter;
  readonly #counters: { handle: number; track: number; value: number }[];
  readonly #processes = new Map<number, ProcessTracks>();

  constructor(run: RunView, sink: ByteSink, site: OutputSite) {
    this.#run = run;
    this.#sink = sink;
    const writer = this.#writer = new PerfettoWriter(run.host);
    writer.clock(site.zeroS());
    this.#counters = this.#openCounters();
  }

  receive(event: EventRecord): number {
    const { timeS, process } = event, writer = this.#writer;
    switch (event.kind) {
      case KIND.enter: {
        const row = this.#row(event, event.track), name = this.#nameOf(event);
        row.open.push(name);
        writer.begin(timeS, row.track, name);
        break;
      }
      case KIND.exit:
        this.#exit(timeS, this.#row(event, event.track), this.#nameOf(event));
        break;
      case KIND.epoch:
        writer.instant(timeS, this.#process(process).track, "epoch");
        break;
      case KIND.shortVisits: {
        const { track } = this.#row(event, event.track), { visits: count, seconds } = event;
        writer.instant(timeS, track, `${this.#nameOf(event)}, short visits`, { count, seconds });
        break;
      }
      case KIND.spanBegin:
        this.#beginSpan(event);
        break;
      case KIND.spanEnd:
        this.#endSpan(event);
        break;
      case KIND.shutdown:
      case KIND.died:
        this.#close(timeS, process);
    }
    return -1;
  }

  #nameOf({ region }: EventRecord): string {
    return this.#run.tracker.table.name(region);
  }

  sample(timeS: number): void {
    for (const counter of this.#counters) {
      const value = this.#run.batch.shown(counter.handle);
      // What is not known has no value, and one that stays the same needs no second packet.
      if (value !== value || value === counter.value) continue;
      counter.value = value;
      this.#writer.value(timeS, counter.track, value);
    }
    this.#hand();
  }

  finish(): void {
    this.#hand();
  }

  #hand(): void {
    if (this.#writer.bytes.length > 0) this.#sink.write(this.#writer.bytes);
    this.#writer.clear();
  }

  #openCounters(): { handle: number; track: number; value: number }[] {
    const { batch, table, topology } = this.#run;
    const rows = QUANTITIES.filter(({ kind }) => kind === "gauge");
    const found = pushQuantities(batch, { table, count: (domain) => topology.count(domain) }, rows);
    return found.flatMap(({ title, unit, handles, quality }) =>
      handles.map((handle, i) => {
        const number = handles.length > 1 ? ` ${i}` : "";
        const note = quality === "simulated" ? " (simulated)" : "";
        return {
          handle,
          track: this.#writer.counter(`${title}${number}${note}`, unit),
          value: NaN,
        };
      })
    );
  }

  #process(handle: number): ProcessTracks {
    let found = this.#processes.get(handle);
    if (found === undefined) {
      const { pid } = this.#run.tracker.process(handle);
      const track = this.#writer.process(pid, this.#run.header.profile);
      found = { pid, track, threads: new Map(), rows: new Map(), lanes: [], spans: new Map() };
      this.#processes.set(handle, found);
    }
    return found;
  }

  #row({ process: handle, thread }: EventRecord, mark: number): Row {
    const process = this.#process(handle);
    const tid = thread > 0 ? thread : process.pid;
    const key = `${tid} ${mark}`;
    let row = process.rows.get(key);
    if (row === undefined) {
      let track = process.threads.get(tid);
      if (track === undefined) {
        track = this.#writer.thread(process.pid, tid, process.track);
        process.threads.set(tid, track);
      }
      if (mark > 0) track = this.#writer.row(this.#run.tracker.tracks.name(mark), track);
      process.rows.set(key, row = { track, open: [] });
    }
    return row;
  }

  /** Slices of a row nest: those that began later and go on are cut in two. */
  #exit(timeS: number, { track, open }: Row, name: string): void {
    const at = open.lastIndexOf(name);
    if (at < 0) return;
    const later = open.splice(at);
    for (let i = 0; i < later.length; i++) this.#writer.end(timeS, track);
    for (const name of later.slice(1)) {
      open.push(name);
      this.#writer.begin(timeS, track, name);
    }
  }

  #beginSpan({ timeS, process: handle, number, name }: EventRecord): void {
    const process = this.#process(handle);
    let lane = process.lanes.find(({ open }) => open.length === 0);
    if (lane === undefined) {
      lane = { track: this.#writer.row("spans", process.track), open: [] };
      process.lanes.push(lane);
    }
    lane.open.push(name);
    process.spans.set(number, lane);
    this.#writer.begin(timeS, lane.track, name);
  }

  #endSpan({ timeS, process: handle, number }: EventRecord): void {
    const process = this.#process(handle), lane = process.spans.get(number);
    if (lane === undefined) return;
    process.spans.delete(number);
    lane.open.length = 0;
    this.#writer.end(timeS, lane.track);
  }

  /** Ends everything that is open when its process ends. */
  #close(timeS: number, handle: number): void {
    const process = this.#processes.get(handle);
    for (const { track, open } of [...process?.rows.values() ?? [], ...process?.lanes ?? []]) {
      for (let i = open.length; i > 0; i--) this.#writer.end(timeS, track);
      open.length = 0;
    }
    this.#processes.delete(handle);
  }
}
