/**
 * `joulemark`: quantities of the machine in every snapshot: energy, power, frequency, all that the
 * node offers, by the names of its signals.
 *
 * CALI_JOULEMARK_SIGNALS lists them, `SIGNAL[@domain]` between commas. What grows (energy in J) is reported as growth since the
 * thread's snapshot before, anything else (power in W) as its value; both are aggregatable and have
 * `attribute.unit`, `joulemark.quality` and `joulemark.source`. A value that is not there is left out, never 0.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { namesOf } from "../config_words.ts";
import {
  type MachineValue,
  type Service,
  type ServiceHost,
  type Trigger,
  valuesOf,
} from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Meta } from "../tree.ts";
import { TYPE } from "../variant.ts";
import { SnapshotPart } from "./snapshot_part.ts";

interface Column {
  readonly attribute: number;
  readonly value: MachineValue;
  /** Last reported value of a growing quantity, by thread. */
  readonly before: number[];
}

/** The service `joulemark`. */
export function signals(host: ServiceHost): Service {
  const columns: Column[] = [];
  const parts = new SnapshotPart(host);
  for (const name of new Set(namesOf(host.config("CALI_JOULEMARK_SIGNALS")))) {
    for (const value of valuesOf(host, "joulemark", name)) {
      columns.push({ attribute: attributeFor(host, value), value, before: [] });
    }
  }
  const simulated = columns.filter(({ value }) => value.quality === "simulated");
  if (simulated.length > 0) {
    const { global, unaligned, skip_events } = PROPERTY;
    const properties = global | unaligned | skip_events;
    const names = simulated.map(({ value }) => value.name).join(" ");
    host.setGlobal(host.createAttribute(SIMULATED, TYPE.string, properties), names);
  }
  if (columns.length === 0) host.log("joulemark: CALI_JOULEMARK_SIGNALS names no signal to record");
  return {
    name: "joulemark",
    measure(trigger: Trigger, record: Snapshot): void {
      const thread = host.thread(), part = parts.next(trigger);
      for (const { attribute, value, before } of columns) {
        const now = value.read();
        if (Number.isNaN(now)) continue;
        if (!value.grows) {
          record.pushNumber(attribute, TYPE.double, now);
          continue;
        }
        const grown = (now - (before[thread] ?? 0)) * part;
        before[thread] = (before[thread] ?? 0) + grown;
        record.pushNumber(attribute, TYPE.double, grown);
      }
    },
  };
}

/** Global that names the signals which no hardware measured. */
export const SIMULATED = "joulemark.simulated";

function attributeFor(host: ServiceHost, { name, unit, quality, source }: MachineValue): number {
  const { asvalue, thread_scope, skip_events, aggregatable } = PROPERTY;
  const metadata = Object.entries({
    "attribute.unit": unit,
    "joulemark.quality": quality,
    "joulemark.source": source,
  }).flatMap(([key, text]): Meta[] => {
    if (text === undefined || text === "") return [];
    return [[host.createAttribute(key, TYPE.string, skip_events), TYPE.string, text]];
  });
  const properties = asvalue | thread_scope | skip_events | aggregatable;
  return host.createAttribute(name, TYPE.double, properties, metadata);
}
