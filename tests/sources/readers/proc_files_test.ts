/** Readers of /proc files and of the control group, over texts as the kernel writes them. */
import { assert, assertEquals } from "@std/assert";
import type { Reader } from "../../../src/core/machine/host.ts";
import { cgroup } from "../../../src/sources/readers/cgroup.ts";
import { meminfo } from "../../../src/sources/readers/meminfo.ts";
import { pressure } from "../../../src/sources/readers/pressure.ts";
import { procstat } from "../../../src/sources/readers/procstat.ts";
import { FakeHost } from "../../_support/fake_host.ts";

/** Values of rows at one tick after the other; `change` comes between them. */
function read(reader: Reader, host: FakeHost, names: string[], change: () => void = () => {}) {
  const offer = reader.probe(host);
  assert(offer.ok, JSON.stringify(offer));
  const wanted = names.map((n) => offer.signals.find((s) => s.row.name === n)!);
  using reading = reader.open(host, wanted);
  const width = wanted.reduce((n, s) => n + host.topology.count(s.row.domain), 0);
  const out = new Float64Array(width);
  return [0, 1].map((timeS) => {
    if (timeS === 1) change();
    reading.readInto(out, timeS);
    return [...out];
  });
}

const STAT = "cpu  30 0 30 300 3 0 0 0 0 0\n" +
  "cpu0 10 0 20 100 1 0 0 0 0 0\ncpu1 20 0 10 200 2 0 0 0 0 0\n" +
  "intr 5000 1 2 3\nctxt 700\nbtime 1700000000\nprocesses 90\nprocs_running 3\nprocs_blocked 0\n" +
  "softirq 40 1 2\n";

Deno.test("procstat: times by CPU in seconds, lines of the node, and what is missing is NaN", () => {
  const host = new FakeHost({ "/proc/stat": STAT });
  const names = ["PROCSTAT::IDLE_TIME", "PROCSTAT::CONTEXT_SWITCHES", "PROCSTAT::RUNNING"];
  const [first, second] = read(procstat, host, names, () => {
    host.files.set("/proc/stat", STAT.replace("cpu1 20 0 10 200", "cpux").replace("700", "750"));
  });
  assertEquals(first, [1, 2, 700, 3]);
  assertEquals([second[0], second[2]], [1, 750]);
  assert(Number.isNaN(second[1]));
});

Deno.test("procstat: idle time that steps back adds nothing", () => {
  const host = new FakeHost({ "/proc/stat": STAT });
  const [, second] = read(procstat, host, ["PROCSTAT::IDLE_TIME"], () => {
    host.files.set("/proc/stat", STAT.replace("cpu0 10 0 20 100", "cpu0 10 0 20 99"));
  });
  assertEquals(second, [1, 2]);
});

Deno.test("meminfo: kibibytes become bytes; a line that goes away is NaN", () => {
  const host = new FakeHost({ "/proc/meminfo": "MemTotal:  16 kB\nMemFree:  4 kB\n" });
  const [first, second] = read(meminfo, host, ["MEMINFO::MEM_FREE", "MEMINFO::MEM_TOTAL"], () => {
    host.files.set("/proc/meminfo", "MemTotal:  16 kB\n");
  });
  assertEquals(first, [4096, 16384]);
  assert(Number.isNaN(second[0]) && second[1] === 16384);
});

Deno.test("pressure: the total of the line that is meant, in seconds", () => {
  const text = (some: number, full: number) =>
    `some avg10=0.00 avg60=0.00 avg300=0.00 total=${some}\n` +
    `full avg10=0.00 avg60=0.00 avg300=0.00 total=${full}\n`;
  const host = new FakeHost({ "/proc/pressure/io": text(2_500_000, 1_000_000) });
  const [first] = read(pressure, host, ["PRESSURE::IO_SOME", "PRESSURE::IO_FULL"]);
  assertEquals(first, [2.5, 1]);
  assert(!pressure.probe(new FakeHost()).ok);
});

Deno.test("cgroup: the group that we are in, and nothing outside the mount", () => {
  const dir = "/sys/fs/cgroup/job_7/step_0";
  const host = new FakeHost({
    "/proc/self/cgroup": "0::/job_7/step_0\n",
    [`${dir}/cpu.stat`]: "usage_usec 3000000\nuser_usec 2000000\nnr_throttled 4\n",
    [`${dir}/memory.current`]: "123456\n",
  });
  const names = ["CGROUP::CPU_TIME", "CGROUP::CPU_THROTTLED", "CGROUP::MEMORY"];
  assertEquals(read(cgroup, host, names)[0], [3, 4, 123456]);
  const offer = cgroup.probe(host);
  assert(offer.ok);
  const reasons = ["MEMORY_PEAK", "CPU_SYSTEM_TIME"].map((name) =>
    offer.missing?.get(`CGROUP::${name}`)?.reason
  );
  assertEquals(reasons, [`no ${dir}/memory.peak`, `no system_usec in ${dir}/cpu.stat`]);
  for (const outside of ["/../../etc", "/.."]) {
    host.files.set("/proc/self/cgroup", `0::${outside}\n`);
    assertEquals(cgroup.probe(host), {
      ok: false,
      kind: "absent",
      reason: "no control group of version 2 in /proc/self/cgroup",
    });
  }
  host.files.set("/proc/self/cgroup", "4:memory:/job\n");
  assert(!cgroup.probe(host).ok);
});
