/**
 * The rows of `events.csv`, told to the tracker one by one. docs/formats/recording.md.
 *
 * Rows are calls. What GEOPM answers with an error is counted and changes nothing; what no call
 * could have been (no number where one is due, an unknown process, time that steps back) is wrong.
 * @module
 */
import { parseCpuList } from "../core/cpu_list.ts";
import { quote } from "../core/errors.ts";
import type { EventSink, SpanEvent } from "../core/event.ts";
import { HINT_COUNT, parseHint } from "../core/hints.ts";
import { CsvRow } from "../formats/csv_row.ts";
import {
  EVENTS_HEADER,
  EVENTS_HEADER_2,
  RECORDED_EVENTS,
  type RecordedEvent,
} from "../formats/recording.ts";
import type { RegionTracker } from "../regions/tracker.ts";
import { AttributeRows } from "./attribute_rows.ts";
import { pmEvent } from "./pm_rows.ts";
import type { Repairs } from "./repairs.ts";
import type { RowReader } from "./row_reader.ts";

/** Of version 1, and with track and span. */
const COLUMNS = 6, COLUMNS_2 = 8;
const [TIME, PROCESS, EVENT, REGION, VALUE, THREAD, TRACK, SPAN] = [0, 1, 2, 3, 4, 5, 6, 7];
const KNOWN = new Set<string>(RECORDED_EVENTS);

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
  /** Handle of the latest process of a pid. */
  readonly #processes = new Map<number, number>();
  readonly #span: SpanEvent = { kind: "begin", id: 0, name: "", track: "" };
  #columns = COLUMNS;
  #event: RecordedEvent = "start";
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

  /** Checks the header line; the reader stands on it. */
  header(): void {
    const { bytes, start, end } = this.#reader;
    const text = new TextDecoder().decode(bytes.subarray(start, end));
    if (this.#reader.carriage) this.#carriage();
    if (text === EVENTS_HEADER_2) this.#columns = COLUMNS_2;
    else if (text !== EVENTS_HEADER) {
      this.#wrong("header taken for the usual one", `the columns ${EVENTS_HEADER}`, quote(text));
    }
  }

  /** Parses the row that the reader stands on. @returns False when it was left out. */
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
    if (!KNOWN.has(event)) return this.#badField("event", EVENT);
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
    this.#event = event as RecordedEvent;
    this.#pid = pid;
    this.#thread = thread;
    return true;
  }

  /** Tells the parsed row. */
  apply(): void {
    const handle = this.#processes.get(this.#pid) ?? -1;
    if (this.#event === "start" && this.#thread <= 0) return this.#start(handle);
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
    this.#tell(handle);
    if (this.#tracker.refusedCalls !== before) {
      this.#repairs.note(this.#reader, this.#tracker.lastRefusal);
    }
  }

  /** Counts the parsed row instead of telling it. */
  tooLate(): void {
    this.late++;
    this.#repairs.note(this.#reader, "event too late to count");
  }

  #tell(handle: number): void {
    const events = this.#events;
    const t = this.timeS;
    switch (this.#event) {
      case "enter":
        return this.#isSpan() ? this.#tellSpan(handle, "begin") : this.#enter(handle);
      case "exit":
        if (this.#isSpan()) return this.#tellSpan(handle, "end");
        return events.exit(t, handle, this.#known(), this.#thread, this.#track());
      case "region":
        return this.#region(handle);
      case "start":
        return this.#withCpus((cpus) => events.threadCpus(t, handle, this.#thread, cpus));
      case "epoch":
        return this.#epoch(handle);
      case "tprof_init":
        return this.#withNumber((units) => events.tprofInit(t, handle, units));
      case "tprof_post":
        if (this.#row.isEmpty(VALUE)) return events.tprofPost(t, handle, -1);
        return this.#withNumber((cpu) => events.tprofPost(t, handle, cpu));
      case "overhead":
        return this.#withNumber((seconds) => events.overhead(t, handle, seconds));
      case "short":
        return this.#short(handle);
      case "shutdown":
        return events.shutdown(t, handle);
      case "died":
        return events.died(t, handle);
      case "attribute":
      case "begin":
      case "set":
      case "end":
        return this.#attribute(handle);
      default:
        this.#pm(handle);
    }
  }

  #pm(handle: number): void {
    const call = pmEvent(this.#event, this.#row.text(VALUE));
    if (call !== undefined) this.#events.pm?.(this.timeS, handle, call);
  }

  #start(known: number): void {
    const process = known < 0 ? undefined : this.#tracker.process(known);
    const command = this.#row.text(REGION) === "command";
    if (process?.end === "running" && !process.command) {
      this.#wrong(
        "second start of a running process left out",
        "a start of a process that is not running",
        `process ${this.#pid} again`,
      );
      return;
    }
    this.#withCpus((cpus) => {
      const handle = command
        ? this.#events.startCommand(this.timeS, this.#pid, cpus)
        : this.#events.start(this.timeS, this.#pid, cpus);
      if (handle >= 0) this.#processes.set(this.#pid, handle);
    });
  }

  #region(handle: number): void {
    const hint = parseHint(this.#row.text(VALUE));
    if (hint < 0) {
      this.#badField("hint", VALUE);
      return;
    }
    this.#events.region(this.timeS, handle, this.#row.text(REGION), hint);
  }

  #enter(handle: number): void {
    const hint = this.#row.isEmpty(VALUE) ? -1 : parseHint(this.#row.text(VALUE));
    if (hint < 0 && !this.#row.isEmpty(VALUE)) {
      this.#badField("hint", VALUE);
      return;
    }
    let region = this.#known();
    if (hint >= HINT_COUNT && (region < 0 || this.#tracker.process(handle).hintOf(region) < 0)) {
      // Registering fails, so there is nothing to enter.
      this.#events.region(this.timeS, handle, this.#row.text(REGION), hint);
      return;
    }
    if (region < 0) region = this.#tracker.table.add(this.#row.text(REGION));
    this.#events.enter(this.timeS, handle, region, hint, this.#thread, this.#track());
  }

  #isSpan(): boolean {
    return this.#columns === COLUMNS_2 && !this.#row.isEmpty(SPAN);
  }

  #track(): number {
    if (this.#columns === COLUMNS || this.#row.isEmpty(TRACK)) return 0;
    return this.#tracker.track(this.#row.text(TRACK));
  }

  #tellSpan(handle: number, kind: "begin" | "end"): void {
    const id = this.#row.number(SPAN);
    if (id === undefined || !Number.isSafeInteger(id)) {
      this.#badField("span", SPAN);
      return;
    }
    const event = this.#span;
    event.kind = kind;
    event.id = id;
    event.name = this.#row.text(REGION);
    event.track = this.#row.text(TRACK);
    this.#events.span?.(this.timeS, handle, this.#thread, event);
  }

  #epoch(handle: number): void {
    if (this.#row.isEmpty(VALUE)) return this.#events.epoch(this.timeS, handle, 0);
    this.#withNumber((number) => {
      const before = this.#tracker.process(handle).epochs;
      if (Number.isInteger(number) && number > before) {
        return this.#events.epoch(this.timeS, handle, number);
      }
      this.#wrong(
        "epoch that steps back left out",
        `a whole number above ${before}`,
        `epoch ${number}`,
      );
    });
  }

  #short(handle: number): void {
    const found = /^([0-9]+) ([0-9.]+(?:e[-+]?[0-9]+)?)$/i.exec(this.#row.text(VALUE));
    const count = Number(found?.[1]);
    const seconds = Number(found?.[2]);
    if (!(count > 0 && Number.isFinite(seconds))) {
      this.#badField("value, COUNT SECONDS", VALUE);
      return;
    }
    const region = this.#tracker.table.add(this.#row.text(REGION));
    this.#events.shortVisits(this.timeS, handle, region, count, seconds, this.#thread);
  }

  #attribute(handle: number): void {
    const name = this.#row.text(REGION), value = this.#row.text(VALUE), event = this.#event;
    if (event === "attribute") {
      if (!this.#attributes.describe(name, value)) this.#badField("value, TYPE PROPERTIES", VALUE);
      return;
    }
    const at = { timeS: this.timeS, process: handle, thread: this.#thread };
    const kind = event as "begin" | "set" | "end";
    if (!this.#attributes.tell(this.#events, at, kind, { name, value })) {
      this.#wrong(
        "change of an unknown attribute left out",
        "an attribute row before",
        quote(name),
      );
    }
  }

  /** Handle of the row's region, −1 when nobody entered or registered it. */
  #known(): number {
    return this.#tracker.table.find(this.#row.text(REGION));
  }

  #withNumber(tell: (value: number) => void): void {
    const value = this.#row.number(VALUE);
    if (value === undefined || !Number.isFinite(value)) this.#badField("value", VALUE);
    else tell(value);
  }

  #withCpus(tell: (cpus: number[]) => void): void {
    let cpus: number[];
    try {
      cpus = parseCpuList(this.#row.text(VALUE));
    } catch {
      this.#badField("CPU list", VALUE);
      return;
    }
    const count = this.#tracker.cpus.count;
    if (cpus.some((cpu) => cpu >= count)) {
      this.#wrong(
        "CPU that the node does not have left out",
        `CPUs below ${count}`,
        quote(this.#row.text(VALUE)),
      );
      cpus = cpus.filter((cpu) => cpu < count);
    }
    tell(cpus);
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
    this.#repairs.wrong(this.#reader, what, { expected, found });
  }
}
