/**
 * `loop_statistics`: a snapshot at the end of each iteration with its time, `iter.duration.ns`, and
 * at the end of each loop with their number, `iter.count`.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import type { EventKind, Service, ServiceHost } from "../service.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { TYPE } from "../variant.ts";
import { isIteration } from "./iterations.ts";

/** The service `loop_statistics`. */
export function loopStatistics(host: ServiceHost): Service {
  const { asvalue, skip_events, aggregatable, thread_scope } = PROPERTY;
  const properties = asvalue | skip_events | aggregatable | thread_scope;
  const duration = host.createAttribute("iter.duration.ns", TYPE.uint, properties);
  const count = host.createAttribute("iter.count", TYPE.uint, properties);
  /** Open loops, innermost last, by thread. */
  const threads: { startNs: number; iterations: number }[][] = [];
  const info = new Snapshot();
  const push = (attribute: number, value: number) => {
    info.clear();
    info.pushNumber(attribute, TYPE.uint, Math.max(0, Math.round(value)));
    host.push({ event: null, info, replaces: NONE });
  };
  return {
    name: "loop_statistics",
    event(kind: EventKind, attribute: number): void {
      const open = threads[host.thread()] ??= [];
      if (host.tree.nameOf(attribute) === "loop") {
        if (kind === "begin") open.push({ startNs: host.now(), iterations: 0 });
        else if (kind === "end") push(count, open.pop()?.iterations ?? 0);
        return;
      }
      const loop = open.at(-1);
      if (loop === undefined || !isIteration(host.tree, attribute)) return;
      if (kind === "begin") {
        loop.startNs = host.now();
        loop.iterations++;
      } else if (kind === "end") push(duration, host.now() - loop.startNs);
    },
  };
}
