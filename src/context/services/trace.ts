/** `trace`: keeps every snapshot. */

import type { Snapshot } from "../snapshot.ts";
import type { Service, ServiceHost } from "../service.ts";

/** See the module. */
export function trace(_host: ServiceHost): Service {
  const records: Snapshot[] = [];
  return {
    name: "trace",
    take: (record) => void records.push(record.copy()),
    flush: (emit) => records.forEach(emit),
  };
}
