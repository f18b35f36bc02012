import { assert, assertEquals } from "@std/assert";
import { ReportedValues } from "../../../src/marks/rings/reported_values.ts";
import { valueFacts } from "../../../src/run/outputs/facts.ts";

Deno.test("values of processes are put together by name and dialect", () => {
  const values = new ReportedValues();
  assert(values.add("3 0 3 4.5 11.25 tau bytes sent"));
  assert(values.add("1 -1 -1 -1 1 tau bytes sent"));
  assert(values.add("1 2 2 2 4 perfstubs bytes sent"));
  assertEquals(values.values, [
    {
      name: "bytes sent",
      track: "perfstubs",
      count: 1,
      least: 2,
      most: 2,
      sum: 2,
      squares: 4,
    },
    {
      name: "bytes sent",
      track: "tau",
      count: 4,
      least: -1,
      most: 3,
      sum: 3.5,
      squares: 12.25,
    },
  ]);
  assertEquals(valueFacts([]), undefined);
});

Deno.test("texts that are none are refused", () => {
  const values = new ReportedValues();
  for (
    const text of [
      ...["", "3 0 3 4.5 11.25 tau", "0 0 0 0 0 tau x", "1 2 1 1 1 tau x", "1 nan nan 1 1 tau x"],
      ...["1 1 1 inf 1 tau x", "1 1 1 1 -1 tau x", "-1 1 1 1 1 tau x"],
    ]
  ) assert(!values.add(text), text);
  assertEquals(values.values, []);
});
