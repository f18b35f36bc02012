/** What the six nodes do not show: other kernels, other devices, things that come and go. */
import { assertEquals } from "@std/assert";
import { MachineHost } from "../../../../src/os/host.ts";
import { RawMachine } from "../../../../src/os/raw_machine.ts";
import { RAW_TYPES } from "../../../../src/sources/readers/raw/all.ts";
import { accessOf, RawRow } from "../../../../src/sources/readers/raw/raw_type.ts";
import { raw } from "../../../../src/sources/readers/raw/signals.ts";
import { RawCollection } from "../../../../src/rawstats/daemon/collection.ts";
import { parseRawKey } from "../../../../src/rawstats/format/schema.ts";
import { isEnergy, trueKeys } from "../../../../src/rawstats/analysis/quirks.ts";

/** A tree from a map of paths to contents. */
function tree(files: Record<string, string | Uint8Array>) {
  const root = Deno.makeTempDirSync();
  const write = (path: string, content: string | Uint8Array) => {
    Deno.mkdirSync((root + path).replace(/\/[^/]*$/, ""), { recursive: true });
    if (typeof content === "string") Deno.writeTextFileSync(root + path, content);
    else Deno.writeFileSync(root + path, content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { root, write, [Symbol.dispose]: () => Deno.removeSync(root, { recursive: true }) };
}

/** Opens a type; its lines at each call, `undefined` where the node has none of it. */
function open(root: string, name: string, program = false) {
  const type = RAW_TYPES.find((t) => t.name === name)!;
  const machine = new RawMachine(new MachineHost(root), { program });
  const collector = type.open(accessOf(type, machine));
  if (collector === undefined) return undefined;
  let lines: string[] = [];
  const keys = collector.keys ?? type.keys;
  const row: RawRow = new RawRow(keys.split(" ").length, (device) => {
    lines.push(`${device} ${row.values.join(" ")}`);
  });
  if (program) assertEquals(collector.program?.(), undefined);
  return () => {
    lines = [];
    row.begin();
    collector.collect(row);
    return lines.sort();
  };
}

const once = (files: Record<string, string | Uint8Array>, name: string, program = false) => {
  using t = tree(files);
  return open(t.root, name, program)?.();
};

Deno.test("llite counts operations where Lustre adds microseconds, and sums bytes", () => {
  const lines = once({
    "/proc/fs/lustre/lov/x-clilov-ffff88085ab7e000/numobd": "1\n",
    "/proc/fs/lustre/llite/x-ffff88085ab7e000/stats":
      "read_bytes 3 samples [bytes] 1 9 17\nopen 5 samples [usec] 1 40 99 1234\n" +
      "close 6 samples [regs]\n",
    "/proc/fs/lustre/llite/y-ffff88085ab7f000/stats": "open 5 samples [regs]\n",
  }, "llite");
  // the second instance belongs to no known mount
  assertEquals(lines, ["x-clilov 17 " + "0 ".repeat(8) + "5 6 " + "0 ".repeat(24).trim()]);
});

Deno.test("mdc and osc add up over the servers of a mount, and follow those that go", () => {
  const stats = (reqs: number) =>
    `req_waittime ${reqs} samples [usec] 1 9 ${reqs * 10} 5\nmds_close 2 samples [usec] 1 9 7 5\n` +
    "mds_sync 4 samples [regs]\n";
  using t = tree({
    "/proc/fs/lustre/lov/x-clilov-ffff88085ab7e000/numobd": "1\n",
    "/proc/fs/lustre/mdc/x-MDT0000-mdc-ffff88085ab7e000/stats": stats(3),
    "/proc/fs/lustre/mdc/x-MDT0001-mdc-ffff88085ab7e000/stats": stats(4),
  });
  const collect = open(t.root, "mdc")!;
  assertEquals(collect(), ["x-clilov 0 4 0 0 0 0 0 0 7 70"]);
  Deno.removeSync(`${t.root}/proc/fs/lustre/mdc/x-MDT0001-mdc-ffff88085ab7e000`, {
    recursive: true,
  });
  assertEquals(collect(), ["x-clilov 0 2 0 0 0 0 0 0 3 30"]);
});

Deno.test("ib_ext is read from sysfs where the counters have 64 bits, else it has no line", () => {
  const port = "/sys/class/infiniband/mlx5_0/ports/1";
  const base = {
    [`${port}/state`]: "4: ACTIVE\n",
    [`${port}/counters/port_xmit_data`]: "10000000000\n",
    [`${port}/counters/port_rcv_data`]: "2\n",
  };
  assertEquals(once(base, "ib_ext"), []);
  const wide = {
    ...base,
    [`${port}/counters/unicast_xmit_packets`]: "7\n",
    [`${port}/counters/multicast_rcv_packets`]: "8\n",
  };
  assertEquals(once(wide, "ib_ext"), ["mlx5_0/1 1 0 10000000000 2 0 0 7 0 0 8"]);
  const early = {
    [`${port}/state`]: "4: ACTIVE\n",
    [`${port}/counters_ext/port_xmit_data_64`]: "5\n",
    [`${port}/counters_ext/port_multicast_xmit_packets`]: "6\n",
  };
  assertEquals(once(early, "ib_ext"), ["mlx5_0/1 1 0 5 0 0 0 0 0 6 0"]);
  assertEquals(once({ ...wide, [`${port}/state`]: "1: DOWN\n" }, "ib_ext"), []);
});

Deno.test("opa takes words of 4 bytes as half flits, and is present with an hfi1 adapter only", () => {
  const port = "/sys/class/infiniband/hfi1_0/ports/1";
  const lines = once({
    [`${port}/state`]: "4: ACTIVE\n",
    [`${port}/counters/port_xmit_data`]: "8589934594\n",
    [`${port}/counters/port_xmit_wait`]: "3\n",
  }, "opa");
  assertEquals(lines, ["hfi1_0/1 4294967297 0 0 0 0 0 3 " + "0 ".repeat(9).trim()]);
  assertEquals(once({ "/proc/stat": "" }, "opa"), undefined);
});

Deno.test("proc leaves out root, services and shells, and keeps blanks in names", () => {
  const status = (name: string) =>
    `Name:\t${name}\nUid:\t1001\t1001\t1001\t1001\nVmRSS:\t  12 kB\nThreads:\t3\n` +
    "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0\n";
  const lines = once({
    "/.root.json": JSON.stringify({ owners: { "/proc/5": 1001, "/proc/6": 0, "/proc/7": 1001 } }),
    "/proc/5/status": status("my app"),
    "/proc/6/status": status("rooted"),
    "/proc/7/status": status("bash"),
    "/proc/8/status": status("ownerless"),
  }, "proc");
  assertEquals(lines, ["my app/5/0-3/0 1001 0 0 0 0 12 0 0 0 0 0 0 3"]);
});

Deno.test("tmpfs, block and net follow what is mounted, plugged and up", () => {
  const facts = { frsize: 4096, blocks: 10, bfree: 4, files: 9, ffree: 2 };
  using t = tree({
    "/.root.json": JSON.stringify({ statfs: { "/mnt/a b": facts } }),
    "/proc/mounts": "tmpfs /mnt/a\\040b tmpfs rw 0 0\ntmpfs /gone tmpfs rw 0 0\n",
    "/sys/block/sda/stat": " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n",
    "/sys/block/loop0/stat": "1 2 3 4 5 6 7 8 9 10 11\n",
    "/sys/block/zram0/stat": "1 2 3 4 5 6 7 8 9 10 11\n",
    "/sys/class/net/up0/flags": "0x1003\n",
    "/sys/class/net/up0/statistics/rx_bytes": "18446744073709551615\n",
    "/sys/class/net/down0/flags": "0x1002\n",
    "/sys/class/net/down0/statistics/rx_bytes": "5\n",
  });
  assertEquals(open(t.root, "tmpfs")!(), ["/mnt/a\\040b 24576 7"]);
  const blocks = open(t.root, "block")!;
  assertEquals(blocks(), ["sda 1 2 3 4 5 6 7 8 9 10 11", "zram0 1 2 3 4 5 6 7 8 9 10 11"]);
  Deno.removeSync(`${t.root}/sys/block/sda`, { recursive: true });
  assertEquals(blocks().length, 1);
  const nets = open(t.root, "net")!;
  assertEquals(nets(), ["up0 0 0 18446744073709551615 " + "0 ".repeat(20).trim()]);
  t.write("/sys/class/net/down0/flags", "0x1003\n");
  assertEquals(nets().length, 2);
});

Deno.test("nfs reads tcp and udp transports, and leaves nfs4 alone", () => {
  const events = Array.from({ length: 27 }, (_, i) => i + 1).join(" ");
  const block = (mount: string, type: string, transport: string) =>
    `device s:/e mounted on ${mount} with fstype ${type} statvers=1.1\n\tevents:\t${events}\n` +
    `\tbytes:\t1 2 3 4 5 6 7 8\n\txprt:\t${transport}\n\tper-op statistics\n` +
    "\t        READ: 11 12 13 14 15 16 17 18\n";
  const lines = once({
    "/proc/self/mountstats": block("/t", "nfs", "tcp 766 1 1 0 0 91 92 93 94 95") +
      block("/u", "nfs", "udp 766 1 91 92 93 94 95") + block("/v4", "nfs4", "tcp 1 1 1 1 1 1"),
  }, "nfs")!;
  assertEquals(lines.length, 2);
  for (const line of lines) {
    const values = line.split(" ").slice(1);
    assertEquals(values.slice(24, 39).join(" "), "25 1 2 3 4 5 6 7 8 91 92 93 94 95 0");
    // READ is the twelfth operation
    assertEquals(values.slice(38 + 8 * 11, 38 + 8 * 12).join(" "), "11 12 13 14 15 16 17 18");
  }
});

/** CPUID of a processor of family 6, and one CPU. */
function intel(model: number): Record<string, string> {
  const signature = 0x600 | ((model & 0xf) << 4) | ((model >> 4) << 16);
  return {
    "/sys/devices/system/cpu/online": "0\n",
    "/sys/devices/system/cpu/present": "0\n",
    "/sys/devices/system/cpu/possible": "0\n",
    "/sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
    "/sys/devices/system/cpu/cpu0/topology/core_id": "0\n",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0\n",
    "/dev/cpu/0/cpuid.json": JSON.stringify({
      "0x0.0": [0xd, 0x756e6547, 0x6c65746e, 0x49656e69],
      "0x1.0": [signature, 0, 0, 0],
      "0xA.0": [0x7300403, 0, 0, 0],
    }),
    "/dev/cpu/0/msr.json": JSON.stringify({ "0x3b0": "0x11", "0x391": "0x1000000ff" }),
  };
}

Deno.test("intel_uncore has lines on Westmere alone, and is programmed when asked for", () => {
  const read = once(intel(0x2c), "intel_uncore")!;
  assertEquals(read.length, 1);
  assertEquals(read[0].split(" ").slice(0, 8).join(" "), "0 4294967551 0 0 0 0 0 17");
  const programmed = once(intel(0x2c), "intel_uncore", true)!;
  assertEquals(programmed[0].split(" ").slice(-2), [String(0x400f0a | 0), String(0x401f0b)]);
  assertEquals(once(intel(0x55), "intel_uncore"), []);
});

Deno.test("Knights Landing's boxes are found by place, their registers beyond the first 256 bytes", () => {
  const space = () => {
    const view = new DataView(new ArrayBuffer(4096));
    view.setUint32(0, 0x78378086, true);
    view.setUint32(0x400, 7, true);
    view.setUint32(0x404, 1, true);
    view.setUint32(0xb08, 9, true);
    return new Uint8Array(view.buffer);
  };
  const files = {
    ...intel(0x57),
    "/proc/bus/pci/ff/0a.0": space(),
    "/proc/bus/pci/ff/08.2": space(),
    "/proc/bus/pci/ff/1f.1": space(),
  };
  assertEquals(once(files, "intel_knl_mc"), [
    "ff/08.2 0 0 0 0 0 9 0 0",
    "ff/0a.0 0 0 0 0 4294967303 0 0 0",
  ]);
  assertEquals(once(files, "intel_knl_edc"), undefined);
  assertEquals(
    once(files, "intel_knl_mc", true)![0],
    `ff/08.2 ${0x400103} ${0x400203} ${0x400000} ${0x400000} 0 9 0 0`,
  );
});

Deno.test("RawRow adds with carry, and a device without any source has no line", () => {
  const lines: string[] = [];
  const row: RawRow = new RawRow(2, (device) => lines.push(`${device} ${row.values.join(" ")}`));
  row.add(0, 4294967295, 1);
  row.add(0, 2, 0);
  row.emit("a");
  row.emit("b");
  row.put(1, 0, 0);
  row.emit("c");
  assertEquals(lines, [`a ${(1n << 32n) + 4294967295n + 2n} 0`, "c 0 0"]);
  assertEquals([...row.seen], [1, 1]);
});

Deno.test("amd64_pmc of an Opteron of family 10h has the columns and events of older monitors", () => {
  const registers = Object.fromEntries(
    [...Array(8).keys()].map((i) => [`0xc001000${i}`, `0x${(0x100 + i).toString(16)}`]),
  );
  const processor = (cpu: number) =>
    `processor\t: ${cpu}\nvendor_id\t: AuthenticAMD\ncpu family\t: 16\nmodel\t\t: 4\n` +
    `physical id\t: 0\ncore id\t\t: ${cpu}\n`;
  const files: Record<string, string> = {
    "/proc/cpuinfo": [0, 1, 2, 3].map(processor).join("\n"),
    "/sys/devices/system/cpu/online": "0-3\n",
    "/sys/devices/system/cpu/present": "0-3\n",
  };
  for (const cpu of [0, 1, 2, 3]) {
    files[`/dev/cpu/${cpu}/msr.json`] = JSON.stringify(registers);
    const topology = `/sys/devices/system/cpu/cpu${cpu}/topology`;
    files[`${topology}/physical_package_id`] = "0\n";
    files[`${topology}/core_id`] = `${cpu}\n`;
  }
  const counts = "260 261 262 263";
  const lines = once(files, "amd64_pmc");
  assertEquals(lines, [0, 1, 2, 3].map((cpu) => `${cpu} 256 257 258 259 ${counts}`));
  const programmed = once(files, "amd64_pmc", true);
  assertEquals(programmed?.map((line) => line.split(" ").slice(1, 5).map(Number)), [
    [0x4307e0, 0x410076, 0x430142, 0x437f03],
    [0x410076, 0x4337f6, 0x430142, 0x437f03],
    [0x410076, 0x430142, 0x4337f7, 0x437f03],
    [0x410076, 0x430142, 0x437f03, 0x4337f8],
  ]);
  const machine = tree(files);
  using collection = new RawCollection(new RawMachine(new MachineHost(machine.root)));
  const schema = collection.header().split("\n").find((line) => line.startsWith("!amd64_pmc"));
  const older = Deno.readTextFileSync(
    new URL("../../../vectors/rawstats/schemas-older.txt", import.meta.url),
  );
  assertEquals(schema, older.split("\n").find((line) => line.startsWith("!amd64_pmc")));
  machine[Symbol.dispose]();
});

Deno.test("readers of files and of signals agree on keys whose schema is wrong", () => {
  for (const { name, keys, trueKeys: own } of RAW_TYPES) {
    if (isEnergy(name)) continue;
    const schema = { type: name, keys: keys.split(" ").map(parseRawKey) };
    const read = trueKeys(schema).map(({ name, kind, widthBits }) => ({ name, kind, widthBits }));
    const signals = (own ?? keys).split(" ").map(parseRawKey)
      .map(({ name, kind, widthBits }) => ({ name, kind, widthBits }));
    assertEquals(read, signals, name);
  }
  const counter = raw.signals.find(({ name }) => name === "RAW::intel_4pmc3:CTR0")!;
  assertEquals([counter.behavior, counter.agg], ["monotone", "sum"]);
});
