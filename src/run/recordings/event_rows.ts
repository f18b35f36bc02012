/**
 * The rows of `events.csv`, as events in their order. docs/reference/formats/recording.md.
 *
 * Rows are calls. What GEOPM answers with an error is counted and changes nothing; what no call
 * could have been (no number where one is due, an unknown process, time that steps back) is wrong.
 * @module
 */
import { quote } from "../../core/errors.ts";
import { EventRecord, type EventSink } from "../../core/events/event.ts";
import {
  DESCRIBING_ROWS,
  EVENT_KINDS,
  KIND,
  KIND_INFO,
  type MarkKind,
} from "../../core/events/event_kinds.ts";
import { HINT_COUNT } from "../../core/hints.ts";
import { CsvRow } from "../../formats/csv_row.ts";
import { EVENTS_HEADER, EVENTS_HEADER_2 } from "../../formats/recording.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { AttributeRows } from "./attribute_rows.ts";
import { PathRows } from "./path_rows.ts";
import type { Repairs } from "./repairs.ts";
import { type Cell, ROW_VALUES } from "./row_values.ts";
import type { RowReader } from "./row_reader.ts";

/** Number of columns of version 1, and with track and span. */
const COLUMNS = 6, COLUMNS_2 = 8;
const [TIME, PROCESS, EVENT, REGION, VALUE, THREAD, TRACK, SPAN] = [0, 1, 2, 3, 4, 5, 6, 7];

/** Kinds by their word in the `event` column; of several of one word the first. */
const KIND_OF = new Map<string, MarkKind>(
  EVENT_KINDS.flatMap(({ code, row }) => row === undefined ? [] : [[row.event, code]])
    .toReversed() as [string, MarkKind][],
);
const START = KIND_INFO[KIND.start]!.row!.event;
const PATH = DESCRIBING_ROWS.path.event, ATTRIBUTE = DESCRIBING_ROWS.attribute.event;

/** Parses rows of `events.csv` and passes them on as events. */
export class EventRows {
  /** Time of the row last parsed. */
  timeS = -Infinity;
  /** Rows behind the last step, or of a process that had ended. */
  late = 0;
  readonly #reader: RowReader;
  readonly #repairs: Repairs;
  readonly #tracker: RegionTracker;
  readonly #events: EventSink;
  readonly #row = new CsvRow(COLUMNS_2);
  readonly #attributes = new AttributeRows();
  readonly #paths = new PathRows();
  /** Handle of the latest process of a pid. */
  readonly #processes = new Map<number, number>();
  /** The one record of all rows. */
  readonly #record = new EventRecord();
  readonly #value: Cell = {
    text: () => this.#row.text(VALUE),
    number: () => this.#row.number(VALUE),
    isEmpty: () => this.#row.isEmpty(VALUE),
  };
  #columns = COLUMNS;
  #event = START;
  #pid = -1;
  #thread = 0;

  constructor(
    reader: RowReader,
    repairs: Repairs,
    tracker: RegionTracker,
    events: EventSink,
  ) {
    this.#reader = reader;
    this.#repairs = repairs;
    this.#tracker = tracker;
    this.#events = events;
  }

  /** Checks the header line; the reader is on it. */
  header(): void {
    const { text, carriage } = this.#reader;
    if (carriage) this.#carriage();
    if (text === EVENTS_HEADER_2) this.#columns = COLUMNS_2;
    else if (text !== EVENTS_HEADER) {
      this.#wrong("header taken for the usual one", `the columns ${EVENTS_HEADER}`, quote(text));
    }
  }

  /** Parses the row that the reader is on. @returns False when it was left out. */
  parse(): boolean {
    const { bytes, start, end, carriage } = this.#reader;
    if (carriage) this.#carriage();
    const count = this.#row.split(bytes, start, end);
    if (this.#columns === COLUMNS && count === COLUMNS_2 && this.#row.text(SPAN) === "span") {
      this.#columns = COLUMNS_2; // the header again: tracks and spans come from here on
      return false;
    }
    if (count !== this.#columns) {
      const found = count < 0 ? "quotes that do not match" : String(count);
      const expected = this.#columns === COLUMNS ? "six fields" : "eight fields";
      this.#wrong(`row that has not ${expected} left out`, expected, found);
      return false;
    }
    const time = this.#row.number(TIME);
    if (time === undefined || !Number.isFinite(time)) return this.#badField("time", TIME);
    const pid = this.#row.number(PROCESS);
    if (pid === undefined || !Number.isInteger(pid)) return this.#badField("process", PROCESS);
    const event = this.#row.text(EVENT);
    if (!KIND_OF.has(event) && event !== PATH && event !== ATTRIBUTE) {
      return this.#badField("event", EVENT);
    }
    const thread = this.#row.isEmpty(THREAD) ? 0 : this.#row.number(THREAD);
    if (thread === undefined || !Number.isInteger(thread)) {
      return this.#badField("thread", THREAD);
    }
    if (time < this.timeS) {
      this.#wrong(
        "time that steps back taken as standing still",
        "times that do not step back",
        `${time} after ${this.timeS}`,
      );
    } else this.timeS = time;
    this.#event = event;
    this.#pid = pid;
    this.#thread = thread;
    return true;
  }

  /** Emits the parsed row. */
  apply(): void {
    const handle = this.#processes.get(this.#pid) ?? -1;
    if (this.#event === START && this.#thread <= 0) return this.#start(handle);
    if (handle < 0) {
      this.#wrong(
        "event of an unknown process left out",
        "a process that a start row named",
        `${this.#event} of ${this.#pid}`,
      );
      return;
    }
    const { end } = this.#tracker.process(handle);
    if (end !== "running") {
      if (end !== "withdrawn") this.tooLate();
      return;
    }
    const before = this.#tracker.refusedCalls;
    this.#emit(handle);
    if (this.#tracker.refusedCalls !== before) {
      this.#repairs.note(this.#reader, this.#tracker.lastRefusal);
    }
  }

  /** Counts the parsed row instead of emitting it. */
  tooLate(): void {
    this.late++;
    this.#repairs.note(this.#reader, "event too late to count");
  }

  #emit(handle: number): void {
    if (this.#event === PATH) return this.#describePath();
    if (this.#event === ATTRIBUTE) return this.#describeAttribute();
    const kind = this.#kind();
    const event = this.#record.as(kind, this.timeS, handle, this.#thread);
    if (this.#read(kind, event) && this.#resolve(kind, event)) this.#events.receive(event);
  }

  #kind(): MarkKind {
    const kind = KIND_OF.get(this.#event)!;
    if (kind === KIND.start) return KIND.threadCpus;
    if (!this.#isSpan()) return kind;
    return kind === KIND.enter ? KIND.spanBegin : kind === KIND.exit ? KIND.spanEnd : kind;
  }

  /** Reads the columns that a kind has into its record. @returns False if one makes no sense. */
  #read(kind: MarkKind, event: EventRecord): boolean {
    const row = KIND_INFO[kind]!.row!;
    if (row.value !== undefined) {
      const { label = "value", read } = ROW_VALUES[row.value];
      if (!read(this.#value, event)) return this.#badField(label, VALUE);
    }
    event.name = this.#row.text(REGION);
    if (row.track === "handle") event.track = this.#track();
    if (row.track === "span") {
      const id = this.#row.number(SPAN);
      if (id === undefined || !Number.isSafeInteger(id)) return this.#badField("span", SPAN);
      event.number = id;
      event.trackName = this.#row.text(TRACK);
    }
    return true;
  }

  /** Puts handles and descriptions in the place of names. @returns False if the row is left out. */
  #resolve(kind: MarkKind, event: EventRecord): boolean {
    switch (kind) {
      case KIND.enter:
        return this.#resolveEntry(event);
      case KIND.exit:
        event.region = this.#tracker.table.find(event.name);
        return true;
      case KIND.shortVisits:
        event.region = this.#tracker.table.add(event.name);
        return true;
      case KIND.threadCpus:
        this.#keepToNode(event);
        return true;
      case KIND.epoch:
        return this.#isNextEpoch(event);
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        if (this.#attributes.complete(event)) return true;
        this.#wrong(
          "change of an unknown attribute left out",
          "an attribute row before",
          quote(event.name),
        );
        return false;
      case KIND.folded:
      case KIND.foldedLengths:
      case KIND.inPath: {
        const handle = this.#paths.handle(event.path);
        if (handle === undefined) return this.#badField("value", VALUE);
        event.path = handle;
      }
    }
    return true;
  }

  #start(known: number): void {
    const process = known < 0 ? undefined : this.#tracker.process(known);
    const isCommand = this.#row.text(REGION) === KIND_INFO[KIND.startCommand]!.row!.region;
    if (process?.end === "running" && !process.command) {
      this.#wrong(
        "second start of a running process left out",
        "a start of a process that is not running",
        `process ${this.#pid} again`,
      );
      return;
    }
    const kind = isCommand ? KIND.startCommand : KIND.start;
    const event = this.#record.as(kind, this.timeS, -1, 0);
    if (!this.#read(kind, event)) return;
    this.#keepToNode(event);
    event.number = this.#pid;
    const handle = this.#events.receive(event);
    if (handle >= 0) this.#processes.set(this.#pid, handle);
  }

  #resolveEntry(event: EventRecord): boolean {
    const { name, hint, process } = event;
    event.region = this.#tracker.table.find(name);
    const isNew = event.region < 0 || this.#tracker.process(process).hintOf(event.region) < 0;
    // Registering fails, so there is nothing to enter.
    if (hint >= HINT_COUNT && isNew) event.kind = KIND.region;
    else if (event.region < 0) event.region = this.#tracker.table.add(name);
    return true;
  }

  #isSpan(): boolean {
    return this.#columns === COLUMNS_2 && !this.#row.isEmpty(SPAN);
  }

  #track(): number {
    if (this.#columns === COLUMNS || this.#row.isEmpty(TRACK)) return 0;
    return this.#tracker.track(this.#row.text(TRACK));
  }

  #isNextEpoch({ number, process }: EventRecord): boolean {
    const before = this.#tracker.process(process).epochs;
    if (this.#row.isEmpty(VALUE) || (Number.isInteger(number) && number > before)) return true;
    this.#wrong(
      "epoch that steps back left out",
      `a whole number above ${before}`,
      `epoch ${number}`,
    );
    return false;
  }

  #describePath(): void {
    const track = this.#columns === COLUMNS ? "" : this.#row.text(TRACK);
    const row = { region: this.#row.text(REGION), value: this.#row.text(VALUE), track };
    if (!this.#paths.describe(this.#events, row)) this.#badField("value", VALUE);
  }

  #describeAttribute(): void {
    const isKnown = this.#attributes.describe(this.#row.text(REGION), this.#row.text(VALUE));
    if (!isKnown) this.#badField("value, TYPE PROPERTIES", VALUE);
  }

  #keepToNode(event: EventRecord): void {
    const { count } = this.#tracker.cpus;
    if (event.cpus.every((cpu) => cpu < count)) return;
    this.#wrong(
      "CPU that the node does not have left out",
      `CPUs below ${count}`,
      quote(this.#row.text(VALUE)),
    );
    event.cpus = event.cpus.filter((cpu) => cpu < count);
  }

  #badField(name: string, field: number): false {
    this.#wrong(
      `row with a bad ${name} left out`,
      `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`,
      quote(this.#row.text(field)),
    );
    return false;
  }

  #carriage(): void {
    this.#wrong("CR at the end of a line dropped", "lines that end in LF", "CRLF");
  }

  #wrong(what: string, expected: string, found: string): void {
    this.#repairs.wrong(this.#reader, what, expected, found);
  }
}
