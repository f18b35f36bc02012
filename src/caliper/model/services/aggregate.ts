/**
 * `aggregate`: one row per key instead of one per snapshot.
 *
 * Key are the thread, all references of the snapshot and the `asvalue` attributes in
 * CALI_AGGREGATE_KEY. Of each aggregatable attribute M a row holds `min#M`, `max#M`, `sum#M` and
 * `avg#M`, and at the end `count` and `aggregate.slot`, its number in the order of first appearance.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { listOf } from "../../../core/names.ts";
import type { Service, ServiceHost, Trigger } from "../service.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { TYPE, type Value } from "../variant.ts";
import { Statistics } from "./statistics_of.ts";

/** A row, or a step on the way to one: what follows by the next part of the key. */
interface Step {
  next?: Map<Value, Step>;
  row?: Row;
}

interface Row {
  readonly key: Snapshot;
  readonly thread: number;
  count: number;
  /** By place in the list of metrics. */
  readonly metrics: (Statistics | undefined)[];
}

/** Attributes that are sums for aggregated visits. */
const TOTALS = ["region.count", "time.duration.ns", "time.inclusive.duration.ns"];
const RESULT = PROPERTY.asvalue | PROPERTY.thread_scope | PROPERTY.skip_events;

/** The service `aggregate`. */
export function aggregate(host: ServiceHost): Service {
  return new AggregateService(host);
}

class AggregateService implements Service {
  readonly name = "aggregate";
  readonly #host: ServiceHost;
  readonly #keyNames: readonly string[];
  /** By thread. */
  readonly #roots: Step[] = [];
  readonly #rows: Row[][] = [];
  /** Aggregatable attributes in the order in which they were made, and their places by id. */
  readonly #metrics: number[] = [];
  readonly #places = new Map<number, number>();
  /** Ids of attributes that add up over the visits of a snapshot. */
  readonly #totals = new Set<number>();

  constructor(host: ServiceHost) {
    this.#host = host;
    this.#keyNames = [...new Set(listOf(host.config("CALI_AGGREGATE_KEY")))];
    const ids = host.tree.attributes().map(({ id }) => id).sort((a, b) => a - b);
    for (const id of ids) this.attributeMade(id);
  }

  attributeMade(id: number): void {
    if ((this.#host.tree.propertiesOf(id) & PROPERTY.aggregatable) === 0) return;
    if (TOTALS.includes(this.#host.tree.nameOf(id))) this.#totals.add(id);
    this.#places.set(id, this.#metrics.length);
    this.#metrics.push(id);
  }

  take(record: Snapshot, trigger: Trigger): void {
    const row = this.#rowOf(record), snapshots = trigger.folded?.snapshots ?? 1;
    row.count += snapshots;
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 0) continue;
      const place = this.#places.get(record.node[i]);
      if (place === undefined) continue;
      const times = this.#totals.has(record.node[i]) ? Math.max(1, snapshots) : 1;
      (row.metrics[place] ??= new Statistics()).add(record.type[i], record.valueAt(i), times);
    }
  }

  flush(emit: (record: Snapshot, thread: number) => void): void {
    const { tree } = this.#host;
    const make = (name: string, type: number) => this.#host.createAttribute(name, type, RESULT);
    let flushed = 0;
    // As Caliper writes them: the newest thread first.
    for (const rows of this.#rows.toReversed()) {
      let slot = 0;
      for (const { key, thread, metrics, count } of rows ?? []) {
        const record = key.copy();
        this.#metrics.forEach((id, place) => {
          const name = tree.nameOf(id), type = tree.valueTypeOf(id);
          for (const [word, value] of metrics[place]?.results() ?? []) {
            record.pushValue(make(`${word}#${name}`, type), value.type, value.value);
          }
        });
        record.pushNumber(make("count", TYPE.uint), TYPE.uint, count);
        record.pushNumber(make("aggregate.slot", TYPE.uint), TYPE.uint, slot++);
        emit(record, thread);
      }
      flushed += slot;
    }
    this.#host.note(`Aggregate: flushed ${flushed} snapshots.`);
  }

  #rowOf(record: Snapshot): Row {
    const thread = this.#host.thread();
    let step = this.#roots[thread] ??= {};
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 0) step = follow(step, record.node[i]);
    }
    for (const name of this.#keyNames) {
      const at = this.#keyValue(record, name);
      if (at >= 0) step = follow(follow(step, ~record.node[at]), wordOf(record.valueAt(at)));
    }
    return step.row ??= this.#newRow(record, thread);
  }

  #newRow(record: Snapshot, thread: number): Row {
    const key = new Snapshot();
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 0) key.pushReference(this.#host.tree, record.node[i]);
    }
    for (const name of this.#keyNames) {
      const at = this.#keyValue(record, name);
      if (at >= 0) key.pushValue(record.node[at], record.type[at], record.valueAt(at));
    }
    const row = { key, thread, count: 0, metrics: [] };
    (this.#rows[thread] ??= []).push(row);
    return row;
  }

  /** Index of a key attribute's value in the record; -1: it has none. */
  #keyValue(record: Snapshot, name: string): number {
    const id = this.#host.tree.attributeByName(name);
    return id === NONE ? -1 : record.indexOf(id);
  }
}

/** The key that distinguishes values of one attribute; a Map alone takes -0 as 0. */
function wordOf(value: Value): Value {
  return Object.is(value, -0) ? "-0" : value;
}

/** @param key A node, the complement of an attribute, or its value. */
function follow(step: Step, key: Value): Step {
  const next = step.next ??= new Map();
  let found = next.get(key);
  if (found === undefined) next.set(key, found = {});
  return found;
}
