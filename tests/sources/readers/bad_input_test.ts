/** Sources that fail, lie, vanish and come back: NaN for that step, counted, and the others go on. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Reader } from "../../../src/core/machine/host.ts";
import type { SignalReading } from "../../../src/core/signal.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { amdgpu } from "../../../src/sources/readers/amdgpu.ts";
import { cray } from "../../../src/sources/readers/cray.ts";
import { hwmon } from "../../../src/sources/readers/hwmon.ts";
import { msr } from "../../../src/sources/readers/msr.ts";
import { powercap } from "../../../src/sources/readers/powercap.ts";
import { type Content, FakeHost } from "../../_support/fake_host.ts";

const CPUINFO = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n" +
  "model name\t: Xeon\n\n";
const PM = "/sys/cray/pm_counters";
const ZONE = "/sys/class/powercap/intel-rapl:0";

interface Opened {
  reading: SignalReading;
  /** Values of one tick. */
  at(timeS: number): number[];
}

function open(reader: Reader, host: FakeHost, names: readonly string[]): Opened {
  const offer = reader.probe(host);
  assert(offer.ok, JSON.stringify(offer));
  const wanted = names.map((n) => offer.signals.find((s) => s.row.name === n)!);
  assert(
    wanted.every((s) => s !== undefined),
    `${names} of ${offer.signals.map((s) => s.row.name)}`,
  );
  const width = wanted.reduce((n, s) => n + host.topology.count(s.row.domain), 0);
  const reading = reader.open(host, wanted);
  const out = new Float64Array(width);
  return {
    reading,
    at: (timeS) => {
      out.fill(-1);
      reading.readInto(out, timeS);
      return [...out];
    },
  };
}

function kinds(reading: SignalReading): Record<string, number> {
  return Object.fromEntries((reading.troubles ?? []).map((t) => [t.kind, t.count]));
}

function zone(energy: Content): FakeHost {
  return new FakeHost({
    "/proc/cpuinfo": CPUINFO,
    [`${ZONE}/name`]: "package-0\n",
    [`${ZONE}/max_energy_range_uj`]: "262143328850\n",
    [`${ZONE}/energy_uj`]: energy,
  });
}

const ENERGY = ["POWERCAP::CPU_ENERGY_CONSUMED"];

Deno.test("a text counter: every bad content is NaN for that step, and the next step is right", () => {
  const bad: [Content, string][] = [
    ["", "torn"],
    ["12", "torn"],
    ["\n", "torn"],
    ["text\n", "error"],
    ["-5\n", "error"],
    ["18446744073709551615\n", "error"],
    ["99999999999999999999999\n", "error"],
    ["1 2\n", "error"],
    [5, "error"],
    [13, "error"],
    [2, "gone"],
    [19, "gone"],
  ];
  for (const [content, kind] of bad) {
    const host = zone("1000000\n");
    const { reading, at } = open(powercap, host, ENERGY);
    assertEquals(at(0), [1]);
    host.files.set(`${ZONE}/energy_uj`, content);
    assert(Number.isNaN(at(1)[0]), JSON.stringify(content));
    assertEquals(kinds(reading), { [kind]: 1 }, JSON.stringify(content));
    host.files.set(`${ZONE}/energy_uj`, "3000000\n");
    assertEquals(at(5), [3], JSON.stringify(content));
  }
});

Deno.test("a text counter: a file caught half-written is read again in the same step", () => {
  let reads = 0;
  const host = zone(() => (++reads % 3 === 0 ? "2000000\n" : reads % 3 === 1 ? "" : "20"));
  const { reading, at } = open(powercap, host, ENERGY);
  assertEquals(at(0), [2]);
  assertEquals(kinds(reading), {});
});

Deno.test("a text counter: a reset is seen, wrap goes on, a frozen one is NaN and reported once", () => {
  const host = zone("200000000000\n");
  const { reading, at } = open(powercap, host, ENERGY);
  const set = (text: string) => host.files.set(`${ZONE}/energy_uj`, text);
  assertEquals(at(0), [200000]);
  set("262143328850\n");
  assertAlmostEquals(at(1)[0], 262143.32885, 1e-6);
  // The range itself is a value: the wrap adds one count more.
  set("999999\n");
  assertAlmostEquals(at(2)[0], 262144.32885, 1e-6);
  set("500000\n");
  assertEquals(at(3), [NaN]);
  assertEquals(kinds(reading), { reset: 1 });
  set("800000\n");
  // One microjoule back: what came in between is not known.
  assertAlmostEquals(at(4)[0], 262144.328849, 1e-6);
  set("900000\n");
  assertAlmostEquals(at(5)[0], 262144.428849, 1e-6);
  for (let t = 6; t < 20; t++) at(t);
  assertEquals(at(20), [NaN]);
  assertEquals(kinds(reading), { reset: 1, stall: 1 });
});

Deno.test("a text counter without read permission is forbidden, with a remedy", () => {
  const host = zone("1\n");
  host.closed.set(`${ZONE}/energy_uj`, 13);
  const offer = powercap.probe(host);
  assert(offer.ok);
  const lack = offer.missing!.get(ENERGY[0])!;
  assertEquals(lack.kind, "forbidden");
  assert(lack.remedy!.includes("CVE-2020-8694"));
});

function intel(values: Record<number, bigint | number>, model = 85): FakeHost {
  const host = new FakeHost({
    "/proc/cpuinfo": CPUINFO.replace("85", String(model)),
  });
  host.msr.set(0, new Map(Object.entries(values).map(([k, v]) => [Number(k), v])));
  host.msr.set(1, new Map());
  return host;
}

const PKG = "MSR::PKG_ENERGY_STATUS:ENERGY";

Deno.test("a register that faults, refuses or reads all ones is NaN for that step alone", () => {
  const host = intel({ 0x606: 0xa0e03n, 0x611: 0x4000n, 0x619: 0x10000n });
  const { reading, at } = open(msr, host, [PKG, "MSR::DRAM_ENERGY_STATUS:ENERGY"]);
  assertEquals(at(0), [1, 1]);
  for (const value of [5, 13, 0xffffffffffffffffn]) {
    host.msr.get(0)!.set(0x611, value);
    const [pkg, dram] = at(1);
    assert(Number.isNaN(pkg) && dram === 1);
  }
  host.msr.get(0)!.set(0x611, 0x8000n);
  assertEquals(at(2), [2, 1]);
  assertEquals(kinds(reading), { error: 3 });
});

Deno.test("a unit register of 0 or a fault means no RAPL; a known model has GEOPM's unit", () => {
  const none = msr.probe(intel({ 0x606: 0n, 0x611: 5n, 0x10: 7n }));
  assert(none.ok);
  assert(none.missing!.get(PKG)!.reason.includes("virtual machines"));
  const fallback = msr.probe(intel({ 0x611: 5n }));
  assert(fallback.ok);
  const signal = fallback.signals.find((s) => s.row.name === PKG)!;
  assertEquals(signal.resolution, 2 ** -14);
  assert(signal.note!.includes("GEOPM"));
});

Deno.test("energies that read 0 are absent; units follow the exception table", () => {
  const resolution = (model: number, unit: bigint, name: string) => {
    const registers = { 0x606: unit, 0x611: 9n, 0x619: 9n, 0x639: 0n, 0x64d: 9n };
    const offer = msr.probe(intel(registers, model));
    assert(offer.ok);
    return offer.signals.find((s) => s.row.name === name)?.resolution;
  };
  const DRAM = "MSR::DRAM_ENERGY_STATUS:ENERGY";
  const PSYS = "MSR::PLATFORM_ENERGY_STATUS:ENERGY";
  assertEquals(resolution(0x55, 0xa0e03n, DRAM), 2 ** -16);
  assertEquals(resolution(0x8f, 0xa0e03n, DRAM), 2 ** -14);
  assertEquals(resolution(0x8f, 0xa0e03n, PSYS), 1);
  assertEquals(resolution(0x9e, 0xa0e03n, PSYS), 2 ** -14);
  assertEquals(resolution(0x3e, 0xa1003n, DRAM), 2 ** -16);
  assertEquals(resolution(0x2a, 0xa1003n, DRAM), undefined);
  assertAlmostEquals(resolution(0x37, 0x00505n, PKG)!, 32e-6, 1e-18);
  assertEquals(resolution(0x9e, 0xa0e03n, "MSR::PP0_ENERGY_STATUS:ENERGY"), undefined);
});

Deno.test("the platform's energy is taken from the package that has it", () => {
  const topology = PlatformTopology.regular({ packages: 2, coresPerPackage: 1, threadsPerCore: 1 });
  const host = new FakeHost({ "/proc/cpuinfo": CPUINFO.replace("85", "143") }, topology);
  const units = 0xa0e03n;
  host.msr.set(0, new Map<number, bigint>([[0x606, units], [0x611, 1n], [0x64d, 0n]]));
  host.msr.set(1, new Map<number, bigint>([[0x606, units], [0x611, 1n], [0x64d, 500n]]));
  assertEquals(open(msr, host, ["MSR::PLATFORM_ENERGY_STATUS:ENERGY"]).at(0), [500]);
});

Deno.test("one read a register a tick, however many of its fields are wanted", () => {
  const host = intel({ 0x606: 0xa0e03n, 0x610: 0x784e000158410n, 0x614: 0x2f064002000410n });
  const names = ["PL1_POWER_LIMIT", "PL1_TIME_WINDOW", "PL2_POWER_LIMIT", "LOCK"]
    .map((field) => `MSR::PKG_POWER_LIMIT:${field}`);
  const { at } = open(msr, host, [...names, "MSR::PKG_POWER_INFO:MAX_POWER"]);
  at(0);
  const before = host.reads;
  at(1);
  // The constant of the second register is known by now.
  assertEquals(host.reads - before, 1);
});

function controller(more: Record<string, Content> = {}): FakeHost {
  return new FakeHost({
    [`${PM}/freshness`]: "10\n",
    [`${PM}/energy`]: "1000 J\n",
    [`${PM}/power`]: "300 W\n",
    [`${PM}/startup`]: "77\n",
    [`${PM}/generation`]: "1\n",
    ...more,
  });
}

const NODE = ["CNL::BOARD_ENERGY", "CNL::BOARD_POWER"];

Deno.test("cray: a pass that a publication interrupts is taken again", () => {
  const freshness = ["10\n", "11\n", "11\n"];
  let k = 0;
  const host = controller();
  const { reading, at } = open(cray, host, NODE);
  host.files.set(`${PM}/freshness`, () => freshness[Math.min(k++, 2)]);
  host.files.set(`${PM}/power`, () => (k <= 1 ? "300 W\n" : "400 W\n"));
  assertEquals(at(0), [1000, 400]);
  assertEquals(kinds(reading), {});
});

Deno.test("cray: a freshness that never agrees is reported and does not hang", () => {
  let k = 0;
  const host = controller();
  const { reading, at } = open(cray, host, NODE);
  host.files.set(`${PM}/freshness`, () => `${k++}\n`);
  assertEquals(at(0), [1000, 300]);
  assertEquals(kinds(reading), { torn: 1 });
});

Deno.test("cray: a restart of the controller adds nothing over the gap", () => {
  let fresh = 10;
  const host = controller({ [`${PM}/freshness`]: () => `${Math.floor(fresh++ / 4)}\n` });
  const { reading, at } = open(cray, host, NODE);
  at(0);
  host.files.set(`${PM}/energy`, "1500 J\n");
  assertEquals(at(1)[0], 1500);
  host.files.set(`${PM}/startup`, "78\n");
  host.files.set(`${PM}/energy`, "900000 J\n");
  // One count back: what came in between is not known.
  assertEquals(at(2)[0], 1499);
  host.files.set(`${PM}/energy`, "900010 J\n");
  assertEquals(at(3)[0], 1509);
  assertEquals(kinds(reading), { reset: 1 });
});

Deno.test("cray: a frozen controller, a changed cap and a busy file are reported", () => {
  const host = controller();
  const { reading, at } = open(cray, host, NODE);
  at(0);
  host.files.set(`${PM}/generation`, "2\n");
  let busy = 2;
  host.files.set(`${PM}/power`, () => (busy-- > 0 ? 11 : "310 W\n"));
  assertEquals(at(1), [1000, 310]);
  for (let t = 2; t < 6; t++) at(t);
  assertEquals(kinds(reading), { cap: 1, stall: 1 });
});

Deno.test("cray: bad contents are NaN and the other file goes on", () => {
  for (const content of ["", "abc\n", "300\n", "300W\n", "300 J\n", "-5 W\n", 5, 2]) {
    const host = controller();
    const { reading, at } = open(cray, host, NODE);
    at(0);
    host.files.set(`${PM}/power`, content);
    const [energy, power] = at(1);
    assertEquals(energy, 1000);
    assert(Number.isNaN(power), JSON.stringify(content));
    assertEquals(reading.troubles!.length, 1);
  }
});

Deno.test("cray: files with the time of the sample, fractions and no line feed are read", () => {
  const host = controller({
    [`${PM}/energy`]: "1000 J 1700061089722572 us\n",
    [`${PM}/power`]: "286.5 W",
    [`${PM}/raw_scan_hz`]: "20 Hz\n",
    [`${PM}/freshness`]: "10 1700061089722572 us\n",
  });
  const { at } = open(cray, host, [...NODE, "CNL::SAMPLE_STAMP", "CNL::SAMPLE_ELAPSED_TIME"]);
  assertEquals(at(0), [1000, 286.5, 1700061089.722572, 0]);
  host.files.set(`${PM}/freshness`, "30\n");
  assertEquals(at(1)[3], 1);
});

Deno.test("hwmon: a chip that goes away and comes back is opened again", () => {
  const dir = "/sys/class/hwmon/hwmon3";
  const host = new FakeHost({
    [`${dir}/name`]: "power_meter\n",
    [`${dir}/power1_average`]: "250000000\n",
  });
  const { reading, at } = open(hwmon, host, ["HWMON::METER_POWER"]);
  assertEquals(at(0), [250]);
  host.files.delete(`${dir}/power1_average`);
  assert(Number.isNaN(at(1)[0]));
  assert(Number.isNaN(at(1.2)[0]));
  host.files.set(`${dir}/power1_average`, "260000000\n");
  assertEquals(at(5), [260]);
  assertEquals(Object.keys(kinds(reading)), ["gone"]);
});

Deno.test("hwmon: two plain meters give no node power", () => {
  const files: Record<string, Content> = {};
  for (const n of [0, 1]) {
    files[`/sys/class/hwmon/hwmon${n}/name`] = "power_meter\n";
    files[`/sys/class/hwmon/hwmon${n}/power1_average`] = "1\n";
  }
  assert(!hwmon.probe(new FakeHost(files)).ok);
});

Deno.test("a register file's empty words are no counters, frequencies or limits", () => {
  const zeros = Object.fromEntries(
    [0x10, 0xe7, 0xe8, 0x198, 0x309, 0x614, 0x19c, 0x1b1, 0x613].map((r) => [r, 0n]),
  );
  const offer = msr.probe(intel({ ...zeros, 0x606: 0xa0e03n, 0x611: 7n }));
  assert(offer.ok);
  const names = new Set(offer.signals.map((s) => s.row.name));
  for (
    const gone of [
      "MSR::TIME_STAMP_COUNTER:TIMESTAMP_COUNT",
      "MSR::APERF:ACNT",
      "MSR::PERF_STATUS:FREQ",
      "MSR::FIXED_CTR0:INST_RETIRED_ANY",
      "MSR::PKG_POWER_INFO:MIN_POWER",
      "MSR::PACKAGE_THERM_STATUS:TEMPERATURE",
    ]
  ) assert(!names.has(gone), gone);
  assert(names.has("MSR::PKG_PERF_STATUS:THROTTLE_TIME") && names.has(PKG));
});

/** Two packages whose physical ids are 0 and 3. */
function twoPackages(files: Record<string, Content>): FakeHost {
  const topology = new PlatformTopology({
    cpus: [{ package: 0, core: 0, packageId: 0 }, { package: 1, core: 1, packageId: 3 }],
  });
  return new FakeHost({ "/proc/cpuinfo": CPUINFO, ...files }, topology);
}

function zoneFiles(path: string, name: string, energy: string): Record<string, Content> {
  return {
    [`/sys/class/powercap/${path}/name`]: `${name}\n`,
    [`/sys/class/powercap/${path}/max_energy_range_uj`]: "262143328850\n",
    [`/sys/class/powercap/${path}/energy_uj`]: energy,
  };
}

Deno.test("powercap: zones by name, not by number; dies add up; links and mmio twins do not count", () => {
  const host = twoPackages({
    ...zoneFiles("intel-rapl:0", "package-3", "5000000\n"),
    ...zoneFiles("intel-rapl:1", "package-0-die-0", "1000000\n"),
    ...zoneFiles("intel-rapl:2", "package-0-die-1", "2000000\n"),
    ...zoneFiles("intel-rapl:0/intel-rapl:0:0", "dram", "7000000\n"),
    ...zoneFiles("intel-rapl:0:0", "dram", "7000000\n"),
    ...zoneFiles("intel-rapl-mmio:0", "package-0", "1000000\n"),
    ...zoneFiles("intel-rapl:3", "psys", "9000000\n"),
    ...zoneFiles("intel-rapl:4", "psys-1", "9000000\n"),
  });
  const names = [...ENERGY, "POWERCAP::DRAM_ENERGY_CONSUMED", "POWERCAP::PSYS_ENERGY_CONSUMED"];
  const { at } = open(powercap, host, names);
  const [p0, p1, d0, d1, psys] = at(0);
  assertEquals([p0, p1, d1, psys], [3, 5, 7, 9]);
  assert(Number.isNaN(d0));
});

Deno.test("hwmon: core temperatures by the kernel's numbers, which have gaps; a wide node's topology is not read again", () => {
  const cores = 64, ids = (i: number) => i + (i >> 3);
  const cpus = Array.from({ length: 2 * cores }, (_, cpu) => ({
    package: cpu < cores ? 0 : 1,
    core: cpu,
    packageId: cpu < cores ? 0 : 3,
    coreId: ids(cpu % cores),
  }));
  const files: Record<string, Content> = {};
  [0, 3].forEach((id, place) => {
    const dir = `/sys/class/hwmon/hwmon${place}`;
    files[`${dir}/name`] = "coretemp\n";
    files[`${dir}/temp1_label`] = `Package id ${id}\n`;
    files[`${dir}/temp1_input`] = `${50 + place}000\n`;
    for (let i = 0; i < cores; i++) {
      files[`${dir}/temp${i + 2}_label`] = `Core ${ids(i)}\n`;
      files[`${dir}/temp${i + 2}_input`] = `${place * cores + i}000\n`;
    }
  });
  const host = new FakeHost(files, new PlatformTopology({ cpus }));
  const read: string[] = [], readText = host.readText.bind(host);
  host.readText = (path) => (read.push(path), readText(path));
  const { at } = open(hwmon, host, ["HWMON::CORE_TEMPERATURE", "HWMON::PACKAGE_TEMPERATURE"]);
  assertEquals(at(0), [...cpus.map((_, cpu) => cpu), 50, 51]);
  assertEquals(read.filter((path) => path.startsWith("/sys/devices")), []);
});

for (
  const [what, freshness] of [
    ["changes", (n: number) => `${n}\n`],
    ["is empty", () => ""],
  ] as const
) {
  Deno.test(`cray: freshness that ${what} at each attempt is a trouble, and values stay`, () => {
    let reads = 0;
    const host = new FakeHost({
      [`${PM}/energy`]: "1000 J\n",
      [`${PM}/power`]: "200 W\n",
      [`${PM}/startup`]: "1\n",
      [`${PM}/freshness`]: () => freshness(reads++),
    });
    const { at, reading } = open(cray, host, NODE);
    assertEquals(at(0), [1000, 200]);
    assert(reading.troubles!.some(({ text }) => /each of ten attempts/.test(text)));
  });
}

Deno.test("cray: an error value or an impossible power is no power", () => {
  for (const watts of ["4294967295", "100001"]) {
    const host = new FakeHost({ [`${PM}/energy`]: "1000 J\n", [`${PM}/power`]: `${watts} W\n` });
    const { at, reading } = open(cray, host, NODE);
    assertEquals(at(0), [1000, NaN]);
    assert(/power/.test(reading.troubles![0].text), reading.troubles![0].text);
  }
});

Deno.test("cray: files of each package and module, of a node of four superchips", () => {
  const cpus = [0, 1, 2, 3].map((cpu) => ({ package: cpu, core: cpu }));
  const gpu = cpus.map((_, i) => [i]);
  const files = (numbers: readonly number[]) =>
    Object.fromEntries(numbers.flatMap((n) => [
      [`${PM}/cpu${n}_energy`, `${1000 + n} J\n`],
      [`${PM}/accel${n}_power`, `${300 + n} W\n`],
    ]));
  const all = { ...files([0, 1, 2, 3]), [`${PM}/cpu_energy`]: "4006 J\n" };
  const topology = new PlatformTopology({ cpus, gpu });
  const { at } = open(cray, new FakeHost(all, topology), ["CNL::PACKAGE_ENERGY", "CNL::GPU_POWER"]);
  assertEquals(at(0), [1000, 1001, 1002, 1003, 300, 301, 302, 303]);
  const reasonOf = (host: FakeHost) => {
    const offer = cray.probe(host);
    return offer.ok ? offer.missing!.get("CNL::PACKAGE_ENERGY")?.reason : offer.reason;
  };
  const some = new FakeHost({ ...files([0, 1]), [`${PM}/cpu_energy`]: "4006 J\n" }, topology);
  assertEquals(reasonOf(some), `${PM} has files of 2 of 4 packages`);
  const sum = new FakeHost({ [`${PM}/cpu_energy`]: "4006 J\n" }, topology);
  assertEquals(
    reasonOf(sum),
    `${PM}/cpu_energy is the sum of 4 packages, and none has a file of its own`,
  );
});

Deno.test("amdgpu: an error value and an impossible power are no power; 0 W and 300 W are", () => {
  const device = "/sys/class/drm/card0/device";
  for (const [text, watts] of [["4294967295", NaN], ["65535000000", NaN], ["0", 0], ["3e8", NaN]]) {
    const host = new FakeHost({
      [`${device}/vendor`]: "0x1002\n",
      [`${device}/hwmon/hwmon1/power1_average`]: `${text}\n`,
    }, new PlatformTopology({ cpus: [{ package: 0, core: 0 }], gpu: [[0]] }));
    assertEquals(open(amdgpu, host, ["AMDGPU::POWER"]).at(0), [watts]);
  }
});
