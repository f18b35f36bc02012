/** The NVML reader against a small library of our own with the same calls. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { loadNvml } from "../../../src/os/devices/nvml.ts";
import { findLibrary } from "../../../src/os/devices/library.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { nvml, nvmlReader } from "../../../src/sources/readers/nvml.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { Batch } from "../../../src/sources/signals/batch.ts";
import { compile, NO_COMPILER } from "../../_support/compiled.ts";
import { FakeHost } from "../../_support/fake_host.ts";
import { skippedWithout } from "../../_support/skipped.ts";

const GPUS = "/proc/driver/nvidia/gpus";

/** A node with two GPUs whose addresses the driver lists. */
function node(count = 2): FakeHost {
  const topology = new PlatformTopology({
    cpus: [{ package: 0, core: 0 }, { package: 0, core: 1 }],
    gpu: Array.from({ length: count }, (_, i) => [i]),
  });
  const host = new FakeHost({
    [`${GPUS}/0000:07:00.0/information`]: "",
    [`${GPUS}/0000:87:00.0/information`]: "",
  }, topology);
  host.root = "";
  return host;
}

/** A test over a form of the library. */
function withLibrary(
  name: string,
  flags: readonly string[],
  body: (open: () => ReturnType<typeof loadNvml>) => void,
): void {
  Deno.test({
    ...skippedWithout(name, NO_COMPILER),
    fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-nvml-" });
      const path = `${dir}/libnvidia-ml.so.1`;
      try {
        compile("sources/readers/fake_nvml.c", path, ["-shared", "-fPIC", ...flags]);
        const opened = loadNvml(path);
        body(() => opened);
        if (opened.ok) opened.library[Symbol.dispose]();
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

/** Values of signals at times, one row a time, by GPU. */
function read(open: () => ReturnType<typeof loadNvml>, names: string[], times: number[]) {
  const reader = nvmlReader(open);
  const host = node();
  const offer = reader.probe(host);
  assert(offer.ok, JSON.stringify(offer));
  const wanted = names.map((n) => offer.signals.find((s) => s.row.name === n)!);
  using reading = reader.open(host, wanted);
  const out = new Float64Array(names.length * 2);
  const rows = times.map((timeS) => {
    reading.readInto(out, timeS);
    return [...out];
  });
  return { rows, troubles: [...reading.troubles ?? []], offer };
}

withLibrary("NVML figures are in SI units, by PCI address, energy in 64 bits", [], (open) => {
  const { rows, offer } = read(open, [
    "NVML::GPU_POWER",
    "NVML::GPU_POWER_INSTANT",
    "NVML::GPU_POWER_LIMIT",
    "NVML::GPU_CORE_FREQUENCY_STATUS",
    "NVML::GPU_UNCORE_FREQUENCY_STATUS",
    "NVML::GPU_CORE_FREQUENCY_MAX_AVAIL",
    "NVML::GPU_UTILIZATION",
    "NVML::GPU_UNCORE_UTILIZATION",
    "NVML::GPU_TEMPERATURE",
    "NVML::GPU_MEMORY_USED",
    "NVML::GPU_MEMORY_TOTAL",
    "NVML::GPU_CORE_THROTTLE_REASONS",
  ], [0]);
  // GPU 0 is the one on bus 07, which the library lists second.
  assertEquals(rows[0].slice(0, 2), [251, 250]);
  assertEquals(rows[0].slice(2, 6), [261, 260, 400, 400]);
  assertEquals(rows[0].slice(6, 12), [1410e6, 1410e6, 1593e6, 1593e6, 1980e6, 1980e6]);
  assertEquals(rows[0].slice(12, 18), [0.75, 0.75, 0.2, 0.2, 41, 40]);
  assertEquals(rows[0].slice(18, 24), [8589934593, 8589934593, 85899345920, 85899345920, 4, 4]);
  assert(offer.ok && offer.missing!.get("NVML::GPU_MODULE_POWER")!.reason.includes("supported"));
  assert(offer.signals.every((s) => s.note === undefined));
});

withLibrary("NVML energy grows by the library's counter, read at most every 9 ms", [], (open) => {
  const name = "NVML::GPU_ENERGY_CONSUMPTION_TOTAL";
  const { rows, troubles } = read(open, [name], [0, 0.005, 0.01, 0.02]);
  assertAlmostEquals(rows[0][0], 10_000_003, 1e-6);
  assertEquals(rows[1], rows[0]);
  assertAlmostEquals(rows[2][0] - rows[0][0], 1.5, 1e-6);
  assertAlmostEquals(rows[3][1] - rows[0][1], 3, 1e-6);
  assertEquals(troubles, []);
});

withLibrary(
  "a GPU that falls off the bus is NaN with a reason, the other goes on",
  ["-DLOST"],
  (o) => {
    const name = "NVML::GPU_ENERGY_CONSUMPTION_TOTAL";
    const { rows, troubles } = read(o, [name], [0, 1, 2, 3]);
    assert(Number.isNaN(rows[3][0]) && rows[3][1] > rows[2][1]);
    assertEquals(troubles.map((t) => [t.kind, t.text]), [[
      "gone",
      "GPU 0: the GPU fell off the bus",
    ]]);
  },
);

withLibrary("an energy that starts anew adds nothing over the gap", ["-DRESET"], (open) => {
  const { rows, troubles } = read(open, ["NVML::GPU_ENERGY_CONSUMPTION_TOTAL"], [0, 1, 2, 3, 4]);
  const known = rows.map((row) => row[0]).filter((value) => value === value);
  assert(known.length < rows.length, "the reading in doubt is not available");
  const steps = known.slice(1).map((value, i) => value - known[i]);
  // A millijoule back where it begins again.
  assert(steps.every((step) => step >= -0.0011 && step <= 1.5 + 1e-6), steps.join());
  assertEquals(steps.filter((step) => step < 0).length, 1);
  assertEquals(troubles[0].kind, "reset");
});

withLibrary("an old library lacks figures and offers the others", ["-DOLD"], (open) => {
  const { offer } = read(open, ["NVML::GPU_POWER"], [0]);
  assert(offer.ok);
  const lack = offer.missing!.get("NVML::GPU_ENERGY_CONSUMPTION_TOTAL")!;
  assertEquals(lack.kind, "absent");
  assert(lack.reason.includes("not in this version of the library"), lack.reason);
});

withLibrary("MIG is said and left alone", ["-DMIG"], (open) => {
  const { rows, offer } = read(open, ["NVML::GPU_POWER", "NVML::GPU_UTILIZATION"], [0]);
  assert(offer.ok && offer.signals[0].note!.includes("MIG is on"));
  assertEquals(rows[0], [251, 250, 0.75, NaN]);
});

withLibrary("a library without its driver is unusable, and says so", ["-DNO_DRIVER"], (open) => {
  const offer = nvmlReader(open).probe(node());
  assert(!offer.ok && offer.kind === "unusable");
  assert(offer.reason.endsWith("the NVIDIA driver is not loaded"), offer.reason);
});

withLibrary("GPU_ENERGY and GPU_POWER stand for NVML where it is there", [], (open) => {
  const host = node();
  const readers = READERS.map((r) => r.name === "NVML" ? nvmlReader(open) : r);
  const catalogue = buildCatalogue({ host, readers });
  const targets = ["GPU_ENERGY", "GPU_POWER", "GPU_CORE_FREQUENCY_STATUS", "GPU_TEMPERATURE"]
    .map((name) => catalogue.info(name)!.aliasFor);
  assertEquals(targets, [
    "NVML::GPU_ENERGY_CONSUMPTION_TOTAL",
    "NVML::GPU_POWER",
    "NVML::GPU_CORE_FREQUENCY_STATUS",
    "NVML::GPU_TEMPERATURE",
  ]);
  using batch = new Batch(host.topology, catalogue);
  const power = batch.pushSignal("GPU_POWER", "board", 0);
  batch.read(0);
  batch.settle();
  assertEquals(batch.sample(power), 501);
});

withLibrary("GPUs that the topology does not have are unusable, not misplaced", [], (open) => {
  const offer = nvmlReader(open).probe(node(0));
  assert(!offer.ok && offer.reason.includes("none of them is in"), JSON.stringify(offer));
});

Deno.test("without the library NVML is absent, and over a tree it is not looked for", () => {
  const answer = loadNvml("/no/such/libnvidia-ml.so.1");
  assert(!answer.ok && answer.kind === "absent" && answer.reason.startsWith("no /no/such"));
  const offer = nvml.probe(new FakeHost());
  assert(!offer.ok && offer.reason === "a tree has no GPU library");
});

Deno.test("without a GPU of NVIDIA's driver NVML is not even loaded", () => {
  const never = (): ReturnType<typeof loadNvml> => {
    throw new Error("loaded");
  };
  const host = new FakeHost({ "/sys/class/drm/card0/device/vendor": "0x1002\n" });
  host.root = "";
  const offer = nvmlReader(never).probe(host);
  assert(!offer.ok && offer.reason.startsWith("no GPU in /proc/driver/nvidia/gpus"));
});

Deno.test("findLibrary() reports a library that is where the executable may not load from", () => {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-lib-" });
  try {
    Deno.writeTextFileSync(`${dir}/libjoulemark-nowhere.so`, "");
    const found = findLibrary("libjoulemark-nowhere.so", undefined, `relative:${dir}/`);
    assertEquals(found, { ok: false, outside: `${dir}/libjoulemark-nowhere.so` });
    assertEquals(findLibrary("libjoulemark-nowhere.so"), { ok: false, outside: undefined });
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
