/** Notes on functions: limits are CPU time, in seconds. */
import { assertEquals } from "@std/assert";
import type { ProfileFacts } from "../../../src/profile/profile_facts.ts";
import { functionNotes } from "../../../src/run/outputs/function_notes.ts";

/** A profile in which brief threads used a fifth of the CPU time. */
const FACTS: ProfileFacts = {
  samples: 100,
  lost: 0,
  throttled: 0,
  frames: 100,
  guessedFrames: 0,
  ends: [0, 0, 0, 0, 0],
  deep: 0,
  torn: 0,
  unseen: [],
  cpuNs: 1e9,
  shortNs: 1e8,
  hiddenNs: 0,
  lostNs: 0,
  briefNs: 1e8,
};

Deno.test("functionNotes() names the CPU time below which a thread has too few samples", () => {
  const sources = { stackBytes: 16384, elsewhereNs: 0, others: 0, unread: [] };
  const texts = functionNotes(FACTS, sources, 5e6).map(({ text }) => text);
  assertEquals(texts, [
    "20 % of the CPU time is in threads that used less than 25.0 ms each (5 sampling periods). " +
    "Times of their functions are inaccurate",
  ]);
});

Deno.test("functionNotes() advises no rate that the run has already", () => {
  const sources = { stackBytes: 16384, elsewhereNs: 0, others: 0, unread: [] };
  const remedies = (hz: number) =>
    functionNotes(Object.assign({}, FACTS, { lost: 50 }), sources, 1e9 / hz)
      .map(({ remedy }) => remedy);
  assertEquals(remedies(199), [
    "Leave a CPU free, or give a lower rate: --functions=99",
    "Sample more often: --functions=997",
  ]);
  assertEquals(remedies(99)[0], "Leave a CPU free");
  assertEquals(remedies(2500)[1], "Sample by timers instead of the kernel: --preload timer");
});

Deno.test("functionNotes() calls what was lost samples only where no waits were recorded", () => {
  const sources = { stackBytes: 16384, elsewhereNs: 0, others: 0, unread: [] };
  const [{ text, remedy }] = functionNotes(
    Object.assign({}, FACTS, { lost: 4065 }),
    sources,
    5e6,
    true,
  );
  assertEquals(
    text,
    "4065 samples of functions and records of waits were lost: the monitor had too little CPU time",
  );
  assertEquals(remedy, "Leave a CPU free, or run without --off-cpu");
});

Deno.test("functionNotes() tells why callers are missing", () => {
  const texts = (facts: Partial<ProfileFacts>, stackBytes: number) =>
    functionNotes(
      Object.assign({}, FACTS, { briefNs: 0, shortNs: 0 }, facts),
      { stackBytes, elsewhereNs: 0, others: 0, unread: [] },
      5e6,
    ).map(({ text, remedy }) => [text, remedy]);
  const deep =
    "12 % of the stacks are larger than the copied part. Their outer functions are missing";
  assertEquals(texts({ deep: 12 }, 16384), [[
    deep,
    "Copy more of each stack: --stack-bytes=32768",
  ]]);
  // The kernel copies no more.
  assertEquals(texts({ deep: 12 }, 65528), [[deep, undefined]]);
  assertEquals(texts({ torn: 12 }, 16384), [[
    "12 % of the stacks lack outer functions: the kernel copies a stack only up to a page that the program never used",
    "Sample by timers instead of the kernel: --preload timer --stack-bytes=65528",
  ]]);
  assertEquals(texts({ ends: [82, 0, 0, 0, 12, 6] }, 16384), [
    ["12 % of the stacks have more than 1000 frames. Their outer functions are missing", undefined],
    [
      "6 % of the stacks lack outer functions: these are on another stack, as those of signal " +
      "handlers and of Go's runtime",
      undefined,
    ],
  ]);
  assertEquals(texts({ ends: [92, 0, 4, 4, 0, 0] }, 16384), [[
    "8 % of the stacks lack outer functions: JIT code or assembly has no unwind tables",
    "Use frame pointers (Java: -XX:+PreserveFramePointer)",
  ]]);
  assertEquals(texts({ ends: [92, 0, 2, 2, 2, 2] }, 16384), []);
});

Deno.test("functionNotes() names the period where samples had no room to wait for annotations", () => {
  const sources = { stackBytes: 16384, elsewhereNs: 0, others: 0, unread: [], wasFull: true };
  const [{ text, remedy }] = functionNotes(Object.assign({}, FACTS, { lost: 50 }), sources, 5e6);
  assertEquals(
    text,
    "50 samples of functions were lost: too many waited for the annotations of their time",
  );
  assertEquals(remedy, "Give a shorter --period, or give a lower rate: --functions=99");
});
