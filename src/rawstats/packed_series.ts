/**
 * Time series of raw stats of any size as JSON or OpenMetrics, in bounded memory.
 *
 * Both formats have all samples of a key in one place, the files all keys of a sample. Series are
 * packed while the files are read, once; the part beyond the memory limit is in a temporary file.
 * @module
 */
import { jsonText } from "../core/printable.ts";
import { SpillFile } from "../os/memory/spill_file.ts";
import { ColumnStore } from "./column_store.ts";
import type { JobListener, RawNode } from "./node.ts";
import { JsonTree, writeKey, writeSums, writeTimes } from "./print/print_json.ts";
import { addFamilies, type MetricFamily, METRICS_END } from "./print/print_openmetrics.ts";
import { writeFamily } from "./print/print_openmetrics.ts";
import { KeyReader, type KeySeries, keySeries, NodeSeries } from "./series.ts";
import type { Shares } from "./shares.ts";
import type { Turns } from "./turns.ts";

/** What packed series may take of memory. */
const MAX_BYTES = 16 << 20;

/** Devices of a type and node: 1,024 CPUs are fewer, single processes come for ever. */
export const MAX_DEVICES = 4096;

/** What is written. */
export interface RawSeriesRequest {
  readonly job: string | undefined;
  readonly wants: (type: string) => boolean;
  readonly turns: Turns;
  /** Which series this process packs and writes. */
  readonly shares: Shares;
  /** Bytes of packed series that memory holds. @default 16 MiB */
  readonly most?: number;
}

/** Goes along with a first pass over the files. */
export interface RawSeriesWriter {
  listen(node: RawNode): JobListener;
  /** A node is read. */
  finish(node: RawNode): void;
  /**
   * All are; the bytes after the series are not written.
   *
   * @returns Devices without series, beyond the most of a type.
   */
  end(): number;
}

/** Where series go that memory may not hold: a local disk sooner than memory. */
const SPILL_DIRECTORIES = ["/var/tmp", "/tmp", "."];

function storeFor({ most = MAX_BYTES }: RawSeriesRequest): ColumnStore {
  const own = Deno.env.get("TMPDIR");
  return new ColumnStore(
    most,
    () => SpillFile.open(own ? [own, ...SPILL_DIRECTORIES] : SPILL_DIRECTORIES),
  );
}

/** Names a column; devices of noise may hold any character, types and keys hold no blanks. */
const nameOf = (type: string, device: string, key: string) => `${type} ${key} ${device}`;

/** `"host":…,"times":…,"series":…` of one node, or `"hosts":{HOST:{…}}` of several. */
export class JsonSeriesWriter implements RawSeriesWriter {
  readonly #request: RawSeriesRequest;
  /** The first node with samples: how it is written depends on whether there is another. */
  #first: { node: RawNode; series: NodeSeries } | undefined;
  #series: NodeSeries | undefined;
  #spare: ColumnStore | undefined;
  readonly #reader = new KeyReader();
  #written = 0;
  #leftOut = 0;

  constructor(request: RawSeriesRequest) {
    this.#request = request;
  }

  listen(node: RawNode): JobListener {
    const store = this.#spare ?? storeFor(this.#request);
    store.reset();
    this.#spare = undefined;
    const { wants, shares } = this.#request;
    return this.#series = new NodeSeries(node.host, store, {
      type: wants,
      most: MAX_DEVICES,
      keeps: ({ schema, keys }, _, column) =>
        shares.ofKey(node.host, schema.type, keys[column]) === shares.index,
    });
  }

  finish(node: RawNode): void {
    const series = this.#series!;
    series.end();
    this.#series = undefined;
    this.#leftOut += series.leftOut;
    if (series.times.length === 0) {
      this.#spare = series.store;
    } else if (this.#first === undefined && this.#written === 0) {
      this.#first = { node, series };
    } else {
      if (this.#first !== undefined) {
        const { node, series } = this.#first;
        this.#first = undefined;
        this.#request.turns.out.text(`{"hosts":{`);
        this.#member(node, series);
      }
      this.#member(node, series);
    }
  }

  end(): number {
    const { turns } = this.#request;
    if (this.#first !== undefined) {
      turns.out.text("{");
      this.#node(this.#first.node, this.#first.series);
    } else turns.out.text(this.#written > 0 ? "}" : `{"hosts":{}`);
    return this.#leftOut;
  }

  #member(node: RawNode, series: NodeSeries): void {
    const { turns, shares } = this.#request;
    turns.to(shares.ofNode(node.host) ?? 0);
    turns.out.text(`${this.#written > 0 ? "," : ""}${jsonText(node.host)}:{`);
    this.#node(node, series);
    turns.out.text("}");
  }

  #node(node: RawNode, series: NodeSeries): void {
    const { turns, shares } = this.#request;
    const { times, store } = series;
    const reader = this.#reader;
    const { corrections, counts } = node.differ;
    this.#written++;
    turns.out.text(`"host":${jsonText(node.host)},`);
    writeTimes(turns.out, times);
    const steps = Map.groupBy(corrections, (c) => nameOf(c.type, c.device, c.key));
    turns.out.text(`,"series":`);
    const tree = new JsonTree(turns);
    const summed = new Map<string, Map<string, KeySeries[]>>();
    for (const [type, devices] of keySeries(series)) {
      const sums = new Map<string, KeySeries[]>();
      summed.set(type, sums);
      for (const [device, keys] of devices) {
        for (const [key, own] of keys) {
          turns.to(shares.ofKey(node.host, type, own.key));
          tree.member(type, device, key);
          if (turns.isOwn) {
            const mended = steps.get(nameOf(type, device, key)) ?? [];
            writeKey(turns.out, times, reader, { ...own, steps: mended });
          }
          sums.getOrInsertComputed(key, () => []).push(own);
        }
      }
    }
    tree.end();
    turns.out.text(`,"sums":`);
    const sums = new JsonTree(turns);
    for (const [type, keys] of summed) {
      sums.object(type);
      for (const [key, devices] of keys) {
        if (devices[0].key.kind !== "event") continue;
        turns.to(shares.ofKey(node.host, type, devices[0].key));
        sums.member(type, key);
        if (turns.isOwn) writeSums(turns.out, times, reader, devices);
      }
    }
    sums.end();
    turns.out.text(`,"mended":${jsonText(counts)}`);
    // what it held is written
    this.#spare = store;
    corrections.length = 0;
  }
}

/** Families over all nodes. */
export class MetricsSeriesWriter implements RawSeriesWriter {
  readonly #request: RawSeriesRequest;
  readonly #store: ColumnStore;
  readonly #all: NodeSeries[] = [];
  #series: NodeSeries | undefined;
  #leftOut = 0;

  constructor(request: RawSeriesRequest) {
    this.#request = request;
    this.#store = storeFor(request);
  }

  listen({ host }: RawNode): JobListener {
    const { wants, shares } = this.#request;
    return this.#series = new NodeSeries(host, this.#store, {
      type: wants,
      most: MAX_DEVICES,
      keeps: (_, device, column) => shares.ofColumn(host, device, column) === shares.index,
    });
  }

  finish(_node: RawNode): void {
    const series = this.#series!;
    series.end();
    this.#series = undefined;
    this.#leftOut += series.leftOut;
    if (series.times.length > 0) this.#all.push(series);
  }

  end(): number {
    const { turns, shares, job } = this.#request;
    const reader = new KeyReader();
    const families = new Map<string, MetricFamily>();
    for (const series of this.#all) addFamilies(families, series);
    for (const name of [...families.keys()].sort()) {
      writeFamily(turns, families.get(name)!, { nodes: this.#all, job, reader, shares });
    }
    turns.out.text(METRICS_END);
    return this.#leftOut;
  }
}
