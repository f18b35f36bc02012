/**
 * `perf`, in the place of `papi`: processor events by perf_event_open(2), under the names that
 * CALI_PERF_COUNTERS (or CALI_PAPI_COUNTERS) lists, as `papi.NAME`: growth since the thread's
 * snapshot before.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { namesOf } from "../config_words.ts";
import { type Service, type ServiceHost, type Trigger, valuesOf } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";
import { SnapshotPart } from "./snapshot_part.ts";

/** Signals by PAPI's preset names, papi_avail(1); any other name is a signal's own. */
const SIGNALS: Record<string, string> = {
  PAPI_TOT_INS: "CPU_INSTRUCTIONS_RETIRED",
  PAPI_TOT_CYC: "CPU_CYCLES_THREAD",
  PAPI_REF_CYC: "CPU_CYCLES_REFERENCE",
};

/** The service `perf`. */
export function perf(host: ServiceHost): Service {
  const { asvalue, thread_scope, skip_events, aggregatable } = PROPERTY;
  const asked = new Set([
    ...namesOf(host.config("CALI_PERF_COUNTERS")),
    ...namesOf(host.config("CALI_PAPI_COUNTERS")),
  ]);
  const columns = [...asked].flatMap((name) => {
    return valuesOf(host, "perf", SIGNALS[name] ?? name).map((value) => {
      const properties = asvalue | thread_scope | skip_events | aggregatable;
      // Numbers of events are whole; seconds and joules are not.
      const type = value.unit === "" ? TYPE.int : TYPE.double;
      const attribute = host.createAttribute(`papi.${name}`, type, properties);
      return {
        value,
        attribute,
        type,
        /* last reported value, by thread */ before: [] as number[],
      };
    });
  });
  const parts = new SnapshotPart(host);
  return {
    name: "perf",
    measure(trigger: Trigger, record: Snapshot): void {
      const thread = host.thread(), part = parts.next(trigger);
      for (const { value, attribute, type, before } of columns) {
        const now = value.read();
        if (Number.isNaN(now)) continue;
        const exact = (now - (before[thread] ?? 0)) * part;
        const grown = type === TYPE.int ? Math.round(exact) : exact;
        record.pushNumber(attribute, type, grown);
        before[thread] = (before[thread] ?? 0) + grown;
      }
    },
  };
}
