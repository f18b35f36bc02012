/** Which lanes share CPUs, directly or through others. */
import { assertEquals } from "@std/assert";
import { Groups } from "../../../src/core/machine/lane_groups.ts";

Deno.test("lanes whose CPUs overlap through others are one group", () => {
  const groups = new Groups(8), of = (...cpus: number[]) => Int32Array.from(cpus);
  groups.set(1, of(0, 1));
  groups.set(2, of(1, 2));
  groups.set(3, of(2, 3));
  groups.set(4, of(5));
  const sorted = () =>
    groups.list().map(({ cpus, lanes }) => ({ cpus: [...cpus], lanes: [...lanes].sort() }));
  assertEquals(sorted(), [{ cpus: [0, 1, 2, 3], lanes: [1, 2, 3] }, { cpus: [5], lanes: [4] }]);
  groups.delete(2);
  assertEquals(sorted().map(({ lanes }) => lanes), [[1], [3], [4]]);
  groups.set(4, of(0, 5));
  assertEquals(sorted().map(({ lanes }) => lanes), [[1, 4], [3]]);
});
