/** Descriptions of simulated nodes, and what regions draw where they do not say. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../src/core/errors.ts";
import { regionPower } from "../../../src/sources/sim/region_power.ts";
import { parseSimSpec, presetSpec } from "../../../src/sources/sim/spec.ts";

Deno.test("parseSimSpec() takes any field and completes it from the preset", () => {
  assertEquals(parseSimSpec({}, "x", 6), presetSpec("rapl", 6));
  const spec = parseSimSpec(
    { preset: "both", packages: 4, regions: { a: 3, b: { watts: 2, busy: 0.5 } }, stamps: false },
    "x",
  );
  assertEquals([spec.preset, spec.packages, spec.stamps], ["both", 4, false]);
  assertEquals(spec.regions, { a: 3, b: { watts: 2, busy: 0.5 } });
});

for (
  const bad of [
    null,
    [],
    "rapl",
    { preset: "arm" },
    { cores: 3 },
    { toString: 1 },
    { packages: 1.5 },
    { packages: 0 },
    { idleW: "40" },
    { idleW: -1 },
    { noise: NaN },
    { stamps: 1 },
    { blind: 1 },
    { truth: "" },
    { hostname: "a b" },
    { regions: [1] },
    { regions: { a: -1 } },
    { regions: { a: { watt: 3 } } },
    { regions: { a: { watts: 3, busy: 2 } } },
  ]
) {
  Deno.test(`parseSimSpec() refuses ${JSON.stringify(bad)}`, () => {
    assertThrows(() => parseSimSpec(bad, "node.json"), FormatError, "node.json");
  });
}

Deno.test("regionPower() is stable by name, ordered by hint, and overridden by the description", () => {
  const spec = presetSpec("rapl", 4);
  assertEquals(regionPower(spec, "solve"), regionPower(spec, "solve"));
  assert(regionPower(spec, "solve").watts !== regionPower(spec, "exchange").watts);
  const [compute, memory, io] = [2, 3, 5].map((hint) => regionPower(spec, "x", hint));
  assert(compute.watts > memory.watts && memory.watts > io.watts);
  assert(memory.dramWatts > compute.dramWatts);
  const own = { ...spec, regions: { x: 7, y: { watts: 8, hz: 1e9 } } };
  assertEquals(regionPower(own, "x", 2), { ...compute, watts: 7 });
  assertEquals(regionPower(own, "y").hz, 1e9);
  assert(regionPower(own, "__proto__").watts > 10);
  assertEquals(regionPower({ ...spec, unmarkedW: 3 }, undefined).watts, 3);
});
