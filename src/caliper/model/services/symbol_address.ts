/** Attributes whose values are addresses of code, which `symbollookup` finds by their metadata. */

import { PROPERTY } from "../attribute.ts";
import type { ServiceHost } from "../service.ts";
import { TYPE } from "../variant.ts";

/** Metadata of such an attribute. */
export const SYMBOL_ADDRESS = "class.symboladdress";

/** Makes one. */
export function addressAttribute(host: ServiceHost, name: string, properties = 0): number {
  const { thread_scope, skip_events } = PROPERTY;
  const mark = host.createAttribute(SYMBOL_ADDRESS, TYPE.bool, skip_events);
  const bits = thread_scope | skip_events | properties;
  return host.createAttribute(name, TYPE.addr, bits, [[mark, TYPE.bool, 1]]);
}
