/**
 * `allocstats`: what regions take from malloc(3), a record a region at the end: `alloc.count`, the
 * calls, `alloc.tally`, the bytes, and `avg#alloc.size`, `max#alloc.size`.
 *
 * `--preload alloc` reports them around marks, each for the time since the thread's mark before, so what
 * a snapshot finds belongs to the region that is open then. `alloc.region.highwatermark`, the most
 * bytes in use at once, stays in the snapshots.
 * @module
 */

import type { Service, ServiceHost } from "../service.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { TYPE } from "../variant.ts";

const NAMES = ["alloc.count", "alloc.tally", "avg#alloc.size", "max#alloc.size"] as const;
const [COUNT, TALLY, , LARGEST] = [0, 1, 2, 3];

/** Allocations of one region on one thread. */
interface Allocations {
  readonly thread: number;
  readonly node: number;
  count: number;
  bytes: number;
  largest: number;
}

/** The service `allocstats`. */
export function allocstats(host: ServiceHost): Service {
  const { tree } = host;
  const found = new Map<string, Allocations>();
  const values = new Float64Array(NAMES.length);
  return {
    name: "allocstats",
    measure(_trigger, record: Snapshot): void {
      if (!take(host, record, values)) return;
      const thread = host.thread(), node = host.stackNode(tree.attributeByName("region"));
      const key = `${thread} ${node}`;
      let own = found.get(key);
      if (own === undefined) {
        found.set(key, own = { thread, node, count: 0, bytes: 0, largest: 0 });
      }
      own.count += values[COUNT];
      own.bytes += values[TALLY];
      own.largest = Math.max(own.largest, values[LARGEST]);
    },
    flush(emit): void {
      const ids = NAMES.map((name) => tree.attributeByName(name));
      for (const { thread, node, count, bytes, largest } of found.values()) {
        const record = new Snapshot();
        if (node !== NONE) record.pushReference(tree, node);
        [count, bytes, Math.floor(bytes / count), largest].forEach((value, i) => {
          record.pushNumber(ids[i], TYPE.uint, value);
        });
        emit(record, thread);
      }
    },
  };
}

/** Takes the values out of a record. @returns False if there are none. */
function take({ tree }: ServiceHost, record: Snapshot, values: Float64Array): boolean {
  values.fill(0);
  let any = false;
  NAMES.forEach((name, i) => {
    const id = tree.attributeByName(name);
    const at = id === NONE ? -1 : record.indexOf(id);
    if (at < 0) return;
    values[i] = record.num[at];
    record.remove(at);
    any = true;
  });
  return any;
}
