/**
 * Writes a recording while a run goes on: `events.csv` and `samples.csv`, by whole lines.
 * docs/reference/formats/recording.md.
 * @module
 */
import { formatCpuList } from "../../core/machine/cpu_list.ts";
import type { EventReceiver, EventRecord } from "../../core/events/event.ts";
import { KIND, KIND_INFO, type RecordedRow } from "../../core/events/event_kinds.ts";
import type { PathTable } from "../../core/path_stats.ts";
import type { Nested } from "../../core/report.ts";
import { PlatformTopology } from "../../core/machine/topology.ts";
import { nestedLines } from "../../formats/nested.ts";
import {
  csvField,
  EVENTS_HEADER,
  EVENTS_HEADER_2,
  FORMAT_NAME,
  FORMAT_NAME_2,
  FORMAT_NAME_3,
  type Recording,
} from "../../formats/recording.ts";
import type { LineSink } from "../../formats/trace/header.ts";
import { isTrackerSignal } from "../../marks/tracker/tracker_signals.ts";
import { AttributeRowsWriter } from "./attribute_rows.ts";
import { PathRowsWriter, type PlainRow } from "./path_rows.ts";
import { ROW_VALUES } from "./row_values.ts";
import { VisitRows } from "./visit_rows.ts";
import type { Batch, NativeColumn } from "../../sources/signals/batch.ts";

/** Names that belong to the events' handles. */
export interface RecordingNames {
  regionName(handle: number): string;
  pid(handle: number): number;
  trackName(handle: number): string;
  /** Does a thread of a process live? */
  hasThread(process: number, thread: number): boolean;
  readonly paths: PathTable;
}

/** Rows kept for the case that tracks come into use: their number, at most. */
const KEPT_ROWS = 10_000;

/** Writes events and samples of one run. Handles are the tracker's. */
export class RecordingWriter implements EventReceiver {
  readonly #events: LineSink;
  readonly #samples: LineSink;
  readonly #names: RecordingNames;
  readonly #paths: PathRowsWriter;
  readonly #attributes = new AttributeRowsWriter();
  #columns: NativeColumn[] | undefined;
  #last = new Float64Array(0);
  readonly #visits = new VisitRows();
  /** A step's events, written at once when it closes: rows as long as `written` needs them, then text. */
  #pending: string[] = [];
  #text = "";
  /** Rows written so far; `undefined`: there are too many, or they have the columns already. */
  #written: string[] | undefined = [];
  /** Called when the recording's description changes: it has tracks, spans or rows of threads from here on. */
  onChange?: () => void;
  /** True once the recording has tracks or spans. */
  hasTracks = false;
  /** True once the recording has ends or run times of threads. */
  hasThreadRows = false;

  constructor(events: LineSink, samples: LineSink, names: RecordingNames) {
    this.#events = events;
    this.#samples = samples;
    this.#names = names;
    this.#paths = new PathRowsWriter(names.paths);
    // If the monitor is killed, no sample is there whose events are not.
    samples.before = () => events.flush?.();
    events.write(EVENTS_HEADER + "\n");
  }

  receive(event: EventRecord): number {
    if (VisitRows.has(event)) {
      this.#add(event.timeS + this.#visits.text(event, this.#makeVisit));
      return -1;
    }
    const row = KIND_INFO[event.kind]?.row;
    if (row === undefined) return -1;
    const { kind, timeS } = event;
    // A thread that ended already, or whose process did.
    if (kind === KIND.threadEnd && !this.#names.hasThread(event.process, event.thread)) return -1;
    if (kind === KIND.threadEnd || kind === KIND.ranOutside) this.#useThreadRows();
    const starts = kind === KIND.start || kind === KIND.startCommand;
    const pid = starts ? event.number : this.#names.pid(event.process);
    const write = (plain: PlainRow) => this.#row(timeS, pid, plain);
    if (row.value === "folded" || row.value === "lengths" || row.value === "path") {
      this.#paths.describe(event.path, write);
    } else if (row.value === "attribute") this.#attributes.describe(event, write);
    write({
      event: row.event,
      region: this.#region(row, event),
      value: row.value === undefined ? "" : ROW_VALUES[row.value].write(event),
      thread: row.thread === true ? event.thread : 0,
      track: this.#track(row, event),
      span: row.track === "span" ? event.number : undefined,
    });
    return -1;
  }

  #useThreadRows(): void {
    if (this.hasThreadRows) return;
    this.hasThreadRows = true;
    this.onChange?.();
  }

  readonly #makeVisit = (event: EventRecord): string => {
    const { row } = KIND_INFO[event.kind]!;
    const value = row!.value === undefined ? "" : ROW_VALUES[row!.value].write(event);
    const plain = { event: row!.event, region: this.#region(row!, event), value };
    return this.#fields(this.#names.pid(event.process), { ...plain, thread: event.thread });
  };

  #region({ region }: RecordedRow, event: EventRecord): string {
    if (region === "region") return this.#names.regionName(event.region);
    if (region === "path") return this.#names.paths.name(event.path);
    if (region === "name") return event.name;
    return region ?? "";
  }

  #track({ track }: RecordedRow, event: EventRecord): string {
    if (track === "span") return event.trackName;
    return track === "handle" && event.track !== 0 ? this.#names.trackName(event.track) : "";
  }

  /** Writes the row of a settled step, and the events that led to it before it. */
  samples(timeS: number, batch: Batch): void {
    this.#writePending();
    const first = this.#columns === undefined;
    const columns = this.#columns ??= this.#open(batch);
    let line = String(timeS);
    let k = 0;
    for (const { offset, count } of columns) {
      for (let i = offset; i < offset + count; i++, k++) {
        const value = batch.values[i];
        if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
          line += `,${wholeText(value, batch.restAt(i))}`;
        } else if (!first && Object.is(value, this.#last[k])) line += ",=";
        else line += value === value ? `,${value}` : ",";
        this.#last[k] = value;
      }
    }
    this.#samples.write(line + "\n");
  }

  #open(batch: Batch): NativeColumn[] {
    const columns = recordedColumns(batch);
    let header = "time";
    for (const { name, signal, count } of columns) {
      for (let i = 0; i < count; i++) {
        header += "," + csvField(`${name}@${signal.row.domain}-${i}`);
      }
    }
    this.#samples.write(header + "\n");
    this.#last = new Float64Array(columns.reduce((n, column) => n + column.count, 0));
    return columns;
  }

  #row(timeS: number, pid: number, row: PlainRow): void {
    if ((row.track ?? "") !== "" || row.span !== undefined) this.#useTracks();
    this.#add(timeS + this.#fields(pid, row));
  }

  /** All of a row behind its time. */
  #fields(pid: number, row: PlainRow): string {
    const { event, region = "", value = "", thread = 0, track = "", span } = row;
    const own = thread > 0 ? thread : "";
    const fields = `,${pid},${event},${csvField(region)},${csvField(value)},${own}`;
    return this.hasTracks ? `${fields},${csvField(track)},${span ?? ""}\n` : `${fields}\n`;
  }

  #add(row: string): void {
    if (this.#written === undefined) this.#text += row;
    else this.#pending.push(row);
  }

  #writeText(): void {
    if (this.#text !== "") this.#events.write(this.#text);
    this.#text = "";
  }

  #writePending(): void {
    this.#writeText();
    if (this.#pending.length === 0) return;
    this.#events.write(this.#pending.join(""));
    if (this.#written !== undefined) {
      this.#written.push(...this.#pending);
      if (this.#written.length > KEPT_ROWS) this.#written = undefined;
    }
    this.#pending.length = 0;
  }

  /**
   * The first track or span: all rows get the two columns. If too many are written already, the
   * header comes again, with the columns that hold from there on.
   */
  #useTracks(): void {
    if (this.hasTracks) return;
    this.hasTracks = true;
    this.#visits.clear();
    this.#writeText();
    const rows = this.#pending.map(withColumns);
    if (this.#written !== undefined && this.#events.restart !== undefined) {
      this.#events.restart();
      rows.unshift(...this.#written.map(withColumns));
    }
    this.#written = undefined;
    this.#pending = [];
    this.#events.write(EVENTS_HEADER_2 + "\n" + rows.join(""));
    this.onChange?.();
  }
}

/** A count beyond 2^53 to its last digit. */
function wholeText(value: number, rest: number): string {
  return Number.isFinite(value) ? String(BigInt(value) + BigInt(rest)) : String(value);
}

/** A row of version 1 as one of version 2. */
function withColumns(row: string): string {
  return row.slice(0, -1) + ",,\n";
}

/** Every pushed signal that does not come from events. */
function recordedColumns(batch: Batch): NativeColumn[] {
  return batch.columns.filter((column) => !isTrackerSignal(column.signal.row.name));
}

/** The contents of `recording.yaml` beside the signals. */
export interface RecordingDescription extends Omit<Recording, "signals"> {
  /** True if it has tracks or spans. */
  readonly hasTracks?: boolean;
  /** Features: further files, or rows of further kinds. @default none */
  readonly features?: readonly string[];
}

/** The text of `recording.yaml`; the batch has all its signals pushed. */
export function recordingYaml(
  about: RecordingDescription,
  batch: Batch,
): string {
  const { host, profile, agent, policy, startTime: start, topology } = about;
  const { hasTracks, features = [], outcome, unread = [], ranks = {} } = about;
  const format = features.length > 0 ? FORMAT_NAME_3 : hasTracks ? FORMAT_NAME_2 : FORMAT_NAME;
  const data: { [key: string]: Nested } = {
    format,
    ...features.length > 0 ? { features: [...features] } : {},
    host,
    profile,
    agent,
    start,
    ...policy === undefined || policy === "{}" ? {} : { policy },
    ...outcome === undefined ? {} : { outcome: { ...outcome } },
    ...unread.length === 0 ? {} : { unread: [...unread] },
    ...Object.keys(ranks).length === 0 ? {} : { ranks: { ...ranks } },
    ...topologyData(topology),
    signals: recordedColumns(batch).map(({ name, signal }) => {
      const { domain, unit, agg: aggregation, behavior, format = "double" } = signal.row;
      const { quality, source, note, updatePeriodS } = signal;
      return {
        name,
        domain,
        unit,
        aggregation,
        behavior,
        format,
        quality,
        source,
        ...(note === undefined ? {} : { note }),
        ...(updatePeriodS === undefined ? {} : { update_period: updatePeriodS }),
      };
    }),
  };
  return nestedLines(data, 0).join("\n") + "\n";
}

/** Topology data that the regular rule does not give already. */
function topologyData(topology: PlatformTopology): { [key: string]: Nested } {
  const { places } = topology;
  const packages = topology.count("package");
  const cores = topology.count("core");
  const coresPerPackage = Math.max(1, Math.round(cores / Math.max(1, packages)));
  const threadsPerCore = Math.max(1, Math.round(places.length / Math.max(1, cores)));
  const regular = PlatformTopology.regular({ packages, coresPerPackage, threadsPerCore });
  const shape = { packages, cores_per_package: coresPerPackage, threads_per_core: threadsPerCore };
  const data: { [key: string]: Nested } = { topology: shape };
  const placesOf = (t: PlatformTopology): Nested =>
    t.places.map((place) => place === null ? null : [place.package, place.core]);
  if (JSON.stringify(placesOf(topology)) !== JSON.stringify(placesOf(regular))) {
    data.cpus = placesOf(topology);
  }
  for (const domain of ["memory", "gpu", "gpu_chip"] as const) {
    const lists = Array.from(
      { length: topology.count(domain) },
      (_, i) => formatCpuList(topology.cpus(domain, i)),
    );
    if (lists.length > 0) data[domain] = lists;
  }
  return data;
}
