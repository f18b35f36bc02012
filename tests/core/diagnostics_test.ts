import { assertEquals } from "@std/assert";
import { Diagnostics } from "../../src/core/diagnostics.ts";

Deno.test("Diagnostics counts by kind and subject, and keeps the first text and place", () => {
  const d = new Diagnostics();
  assertEquals(d.again("a", "reset"), false);
  d.add("a", "reset", "first", 3);
  d.add("a", "reset", "second", 4);
  d.add("b", "reset", "other", 5);
  assertEquals(d.again("a", "reset"), true);
  assertEquals(d.list, [
    { subject: "a", kind: "reset", text: "first", at: 3, count: 3 },
    { subject: "b", kind: "reset", text: "other", at: 5, count: 1 },
  ]);
  assertEquals([d.total, d.last, d.countOf("a", "reset"), d.countOf("c", "reset")], [
    ...[4, "reset"],
    ...[3, 0],
  ]);
});

Deno.test("Diagnostics only counts what its limit has no room for", () => {
  const d = new Diagnostics({ maxEntries: 2, others: "more" });
  for (const kind of ["a", "b", "c", "d", "a", "c"]) d.add("", kind);
  assertEquals(d.list.map(({ kind, count }) => `${kind} ${count}`), ["a 2", "b 1", "more 3"]);
  assertEquals(d.total, 6);
});
