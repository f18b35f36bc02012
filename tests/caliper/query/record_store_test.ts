import { assertEquals } from "@std/assert";
import { Snapshot } from "../../../src/caliper/model/snapshot.ts";
import { ContextTree, NONE } from "../../../src/caliper/model/tree.ts";
import { TYPE } from "../../../src/caliper/model/variant.ts";
import { RecordStore } from "../../../src/caliper/query/record_store.ts";

Deno.test("RecordStore gives back records of all sorts, over many chunks, in any order", () => {
  const tree = new ContextTree(), store = new RecordStore(), record = new Snapshot();
  const region = tree.createAttribute("region", TYPE.string, 276);
  const x = tree.createAttribute("x", TYPE.double, 1);
  const node = tree.child(NONE, region, TYPE.string, "main");
  const fill = (to: Snapshot, i: number) => {
    to.clear();
    if (i % 3 > 0) to.pushReference(tree, node);
    if (i % 4 > 0) to.pushNumber(x, TYPE.double, i / 2);
    if (i % 5 === 0) to.pushValue(x, TYPE.string, `text ${i}`);
    if (i % 7 === 0) to.pushValue(x, TYPE.uint, 18446744073709551615n);
  };
  const count = 40_000;
  for (let i = 0; i < count; i++) {
    fill(record, i);
    store.add(record);
  }
  const textOf = (s: Snapshot) =>
    Array.from(
      { length: s.count },
      (_, i) =>
        s.immediate[i] === 0 ? `ref ${s.node[i]}` : `${s.node[i]} ${s.type[i]} ${s.textAt(i)}`,
    ).join();
  let wrong = 0;
  for (const first of [0, count - 1]) {
    for (let i = 0; i < count; i++) {
      const number = Math.abs(first - i);
      fill(record, number);
      if (textOf(store.record(number)) !== textOf(record)) wrong++;
    }
  }
  assertEquals([store.count, wrong], [count, 0]);
});
