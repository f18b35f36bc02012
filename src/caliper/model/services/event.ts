/**
 * `event`: a snapshot at begin, set and end of attributes, taken before the change: a begin
 * snapshot does not hold the new region, an end snapshot still holds the ending one.
 *
 * Adds `event.begin#A`, `event.set#A` or `event.end#A` with the value, as a child of the context
 * node that it then stands in for, and `region.count` = 1 at every end. Variables: CALI_EVENT_
 * TRIGGER, REGION_LEVEL, ENABLE_SNAPSHOT_INFO, INCLUDE_REGIONS, EXCLUDE_REGIONS, INCLUDE_BRANCHES.
 * @module
 */

import { LEVEL_MASK, PROPERTY } from "../attribute.ts";
import { isTrue, wordsOf } from "../config_words.ts";
import { Snapshot } from "../snapshot.ts";
import { FIRST_FREE_ID, NONE } from "../tree.ts";
import { equalValues, TYPE, type Variant } from "../variant.ts";
import { parseRegionFilter, type RegionFilter } from "./region_filter.ts";
import type { EventKind, Service, ServiceHost, Trigger } from "../service.ts";

const KINDS: readonly EventKind[] = ["begin", "set", "end"];
/** Level of phases, which REGION_LEVEL may name in a word. */
const PHASE_LEVEL = 4;

/** The service `event`. */
export function event(host: ServiceHost): Service {
  return new EventService(host);
}

class EventService implements Service {
  readonly name = "event";
  readonly #host: ServiceHost;
  readonly #withInfo: boolean;
  readonly #level: number;
  readonly #triggers: string[];
  readonly #include: RegionFilter | null;
  readonly #exclude: RegionFilter | null;
  readonly #branches: RegionFilter | null;
  /** Open branches, by thread. */
  readonly #openBranches: Variant[][] = [];
  readonly #regionCount: number;
  /** Attributes that hold the id of the attribute an event attribute belongs to. */
  readonly #markers: Record<EventKind, number>;
  /** Event attributes by attribute. */
  readonly #marked = new Map<number, Record<EventKind, number>>();
  readonly #info = new Snapshot();

  constructor(host: ServiceHost) {
    this.#host = host;
    const { skip_events, hidden, asvalue, aggregatable } = PROPERTY;
    this.#regionCount = host.createAttribute(
      "region.count",
      TYPE.uint,
      skip_events | asvalue | aggregatable,
    );
    const marker = (kind: EventKind) =>
      host.createAttribute(`cali.event.${kind}`, TYPE.uint, skip_events | hidden);
    this.#markers = { begin: marker("begin"), set: marker("set"), end: marker("end") };
    this.#withInfo = isTrue(host.config("CALI_EVENT_ENABLE_SNAPSHOT_INFO") ?? "true");
    this.#triggers = wordsOf(host.config("CALI_EVENT_TRIGGER"));
    this.#level = this.#parseLevel(host.config("CALI_EVENT_REGION_LEVEL") ?? "0");
    this.#include = this.#parseFilter("CALI_EVENT_INCLUDE_REGIONS");
    this.#exclude = this.#parseFilter("CALI_EVENT_EXCLUDE_REGIONS");
    this.#branches = this.#parseFilter("CALI_EVENT_INCLUDE_BRANCHES");
    for (const { id } of host.tree.attributes()) this.attributeMade(id);
  }

  attributeMade(id: number): void {
    const { tree } = this.#host, properties = tree.propertiesOf(id);
    if (id < FIRST_FREE_ID || (properties & PROPERTY.skip_events) !== 0) return;
    if (this.#triggers.length > 0 && !this.#triggers.includes(tree.nameOf(id))) return;
    if ((properties & LEVEL_MASK) >> 16 < this.#level) return;
    const flags = (properties & ~(PROPERTY.nested | PROPERTY.global)) | PROPERTY.skip_events;
    const made = KINDS.map((kind) =>
      this.#host.createAttribute(
        `event.${kind}#${tree.nameOf(id)}`,
        tree.valueTypeOf(id),
        flags,
        [[this.#markers[kind], TYPE.uint, id]],
      )
    );
    this.#marked.set(id, { begin: made[0], set: made[1], end: made[2] });
  }

  event(kind: EventKind, attribute: number, value: Variant): void {
    const mark = this.mark(kind, attribute, value);
    if (mark === null) return;
    if (kind === "end") mark.info.pushNumber(this.#regionCount, TYPE.uint, 1);
    this.#host.push({ event: { kind, attribute }, ...mark });
  }

  mark(kind: EventKind, attribute: number, value: Variant) {
    const marked = this.#marked.get(attribute);
    if (marked === undefined || !this.#passes(kind, attribute, value)) return null;
    const { tree } = this.#host, info = this.#info;
    info.clear();
    let replaces = NONE;
    if (this.#withInfo) {
      if (tree.isAsValue(attribute)) {
        info.pushValue(marked[kind], value.type, value.value);
      } else {
        replaces = this.#host.stackNode(attribute);
        const node = tree.child(replaces, marked[kind], value.type, value.value);
        info.pushReference(tree, node);
      }
    }
    return { info, replaces };
  }

  measure({ folded }: Trigger, record: Snapshot): void {
    if (folded !== undefined && folded.count > 0) {
      record.pushNumber(this.#regionCount, TYPE.uint, folded.count);
    }
  }

  #passes(kind: EventKind, attribute: number, value: Variant): boolean {
    if (this.#host.tree.valueTypeOf(attribute) === TYPE.string) {
      const name = String(value.value);
      if (this.#include !== null && !this.#include(name)) return false;
      if (this.#exclude !== null && this.#exclude(name)) return false;
    }
    if (this.#branches === null) return true;
    const open = this.#openBranches[this.#host.thread()] ??= [];
    if (kind === "end") {
      if (open.length === 0) return false;
      const last = open[open.length - 1];
      if (equalValues(last.type, last.value, value.type, value.value)) open.pop();
      return true;
    }
    if (this.#branches(String(value.value))) open.push(value);
    return open.length > 0;
  }

  #parseLevel(text: string): number {
    if (text === "phase") return PHASE_LEVEL;
    if (/^[0-7]$/.test(text)) return Number(text);
    this.#host.log(`event: Invalid region level "${text}"`);
    return 0;
  }

  #parseFilter(variable: string): RegionFilter | null {
    try {
      return parseRegionFilter(this.#host.config(variable) ?? "");
    } catch (error) {
      this.#host.log(`event: filter parse error: ${(error as Error).message}`);
      return null;
    }
  }
}
