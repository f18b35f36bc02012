/** What a stream says of visits that it has as sums alone. */
import { assertEquals } from "@std/assert";
import { addUnordered, Unordered } from "../../../src/caliper/channels/unordered.ts";
import { plainRecord } from "../../../src/caliper/model/plain_record.ts";
import { Snapshot } from "../../../src/caliper/model/snapshot.ts";
import { ContextTree } from "../../../src/caliper/model/tree.ts";

function globalsOf(unordered: Unordered, pid?: number): Record<string, unknown> {
  const tree = new ContextTree(), globals = new Snapshot();
  addUnordered(tree, globals, unordered.list(pid));
  return { ...plainRecord(tree, globals, (text) => text) };
}

Deno.test("a stream reports how many visits of which threads have no order, and when", () => {
  const unordered = new Unordered();
  assertEquals(globalsOf(unordered), {});
  unordered.add(10, 0, 5, 0.25);
  unordered.add(10, 11, 7, 0.5);
  unordered.add(20, 0, 2, 1);
  unordered.add(10, 0, 4, 1.5);
  assertEquals(globalsOf(unordered), {
    "joulemark.visits.folded": 18,
    "joulemark.visits.folded.threads": "process 10: 9 from 0.250 to 1.50 s; " +
      "process 10, thread 11: 7 from 0.500 to 0.500 s; process 20: 2 from 1.00 to 1.00 s",
  });
});

Deno.test("a stream of one process reports that one", () => {
  const unordered = new Unordered();
  unordered.add(10, 0, 5, 0);
  unordered.add(20, 0, 2, 1);
  assertEquals(globalsOf(unordered, 20)["joulemark.visits.folded"], 2);
  assertEquals(globalsOf(unordered, 30), {});
});

Deno.test("of many threads those with the most visits are named", () => {
  const unordered = new Unordered();
  for (let thread = 1; thread <= 30; thread++) unordered.add(1, thread, thread, 0);
  const text = String(globalsOf(unordered)["joulemark.visits.folded.threads"]);
  assertEquals(text.split("; ").length, 21);
  assertEquals(text.startsWith("process 1, thread 30: 30 "), true);
  assertEquals(text.endsWith("; 10 more threads"), true);
});
