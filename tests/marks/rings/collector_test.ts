/** Processes that come and go, as the collector hands them on. */
import { assertEquals } from "@std/assert";
import type { EventRecord, EventSink } from "../../../src/core/events/event.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { FLAG, TRACK_SHIFT } from "../../../src/core/events/ring_layout.ts";
import { RingThread } from "../../../src/marks/rings/ring_thread.ts";
import { StampClock } from "../../../src/marks/rings/stamp_clock.ts";
import { rawNanoseconds } from "../../../src/os/clock.ts";
import { Collector } from "../../../src/marks/rings/collector.ts";
import type { Marks } from "../../../src/marks/rings/marks.ts";
import { timed } from "../../_support/time_limit.ts";

/** A ring file without marks. */
function image(pid: number, execId: string, startNs: number): Marks {
  return {
    pid,
    execId,
    startNs,
    cpus: [0],
    threads: [],
    names: [],
    garbage: 0,
    otherVisits: 0,
    skipped: { nested: 0, refused: 0 },
    stopNs: () => NaN,
    poll: () => 0,
    hasName: () => false,
    takeFolds: () => [],
    takeFoldedEpochs: () => [],
    [Symbol.dispose]() {},
  };
}

function sinkOf(receive: (event: EventRecord) => number): EventSink {
  return { receive, track: () => 0, regionPath: () => 0 };
}

function told(images: readonly Marks[]): string[] {
  const calls: string[] = [];
  let handles = 0;
  const sink = sinkOf(({ kind, timeS, process }) => {
    if (kind === KIND.start) calls.push(`${timeS} start ${handles}`);
    if (kind === KIND.shutdown) calls.push(`${timeS} shutdown ${process}`);
    if (kind === KIND.died) calls.push(`${timeS} died ${process}`);
    return kind === KIND.start ? handles++ : -1;
  });
  const directory = Deno.makeTempDirSync();
  {
    using collector = new Collector({ directory, originNs: 0n, sink, nowNs: () => 5e9 });
    for (const marks of images) collector.ring(marks);
    collector.feed(10e9);
  }
  Deno.removeSync(directory, { recursive: true });
  return calls;
}

timed(
  "images of one process follow each other by their starts, in whatever order they are found",
  () => {
    const [a, b, c] = [1, 2, 3].map((s) => image(Deno.pid, `image ${s}`, s * 1e9));
    // One process, which executed twice and still runs.
    const expected = ["1 start 0"];
    for (const order of [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]) {
      assertEquals(told(order), expected);
    }
  },
);

timed(
  "events are known up to the last look, or up to the last turn if a process may have any",
  () => {
    const directory = Deno.makeTempDirSync();
    let nowNs = 1e9;
    const sink = sinkOf(() => 0), nothing = { directory, originNs: 0n, sink };
    {
      using collector = new Collector(Object.assign({ nowNs: () => nowNs }, nothing));
      collector.feed(0.5e9);
      assertEquals(collector.knownNs, 0.5e9);
      collector.drain();
      assertEquals(collector.knownNs, 1e9);
      collector.ring(image(Deno.pid, "image", 1.5e9));
      nowNs = 2e9;
      collector.drain();
      assertEquals(collector.knownNs, 1e9);
      collector.feed(1.8e9);
      assertEquals(collector.knownNs, 1.8e9);
    }
    Deno.removeSync(directory, { recursive: true });
  },
);

timed("visits without room in a ring are of the only track that their name was seen on", () => {
  const directory = Deno.makeTempDirSync(),
    thread = new RingThread(Deno.pid, [], new StampClock(0n));
  const threads: RingThread[] = [];
  const mpi = 1 << TRACK_SHIFT, seen = [mpi, mpi | 1, 1, mpi | 2];
  const words = seen.flatMap((value, i) =>
    [KIND.enter, KIND.exit].flatMap((
      kind,
      k,
    ) => [1000 + 2 * i + k, 0, kind | FLAG.nanoseconds << 8, value])
  );
  const folds = [0, 1, 2, 3].map((region) => ({
    thread,
    region,
    firstNs: 2000,
    visits: 5,
    ns: 100,
  }));
  const marks: Marks = {
    ...image(Deno.pid, "image", 0),
    threads,
    poll: () => threads.length === 0 ? threads.push(thread) : 0,
    names: ["MPI_Send", "both", "MPI_Recv", "never seen"].map((name) => ({ name, hint: 0 })),
    hasName: () => true,
    trackName: (track) => track === 1 ? "mpi" : "",
    takeFolds: () => folds.splice(0),
  };
  thread.reserve(words.length / 4).set(new Uint8Array(Uint32Array.from(words).buffer));
  thread.filled(words.length / 4);
  const tracks: Record<string, number> = {}, names: string[] = [];
  const receive = ({ kind, name, region, track }: EventRecord) => {
    if (kind === KIND.shortVisits) tracks[names[region]] = track;
    return kind === KIND.region ? names.push(name) - 1 : 0;
  };
  {
    const sink = { ...sinkOf(receive), track: () => 7 };
    using collector = new Collector({ directory, originNs: 0n, sink, nowNs: () => 3000 });
    collector.ring(marks);
    collector.drain();
    collector.feed(3000);
  }
  Deno.removeSync(directory, { recursive: true });
  assertEquals(tracks, { MPI_Send: 7, both: 0, MPI_Recv: 7, "never seen": 0 });
});

timed("of two files of one image the earlier one tells when the process began", () => {
  const [early, late] = [1, 2].map((s) => image(Deno.pid, "image", s * 1e9));
  assertEquals(told([late, early]), ["1 start 0"]);
  assertEquals(told([early, late]), ["1 start 0"]);
});

timed(
  "a process that executed something else and ended while the monitor looked is one process",
  async () => {
    const child = new Deno.Command("true").spawn();
    await child.status;
    const directory = Deno.makeTempDirSync({ prefix: "joulemark-images-" });
    const marks: Marks = {
      ...image(child.pid, "first", 1e9),
      poll() {
        Deno.writeTextFileSync(`${directory}/${child.pid}.sh`, "p -\n");
        return 0;
      },
    };
    const kinds: number[] = [];
    const sink = sinkOf(({ kind }) => kinds.push(kind) > 0 && kind === KIND.start ? 0 : -1);
    const nowNs = () => rawNanoseconds();
    {
      using collector = new Collector({ directory, originNs: 0n, sink, nowNs });
      collector.ring(marks);
      for (let look = 0; look < 2; look++) {
        collector.drain();
        collector.feed(nowNs());
      }
    }
    Deno.removeSync(directory, { recursive: true });
    const count = (of: number) => kinds.filter((kind) => kind === of).length;
    assertEquals([count(KIND.start), count(KIND.epoch), count(KIND.shutdown)], [1, 1, 1]);
  },
);

timed(
  "a process that came, marked and was killed while the monitor looked loses nothing",
  async () => {
    const child = new Deno.Command("true").spawn();
    await child.status;
    let nowNs = 1e9;
    const threads: RingThread[] = [];
    const marks: Marks = {
      ...image(child.pid, "image", 2e9),
      threads,
      names: [{ name: "work", hint: 1 }],
      hasName: () => true,
      poll() {
        if (threads.length > 0) return 0;
        const thread = new RingThread(child.pid, [], new StampClock(0n));
        const record = new DataView(new ArrayBuffer(16));
        record.setBigUint64(0, BigInt(3e9), true);
        record.setUint32(8, KIND.enter | (FLAG.process | FLAG.nanoseconds) << 8, true);
        thread.reserve(1).set(new Uint8Array(record.buffer));
        thread.filled(1);
        threads.push(thread);
        // The kernel took the processor from the monitor for a while.
        nowNs = 4e9;
        return 1;
      },
    };
    const calls: string[] = [];
    const sink = sinkOf(({ kind, timeS, region }) => {
      if (kind === KIND.start) calls.push(`${timeS} start`);
      if (kind === KIND.enter) calls.push(`${timeS} in ${region}`);
      if (kind === KIND.died) calls.push(`${timeS} died`);
      return kind === KIND.start ? 0 : kind === KIND.region ? 7 : -1;
    });
    const directory = Deno.makeTempDirSync();
    using collector = new Collector({ directory, originNs: 0n, sink, nowNs: () => nowNs });
    collector.ring(marks);
    collector.drain();
    collector.feed(10e9);
    Deno.removeSync(directory, { recursive: true });
    assertEquals(calls, ["2 start", "3 in 7", "4 died"]);
    assertEquals(collector.lastEndNs, 4e9);
  },
);

/** A thread that writes these records, 10 ns apart, at each of so many looks. */
function flooding(looks: number, records: readonly (readonly number[])[]): Marks {
  const thread = new RingThread(Deno.pid, [], new StampClock(0n));
  const threads: RingThread[] = [];
  let looked = 0, ns = 2e9;
  return {
    ...image(Deno.pid, "image", 1e9),
    threads,
    names: [{ name: "work", hint: 1 }, { name: "other", hint: 1 }],
    hasName: () => true,
    poll() {
      if (threads.length === 0) threads.push(thread);
      if (looked++ >= looks) return 0;
      const words = records.flatMap(([kind, value, ...payload]) => {
        ns += 10;
        return [ns % 2 ** 32, Math.floor(ns / 2 ** 32), kind | 3 << 8, value, ...payload];
      });
      thread.reserve(words.length / 4).set(new Uint8Array(Uint32Array.from(words).buffer));
      thread.filled(words.length / 4);
      return records.length;
    },
  };
}

timed(
  "marks that come too fast are added up: visits, epochs, spans and values, none is lost",
  () => {
    const repeated = (times: number, ...records: number[][]) => {
      return Array.from({ length: times }, () => records).flat();
    };
    const set = (value: number) => [KIND.attributeSet, 1, value, 0, 2, 0];
    const span = (
      kind: number,
      number: number,
    ) => [kind, kind === KIND.spanBegin ? 1 : 0, number, 0];
    const spans = [
      ...[span(KIND.spanBegin, 7), span(KIND.spanEnd, 7)],
      ...[span(KIND.spanBegin, 8), span(KIND.spanBegin, 9)],
      ...[span(KIND.spanEnd, 8), span(KIND.spanEnd, 9)],
    ].map((record) => [...record, 0, 0]);
    const records = repeated(
      500,
      ...[[KIND.enter, 0], [KIND.exit, 0], [KIND.epoch, 0], set(1), set(2)],
      ...spans,
    );
    const looks = 20;
    const totals = (foldAbove?: number) => {
      let [events, epochs, visits, spans, spanNs] = [0, 0, 0, 0, 0];
      const began = new Map<number, number>();
      const sink = sinkOf((event) => {
        events++;
        if (event.kind === KIND.start) return 0;
        if (event.kind === KIND.region) return 7;
        if (event.kind === KIND.epoch) epochs = event.number;
        if (event.kind === KIND.exit) visits++;
        if (event.kind === KIND.shortVisits) visits += event.visits;
        if (event.kind === KIND.spanBegin) began.set(event.number, event.timeS);
        if (event.kind === KIND.spanEnd) {
          spans++;
          spanNs += (event.timeS - began.get(event.number)!) * 1e9;
        }
        if (event.kind === KIND.shortSpans) {
          spans += event.visits;
          spanNs += event.seconds * 1e9;
        }
        return -1;
      });
      let nowNs = 1e9;
      const directory = Deno.makeTempDirSync();
      using collector = new Collector({
        directory,
        originNs: 0n,
        sink,
        nowNs: () => nowNs,
        ...foldAbove === undefined ? {} : { foldAbove },
      });
      collector.ring(flooding(looks, records));
      for (let look = 0; look < looks + 2; look++) {
        collector.drain();
        nowNs += 5e6;
        collector.feed(10e9);
      }
      Deno.removeSync(directory, { recursive: true });
      return { events, told: [epochs, visits, spans, Math.round(spanNs / 10)] };
    };
    const [each, folded] = [totals(), totals(12_500)];
    const all = 500 * looks;
    assertEquals(each.told, [all, all, 3 * all, 5 * all]);
    assertEquals(folded.told, each.told);
    assertEquals(folded.events < each.events / 10, true, `${folded.events} of ${each.events}`);
  },
);

/** A thread whose ring had no room from 3 to 90 s, but for the exit of what was open before. */
function fullRing(folded: { readonly at: number; readonly selfS: number }): Marks {
  const thread = new RingThread(7, [], new StampClock(0n));
  const write = (kind: number, seconds: number) => {
    const record = new DataView(new ArrayBuffer(16));
    record.setBigUint64(0, BigInt(seconds * 1e9), true);
    record.setUint32(8, kind | FLAG.nanoseconds << 8, true);
    thread.reserve(1).set(new Uint8Array(record.buffer));
    thread.filled(1);
  };
  let looks = 0;
  const paths = {
    folding: false,
    count: 2,
    position: 0,
    lost: 0,
    parent: [-1, 0],
    region: [0, 0],
    attribute: [0, 0],
    least: [0, 0],
    most: [0, 0],
    nameOf: () => 0,
    trackOf: () => 0,
    readBuckets() {},
    read(_nowNs: number, add: (path: number, added: object) => void) {
      if (++looks !== folded.at) return;
      add(1, { count: 5, ns: 9, squares: 9, selfNs: folded.selfS * 1e9 });
    },
  };
  thread.paths = paths as unknown as RingThread["paths"];
  const threads: RingThread[] = [];
  return {
    ...image(Deno.pid, "image", 1e9),
    threads,
    names: [{ name: "work", hint: 1 }],
    hasName: () => true,
    poll() {
      if (threads.length > 0) return 0;
      threads.push(thread);
      for (const s of [1, 2]) write(KIND.enter, s);
      write(KIND.exit, 3);
      write(KIND.exit, 90);
      // The thread was away for a while.
      write(KIND.enter, 93);
      write(KIND.exit, 94);
      return 6;
    },
  };
}

timed("folded visits come before what was written behind the pause that they came in", () => {
  for (const [selfS, looks] of [[80, 1], [80, 2], [2.95, 1]] as const) {
    const calls: string[] = [];
    const sink: EventSink = {
      track: () => 0,
      regionPath: () => 1,
      receive({ kind, timeS }) {
        if (kind === KIND.enter) calls.push(`in ${timeS}`);
        if (kind === KIND.exit) calls.push(`out ${timeS}`);
        if (kind === KIND.folded) calls.push(`folded ${timeS.toFixed(3)}`);
        return kind === KIND.start ? 0 : kind === KIND.region ? 7 : -1;
      },
    };
    let nowS = 100;
    const directory = Deno.makeTempDirSync();
    using collector = new Collector({ directory, originNs: 0n, sink, nowNs: () => nowS * 1e9 });
    collector.ring(fullRing({ at: looks, selfS }));
    for (let i = 0; i < looks; i++) {
      collector.drain();
      nowS += 1;
    }
    collector.feed(200e9);
    Deno.removeSync(directory, { recursive: true });
    const expected = ["in 1", "in 2", "out 3", "out 90", "in 93", "out 94"];
    expected.splice(selfS === 80 ? 3 : 4, 0, `folded ${selfS === 80 ? "90.000" : "93.000"}`);
    assertEquals(calls, expected, `${selfS} s at look ${looks}`);
  }
});
