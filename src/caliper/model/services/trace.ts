/** `trace`: keeps every snapshot, or hands it on at once if the channel has a stream. */

import type { Service, ServiceHost } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";

/** The service `trace`. */
export function trace(host: ServiceHost): Service {
  const { stream } = host;
  if (stream !== undefined) {
    let streamed = 0;
    return {
      name: "trace",
      take(record) {
        streamed++;
        stream(record, host.thread());
      },
      flush: () => host.note(`trace: Flushed ${streamed} snapshots.`),
    };
  }
  const kept: { record: Snapshot; thread: number }[] = [];
  return {
    name: "trace",
    take: (record) => void kept.push({ record: record.copy(), thread: host.thread() }),
    flush(emit) {
      kept.forEach(({ record, thread }) => emit(record, thread));
      host.note(`trace: Flushed ${kept.length} snapshots.`);
    },
  };
}
