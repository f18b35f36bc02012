/**
 * Writes a recording while a run goes on: `events.csv` and `samples.csv`, by whole lines.
 * docs/formats/recording.md.
 * @module
 */
import { formatCpuList } from "../core/cpu_list.ts";
import type { AttributeEvent, EventSink, PmEvent, SpanEvent } from "../core/event.ts";
import { HINTS } from "../core/hints.ts";
import type { Nested } from "../core/report.ts";
import { TYPE } from "../core/ring_layout.ts";
import { PlatformTopology } from "../core/topology.ts";
import { nestedLines } from "../formats/nested.ts";
import {
  csvField,
  EVENTS_HEADER,
  EVENTS_HEADER_2,
  FORMAT_NAME,
  FORMAT_NAME_2,
} from "../formats/recording.ts";
import type { LineSink } from "../formats/trace/header.ts";
import { isTrackerSignal } from "../regions/tracker_signals.ts";
import type { Batch, NativeColumn } from "../signals/batch.ts";

/** What the events' handles stand for. */
export interface RecordingNames {
  /** Name of a region handle. */
  regionName(handle: number): string;
  /** Process id of a process handle. */
  pid(handle: number): number;
  /** Name of a track handle. */
  trackName(handle: number): string;
}

/** Rows kept for the case that tracks come into use: their number, at most. */
const KEPT_ROWS = 10_000;

/** Caliper's names of types. */
const TYPE_NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, n]) => [n, name]));

/** Writes events and samples of one run. Handles are the tracker's. */
export class RecordingWriter implements EventSink {
  readonly #events: LineSink;
  readonly #samples: LineSink;
  readonly #names: RecordingNames;
  /** Types and properties told, by attribute. */
  readonly #attributes = new Map<string, string>();
  #columns: NativeColumn[] | undefined;
  #last = new Float64Array(0);
  /** A step's events, written at once when it closes. */
  #pending: string[] = [];
  /** What was written before; `undefined`: too much, or it has the columns already. */
  #written: string[] | undefined = [];
  /** Hears that the recording is of version 2 from here on. */
  onVersion2?: () => void;
  /** It has tracks or spans. */
  hasTracks = false;

  constructor(events: LineSink, samples: LineSink, names: RecordingNames) {
    this.#events = events;
    this.#samples = samples;
    this.#names = names;
    events.write(EVENTS_HEADER + "\n");
  }

  start(timeS: number, pid: number, cpus: readonly number[]): number {
    this.#row(timeS, pid, "start", "", formatCpuList(cpus), 0);
    return -1;
  }

  startCommand(timeS: number, pid: number, cpus: readonly number[]): number {
    this.#row(timeS, pid, "start", "command", formatCpuList(cpus), 0);
    return -1;
  }

  threadCpus(timeS: number, process: number, thread: number, cpus: readonly number[]): void {
    this.#row(timeS, this.#names.pid(process), "start", "", formatCpuList(cpus), thread);
  }

  region(timeS: number, process: number, name: string, hint: number): number {
    this.#row(timeS, this.#names.pid(process), "region", name, HINTS[hint] ?? String(hint), 0);
    return -1;
  }

  enter(
    timeS: number,
    process: number,
    region: number,
    hint: number,
    thread: number,
    track = 0,
  ): void {
    const value = HINTS[hint] ?? "";
    const name = this.#names.regionName(region);
    const extra = track === 0 ? "," : this.#track(track);
    this.#row(timeS, this.#names.pid(process), "enter", name, value, thread, extra);
  }

  exit(timeS: number, process: number, region: number, thread: number, track = 0): void {
    const name = this.#names.regionName(region);
    const extra = track === 0 ? "," : this.#track(track);
    this.#row(timeS, this.#names.pid(process), "exit", name, "", thread, extra);
  }

  span(timeS: number, process: number, thread: number, event: SpanEvent): void {
    this.#useTracks();
    const { kind, name, track, id } = event;
    const what = kind === "begin" ? "enter" : "exit";
    const extra = `${csvField(track)},${id}`;
    this.#row(timeS, this.#names.pid(process), what, name, "", thread, extra);
  }

  epoch(timeS: number, process: number, number: number): void {
    this.#row(timeS, this.#names.pid(process), "epoch", "", number === 0 ? "" : `${number}`, 0);
  }

  tprofInit(timeS: number, process: number, units: number): void {
    this.#row(timeS, this.#names.pid(process), "tprof_init", "", String(units), 0);
  }

  tprofPost(timeS: number, process: number, cpu: number): void {
    this.#row(timeS, this.#names.pid(process), "tprof_post", "", cpu < 0 ? "" : String(cpu), 0);
  }

  overhead(timeS: number, process: number, seconds: number): void {
    this.#row(timeS, this.#names.pid(process), "overhead", "", String(seconds), 0);
  }

  shortVisits(
    timeS: number,
    process: number,
    region: number,
    count: number,
    seconds: number,
    thread: number,
  ): void {
    const name = this.#names.regionName(region);
    this.#row(timeS, this.#names.pid(process), "short", name, `${count} ${seconds}`, thread);
  }

  shutdown(timeS: number, process: number): void {
    this.#row(timeS, this.#names.pid(process), "shutdown", "", "", 0);
  }

  died(timeS: number, process: number): void {
    this.#row(timeS, this.#names.pid(process), "died", "", "", 0);
  }

  attribute(timeS: number, process: number, thread: number, event: AttributeEvent): void {
    const pid = this.#names.pid(process);
    const { kind, name, type, properties, value } = event;
    if (kind !== "end" && this.#attributes.get(name) !== `${type} ${properties}`) {
      this.#attributes.set(name, `${type} ${properties}`);
      this.#row(timeS, pid, "attribute", name, `${TYPE_NAMES.get(type) ?? type} ${properties}`, 0);
    }
    this.#row(timeS, pid, kind, name, kind === "end" ? "" : String(value), thread);
  }

  pm(timeS: number, process: number, event: PmEvent): void {
    const value = event.kind === "open"
      ? (event.version / 10).toFixed(1)
      : event.kind === "close"
      ? ""
      : `${event.step} ${event.substep} ${Number(event.sync)} ${Number(event.initial)}`;
    this.#row(timeS, this.#names.pid(process), `pm_${event.kind}`, "", value, 0);
  }

  /** An event of another kind: attributes and the like, which the tracker does not see. */
  other(timeS: number, pid: number, event: string, region: string, value: string): void {
    this.#row(timeS, pid, event, region, value, 0);
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
        if (!first && Object.is(value, this.#last[k])) line += ",=";
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

  #row(
    timeS: number,
    pid: number,
    event: string,
    region: string,
    value: string,
    thread: number,
    extra = ",",
  ): void {
    const row = `${timeS},${pid},${event},${csvField(region)},${csvField(value)},${
      thread > 0 ? thread : ""
    }`;
    this.#pending.push(this.hasTracks ? `${row},${extra}\n` : `${row}\n`);
  }

  #writePending(): void {
    if (this.#pending.length === 0) return;
    this.#events.write(this.#pending.join(""));
    if (this.#written !== undefined) {
      this.#written.push(...this.#pending);
      if (this.#written.length > KEPT_ROWS) this.#written = undefined;
    }
    this.#pending.length = 0;
  }

  #track(track: number): string {
    this.#useTracks();
    return csvField(this.#names.trackName(track)) + ",";
  }

  /**
   * The first track or span: all rows get the two columns. Where too many are written already, the
   * header comes again, with the columns that hold from there on.
   */
  #useTracks(): void {
    if (this.hasTracks) return;
    this.hasTracks = true;
    const rows = this.#pending.map(withColumns);
    if (this.#written !== undefined && this.#events.restart !== undefined) {
      this.#events.restart();
      rows.unshift(...this.#written.map(withColumns));
    }
    this.#written = undefined;
    this.#pending = [];
    this.#events.write(EVENTS_HEADER_2 + "\n" + rows.join(""));
    this.onVersion2?.();
  }
}

/** A row of version 1 as one of version 2. */
function withColumns(row: string): string {
  return row.slice(0, -1) + ",,\n";
}

/** Every pushed signal that does not come from events. */
export function recordedColumns(batch: Batch): NativeColumn[] {
  return batch.columns.filter((column) => !isTrackerSignal(column.signal.row.name));
}

/** What `recording.yaml` says beside the signals. */
export interface RecordingDescription {
  readonly host: string;
  readonly profile: string;
  readonly agent: string;
  readonly startTime: string;
  readonly topology: PlatformTopology;
  /** It has tracks or spans. */
  readonly hasTracks?: boolean;
}

/** The text of `recording.yaml`; the batch has all its signals pushed. */
export function recordingYaml(about: RecordingDescription, batch: Batch): string {
  const data: { [key: string]: Nested } = {
    format: about.hasTracks ? FORMAT_NAME_2 : FORMAT_NAME,
    host: about.host,
    profile: about.profile,
    agent: about.agent,
    start: about.startTime,
    ...topologyData(about.topology),
    signals: recordedColumns(batch).map(({ name, signal: { row, ...signal } }) => ({
      name,
      domain: row.domain,
      unit: row.unit,
      aggregation: row.agg,
      behavior: row.behavior,
      format: row.format ?? "double",
      quality: signal.quality,
      source: signal.source,
      ...(signal.note === undefined ? {} : { note: signal.note }),
      ...(signal.updatePeriodS === undefined ? {} : { update_period: signal.updatePeriodS }),
    })),
  };
  return nestedLines(data, 0).join("\n") + "\n";
}

/** Only what the regular rule does not say already. */
function topologyData(topology: PlatformTopology): { [key: string]: Nested } {
  const { places } = topology;
  const packages = topology.count("package");
  const cores = topology.count("core");
  const shape = {
    packages,
    coresPerPackage: Math.max(1, Math.round(cores / Math.max(1, packages))),
    threadsPerCore: Math.max(1, Math.round(places.length / Math.max(1, cores))),
  };
  const regular = PlatformTopology.regular(shape);
  const data: { [key: string]: Nested } = {
    topology: {
      packages: shape.packages,
      cores_per_package: shape.coresPerPackage,
      threads_per_core: shape.threadsPerCore,
    },
  };
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
