import { assertEquals } from "@std/assert";
import { Profile } from "pprof-format";
import { pprofBytes } from "../../../src/show/analysis/pprof.ts";
import { speedscopeJson } from "../../../src/show/analysis/speedscope.ts";
import { stacksOf } from "../../../src/show/analysis/stacks.ts";
import type { EnergyKind, TreeEnergy, TreeRow } from "../../../src/core/region_tree.ts";

const NO_VISITS = { minS: NaN, p50S: NaN, p99S: NaN, maxS: NaN, deviationS: NaN };

function row(
  region: string,
  depth: number,
  [selfS, count]: [number, number],
  energy: Partial<TreeEnergy>,
): TreeRow {
  const none = { joules: NaN, seJ: NaN, exactJ: NaN, selfJ: NaN, selfSeJ: NaN, powerW: NaN };
  return {
    region,
    depth,
    track: region === "MPI_Send" ? "mpi" : "",
    attribute: "",
    processes: 2,
    count,
    runtimeS: selfS,
    selfS,
    visits: { ...NO_VISITS, buckets: new Map([[3, 2 * count]]) },
    energies: new Map<EnergyKind, TreeEnergy>([["package", { ...none, ...energy }]]),
  };
}

const STACKS = stacksOf({
  kinds: ["package"],
  rows: [
    row("main", 0, [1, 1], { joules: 60, selfJ: 10 }),
    row("solve", 1, [2, 3], { exactJ: 30 }),
    row("MPI_Send", 1, [3, 5], { joules: 20, selfJ: 20 }),
    row("io", 0, [4, 1], {}),
    row("read", 1, [0.5, 1], { joules: 7 }),
  ],
  leftOut: 0,
  outside: [row("(outside regions)", 0, [5, NaN], { joules: 20, selfJ: 20 })],
  method: "fit",
});

Deno.test("stacksOf() gives each path its own energy, as tables have it", () => {
  assertEquals(STACKS.map(({ path }) => path.join(";")), [
    ...["main", "main;solve", "main;MPI_Send [mpi]", "io", "io;read", "(outside regions)"],
  ]);
  assertEquals(STACKS.map(({ energiesJ }) => energiesJ.get("package")), [10, 30, 20, NaN, 7, 20]);
  assertEquals(STACKS.map(({ visits }) => visits), [2, 6, 10, 2, 2, 0]);
});

Deno.test("speedscopeJson() has a profile for energy and one for time over the same frames", () => {
  const file = JSON.parse(speedscopeJson("n", "joulemark", STACKS));
  const names = file.shared.frames.map(({ name }: { name: string }) => name);
  assertEquals(file.profiles.map((p: { name: string; unit: string }) => [p.name, p.unit]), [
    ...[["package energy, J", "none"], ["time", "seconds"]],
  ]);
  for (const { samples, weights, endValue } of file.profiles) {
    assertEquals(samples.length, weights.length);
    assertEquals(weights.reduce((a: number, b: number) => a + b), endValue);
    for (const stack of samples) {
      for (const frame of stack) assertEquals(frame < names.length, true);
    }
  }
  // An energy that is not known has no width.
  const [energy] = file.profiles;
  assertEquals(energy.samples.map((s: number[]) => s.map((i) => names[i]).join(";")), [
    ...["main", "main;solve", "main;MPI_Send [mpi]", "io;read", "(outside regions)"],
  ]);
  assertEquals(JSON.parse(speedscopeJson("n", "joulemark", [])).profiles, []);
  const waits = [{ path: ["main", "[off CPU]"], timeS: 2 }];
  const withWaits = JSON.parse(speedscopeJson("n", "joulemark", STACKS, waits));
  assertEquals(withWaits.profiles.at(-1).name, "off CPU");
  assertEquals(withWaits.profiles.at(-1).endValue, 2);
});

/** pprof-format reads int64 without its sign. */
function signed(value: number | bigint): number {
  return Number(BigInt.asIntN(64, BigInt(value)));
}

Deno.test("pprofBytes() has energies, time and visits, and marks where an energy is not known", () => {
  const profile = Profile.decode(pprofBytes(STACKS, "demo"));
  const text = (at: number | bigint) => profile.stringTable.strings[Number(at)];
  assertEquals(profile.sampleType.map(({ type, unit }) => `${text(type)} ${text(unit)}`), [
    ...["package_energy microjoules", "time nanoseconds", "visits count"],
  ]);
  assertEquals(text(profile.defaultSampleType), "package_energy");
  assertEquals(profile.sample.map(({ value }) => value.map(signed)), [
    ...[[10e6, 1e9, 2], [30e6, 2e9, 6], [20e6, 3e9, 10], [0, 4e9, 2], [7e6, 5e8, 2], [
      20e6,
      5e9,
      0,
    ]],
  ]);
  assertEquals(profile.sample[3].label.map(({ key, str }) => `${text(key)}: ${text(str)}`), [
    "package energy: not determined",
  ]);
  assertEquals(profile.sample.filter(({ label }) => label.length > 0).length, 1);
});
