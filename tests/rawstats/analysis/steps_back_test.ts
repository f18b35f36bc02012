/** Counters that step back: dips that recover, boots, and rates that no counter reaches. */
import { assert, assertEquals } from "@std/assert";
import { judgeStep } from "../../../src/rawstats/analysis/judge.ts";
import { every300, header, json, printed, record } from "./_files.ts";

Deno.test("a value that recovers in the next record was a dip, at any depth", async () => {
  // 4 TB for 800 B, were it a reset
  const rx = await every300("!ib_sw rx_bytes,E,U=B", [
    "ib_sw 0 4000000000000",
    "ib_sw 0 3000000000000",
    "ib_sw 0 4000000000800",
  ]);
  assertEquals(rx.series.ib_sw["0"].rx_bytes.delta, [null, 0, 800]);
  assertEquals(rx.mended, { wrap: 0, reset: 0, dip: 1 });
  // 25 THz, were it a wrap
  const fixed = await every300("!intel_8pmc3 FIXED_CTR0,E,W=48", [
    "intel_8pmc3 0 200000000000000",
    "intel_8pmc3 0 190000000000000",
    "intel_8pmc3 0 200000000001000",
  ]);
  assertEquals(fixed.series.intel_8pmc3["0"].FIXED_CTR0.delta, [null, 0, 1000]);
});

Deno.test("a fall in the last record is what the rate of its counter allows", async () => {
  const last = async (schema: string, ...values: number[]) => {
    const [type] = schema.slice(1).split(" ");
    const lines = values.map((value) => `${type} 0 ${value}`);
    const { series, mended } = await every300(schema, lines);
    const [key]: { delta: number[] }[] = Object.values(series[type]["0"]);
    const [kind] = Object.entries(mended).find(([, n]) => n === 1)!;
    return [kind, key.delta[1]];
  };
  // more cycles than a CPU has in 300 s, as a wrap and as a reset
  const cycles = "!intel_8pmc3 FIXED_CTR0,E,W=48";
  assertEquals(await last(cycles, 2e14, 1.9e14), ["dip", 0]);
  assertEquals(await last(cycles, 281474976710000, 500), ["wrap", 1156]);
  assertEquals(await last("!cpu user,E,U=cs", 5_000_000, 4_000_000), ["dip", 0]);
  assertEquals(await last("!cpu user,E,U=cs", 5_000_000, 20_000), ["reset", 20_000]);
  assertEquals(await last("!net rx_bytes,E,U=B", 4e15, 3e15), ["dip", 0]);
  assertEquals(await last("!net rx_bytes,E,U=B", 4e12, 1e12), ["reset", 1e12]);
});

Deno.test("judgeStep() keeps a wrap at a steady rate, though the next value is larger", () => {
  const prev = 3_000_000_000n, cur = 1_000_000_000n, next = 3_300_000_000n;
  const bound = 2 ** 40;
  assertEquals(judgeStep(prev, cur, 32, { bound, next }).kind, "wrap");
  assertEquals(judgeStep(prev, 2_900_000_000n, 32, { bound, next }).kind, "dip");
  // a fall of an energy register is a wrap whenever its power allows that
  const energy = { bound: 2 ** 40, usual: 2 ** 33, next: 3_000_000_500n };
  assertEquals(judgeStep(prev, 2_999_999_000n, 32, energy).kind, "wrap");
});

const SCHEMAS = [
  "!cpu user,E,U=cs idle,E,U=cs iowait,E,U=cs",
  "!ib port_rcv_data,E,U=4B,W=32",
  "!intel_rapl MSR_PKG_ENERGY_STATUS,E,U=mJ,W=32",
];

/** Records of a node that boots: seconds, then user, iowait, data and energy. */
function lines([seconds, user, iowait, data, energy]: number[], mark: string[] = []): string {
  const rows = [`cpu 0 ${user} 100 ${iowait}`, `ib mlx5_0.1 ${data}`, `intel_rapl 0 ${energy}`];
  return record(1760000000 + seconds, "77", ...mark, ...rows);
}

Deno.test("after a boot, by $uptime, what counters show was counted since then", async () => {
  const before = header(SCHEMAS, 864000) + lines([0, 5e6, 627, 9e8, 3e9], ["%begin 77"]) +
    lines([600, 5030000, 627, 903e6, 4179648000]);
  const after = header(SCHEMAS, 60) + lines([960, 3000, 3, 2e6, 117964800]) +
    lines([1560, 33000, 53, 5e6, 1297612800], ["%end 77"]);
  const inputs: Record<string, string>[] = [{ before, after }, { joined: before + after }];
  for (const files of inputs) {
    const all = await json(files, "--job", "77", "--energy-unit", "2^-14");
    const { cpu, ib, intel_rapl } = all.series;
    assertEquals(cpu["0"].user.delta, [null, 30000, 3000, 30000]);
    assertEquals(cpu["0"].iowait.delta, [null, 0, 3, 50]);
    assertEquals(ib["mlx5_0.1"].port_rcv_data.delta, [null, 12e6, 8e6, 12e6]);
    const energy = intel_rapl["0"].MSR_PKG_ENERGY_STATUS.delta;
    assertEquals(energy, [null, 1179648000, 117964800, 1179648000]);
    assertEquals(all.metrics.pkg_energy, 151200);
    assert(all.metrics_corrected.includes("pkg_energy"));
  }
});

Deno.test("a boot counts once, though the clock was ahead at the boot and was then set back", async () => {
  const before = header(SCHEMAS, 864000) + lines([0, 5e6, 627, 9e8, 3e9]) +
    lines([600, 5030000, 627, 903e6, 3e9]);
  const after = header(SCHEMAS, 60) + lines([8160, 3000, 3, 2e6, 0]) +
    lines([1020, 6000, 3, 3e6, 0]) +
    lines([1080, 9000, 3, 4e6, 0]) + lines([1140, 12000, 3, 5e6, 0]);
  const { cpu } = (await json({ before, after })).series;
  assertEquals(cpu["0"].user.delta, [null, 30000, 3000, null, 3000, 3000]);
  const first = await json({ after });
  assertEquals(first.series.cpu["0"].user.delta, [null, null, 3000, 3000]);
});

Deno.test("after a boot a register counts only while it cannot have passed its range", async () => {
  const before = header(SCHEMAS, 864000) + lines([0, 5e6, 627, 9e8, 3e9]);
  // 1000 s at 600 W are more than 2^32 counts of 2^-14 J
  const after = header(SCHEMAS, 1000) + lines([1600, 3000, 3, 2e6, 117964800]) +
    lines([1700, 3100, 3, 2e6, 117964800 + 163840]);
  const all = await json({ before, after }, "--energy-unit", "2^-14");
  assertEquals(all.series.intel_rapl["0"].MSR_PKG_ENERGY_STATUS.delta, [null, null, 163840]);
  assertEquals(all.metrics.pkg_energy, 10);
  assert(all.metrics_at_least.includes("pkg_energy"));
});

Deno.test("a boot inside of a file is known by counters that the kernel keeps from boot on", async () => {
  const file = header(SCHEMAS, 864000) + lines([0, 5e6, 627, 9e8, 3e9]) +
    lines([300, 3000, 3, 2e6, 117964800]) + lines([600, 6000, 3, 3e6, 235929600]);
  const all = await json({ file }, "--energy-unit", "2^-14");
  const { ib, intel_rapl } = all.series;
  assertEquals(ib["mlx5_0.1"].port_rcv_data.delta, [null, 8e6, 4e6]);
  assertEquals(intel_rapl["0"].MSR_PKG_ENERGY_STATUS.delta, [null, 117964800, 117964800]);
});

Deno.test("metrics that a correction went into are marked, in JSON and in the table", async () => {
  const schema = "!net rx_bytes,E,U=B tx_bytes,E,U=B";
  const values = [
    "net eth0 5000 100",
    "net eth0 9000 50000",
    "net eth0 9000 7",
    "net eth0 9500 80",
  ];
  const all = await every300(schema, values);
  assertEquals([all.metrics_corrected, all.metrics_at_least], [["avg_ethbw"], []]);
  assertEquals(all.jobs["1"].metrics_corrected, ["avg_ethbw"]);
  const records = values.map((line, i) => record(1760000000 + 300 * i, "1", line));
  const { stdout } = await printed({ a: header([schema]) + records.join("") });
  assert(/^avg_ethbw +[\d.]+\* +MiB\/s$/m.test(stdout), stdout);
  assert(/^net +eth0 +tx_bytes +B +\d+\* /m.test(stdout), stdout);
  assert(/^net +eth0 +rx_bytes +B +4500 /m.test(stdout), stdout);
});

/** A package of so many watts, in counts of 2^-16 J, every so many seconds. */
function amd(watts: number, stepS: number, records: number): string {
  let text = header(["!amd64_rapl MSR_PKG_ENERGY_STAT,E,U=mJ,W=32"]);
  for (let i = 0; i < records; i++) {
    const counts = BigInt(watts * stepS * i) * 65536n % 2n ** 32n;
    text += record(1760000000 + stepS * i, "1", `amd64_rapl 0 ${counts}`);
  }
  return text;
}

Deno.test("energies whose register may have passed its range between records are at least that", async () => {
  const slow = await json({ a: amd(280, 300, 10) });
  assert(slow.metrics_at_least.includes("pkg_energy"));
  assert(slow.metrics.pkg_energy < 280 * 300 * 9);
  assert(slow.jobs["1"].metrics_at_least.includes("package_power"));
  const quick = await json({ a: amd(280, 60, 10) });
  assertEquals([quick.metrics.pkg_energy, quick.metrics_at_least], [280 * 60 * 9, []]);
  const { stdout } = await printed({ a: amd(280, 300, 10) }, "-q");
  assert(/^pkg_energy +≥\d/m.test(stdout), stdout);
  assert(/^amd64_rapl +0 +MSR_PKG_ENERGY_STAT +- +≥\d+/m.test(stdout), stdout);
  assert(stdout.includes("≥: at least"), stdout);
  // a gap loses wraps too
  const gap = amd(100, 60, 3) +
    amd(100, 60, 100).split("\n\n").slice(99).map((r) => `\n${r}`).join("");
  assert((await json({ a: gap })).metrics_at_least.includes("pkg_energy"));
});

Deno.test("energies of a part of the job's time, or of its packages, are at least that", async () => {
  const schemas = ["!cpu user,E,U=cs", "!intel_rapl MSR_PKG_ENERGY_STATUS,E,U=mJ,W=32"];
  const job = async (hasLine: (device: number, i: number) => boolean) => {
    let a = header(schemas);
    for (let i = 0; i < 10; i++) {
      const rows = [0, 1].filter((device) => hasLine(device, i))
        .map((device) => `intel_rapl ${device} ${100_000_000 * i}`);
      a += record(1760000000 + 60 * i, "1", `cpu 0 ${3000 * i}`, ...rows);
    }
    const { metrics, metrics_at_least } = await json({ a }, "--energy-unit", "2^-14");
    return [Math.round(metrics.pkg_energy), metrics_at_least];
  };
  const names = ["avg_pkgpower", "pkg_energy", "package_power"];
  assertEquals(await job(() => true), [109863, []]);
  assertEquals(
    await job((_, i) => i !== 4),
    [109863, []],
    "the next difference is of both intervals",
  );
  assertEquals(await job((_, i) => i < 5), [48828, names]);
  assertEquals(await job((device, i) => device === 0 || i < 5), [79346, names]);
  assertEquals(await job((device, i) => device === 0 || i >= 5), [79346, names]);
  const meter = header(["!cray_pm energy,E,U=J"]) + [0, 1, 2, 3].map((i) => {
    return record(1760000000 + 60 * i, "1", ...(i < 2 ? [`cray_pm - ${12000 * i}`] : []));
  }).join("");
  const node = await json({ meter });
  assertEquals([node.metrics.node_power, node.metrics_at_least], [12000 / 180, ["node_power"]]);
});
