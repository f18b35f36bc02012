/** Functions by the kernel's probes: what begins and ends, by the stack. */
import { assertEquals } from "@std/assert";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { ProbeMarks } from "../../../src/marks/rings/probe_marks.ts";

/** What one thread's marks tell, "+a" for a begin and "-a" for an end. */
function told(marks: ProbeMarks): string {
  marks.poll();
  const words: string[] = [];
  for (const thread of marks.threads) {
    while (thread.nextNs !== Infinity) {
      const name = marks.names[thread.value & 0xffff].name;
      words.push(`${thread.kind === KIND.enter ? "+" : "-"}${name}`);
      thread.advance();
    }
  }
  return words.join(" ");
}

function marksOf(): ProbeMarks {
  return new ProbeMarks(-1, 0, ["a", "b", "c"], 0n);
}
const A = 1, B = 2, C = 3;
let ns = 1000;
const now = () => ({ low: ns += 10, high: 0, cpu: 0 });

Deno.test("ProbeMarks ends a function where its stack is what it was at its begin", () => {
  const marks = marksOf();
  marks.enter(1, A, 1000, now());
  marks.enter(1, B, 900, now());
  marks.exit(1, B, 900, now());
  marks.enter(1, B, 900, now());
  marks.exit(1, B, 900, now());
  marks.exit(1, A, 1000, now());
  assertEquals(told(marks), "+a +b -b +b -b -a");
});

Deno.test("ProbeMarks ends what an exception or a long jump left, once", () => {
  const marks = marksOf();
  marks.enter(1, A, 1000, now());
  marks.enter(1, B, 900, now());
  marks.enter(1, C, 800, now());
  // Caught in a: b and c are over when a calls again.
  marks.enter(1, B, 900, now());
  marks.exit(1, B, 900, now());
  marks.exit(1, A, 1000, now());
  assertEquals(told(marks), "+a +b +c -c -b +b -b -a");
  // Nothing is called before a returns.
  marks.enter(1, A, 1000, now());
  marks.enter(1, B, 900, now());
  marks.exit(1, A, 1000, now());
  assertEquals(told(marks), "+a +b -b -a");
});

Deno.test("ProbeMarks: an end without its begin is nothing, and recursion is by the stack", () => {
  const marks = marksOf();
  marks.exit(1, A, 1000, now());
  marks.enter(1, A, 900, now());
  marks.enter(1, A, 800, now());
  marks.exit(1, A, 800, now());
  marks.exit(1, B, 900, now());
  marks.exit(1, A, 900, now());
  assertEquals(told(marks), "+a +a -a -a");
});

Deno.test("ProbeMarks keeps threads apart, and a jump into another function ends the first", () => {
  const marks = marksOf();
  marks.enter(1, A, 1000, now());
  marks.enter(2, B, 500, now());
  // a jumps into c at its end, whose stack is its own then.
  marks.enter(1, C, 1000, now());
  marks.exit(1, C, 1000, now());
  marks.exit(2, B, 500, now());
  assertEquals(told(marks), "+a -a +c -c +b -b");
});
