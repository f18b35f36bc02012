/**
 * `aggregate`: one row per key instead of one per snapshot.
 *
 * Key are all references of the snapshot and the `asvalue` attributes in CALI_AGGREGATE_KEY. Of
 * each aggregatable attribute M a row holds `min#M`, `max#M`, `sum#M` and `avg#M`, and at the end
 * `count` and `aggregate.slot`, its number in the order of first appearance.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import {
  addVariant,
  divideVariant,
  EMPTY,
  extremeVariant,
  TYPE,
  type Variant,
} from "../variant.ts";
import type { Service, ServiceHost } from "../service.ts";

interface Statistics {
  min: Variant;
  max: Variant;
  sum: Variant;
  count: number;
}

interface Row {
  key: Snapshot;
  count: number;
  metrics: Map<number, Statistics>;
}

const RESULT = PROPERTY.asvalue | PROPERTY.thread_scope | PROPERTY.skip_events;

/** See the module. */
export function aggregate(host: ServiceHost): Service {
  return new AggregateService(host);
}

class AggregateService implements Service {
  readonly name = "aggregate";
  readonly #host: ServiceHost;
  readonly #keyNames: Set<string>;
  readonly #rows = new Map<string, Row>();
  /** Aggregatable attributes in the order in which they were made. */
  readonly #metrics: number[] = [];

  constructor(host: ServiceHost) {
    this.#host = host;
    this.#keyNames = new Set(
      (host.config("CALI_AGGREGATE_KEY") ?? "").split(/[,:]/).map((name) => name.trim())
        .filter((name) => name !== ""),
    );
    const ids = host.tree.attributes().map(({ id }) => id).sort((a, b) => a - b);
    for (const id of ids) this.attributeMade(id);
  }

  attributeMade(id: number): void {
    if ((this.#host.tree.propertiesOf(id) & PROPERTY.aggregatable) !== 0) this.#metrics.push(id);
  }

  take(record: Snapshot): void {
    const row = this.#rowOf(record);
    row.count++;
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 0 || !this.#metrics.includes(record.node[i])) continue;
      const type = record.type[i], value = record.valueAt(i);
      const old = row.metrics.get(record.node[i]) ??
        { min: EMPTY, max: EMPTY, sum: EMPTY, count: 0 };
      row.metrics.set(record.node[i], {
        min: extremeVariant(old.min, type, value, -1),
        max: extremeVariant(old.max, type, value, 1),
        sum: addVariant(old.sum, type, value),
        count: old.count + 1,
      });
    }
  }

  flush(emit: (record: Snapshot) => void): void {
    const { tree } = this.#host;
    const make = (name: string, type: number) => this.#host.createAttribute(name, type, RESULT);
    let slot = 0;
    for (const row of this.#rows.values()) {
      const record = row.key.copy();
      for (const id of this.#metrics) {
        const metric = row.metrics.get(id);
        if (metric === undefined) continue;
        const name = tree.nameOf(id), type = tree.valueTypeOf(id);
        const average = divideVariant(metric.sum, metric.count);
        for (
          const [prefix, v] of [["min", metric.min], ["max", metric.max], ["sum", metric.sum], [
            "avg",
            average,
          ]] as const
        ) {
          record.pushValue(make(`${prefix}#${name}`, type), v.type, v.value);
        }
      }
      record.pushNumber(make("count", TYPE.uint), TYPE.uint, row.count);
      record.pushNumber(make("aggregate.slot", TYPE.uint), TYPE.uint, slot++);
      emit(record);
    }
  }

  #rowOf(record: Snapshot): Row {
    const { tree } = this.#host, key = new Snapshot();
    let text = "";
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) continue;
      key.pushReference(tree, record.node[i]);
      text += ` ${record.node[i]}`;
    }
    for (const name of this.#keyNames) {
      const id = tree.attributeByName(name);
      for (let i = 0; i < record.count && id !== NONE; i++) {
        if (record.immediate[i] === 0 || record.node[i] !== id) continue;
        key.pushValue(id, record.type[i], record.valueAt(i));
        text += ` ${id}=${JSON.stringify(record.textAt(i))}`;
        break;
      }
    }
    let row = this.#rows.get(text);
    if (row === undefined) this.#rows.set(text, row = { key, count: 0, metrics: new Map() });
    return row;
  }
}
