/** `statistics`: logs at the end how many events there were and how many snapshots they made. */

import type { EventKind, Service, ServiceHost } from "../service.ts";

/** The service `statistics`. */
export function statistics(host: ServiceHost): Service {
  const events: Record<EventKind, number> = { begin: 0, set: 0, end: 0 };
  const threads = new Set<number>();
  let snapshots = 0;
  return {
    name: "statistics",
    event(kind): void {
      events[kind]++;
      threads.add(host.thread());
    },
    measure(): void {
      snapshots++;
      threads.add(host.thread());
    },
    flush(): void {
      host.log(
        `statistics: ${events.begin} begin, ${events.end} end, ${events.set} set events; ` +
          `${snapshots} snapshots; ${threads.size} threads`,
      );
    },
  };
}
