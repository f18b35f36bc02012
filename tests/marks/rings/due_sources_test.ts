/** Events of many threads in the order of their times, at a cost that does not grow with the threads. */
import { assert, assertEquals } from "@std/assert";
import { DueSources } from "../../../src/marks/rings/due_sources.ts";
import type { Source } from "../../../src/marks/rings/marks.ts";
import { Random } from "../../../src/core/random.ts";

/** Threads with these times; `looks` counts how often any of their next ones was asked for. */
function threadsWith(times: readonly (readonly number[])[]) {
  const looks = { count: 0 };
  const sources = times.map((own, k) => {
    let at = 0;
    const thread = {
      get nextNs() {
        looks.count++;
        return own[at] ?? Infinity;
      },
      advance: () => at++,
    };
    return { thread, k } as unknown as Source & { k: number; thread: { advance(): void } };
  });
  return { sources, looks };
}

/** What `Collector.feed` does with them. */
function inOrder({ sources }: ReturnType<typeof threadsWith>, limitNs: number) {
  const due = new DueSources(), order: string[] = [];
  due.fill(sources, limitNs);
  for (let best = due.first; best !== undefined; best = due.first) {
    const until = Math.min(limitNs, due.secondNs);
    do {
      order.push(`${(best as unknown as { k: number }).k} at ${best.thread.nextNs}`);
      best.thread.advance();
    } while (best.thread.nextNs <= until);
    due.moved(limitNs);
  }
  return order;
}

/** The same by a look at all of them for each event. */
function byLooks({ sources }: ReturnType<typeof threadsWith>, limitNs: number) {
  const order: string[] = [];
  for (;;) {
    let best: typeof sources[0] | undefined, bestNs = limitNs, secondNs = Infinity;
    for (const source of sources) {
      const ns = source.thread.nextNs;
      if (ns <= bestNs && (best === undefined || ns < bestNs)) {
        secondNs = best === undefined ? secondNs : bestNs;
        best = source;
        bestNs = ns;
      } else if (ns < secondNs) secondNs = ns;
    }
    if (best === undefined) return order;
    do {
      order.push(`${best.k} at ${best.thread.nextNs}`);
      best.thread.advance();
    } while (best.thread.nextNs <= Math.min(limitNs, secondNs));
  }
}

Deno.test("DueSources has events in the order that a look at every thread for each has", () => {
  const random = new Random(5);
  for (let round = 0; round < 200; round++) {
    const times = Array.from({ length: Math.floor(random.uniform() * 12) }, () => {
      const own = Array.from({ length: Math.floor(random.uniform() * 20) }, () => {
        return Math.floor(random.uniform() * 40);
      });
      return own.sort((a, b) => a - b);
    });
    assertEquals(inOrder(threadsWith(times), 30), byLooks(threadsWith(times), 30));
  }
});

Deno.test("DueSources costs an event the same among 10 threads and among 1,000", () => {
  const looksPerEvent = (threads: number) => {
    const events = 4;
    // Taking turns: no event is followed by one of the same thread.
    const times = Array.from({ length: threads }, (_, k) => {
      return Array.from({ length: events }, (_, i) => i * threads + k);
    });
    const all = threadsWith(times);
    assertEquals(inOrder(all, 1e9).length, threads * events);
    return all.looks.count / (threads * events);
  };
  const [few, many] = [looksPerEvent(10), looksPerEvent(1000)];
  // As the logarithm: 3.3 and 10.
  assert(many < 4 * few, `${few} looks at 10 threads, ${many} at 1,000`);
});
