import { assertEquals, assertThrows } from "@std/assert";
import { formatCpuList, parseCpuList } from "../../../src/core/machine/cpu_list.ts";

Deno.test("parseCpuList() reads ranges, single CPUs, groups and the empty list", () => {
  assertEquals(parseCpuList("0-3,8\n"), [0, 1, 2, 3, 8]);
  assertEquals(parseCpuList("5, 3 ,4-4"), [3, 4, 5]);
  assertEquals(parseCpuList("0-15:2/8"), [0, 1, 8, 9]);
  assertEquals(parseCpuList("\n"), []);
});

Deno.test("parseCpuList() refuses what is no list", () => {
  for (const bad of ["a", "1-", "3-1", "-1", "0-99999999", "1,,2", "0-7:3/2", "0x3"]) {
    assertThrows(() => parseCpuList(bad), RangeError);
  }
});

Deno.test("formatCpuList() writes the shortest ranges and parses back", () => {
  assertEquals(formatCpuList([8, 1, 0, 2, 3, 3]), "0-3,8");
  assertEquals(formatCpuList([]), "");
  assertEquals(parseCpuList(formatCpuList([0, 2, 4, 5])), [0, 2, 4, 5]);
});
