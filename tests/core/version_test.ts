import { assertEquals } from "@std/assert";
import { VERSION } from "../../src/core/version.ts";

Deno.test("VERSION is that of deno.json", () => {
  const url = new URL("../../deno.json", import.meta.url);
  assertEquals(VERSION, JSON.parse(Deno.readTextFileSync(url)).version);
});
