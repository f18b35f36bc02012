/** The services that a channel can be made of, by the names that CALI_SERVICES_ENABLE takes. */

import { aggregate } from "./aggregate.ts";
import { event } from "./event.ts";
import type { ServiceFactory } from "../service.ts";
import { timer } from "./timer.ts";
import { trace } from "./trace.ts";

/** In the order in which they are registered, whatever the order of the list. */
export const SERVICES: ReadonlyMap<string, ServiceFactory> = new Map([
  ["event", event],
  ["timer", timer],
  ["timestamp", timer],
  ["trace", trace],
  ["aggregate", aggregate],
]);
