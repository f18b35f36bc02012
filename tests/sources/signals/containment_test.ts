import { assert, assertEquals } from "@std/assert";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { aliasesWith } from "../../../src/sources/signals/alias.ts";
import { overlaps, wholesOf } from "../../../src/sources/signals/containment.ts";
import { DERIVED } from "../../../src/sources/signals/derived.ts";

Deno.test("overlaps() follows parts through all their wholes, both ways", () => {
  assert(overlaps("CNL::ACCEL2_POWER", "CNL::BOARD_POWER"));
  assert(overlaps("HWMON::GRACE_MODULE_POWER", "HWMON::GRACE_CPU_POWER"));
  assert(overlaps("MSR::PP0_ENERGY_STATUS:ENERGY", "MSR::PLATFORM_ENERGY_STATUS:ENERGY"));
  assert(overlaps("PP0_ENERGY", "BOARD_ENERGY"));
  assert(!overlaps("CPU_ENERGY", "DRAM_ENERGY"));
  assert(!overlaps("HWMON::GRACE_CPU_POWER", "HWMON::GRACE_SYSIO_POWER"));
});

Deno.test("every whole is a name that exists", () => {
  const names = [
    ...READERS.flatMap((r) => r.signals.map((s) => s.name)),
    ...DERIVED.map((d) => d.row.name),
    ...aliasesWith(READERS).map((a) => a.row.name),
  ];
  const unknown = names.flatMap(wholesOf).filter((whole) => !names.includes(whole));
  assertEquals(unknown, []);
});
