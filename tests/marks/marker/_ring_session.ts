/**
 * A session directory as a monitor makes it, and what its ring files hold.
 *
 * @module
 */
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { SESSION, SESSION_MAGIC, SESSION_VERSION } from "../../../src/core/events/ring_layout.ts";
import { rawNanoseconds } from "../../../src/os/clock.ts";
import { RingFileMemory } from "../../../src/os/memory/ring_file.ts";
import { RingProcess } from "../../../src/marks/rings/ring_process.ts";
import type { RingThread } from "../../../src/marks/rings/ring_thread.ts";

/** One event of a process, in the order of its thread. */
export interface SeenEvent {
  kind:
    | "enter"
    | "exit"
    | "epoch"
    | "tprofInit"
    | "tprofPost"
    | "overhead"
    | "valueBegin"
    | "valueEnd"
    | "other";
  region: string;
  ns: number;
  tid: number;
  flags: number;
  cpu: number;
  value: number;
  payload: number;
}

const KINDS = new Map<number, SeenEvent["kind"]>([
  [KIND.enter, "enter"],
  [KIND.exit, "exit"],
  [KIND.epoch, "epoch"],
  [KIND.tprofInit, "tprofInit"],
  [KIND.tprofPost, "tprofPost"],
  [KIND.overhead, "overhead"],
  [KIND.attributeBegin, "valueBegin"],
  [KIND.attributeEnd, "valueEnd"],
]);

/** Private directory with a session file. */
export class RingSession {
  readonly dir: string;

  constructor(
    { parent = "/dev/shm", version = SESSION_VERSION, cycles = true, mode = 0o700, order = 0 }: {
      parent?: string;
      version?: number;
      cycles?: boolean;
      mode?: number;
      /** See ORDER. */
      order?: number;
    } = {},
  ) {
    this.dir = Deno.makeTempDirSync({ dir: parent, prefix: "joulemark-test-" });
    const session = new Uint8Array(SESSION.bytes);
    session.set(new TextEncoder().encode(SESSION_MAGIC));
    session[7] = version;
    session[SESSION.cycles] = cycles ? 1 : 0;
    session[SESSION.order] = order;
    Deno.writeFileSync(`${this.dir}/session`, session);
    Deno.chmodSync(this.dir, mode);
  }

  /** Environment of an application of this session. */
  get env(): Record<string, string> {
    return { JOULEMARK_SESSION: this.dir };
  }

  /** Names of the ring files, sorted. */
  get files(): string[] {
    return [...Deno.readDirSync(this.dir)].map((e) => e.name).filter((n) => /^\d+\.\d+$/.test(n))
      .sort();
  }

  /** @throws {Error} If the file is not a ring that is ready. */
  open(name = this.files[0]): SeenRing {
    const memory = RingFileMemory.open(`${this.dir}/${name}`);
    if (!(memory instanceof RingFileMemory)) throw new Error(memory.refused);
    const ring = RingProcess.open(memory, 0n);
    if (!(ring instanceof RingProcess)) throw new Error(`${name}: ${JSON.stringify(ring)}`);
    return new SeenRing(ring);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dir, { recursive: true });
  }
}

/** What visits of a path come to. */
export interface PathSum {
  count: number;
  ns: number;
  squares: number;
  selfNs: number;
}

/** A ring file and everything read from it so far. */
export class SeenRing {
  readonly ring: RingProcess;
  readonly events: SeenEvent[] = [];
  /** Folded visits and their ns by region and thread. */
  readonly folds: { region: string; tid: number; visits: number; ns: number; firstNs: number }[] =
    [];
  foldedEpochs = 0;
  readonly #paths: Record<string, PathSum> = {};

  constructor(ring: RingProcess) {
    this.ring = ring;
  }

  /** Reads what is new; `keep: false` only counts. Returns records copied. */
  poll(keep = true): number {
    const copied = this.ring.poll();
    for (const thread of this.ring.threads) this.#take(thread, keep);
    for (const fold of this.ring.takeFolds()) {
      this.folds.push({
        region: this.ring.names[fold.region].name,
        tid: fold.thread.tid,
        visits: fold.visits,
        ns: fold.ns,
        firstNs: fold.firstNs,
      });
    }
    for (const { count } of this.ring.takeFoldedEpochs()) this.foldedEpochs += count;
    return copied;
  }

  /** Completed visits by region, folded ones included. */
  visits(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const e of this.events) {
      if (e.kind === "exit") counts[e.region] = (counts[e.region] ?? 0) + 1;
    }
    for (const f of this.folds) counts[f.region] = (counts[f.region] ?? 0) + f.visits;
    return counts;
  }

  /** All that was folded by path so far, by `thread:path/of/regions`. */
  paths(): Record<string, PathSum> {
    const nowNs = rawNanoseconds();
    for (const { paths, tid } of this.ring.threads) {
      const nameOf = (path: number): string => {
        if (path <= 0) return `${tid}:`;
        const attribute = paths!.attribute[path];
        const kind = attribute === 0 ? "" : `${this.ring.names[attribute].name}=`;
        return `${nameOf(paths!.parent[path])}/${kind}${this.ring.names[paths!.nameOf(path)].name}`;
      };
      paths?.read(nowNs, (path, { count, ns, squares, selfNs }) => {
        const sum = this.#paths[nameOf(path)] ??= { count: 0, ns: 0, squares: 0, selfNs: 0 };
        sum.count += count;
        sum.ns += ns;
        sum.squares += squares;
        sum.selfNs += selfNs;
      });
    }
    return this.#paths;
  }

  /** What made no sense in file and records. */
  get garbage(): number {
    return this.ring.garbage + this.ring.threads.reduce((n, t) => n + t.garbage, 0);
  }

  [Symbol.dispose](): void {
    this.ring[Symbol.dispose]();
  }

  #take(thread: RingThread, keep: boolean): void {
    while (thread.nextNs !== Infinity) {
      const kind = KINDS.get(thread.kind) ?? "other";
      // A thread begins with an ended one's ring, or ends: no event of the program's.
      if (thread.kind === KIND.threadBegin || thread.kind === KIND.threadEnd) {
        if (thread.kind === KIND.threadBegin) thread.tid = thread.value;
      } else if (keep) {
        this.events.push({
          kind,
          region: kind === "enter" || kind === "exit"
            ? this.ring.names[thread.value]?.name ?? `?${thread.value}`
            : "",
          ns: thread.nextNs,
          tid: thread.tid,
          flags: thread.flags,
          cpu: thread.cpu,
          value: thread.value,
          payload: payload(thread),
        });
      }
      thread.advance();
    }
  }
}

function payload(thread: RingThread): number {
  return new Float64Array(new Uint32Array([thread.payloadLow, thread.payloadHigh]).buffer)[0];
}
