/**
 * `timer` (old name `timestamp`): `time.offset.ns` since the channel was made, `time.duration.ns`
 * since the thread's snapshot before, and with CALI_TIMER_INCLUSIVE_DURATION
 * `time.inclusive.duration.ns` on end snapshots. A thread's first duration counts from its start.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { isTrue } from "../config_words.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";
import type { Service, ServiceHost, Trigger } from "../service.ts";

/** Time of folded visits that an earlier snapshot has got already, with that of what it stands for. */
const MISSING_TIME = "joulemark.time.missing.ns";

/** The service `timer`. */
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
  /** Made when it is needed first. */
  let missingAttribute: number | undefined;
  const inclusiveAttribute = make("time.inclusive.duration.ns", PROPERTY.aggregatable);
  const withInclusive = isTrue(host.config("CALI_TIMER_INCLUSIVE_DURATION") ?? "false");
  const start = host.now();
  /** Time of the previous snapshot, and begin times of open regions per attribute, by thread. */
  const threads: { previous: number; open: Map<number, number[]> }[] = [];
  return {
    name: "timer",
    measure(trigger: Trigger, record: Snapshot): void {
      const offset = Math.max(0, Math.round(host.now() - start));
      const own = threads[host.thread()] ??= {
        previous: Math.max(0, Math.round(host.threadStart() - start)),
        open: new Map(),
      };
      record.pushNumber(offsetAttribute, TYPE.uint, offset);
      const { folded } = trigger;
      if (folded?.byPath !== undefined) {
        record.pushNumber(durationAttribute, TYPE.uint, Math.round(folded.ns));
        if (withInclusive && folded.count > 0) {
          record.pushNumber(inclusiveAttribute, TYPE.uint, Math.round(folded.byPath.sumNs));
        }
        return;
      }
      if (host.folds()) return;
      if (folded !== undefined) {
        // They happened in between; what is left of the time belongs to the next snapshot.
        const spent = Math.max(0, Math.min(Math.round(folded.ns), offset - own.previous));
        record.pushNumber(durationAttribute, TYPE.uint, spent);
        own.previous += spent;
        const missing = Math.round(folded.ns) - spent;
        if (missing > 0) {
          missingAttribute ??= make(MISSING_TIME, PROPERTY.aggregatable);
          record.pushNumber(missingAttribute, TYPE.uint, missing);
        }
        return;
      }
      record.pushNumber(durationAttribute, TYPE.uint, Math.max(0, offset - own.previous));
      own.previous = offset;
      if (!withInclusive || trigger.event === null || trigger.info === null) return;
      const { kind, attribute } = trigger.event;
      if (kind === "begin") {
        const times = own.open.get(attribute);
        if (times === undefined) own.open.set(attribute, [offset]);
        else times.push(offset);
      } else if (kind === "end") {
        const begun = own.open.get(attribute)?.pop();
        if (begun !== undefined) record.pushNumber(inclusiveAttribute, TYPE.uint, offset - begun);
      }
    },
  };
}
