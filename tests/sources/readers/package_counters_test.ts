/** One rule for the counters of a package, whichever source shows them: vendor and die. */
import { assert, assertEquals } from "@std/assert";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { columnsOf, perf } from "../../../src/sources/readers/perf.ts";
import { Batch } from "../../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { FakeHost } from "../../_support/fake_host.ts";

const INTEL = "GenuineIntel", AMD = "AuthenticAMD", HYGON = "HygonGenuine";
const POWERCAP = "/sys/class/powercap";
const PMU = "/sys/bus/event_source/devices/power";

/** Packages of two dies of two CPUs. */
function node(vendor: string, packages = 1): FakeHost {
  const cpus = Array.from({ length: 4 * packages }, (_, cpu) => ({
    package: Math.floor(cpu / 4),
    core: cpu,
    dieId: Math.floor(cpu / 2) % 2,
  }));
  const family = vendor === INTEL ? 6 : 23;
  const facts = `vendor_id : ${vendor}\ncpu family : ${family}\nmodel : 85\n`;
  return new FakeHost({ "/proc/cpuinfo": facts }, new PlatformTopology({ cpus }));
}

/** A zone for each die, with an energy in J, and a zone of memory inside. */
function addZones(host: FakeHost, joules: readonly number[]): void {
  joules.forEach((value, die) => {
    const zone = `${POWERCAP}/intel-rapl:${die}`;
    host.files.set(`${zone}/name`, `package-0-die-${die}\n`);
    host.files.set(`${zone}/energy_uj`, `${value * 1e6}\n`);
    host.files.set(`${zone}/max_energy_range_uj`, "262143328850\n");
    host.files.set(`${zone}/constraint_0_power_limit_uw`, `${(100 + die) * 1e6}\n`);
    host.files.set(`${zone}/intel-rapl:${die}:0/name`, "dram\n");
    host.files.set(`${zone}/intel-rapl:${die}:0/energy_uj`, `${value * 1e5}\n`);
  });
}

/** Values of signals at the packages. */
function read(host: FakeHost, ...names: string[]): number[] {
  using batch = new Batch(host.topology, buildCatalogue({ host, readers: READERS }));
  const count = host.topology.count("package");
  const handles = names.flatMap((name) =>
    Array.from({ length: count }, (_, p) => batch.pushSignal(name, "package", p))
  );
  batch.read(0);
  batch.settle();
  return handles.map((handle) => batch.sample(handle));
}

const ZONES = ["CPU_ENERGY_CONSUMED", "DRAM_ENERGY_CONSUMED", "CPU_POWER_LIMIT"]
  .map((name) => `POWERCAP::${name}`);

for (const vendor of [AMD, HYGON]) {
  Deno.test(`powercap: zones of the dies of one package show one counter on ${vendor}`, () => {
    const host = node(vendor);
    addZones(host, [1000, 1000.000007, 1000.000014]);
    assertEquals(read(host, ...ZONES), [1000, 100, 100]);
  });
}

Deno.test("powercap: dies of an Intel package add up", () => {
  const host = node(INTEL);
  addZones(host, [100, 60]);
  assertEquals(read(host, ...ZONES), [160, 16, 201]);
});

Deno.test("powercap: a package of Intel without the zone of a die has no energy", () => {
  const host = node(INTEL, 2);
  addZones(host, [100]);
  ["package-1-die-0", "package-1-die-1"].forEach((name, i) => {
    host.files.set(`${POWERCAP}/intel-rapl:${i + 1}/name`, `${name}\n`);
    host.files.set(`${POWERCAP}/intel-rapl:${i + 1}/energy_uj`, "30000000\n");
  });
  assertEquals(read(host, "POWERCAP::CPU_ENERGY_CONSUMED"), [NaN, 60]);
  assertEquals(read(host, "POWERCAP::DRAM_ENERGY_CONSUMED"), [NaN, NaN]);
});

Deno.test("powercap: a zone without a die's number is of the whole package", () => {
  const host = node(INTEL);
  addZones(host, [100]);
  host.files.set(`${POWERCAP}/intel-rapl:0/name`, "package-0\n");
  host.files.set(`${POWERCAP}/intel-rapl:1/name`, "psys\n");
  host.files.set(`${POWERCAP}/intel-rapl:1/energy_uj`, "300000000\n");
  assertEquals(read(host, ...ZONES), [100, 10, 100]);
  using batch = new Batch(host.topology, buildCatalogue({ host, readers: READERS }));
  const platform = batch.pushSignal("POWERCAP::PSYS_ENERGY_CONSUMED", "board", 0);
  batch.read(0);
  batch.settle();
  assertEquals(batch.sample(platform), 300);
});

Deno.test("powercap: zones in a zone are found where the class alone lists them", () => {
  const host = node(INTEL);
  addZones(host, [100, 60]);
  for (const [path, text] of [...host.files]) {
    const [, flat] = /^\/sys\/class\/powercap\/[^/]*\/(intel-rapl:.*)$/.exec(path) ?? [];
    if (flat === undefined) continue;
    host.files.delete(path);
    host.files.set(`${POWERCAP}/${flat}`, text);
  }
  assertEquals(read(host, ...ZONES), [160, 16, 201]);
});

/** Registers of all CPUs: units, an energy by die, and a power limit. */
function addRegisters(host: FakeHost, joules: readonly number[], [unit, energy]: [number, number]) {
  host.topology.places.forEach((place, cpu) => {
    const counts = BigInt(joules[place!.dieId!] * 2 ** 14);
    host.msr.set(
      cpu,
      new Map([[unit, 0xa0e03n], [energy, counts], [0x619, 65536n], [0x610, 800n]]),
    );
  });
}

Deno.test("msr: dies of an Intel package add up, in energies and limits", () => {
  const host = node(INTEL);
  addRegisters(host, [100, 60], [0x606, 0x611]);
  const limit = "MSR::PKG_POWER_LIMIT:PL1_POWER_LIMIT";
  assertEquals(read(host, "CPU_ENERGY", limit), [160, 200]);
});

Deno.test("msr: a die whose register fails leaves the package without energy", () => {
  const host = node(INTEL);
  addRegisters(host, [100, 60], [0x606, 0x611]);
  for (const cpu of [2, 3]) host.msr.get(cpu)!.set(0x611, 5);
  assertEquals(read(host, "CPU_ENERGY"), [NaN]);
});

Deno.test("msr: a package of AMD has one register, whichever die reads it", () => {
  const host = node(AMD);
  addRegisters(host, [100, 100], [0xc0010299, 0xc001029b]);
  assertEquals(read(host, "CPU_ENERGY"), [100]);
});

/** CPUs on which the energy of each package is counted. */
function perfCpus(vendor: string, cpumask: string, event = "PKG"): number[][] {
  const host = node(vendor, 2);
  host.files.set(`${PMU}/type`, "20\n");
  host.files.set(`${PMU}/cpumask`, `${cpumask}\n`);
  for (const name of ["pkg", "psys"]) {
    host.files.set(`${PMU}/events/energy-${name}`, "event=0x02\n");
    host.files.set(`${PMU}/events/energy-${name}.scale`, "2.3283064365386962890625e-10\n");
    host.files.set(`${PMU}/events/energy-${name}.unit`, "Joules\n");
  }
  const row = perf.signals.find(({ name }) => name === `PERF::ENERGY_${event}`)!;
  const columns = columnsOf(host, row);
  assert(Array.isArray(columns), JSON.stringify(columns));
  return columns.map(({ specs }) => specs.map(({ cpu }) => cpu));
}

Deno.test("perf: each die of an Intel package is counted, a package of AMD once, a platform once", () => {
  assertEquals(perfCpus(INTEL, "0,2,4,6"), [[0, 2], [4, 6]]);
  assertEquals(perfCpus(INTEL, "0,4"), [[0], [4]]);
  assertEquals(perfCpus(AMD, "0,2,4,6"), [[0], [4]]);
  assertEquals(perfCpus(HYGON, "0,2,4,6"), [[0], [4]]);
  assertEquals(perfCpus(INTEL, "0,2,4,6", "PSYS"), [[0]]);
});

const HWMON = "/sys/class/hwmon";

/** Chips with their powers in µW by label; temperatures are the chip's number. */
function addChips(host: FakeHost, name: string, chips: readonly Record<string, number>[]): void {
  chips.forEach((powers, chip) => {
    const dir = `${HWMON}/hwmon${chip}`;
    host.files.set(`${dir}/name`, `${name}\n`);
    host.files.set(`${dir}/temp1_label`, "Tctl\n");
    host.files.set(`${dir}/temp1_input`, `${chip * 1000}\n`);
    for (const [i, [label, value]] of Object.entries(powers).entries()) {
      host.files.set(`${dir}/power${i + 1}_label`, `${label}\n`);
      host.files.set(`${dir}/power${i + 1}_input`, `${value}\n`);
    }
  });
}

const CORE = { SVI2_P_Core: 4e6 }, SOC = { SVI2_P_SoC: 20e6 };
const ZEN = ["HWMON::ZEN_CORE_POWER", "HWMON::ZEN_SOC_POWER", "HWMON::PACKAGE_TEMPERATURE"];

Deno.test("zenpower: four chips of two packages each belong to their package, in order", () => {
  const host = node(AMD, 2);
  addChips(host, "zenpower", [
    SOC,
    CORE,
    {},
    {},
    { SVI2_P_SoC: 21e6 },
    { SVI2_P_Core: 1e6 },
    {},
    {},
  ]);
  assertEquals(read(host, ...ZEN), [4, 1, 20, 21, 0, 4]);
});

Deno.test("zenpower: the order is that of the PCI bus, not that of the chips' numbers", () => {
  const host = node(AMD, 2);
  addChips(host, "zenpower", [{ SVI2_P_Core: 2e6 }, { SVI2_P_Core: 1e6 }]);
  const at = [`0000:00:19.3`, `0000:00:18.3`];
  host.readLink = ((path: string) => {
    const chip = /hwmon(\d)\/device$/.exec(path)?.[1];
    return chip && `../../../${at[Number(chip)]}`;
  }) as typeof host.readLink;
  assertEquals(read(host, "HWMON::ZEN_CORE_POWER"), [1, 2]);
});

Deno.test("zenpower: three chips of two packages belong to unknown packages", () => {
  const host = node(AMD, 2);
  addChips(host, "zenpower", [CORE, CORE, CORE]);
  assertEquals(read(host, "HWMON::ZEN_CORE_POWER"), [NaN, NaN]);
});

Deno.test("hwmon: labels of amd_energy are read, whatever the name of the chip", () => {
  const host = node(AMD);
  const chip = `${HWMON}/hwmon0`;
  host.files.set(`${chip}/name`, "zenergy\n");
  [["Ecore000", 5], ["Esocket0", 1001]].forEach(([label, joules], i) => {
    host.files.set(`${chip}/energy${i + 1}_label`, `${label}\n`);
    host.files.set(`${chip}/energy${i + 1}_input`, `${Number(joules) * 1e6}\n`);
  });
  assertEquals(read(host, "CPU_ENERGY"), [1001]);
});

Deno.test("hwmon: power of Ampere's processors is read by xgene-hwmon", () => {
  const host = node("", 2);
  addChips(host, "apm_xgene", [
    { "CPU power": 16e6, "IO power": 32e6 },
    { "CPU power": 17e6, "IO power": 33e6 },
  ]);
  assertEquals(read(host, "CPU_POWER", "HWMON::XGENE_IO_POWER"), [16, 17, 32, 33]);
  assertEquals(
    buildCatalogue({ host, readers: READERS }).info("CPU_ENERGY")!.aliasFor,
    "INTEGRAL::XGENE_CPU_POWER",
  );
});

Deno.test("hwmon: chips with unknown meters, and meters of unknown purpose, are named", () => {
  const host = node(INTEL);
  addChips(host, "ina3221", [{ VDD_IN: 5e6 }]);
  for (const chip of [7, 8]) {
    host.files.set(`${HWMON}/hwmon${chip}/name`, "power_meter\n");
    host.files.set(`${HWMON}/hwmon${chip}/power1_average`, "100000000\n");
  }
  const offer = READERS.find(({ name }) => name === "HWMON")!.probe(host);
  assert(!offer.ok);
  assertEquals(
    offer.reason,
    "/sys/class/hwmon/hwmon0 (ina3221) is not read: unknown chip with VDD_IN; " +
      "2 ACPI meters (/sys/class/hwmon/hwmon7/power1_average, /sys/class/hwmon/hwmon8/power1_average) " +
      "are not read: which one measures the node is unknown",
  );
});
