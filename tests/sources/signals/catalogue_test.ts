import { thermal } from "../../../src/sources/readers/thermal.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { UnknownNameError } from "../../../src/core/errors.ts";
import type { Host, Reader } from "../../../src/core/machine/host.ts";
import type { Offer, SignalRow } from "../../../src/core/signal.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { aliasesWith } from "../../../src/sources/signals/alias.ts";
import { Batch } from "../../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { DERIVED } from "../../../src/sources/signals/derived.ts";
import { FakeHost } from "../../_support/fake_host.ts";
import { openNode } from "../../_support/node_run.ts";

/** A reader of rows that are there or not. */
function reader(name: string, rows: Record<string, "here" | "absent" | "forbidden">): Reader {
  const signals = Object.keys(rows).map((row): SignalRow => ({
    name: row,
    domain: "package",
    unit: "J",
    behavior: "monotone",
    agg: "sum",
    about: "",
  }));
  return {
    name,
    needs: { files: [], libraries: [], capabilities: [] },
    signals,
    probe: (): Offer => ({
      ok: true,
      signals: signals.filter((r) => rows[r.name] === "here")
        .map((row) => ({ row, source: name, quality: "measured" })),
      missing: new Map(
        signals.filter((r) => rows[r.name] !== "here").map((r) => [r.name, {
          kind: rows[r.name] as "absent" | "forbidden",
          reason: `${name} ${rows[r.name]}`,
        }]),
      ),
    }),
    open: () => ({ readInto: (out) => void out.fill(1), [Symbol.dispose]() {} }),
  };
}

const MSR = "MSR::PKG_ENERGY_STATUS:ENERGY";
const CAP = "POWERCAP::CPU_ENERGY_CONSUMED";

function catalogue(readers: readonly Reader[], without: string[] = []) {
  return buildCatalogue({ host: new FakeHost(), readers, without });
}

Deno.test("each reader says what its signals are", () => {
  assertEquals(
    READERS.filter(({ about = "" }) => !about.endsWith(".")).map(({ name }) => name),
    [],
  );
});

Deno.test("an alias stands for the first source that is here, and gives the reason", () => {
  const both = catalogue([reader("POWERCAP", { [CAP]: "here" }), reader("MSR", { [MSR]: "here" })]);
  assertEquals(both.info("CPU_ENERGY")!.aliasFor, MSR);
  const second = catalogue([
    reader("MSR", { [MSR]: "forbidden" }),
    reader("POWERCAP", { [CAP]: "here" }),
  ]);
  const entry = second.info("CPU_ENERGY")!;
  assertEquals(entry.aliasFor, CAP);
  assertEquals(entry.candidates!.filter((c) => c.chosen).map((c) => c.name), [CAP]);
  assertEquals(entry.candidates![0].why, "MSR forbidden");
});

Deno.test("a source that comes after the one that is here is asked only for who wants to know", () => {
  const asked: string[] = [];
  const counted = (base: Reader): Reader => ({
    ...base,
    probe: (host) => (asked.push(base.name), base.probe(host)),
  });
  const c = catalogue([
    counted(reader("MSR", { [MSR]: "here" })),
    counted(reader("POWERCAP", { [CAP]: "here" })),
  ]);
  assertEquals(c.resolve("CPU_ENERGY").kind, "offered");
  const entry = c.info("CPU_ENERGY")!;
  assertEquals([entry.aliasFor, asked], [MSR, ["MSR"]]);
  const other = entry.candidates!.find(({ name }) => name === CAP);
  assertEquals(other, { name: CAP, chosen: false, why: `${MSR} comes first` });
  assertEquals(asked, ["MSR", "POWERCAP"]);
});

Deno.test("aliases of one source share its reading", () => {
  const c = catalogue([reader("MSR", { [MSR]: "here" })]);
  const one = c.resolve("CPU_ENERGY");
  const two = c.resolve("rapl:::PACKAGE_ENERGY");
  assert(one.kind === "offered" && two.kind === "offered" && one.signal === two.signal);
  using batch = new Batch(new FakeHost().topology, c);
  batch.pushSignal("CPU_ENERGY", "package", 0);
  batch.pushSignal("PACKAGE_ENERGY", "board", 0);
  batch.pushSignal(MSR, "package", 0);
  batch.read(0);
  assertEquals(batch.values.length, 1);
});

Deno.test("absent, forbidden and unknown are three answers", () => {
  const c = catalogue([
    reader("MSR", { [MSR]: "absent" }),
    reader("POWERCAP", { [CAP]: "forbidden" }),
  ]);
  assertEquals(c.resolve("NOPE").kind, "unknown");
  assertEquals(c.resolve(MSR).kind, "absent");
  const entry = c.info("CPU_ENERGY")!;
  assert(!entry.state.ok);
  assertEquals(entry.state.kind, "forbidden");
  assertEquals(entry.state.reason, "POWERCAP forbidden; MSR absent");
  assertEquals(c.info("NOPE"), undefined);
});

Deno.test("a reader that is left out is absent by that name; an unknown one is an error", () => {
  const readers = [reader("MSR", { [MSR]: "here" }), reader("POWERCAP", { [CAP]: "here" })];
  const c = catalogue(readers, ["msr"]);
  assertEquals(c.info("CPU_ENERGY")!.aliasFor, CAP);
  const found = c.resolve(MSR);
  assert(found.kind === "absent" && found.reason.includes("--without"));
  assertThrows(() => catalogue(readers, ["mrs"]), UnknownNameError, "MSR");
});

Deno.test("a reader is asked only when one of its names is", () => {
  let probes = 0;
  const lazy = reader("MSR", { [MSR]: "here" });
  const counted = { ...lazy, probe: (host: Host) => (probes++, lazy.probe(host)) };
  const c = catalogue([counted, reader("POWERCAP", { [CAP]: "here" })]);
  c.resolve(CAP);
  assertEquals(probes, 0);
  c.resolve(MSR);
  c.resolve("CPU_ENERGY");
  assertEquals(probes, 1);
});

Deno.test("a reader touches only what it declared", () => {
  const greedy: Reader = {
    ...reader("X", { "X::Y": "here" }),
    probe: (host) => host.probe("/sys/secret") as unknown as Offer,
  };
  assertThrows(() => catalogue([greedy]).resolve("X::Y"), TypeError, "/sys/secret");
});

Deno.test("all candidates and inputs are names that exist, but for readers still to come", () => {
  const c = catalogue(READERS);
  const known = new Set(c.names());
  const later = /^(PERF|NVML|ROCM)::/;
  const missing = [
    ...aliasesWith(READERS).flatMap((
      a,
    ) => [...a.candidates, ...Object.values(a.follows?.sources ?? {})]),
    ...DERIVED.flatMap((d) => [...d.inputs, ...d.parts ?? []]),
  ].filter((name) => !known.has(name) && !later.test(name));
  assertEquals(missing, []);
});

Deno.test("names are unique over readers, calculated signals and aliases", () => {
  const all = [
    ...READERS.flatMap((r) => r.signals.map((s) => s.name)),
    ...DERIVED.map((d) => d.row.name),
    ...aliasesWith(READERS).map((a) => a.row.name),
  ];
  assertEquals(all.filter((name, i) => all.indexOf(name) !== i), []);
  for (const r of READERS) {
    for (const s of r.signals) assert(s.name.startsWith(`${r.name}::`), s.name);
  }
});

Deno.test("an alias has the domain, unit and behavior of each of its sources", () => {
  const c = catalogue(READERS);
  for (const { row, candidates } of aliasesWith(READERS)) {
    for (const name of candidates) {
      const source = c.info(name)?.row;
      // PP0_ENERGY of AMD adds the cores up; GEOPM averages what differs between packages.
      if (source === undefined || name === "MSR::CORE_ENERGY_STATUS:ENERGY") continue;
      assertEquals([name, source.unit], [name, row.unit]);
      if (row.behavior === "constant" || source.behavior === "constant") continue;
      assertEquals([name, source.behavior], [name, row.behavior]);
    }
  }
});

Deno.test("power follows the source of the energy: Grace's meter, the controller's figure, a rate", () => {
  using grace = openNode("nvidia-grace-2s");
  assertEquals(grace.catalogue.info("CPU_POWER")!.aliasFor, "HWMON::GRACE_POWER");
  using cray = openNode("cray-ex-trento-4gpu");
  assertEquals(cray.catalogue.info("BOARD_POWER")!.aliasFor, "CNL::BOARD_POWER");
  assertEquals(cray.catalogue.info("CPU_POWER")!.aliasFor, "RATE::CPU_ENERGY");
  using skx = openNode("intel-skx-2s");
  assertEquals(skx.catalogue.info("BOARD_POWER")!.aliasFor, "HWMON::METER_POWER");
});

Deno.test("nothing read from a tree is called measured", () => {
  using run = openNode("intel-skx-2s");
  for (const { name, state } of run.catalogue.list()) {
    if (state.ok) assertEquals([name, state.signal.quality], [name, "simulated"]);
  }
});

Deno.test("aliasesWith() puts a reader's signal among the sources of a name, or makes the name", () => {
  const own = { ...thermal, aliases: undefined };
  const sources = (readers: readonly Reader[], name: string) =>
    aliasesWith(readers).find(({ row }) => row.name === name)?.candidates;
  assertEquals(
    sources([own], "CPU_PACKAGE_TEMPERATURE")?.includes("THERMAL::PACKAGE_TEMPERATURE"),
    false,
  );
  assertEquals(sources([thermal], "CPU_PACKAGE_TEMPERATURE")?.slice(-2), [
    ...["THERMAL::PACKAGE_TEMPERATURE", "CNL::CPU_TEMPERATURE"],
  ]);
  const signal = "THERMAL::PACKAGE_TEMPERATURE";
  const made = { ...thermal, aliases: [{ name: "WARMTH", signal }] };
  assertEquals(sources([made], "WARMTH"), [signal]);
  assertEquals(aliasesWith([made]).at(-1)?.row, { ...thermal.signals[0], name: "WARMTH" });
});
