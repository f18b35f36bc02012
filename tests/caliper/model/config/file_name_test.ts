/** Names of output. What `%…%` comes to was seen with Caliper 2.15 (global num.x = 7, app = demo). */
import { assertEquals, assertMatch } from "@std/assert";
import { defaultFileName, fillName } from "../../../../src/caliper/model/config/file_name.ts";

const lookup = (name: string) => ({ "num.x": "7", app: "demo" })[name];

Deno.test("fillName() replaces attributes between two % by values", () => {
  const cases: [string, string][] = [
    ["a-%num.x%-%app%.cali", "a-7-demo.cali"],
    ["b-%[5]num.x%.cali", "b-    7.cali"],
    ["c-%none%.cali", "c-.cali"],
    ["d-%num.x", "d-7"],
    ["e%%f%app%", "efdemo"],
    ["g%[6]app%-%[6r]num.x%", "gdemo  -     7"],
    ["h%[6]none%i", "h      i"],
    ["plain.cali", "plain.cali"],
  ];
  for (const [name, expected] of cases) assertEquals(fillName(name, lookup), expected, name);
});

Deno.test("defaultFileName() is made of time, process and twelve characters", () => {
  const time = new Date(2026, 0, 2, 3, 4, 5);
  assertEquals(
    defaultFileName({ time, pid: 42, random: () => 0 }),
    "260102-030405_42_000000000000.cali",
  );
  assertEquals(
    defaultFileName({ time, pid: 42, random: () => 0.999999, suffix: ".json" }),
    "260102-030405_42_ZZZZZZZZZZZZ.json",
  );
  assertMatch(
    defaultFileName({ time: new Date(), pid: 1, random: Math.random }),
    /^\d{6}-\d{6}_1_[0-9a-zA-Z]{12}\.cali$/,
  );
});
