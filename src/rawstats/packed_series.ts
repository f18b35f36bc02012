/**
 * Time series of raw stats of any size as JSON or OpenMetrics, in bounded memory.
 *
 * Both formats have all samples of a key in one place, the files all keys of a sample. Series are
 * packed while the files are read; what does not fit is counted instead, and the files are read
 * again, some keys at a time. Most inputs need one pass, a gigabyte several more.
 * @module
 */
import type { ByteText } from "./byte_text.ts";
import { type Column, ColumnStore } from "./column_store.ts";
import { JobFilter, type JobListener, RawNode } from "./node.ts";
import { JsonTree, writeKey, writeSums, writeTimes } from "./print/print_json.ts";
import { addFamilies, type MetricFamily, METRICS_END } from "./print/print_openmetrics.ts";
import { writeFamily } from "./print/print_openmetrics.ts";
import { type KeySeries, keySeries, NodeSeries, type SeriesWish } from "./series.ts";
import type { EnergyUnits } from "./energy_units.ts";
import type { RawFile } from "./files.ts";
import { scanRawNode } from "./once.ts";

/** What packed series may take. */
const MOST_BYTES = 16 << 20;

/** Devices of a type and node: 1,024 CPUs are fewer, single processes come for ever. */
export const MOST_DEVICES = 4096;

/** What is written, and from what. */
export interface RawSeriesRequest {
  readonly files: readonly RawFile[];
  readonly job: string | undefined;
  readonly energyUnits?: EnergyUnits;
  readonly wants: (type: string) => boolean;
  readonly out: ByteText;
  /** Bytes that packed series may take. @default 16 MiB */
  readonly most?: number;
}

/** Goes along with a first pass over the files. */
export interface RawSeriesWriter {
  listen(node: RawNode): JobListener;
  /** A node is read. */
  finish(node: RawNode): Promise<void>;
  /** All are; what stands behind the series is not written. */
  end(): Promise<void>;
  /** Devices without series, beyond the most of a type. */
  readonly leftOut: number;
}

/** Memory that a column takes, about. */
function costOf(column: Column, at: Column): number {
  return (Math.ceil(column.size / 256) + 1) * 256 + at.size / 8;
}

/** Reads files of a node again, for some of its keys. */
async function readAgain(
  { files, job, energyUnits }: RawSeriesRequest,
  host: string,
  store: ColumnStore,
  wish: Required<SeriesWish>,
): Promise<NodeSeries> {
  const series = new NodeSeries(host, store, wish);
  const node = new RawNode(host, [new JobFilter(job, series)], wish.type, energyUnits);
  await scanRawNode(files.filter((file) => file.host === host), node, () => {});
  node.endSample();
  return series;
}

/** A key of a device, or of all devices, and what its columns take. */
interface Unit {
  readonly type: string;
  readonly key: string;
  readonly isEvent: boolean;
  /** Its columns, by {@link nameOf}. */
  readonly columns: string[];
  /** Of its first column. */
  readonly device: string;
  cost: number;
}

/** Names a column; devices of noise may hold any character, types and keys hold no blanks. */
const nameOf = (type: string, device: string, key: string) => `${type} ${key} ${device}`;

/** The series of one node as they are written: key by key, out of memory or by reading again. */
class NodeKeys {
  #loaded = new Map<string, KeySeries>();
  #end = 0;

  constructor(
    readonly request: RawSeriesRequest,
    readonly series: NodeSeries,
    readonly units: readonly Unit[],
    isWhole: boolean,
  ) {
    if (!isWhole) return;
    this.#take(series);
    this.#end = units.length;
  }

  /** The series of a unit; units are asked for in their order. */
  async of(index: number): Promise<KeySeries[]> {
    if (index >= this.#end) await this.#load(index);
    return this.units[index].columns.map((name) => this.#loaded.get(name)!);
  }

  #take(series: NodeSeries): void {
    this.#loaded = new Map();
    for (const [type, devices] of keySeries(series)) {
      for (const [device, keys] of devices) {
        for (const [key, own] of keys) this.#loaded.set(nameOf(type, device, key), own);
      }
    }
  }

  async #load(index: number): Promise<void> {
    const { units, request, series } = this;
    const most = request.most ?? MOST_BYTES;
    const names = new Set<string>();
    const types = new Set<string>();
    let end = index;
    for (let cost = 0; end < units.length; end++) {
      cost += units[end].cost;
      if (cost > most && end > index) break;
      types.add(units[end].type);
      for (const name of units[end].columns) names.add(name);
    }
    this.#loaded = new Map();
    series.store.reset(Infinity);
    this.#take(
      await readAgain(request, series.host, series.store, {
        most: MOST_DEVICES,
        type: (type) => types.has(type),
        key: (type, device, key) => names.has(nameOf(type, device, key)),
      }),
    );
    this.#end = end;
  }
}

/** Units of single columns, and of columns summed over devices, both in the order of writing. */
function unitsOf(series: NodeSeries): { single: Unit[]; summed: Unit[] } {
  const single: Unit[] = [];
  const summed = new Map<string, Unit>();
  for (const [type, devices] of keySeries(series)) {
    for (const [device, keys] of devices) {
      for (const [key, { parts, key: { kind } }] of keys) {
        let cost = 0;
        for (const part of parts) cost += costOf(part.device.columns[part.column]!, part.device.at);
        const column = nameOf(type, device, key);
        const isEvent = kind === "event";
        single.push({ type, device, key, isEvent, columns: [column], cost });
        const sum = summed.get(`${type} ${key}`);
        if (sum === undefined) {
          summed.set(`${type} ${key}`, { type, device, key, isEvent, columns: [column], cost });
        } else {
          sum.columns.push(column);
          sum.cost += cost;
        }
      }
    }
  }
  return { single, summed: [...summed.values()] };
}

/** `"host":…,"times":…,"series":…` of one node, or `"hosts":{HOST:{…}}` of several. */
export class JsonSeriesWriter implements RawSeriesWriter {
  readonly #request: RawSeriesRequest;
  /** The first node with samples: how it is written depends on whether there is another. */
  #first: { node: RawNode; series: NodeSeries } | undefined;
  #series: NodeSeries | undefined;
  #spare: ColumnStore | undefined;
  #written = 0;
  leftOut = 0;

  constructor(request: RawSeriesRequest) {
    this.#request = request;
  }

  listen(node: RawNode): JobListener {
    const most = this.#request.most ?? MOST_BYTES;
    const store = this.#spare ?? new ColumnStore(most);
    store.reset(most);
    this.#spare = undefined;
    return this.#series = new NodeSeries(node.host, store, {
      type: this.#request.wants,
      most: MOST_DEVICES,
    });
  }

  async finish(node: RawNode): Promise<void> {
    const series = this.#series!;
    this.#series = undefined;
    this.leftOut += series.leftOut;
    if (series.times.length === 0) {
      this.#spare = series.store;
    } else if (this.#first === undefined && this.#written === 0) {
      this.#first = { node, series };
    } else {
      if (this.#first !== undefined) {
        this.#request.out.text(`{"hosts":{`);
        const { node, series } = this.#first;
        this.#first = undefined;
        await this.#member(node, series);
      }
      await this.#member(node, series);
    }
  }

  async end(): Promise<void> {
    const { out } = this.#request;
    if (this.#first !== undefined) {
      out.text("{");
      await this.#node(this.#first.node, this.#first.series);
    } else out.text(this.#written > 0 ? "}" : `{"hosts":{}`);
  }

  async #member(node: RawNode, series: NodeSeries): Promise<void> {
    const { out } = this.#request;
    out.text(`${this.#written > 0 ? "," : ""}${JSON.stringify(node.host)}:{`);
    await this.#node(node, series);
    out.text("}");
  }

  async #node(node: RawNode, series: NodeSeries): Promise<void> {
    const { out } = this.#request;
    const { times, store } = series;
    const isWhole = !store.isFull;
    const { corrections, counts } = node.differ;
    this.#written++;
    out.text(`"host":${JSON.stringify(node.host)},`);
    writeTimes(out, times);
    const { single, summed } = unitsOf(series);
    const steps = Map.groupBy(corrections, (c) => nameOf(c.type, c.device, c.key));
    out.text(`,"series":`);
    const tree = new JsonTree(out);
    const keys = new NodeKeys(this.#request, series, single, isWhole);
    for (let i = 0; i < single.length; i++) {
      const { type, device, key, columns } = single[i];
      const [series] = await keys.of(i);
      tree.member(type, device, key);
      writeKey(out, times, series, steps.get(columns[0]) ?? []);
    }
    tree.end();
    out.text(`,"sums":`);
    const sums = new JsonTree(out);
    const counted = summed.filter((unit) => unit.isEvent);
    const totals = new NodeKeys(this.#request, series, counted, isWhole);
    for (let i = 0, k = 0; k < summed.length; k++) {
      const { type, key, isEvent } = summed[k];
      sums.object(type);
      if (!isEvent) continue;
      sums.member(type, key);
      writeSums(out, times, await totals.of(i++));
    }
    sums.end();
    out.text(`,"mended":${JSON.stringify(counts)}`);
    // what it held is written
    this.#spare = store;
    corrections.length = 0;
  }
}

/** Families over all nodes. */
export class MetricsSeriesWriter implements RawSeriesWriter {
  readonly #request: RawSeriesRequest;
  readonly #store: ColumnStore;
  #all: NodeSeries[] = [];
  #series: NodeSeries | undefined;
  readonly #costs = new Map<string, number>();
  leftOut = 0;

  constructor(request: RawSeriesRequest) {
    this.#request = request;
    this.#store = new ColumnStore(request.most ?? MOST_BYTES);
  }

  listen(node: RawNode): JobListener {
    return this.#series = new NodeSeries(node.host, this.#store, {
      type: this.#request.wants,
      most: MOST_DEVICES,
    });
  }

  finish(_node: RawNode): Promise<void> {
    const series = this.#series!;
    this.#series = undefined;
    this.leftOut += series.leftOut;
    for (const { type, columns, at } of series.list) {
      type.keys.forEach(({ name, kind }, k) => {
        if (kind === "control" || columns[k] === undefined) return;
        const family = `${type.schema.type}.${name}`;
        this.#costs.set(family, (this.#costs.get(family) ?? 0) + costOf(columns[k], at));
      });
    }
    if (this.#store.isFull) this.#all = [];
    else if (series.times.length > 0) this.#all.push(series);
    return Promise.resolve();
  }

  async end(): Promise<void> {
    if (!this.#store.isFull) this.#write(this.#all);
    else {
      const names = [...this.#costs.keys()].sort();
      const most = this.#request.most ?? MOST_BYTES;
      for (let i = 0; i < names.length;) {
        const wanted = new Set([names[i]]);
        let cost = this.#costs.get(names[i++])!;
        while (i < names.length && (cost += this.#costs.get(names[i])!) <= most) {
          wanted.add(names[i++]);
        }
        await this.#part(wanted);
      }
    }
    this.#request.out.text(METRICS_END);
  }

  async #part(wanted: ReadonlySet<string>): Promise<void> {
    const types = new Set([...wanted].map((name) => name.slice(0, name.indexOf("."))));
    const all: NodeSeries[] = [];
    this.#store.reset(Infinity);
    for (const host of new Set(this.#request.files.map((file) => file.host))) {
      all.push(
        await readAgain(this.#request, host, this.#store, {
          most: MOST_DEVICES,
          type: (type) => types.has(type),
          key: (type, _device, key) => wanted.has(`${type}.${key}`),
        }),
      );
    }
    this.#write(all);
  }

  #write(all: readonly NodeSeries[]): void {
    const families = new Map<string, MetricFamily>();
    for (const series of all) addFamilies(families, series);
    for (const name of [...families.keys()].sort()) {
      writeFamily(this.#request.out, families.get(name)!, this.#request.job);
    }
  }
}
