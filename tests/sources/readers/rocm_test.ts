/** The ROCm SMI reader against a small library of our own with the same calls. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { loadRocm, type OpenedRocm } from "../../../src/os/devices/rocm_smi.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { rocm, rocmReader } from "../../../src/sources/readers/rocm.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { compile, NO_COMPILER } from "../../_support/compiled.ts";
import { FakeHost } from "../../_support/fake_host.ts";
import { skippedWithout } from "../../_support/skipped.ts";

const MODULE = "0x7408";

/** Cards 0 and 1 are a module, card 2 is one by itself. */
class GpuHost extends FakeHost {
  readonly links = new Map([[0, "0000:c1:00.0"], [1, "0000:c6:00.0"], [2, "0000:41:00.0"]]);

  constructor() {
    const files = Object.fromEntries([0, 1, 2].flatMap((card) => {
      const dir = `/sys/class/drm/card${card}/device`;
      return [[`${dir}/vendor`, "0x1002\n"], [`${dir}/device`, card < 2 ? MODULE : "0x740f\n"]];
    }));
    const cpus = [{ package: 0, core: 0 }, { package: 0, core: 1 }];
    super(files, new PlatformTopology({ cpus, gpu: [[0], [1]], gpuChip: [[0], [0], [1]] }));
    this.root = "";
  }

  override readLink(path?: string): undefined {
    const card = /card(\d)\/device$/.exec(path ?? "")?.[1];
    const address = card === undefined ? undefined : this.links.get(Number(card));
    return (address === undefined ? undefined : `../../../${address}`) as undefined;
  }
}

function withLibrary(name: string, flags: readonly string[], body: (o: () => OpenedRocm) => void) {
  Deno.test({
    ...skippedWithout(name, NO_COMPILER),
    fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-rocm-" });
      try {
        compile("sources/readers/fake_rocm_smi.c", `${dir}/lib.so`, ["-shared", "-fPIC", ...flags]);
        const opened = loadRocm(`${dir}/lib.so`);
        body(() => opened);
        if (opened.ok) opened.library[Symbol.dispose]();
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

function read(open: () => OpenedRocm, names: string[], times: number[]) {
  const reader = rocmReader(open);
  const host = new GpuHost();
  const offer = reader.probe(host);
  assert(offer.ok, JSON.stringify(offer));
  using reading = reader.open(
    host,
    names.map((name) => offer.signals.find((s) => s.row.name === name)!),
  );
  const out = new Float64Array(names.length * 2);
  return {
    offer,
    rows: times.map((timeS) => {
      reading.readInto(out, timeS);
      return [...out];
    }),
  };
}

withLibrary("ROCm figures are in SI units, of each module's first device", [], (open) => {
  const { rows } = read(open, [
    "ROCM::POWER",
    "ROCM::POWER_LIMIT",
    "ROCM::UTILIZATION",
    "ROCM::TEMPERATURE",
    "ROCM::MEMORY_USED",
  ], [0]);
  assertEquals(rows[0].slice(0, 4), [300, 302, 560, 560]);
  assertEquals(rows[0].slice(4, 8), [0.5, 0.52, 45, 47]);
  assertEquals(rows[0].slice(8), [68719476736, 68719476734]);
});

withLibrary("ROCm energy is counts times the device's unit, in 64 bits", [], (open) => {
  const { rows, offer } = read(open, ["ROCM::ENERGY"], [0, 0.02, 0.04]);
  assert(rows[0][0] > 6e9 * 15.25e-6);
  for (const gpu of [0, 1]) assertAlmostEquals(rows[2][gpu] - rows[0][gpu], 2 * 0.999424, 1e-6);
  assertAlmostEquals(offer.signals[0].resolution!, 15.25e-6, 1e-12);
});

withLibrary(
  "an old ROCm SMI lacks energy and falls back to the socket's power",
  ["-DOLD"],
  (open) => {
    const { rows, offer } = read(open, ["ROCM::POWER"], [0]);
    assertEquals(rows[0], [310, 312]);
    assert(offer.missing!.get("ROCM::ENERGY")!.reason.includes("not supported"));
  },
);

withLibrary(
  "GPU_ENERGY stands for ROCm's counter before the integral of sysfs power",
  [],
  (open) => {
    const readers = READERS.map((r) => r.name === "ROCM" ? rocmReader(open) : r);
    const catalogue = buildCatalogue({ host: new GpuHost(), readers });
    assertEquals(catalogue.info("GPU_ENERGY")!.aliasFor, "ROCM::ENERGY");
    assertEquals(catalogue.info("GPU_POWER")!.aliasFor, "ROCM::POWER");
  },
);

Deno.test("without the library ROCM is absent", () => {
  const answer = loadRocm("/no/such/librocm_smi64.so");
  assert(!answer.ok && answer.reason === "no /no/such/librocm_smi64.so");
  assertEquals(rocm.probe(new FakeHost()).ok, false);
});

Deno.test("without an AMD card ROCm SMI is not even loaded", () => {
  const never = (): OpenedRocm => {
    throw new Error("loaded");
  };
  const nvidia = { "/sys/class/drm/card0/device/vendor": "0x10de\n" };
  for (const files of [{}, nvidia]) {
    const host = new FakeHost(files);
    host.root = "";
    const offer = rocmReader(never).probe(host);
    assert(!offer.ok && offer.reason === "no AMD GPU in /sys/class/drm");
  }
});
