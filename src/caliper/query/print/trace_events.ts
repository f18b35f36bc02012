/**
 * `trace-events`: an event trace as Chrome trace events, which Perfetto opens. Ours in this place;
 * Caliper has a tool of its own for it (cali2traceevent).
 *
 * Needs records with `event.begin#A` or `event.end#A` and `time.offset.ns`. Streams are not in
 * time order, so events are sorted by time per track before begin and end are paired. A track is
 * (`mpi.rank`, thread), if the thread is `pthread.id`, `omp.thread.id` or `thread.id`. Only
 * nested attributes make events. What was begun and not ended lasts until the end of its track;
 * what was ended and not begun is left out and counted in `otherData`, with the globals.
 * Times are in microseconds, as the format demands.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { reportText, toDouble, type Variant } from "../../model/variant.ts";
import { escapeJson } from "../byte_text.ts";
import { textsByAttribute } from "../chain_text.ts";
import { Formatter } from "../formatter.ts";
import { findValue, NamedAttribute } from "../lookup.ts";

interface Event {
  time: number;
  order: number;
  begin: boolean;
  category: string;
  name: string;
}

interface Track {
  process: number;
  thread: string;
  events: Event[];
}

const THREADS = ["pthread.id", "omp.thread.id", "thread.id"];

export class TraceEventsFormatter extends Formatter {
  readonly #time = new NamedAttribute("time.offset.ns");
  readonly #rank = new NamedAttribute("mpi.rank");
  readonly #threads = THREADS.map((name) => new NamedAttribute(name));
  readonly #tracks = new Map<string, Track>();
  /** By attribute id: category and kind of event; null if it is none. */
  readonly #kinds = new Map<number, { begin: boolean; category: string } | null>();
  #count = 0;
  #first = true;

  record(record: Snapshot): void {
    const time = this.#numberOf(record, this.#time);
    if (!Number.isFinite(time)) return;
    const { tree } = this.context;
    let track: Track | null = null;
    const add = (attribute: number, text: () => string) => {
      const kind = this.#kind(attribute);
      if (kind === null) return;
      track ??= this.#trackOf(record);
      track.events.push({ time, order: this.#count++, name: text(), ...kind });
    };
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) {
        add(record.node[i], () => record.textAt(i));
        continue;
      }
      for (let id = record.node[i]; id !== NONE; id = tree.parentOf[id]) {
        add(tree.attributeOf[id], () => tree.textOf(id));
      }
    }
  }

  flush(): void {
    const { out, tree } = this.context;
    let unmatched = 0;
    out.write('{"traceEvents":[');
    let number = 0;
    for (const track of this.#tracks.values()) unmatched += this.#pair(track, number++);
    const other = [...textsByAttribute(tree, tree.globals)]
      .map(([attribute, text]) => `${quote(tree.nameOf(attribute))}:${quote(text)}`);
    other.push(`"unmatched_events":${unmatched}`);
    out.write(`\n],"displayTimeUnit":"ns","otherData":{${other.join(",")}}}\n`);
  }

  /** Prints a track; returns how many ends had no begin. */
  #pair(track: Track, number: number): number {
    const { process, thread } = track, { tree } = this.context;
    const events = track.events.filter(({ category }) =>
      tree.isNested(tree.attributeByName(category))
    );
    events.sort((a, b) => a.time - b.time || a.order - b.order);
    const place = `"pid":${process},"tid":${number}`;
    this.#emit(`{"ph":"M","name":"thread_name",${place},"args":{"name":${quote(thread)}}}`);
    const last = events.length > 0 ? events[events.length - 1].time : 0;
    // Innermost last, by category and name: a trace that lost its ends may hold open very many.
    const open = new Map<string, Event[]>();
    const complete: (readonly [event: Event, end: number])[] = [];
    let unmatched = 0;
    for (const event of events) {
      const key = `${event.category} ${event.name}`, same = open.get(key);
      if (!event.begin) {
        const begun = same?.pop();
        if (begun === undefined) unmatched++;
        else complete.push([begun, event.time]);
      } else if (same === undefined) open.set(key, [event]);
      else same.push(event);
    }
    for (const begun of open.values()) for (const event of begun) complete.push([event, last]);
    // In the order of time, and what encloses comes before what is inside.
    complete.sort(([a, endA], [b, endB]) => a.time - b.time || endB - endA || a.order - b.order);
    for (const [event, end] of complete) {
      this.#emit(
        `{"ph":"X","name":${quote(event.name)},"cat":${quote(event.category)},${place},` +
          `"ts":${event.time / 1000},"dur":${(end - event.time) / 1000}}`,
      );
    }
    return unmatched;
  }

  #emit(event: string): void {
    this.context.out.write((this.#first ? "\n" : ",\n") + event);
    this.#first = false;
  }

  #kind(attribute: number): { begin: boolean; category: string } | null {
    const known = this.#kinds.get(attribute);
    if (known !== undefined) return known;
    const { tree } = this.context;
    const found = /^event\.(begin|end)#([\s\S]*)$/.exec(tree.nameOf(attribute));
    const event = found && { begin: found[1] === "begin", category: found[2] };
    const target = event === null ? NONE : tree.attributeByName(event.category);
    // The first event of an attribute comes before its first value, so before its definition:
    // what it is will be known at the end.
    if (target === NONE && event !== null) return event;
    const kind = event !== null && tree.isNested(target) ? event : null;
    this.#kinds.set(attribute, kind);
    return kind;
  }

  #trackOf(record: Snapshot): Track {
    const rank = this.#numberOf(record, this.#rank);
    const process = Number.isSafeInteger(rank) ? rank : 0;
    let thread = "main";
    for (const name of this.#threads) {
      const value = this.#value(record, name);
      if (value === null) continue;
      thread = reportText(value.type, value.value);
      break;
    }
    const key = `${process} ${thread}`;
    let track = this.#tracks.get(key);
    if (track === undefined) this.#tracks.set(key, track = { process, thread, events: [] });
    return track;
  }

  /** NaN if there is no value. */
  #numberOf(record: Snapshot, name: NamedAttribute): number {
    const value = this.#value(record, name);
    return value === null ? NaN : toDouble(value.type, value.value);
  }

  #value(record: Snapshot, name: NamedAttribute): Variant | null {
    return findValue(this.context.tree, record, name.resolve(this.context.tree));
  }
}

function quote(text: string): string {
  return `"${escapeJson(text, true)}"`;
}
