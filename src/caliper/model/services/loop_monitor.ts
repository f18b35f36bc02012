/**
 * `loop_monitor`: a snapshot every CALI_LOOP_MONITOR_ITERATION_INTERVAL iterations or TIME_INTERVAL
 * seconds of an outermost loop, and at its begin and end, with `loop.iterations` since the one before
 * and `loop.start_iteration`. TARGET_LOOPS names the loops, by how their names begin.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { wordsOf } from "../config_words.ts";
import type { EventKind, Service, ServiceHost } from "../service.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { toDouble, TYPE, type Variant } from "../variant.ts";
import { isIteration } from "./iterations.ts";

/** State of the loops on a thread. */
interface Loops {
  depth: number;
  /** Depth of the loop that is watched; 0: none. */
  watched: number;
  /** −1: no iteration since the snapshot before. */
  startIteration: number;
  iterations: number;
  lastNs: number;
}

/** The service `loop_monitor`. */
export function loopMonitor(host: ServiceHost): Service {
  const interval = Number(host.config("CALI_LOOP_MONITOR_ITERATION_INTERVAL") ?? 0);
  const seconds = Number(host.config("CALI_LOOP_MONITOR_TIME_INTERVAL") ?? 0);
  const targets = wordsOf(host.config("CALI_LOOP_MONITOR_TARGET_LOOPS"));
  const { asvalue, skip_events, aggregatable, thread_scope } = PROPERTY;
  const properties = asvalue | skip_events | thread_scope;
  const counted = host.createAttribute("loop.iterations", TYPE.int, properties | aggregatable);
  const started = host.createAttribute("loop.start_iteration", TYPE.int, properties);
  const threads: Loops[] = [];
  const info = new Snapshot();

  const snapshot = (own: Loops): void => {
    info.clear();
    info.pushNumber(counted, TYPE.int, own.iterations);
    if (own.startIteration >= 0) info.pushNumber(started, TYPE.int, own.startIteration);
    host.push({ event: null, info, replaces: NONE });
    own.startIteration = -1;
    own.iterations = 0;
    own.lastNs = host.now();
  };

  const loop = (kind: EventKind, name: string, own: Loops): void => {
    if (kind === "begin") {
      own.depth++;
      const wanted = targets.length === 0 || targets.some((target) => name.startsWith(target));
      if (own.watched > 0 || !wanted) return;
      own.watched = own.depth;
      snapshot(own);
    } else if (kind === "end") {
      if (own.depth === own.watched) {
        snapshot(own);
        own.watched = 0;
      }
      own.depth--;
    }
  };

  const iteration = (kind: EventKind, number: number, own: Loops): void => {
    if (kind === "begin") {
      own.iterations++;
      if (own.startIteration < 0) own.startIteration = number;
    } else if (kind === "end") {
      const enough = interval > 0 && own.iterations % interval === 0;
      const long = seconds > 0 && host.now() - own.lastNs > seconds * 1e9;
      if (enough || long) snapshot(own);
    }
  };

  return {
    name: "loop_monitor",
    event(kind: EventKind, attribute: number, value: Variant): void {
      const own = threads[host.thread()] ??= {
        depth: 0,
        watched: 0,
        startIteration: -1,
        iterations: 0,
        lastNs: host.now(),
      };
      if (host.tree.nameOf(attribute) === "loop") loop(kind, String(value.value), own);
      else if (own.watched > 0 && own.depth === own.watched && isIteration(host.tree, attribute)) {
        iteration(kind, toDouble(value.type, value.value), own);
      }
    },
  };
}
