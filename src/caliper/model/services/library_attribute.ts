/** Attributes of what libraries do: received only in channels that request it. */

import { PROPERTY } from "../attribute.ts";
import type { ServiceHost } from "../service.ts";
import { TYPE } from "../variant.ts";

/** A nested attribute of text with the mark of those that services make: `subscription_event`. */
export function libraryAttribute(host: ServiceHost, name: string): number {
  const { nested, skip_events, thread_scope } = PROPERTY;
  const mark = host.createAttribute("subscription_event", TYPE.bool, skip_events | thread_scope);
  return host.createAttribute(name, TYPE.string, nested | thread_scope, [[mark, TYPE.bool, 1]]);
}
