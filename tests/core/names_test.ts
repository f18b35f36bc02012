import { assertEquals, assertNotEquals } from "@std/assert";
import { asFileName } from "../../src/core/names.ts";

Deno.test("asFileName() leaves nothing that a path could mean", () => {
  assertEquals(asFileName("slurm-7-0"), "slurm-7-0");
  assertEquals(asFileName("../../x y\n"), ".._.._x_y_");
  const long = (c: string) => asFileName("x".repeat(200) + c);
  assertNotEquals(long("a"), long("b"));
  assertEquals(long("a").length <= 100, true);
});
