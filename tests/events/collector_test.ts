/** Processes that come and go, as the collector hands them on. */
import { assertEquals } from "@std/assert";
import type { EventRecord, EventSink } from "../../src/core/events/event.ts";
import { KIND } from "../../src/core/events/event_kinds.ts";
import { FLAG } from "../../src/core/events/ring_layout.ts";
import { RingThread } from "../../src/events/ring_thread.ts";
import { StampClock } from "../../src/events/stamp_clock.ts";
import { Collector } from "../../src/events/collector.ts";
import type { Marks } from "../../src/events/marks.ts";
import { timed } from "../_support/time_limit.ts";

/** A ring file without marks. */
function image(pid: number, execId: string, startNs: number): Marks {
  return {
    ...{ pid, execId, startNs, cpus: [0], threads: [], names: [], garbage: 0, otherVisits: 0 },
    skipped: { nested: 0, refused: 0 },
    stopNs: () => NaN,
    poll: () => 0,
    knowsName: () => false,
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

timed("of two files of one image the earlier one tells when the process began", () => {
  const [early, late] = [1, 2].map((s) => image(Deno.pid, "image", s * 1e9));
  assertEquals(told([late, early]), ["1 start 0"]);
  assertEquals(told([early, late]), ["1 start 0"]);
});

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
      knowsName: () => true,
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
