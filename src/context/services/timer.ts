/**
 * `timer` (old name `timestamp`): `time.offset.ns` since the channel was made, `time.duration.ns`
 * since the snapshot before, and with CALI_TIMER_INCLUSIVE_DURATION `time.inclusive.duration.ns`
 * on end snapshots. The first snapshot's duration counts from the making of the channel.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";
import { isTrue } from "./event.ts";
import type { Service, ServiceHost, Trigger } from "../service.ts";

/** See the module. */
export function timer(host: ServiceHost): Service {
  const unit = host.createAttribute("time.unit", TYPE.string, PROPERTY.skip_events);
  const make = (name: string, more: number) =>
    host.createAttribute(
      name,
      TYPE.uint,
      PROPERTY.asvalue | PROPERTY.thread_scope | PROPERTY.skip_events | more,
      [[unit, TYPE.string, "nsec"]],
    );
  const offsetAttribute = make("time.offset.ns", 0);
  const durationAttribute = make("time.duration.ns", PROPERTY.aggregatable);
  const inclusiveAttribute = make("time.inclusive.duration.ns", PROPERTY.aggregatable);
  const withInclusive = isTrue(host.config("CALI_TIMER_INCLUSIVE_DURATION") ?? "false");
  const start = host.now();
  /** Begin times of what is open, per attribute. */
  const open = new Map<number, number[]>();
  let previous = 0;
  return {
    name: "timer",
    measure(trigger: Trigger, record: Snapshot): void {
      const offset = Math.max(0, Math.round(host.now() - start));
      record.pushNumber(offsetAttribute, TYPE.uint, offset);
      record.pushNumber(durationAttribute, TYPE.uint, Math.max(0, offset - previous));
      previous = offset;
      if (!withInclusive || trigger.event === null || trigger.info === null) return;
      const { kind, attribute } = trigger.event;
      if (kind === "begin") {
        open.set(attribute, [...(open.get(attribute) ?? []), offset]);
      } else if (kind === "end") {
        const begun = open.get(attribute)?.pop();
        if (begun !== undefined) record.pushNumber(inclusiveAttribute, TYPE.uint, offset - begun);
      }
    },
  };
}
