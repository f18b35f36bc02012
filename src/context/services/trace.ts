/** `trace`: keeps every snapshot, or hands it on at once where the channel has a stream. */

import type { Snapshot } from "../snapshot.ts";
import type { Service, ServiceHost } from "../service.ts";

/** See the module. */
export function trace({ stream }: ServiceHost): Service {
  if (stream !== undefined) return { name: "trace", take: stream };
  const records: Snapshot[] = [];
  return {
    name: "trace",
    take: (record) => void records.push(record.copy()),
    flush: (emit) => records.forEach(emit),
  };
}
