/**
 * `joulemark`: quantities of the machine in every snapshot: energy, power, frequency, whatever the
 * node offers, by the names of its signals.
 *
 * CALI_JOULEMARK_SIGNALS lists them. What grows (energy in J) is told as its growth since the
 * thread's snapshot before, anything else (power in W) as its value; both are aggregatable and have
 * `attribute.unit`. A value that is not there is left out, never 0.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { wordsOf } from "../config_words.ts";
import type { MachineValue, Service, ServiceHost, Trigger } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";

interface Column {
  readonly attribute: number;
  readonly value: MachineValue;
  /** What grows: its reading at the snapshot before, by thread. */
  readonly before: number[];
}

/** See the module. */
export function signals(host: ServiceHost): Service {
  const columns: Column[] = [];
  /** Time of the snapshot before, ns, by thread. */
  const timeBefore: number[] = [];
  for (const name of new Set(wordsOf(host.config("CALI_JOULEMARK_SIGNALS")))) {
    const value = host.machine?.value(name) ?? { absent: "this channel has no machine" };
    if ("absent" in value) host.log(`joulemark: no ${name}: ${value.absent}`);
    else columns.push({ attribute: attributeFor(host, name, value), value, before: [] });
  }
  if (columns.length === 0) host.log("joulemark: CALI_JOULEMARK_SIGNALS names no signal to record");
  return {
    name: "joulemark",
    measure({ folded }: Trigger, record: Snapshot): void {
      const thread = host.thread(), nowNs = host.now();
      const passedNs = nowNs - (timeBefore[thread] ?? host.threadStart());
      // Folded visits get their part by time; the rest belongs to what comes next.
      const part = folded === undefined ? 1 : passedNs > 0 ? Math.min(1, folded.ns / passedNs) : 0;
      timeBefore[thread] = nowNs - passedNs * (1 - part);
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

function attributeFor(host: ServiceHost, name: string, { unit }: MachineValue): number {
  const { asvalue, thread_scope, skip_events, aggregatable } = PROPERTY;
  const key = host.createAttribute("attribute.unit", TYPE.string, skip_events);
  return host.createAttribute(
    name,
    TYPE.double,
    asvalue | thread_scope | skip_events | aggregatable,
    unit === "" ? [] : [[key, TYPE.string, unit]],
  );
}
