/**
 * Share of the growth since the thread's previous snapshot that belongs to this one.
 *
 * It is all of the growth, unless the snapshot represents aggregated visits: they get their part by
 * time, and the rest belongs to the next snapshot.
 * @module
 */
import type { ServiceHost, Trigger } from "../service.ts";

/** Splits growth between snapshots. */
export class SnapshotPart {
  readonly #host: ServiceHost;
  /** Time up to which everything is reported, ns, by thread. */
  readonly #reportedNs: number[] = [];

  constructor(host: ServiceHost) {
    this.#host = host;
  }

  /** The part, 0 to 1; once a snapshot. */
  next({ folded }: Trigger): number {
    const thread = this.#host.thread(), nowNs = this.#host.now();
    // The time of such a thread is reported by path.
    if (folded === undefined && this.#host.folds()) return 0;
    const passedNs = nowNs - (this.#reportedNs[thread] ?? this.#host.threadStart());
    const part = folded === undefined ? 1 : passedNs > 0 ? Math.min(1, folded.ns / passedNs) : 0;
    this.#reportedNs[thread] = nowNs - passedNs * (1 - part);
    return part;
  }
}
