import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { baselineFile, parseBaseline } from "../../../src/run/outputs/idle_baseline.ts";
import { JobShare } from "../../../src/run/outputs/job_share.ts";

Deno.test("parseBaseline() takes seconds, and refuses what is neither those nor a file", async () => {
  assertEquals(await parseBaseline("5"), { seconds: 5 });
  for (const text of ["x", "-1", "0", "", "1e9", "/nonexistent/idle.json"]) {
    await assertRejects(() => parseBaseline(text), UsageError, "--idle=");
  }
});

Deno.test("baselineFile() reads the mapping as JSON", () => {
  const file = baselineFile("b.json", '{"package (W)": 92.5, "dram (W)": {"absent": "x"}}');
  const found = file.of("anything");
  assertEquals([...found.powers], [["package", 92.5]]);
  assertEquals(found.lengthS, NaN);
  for (const bad of ["{", "{}", "[]", '{"package (W)": -1}', "hello"]) {
    assertThrows(() => baselineFile("b.json", bad), UsageError, "b.json");
  }
});

const HOST = (name: string, watts: number) =>
  `  ${name}:
    Application Totals:
      runtime (s): 1
      count: 0
    joulemark:
      idle:
        source: measured before the run
        length (s): 5
        package (W): ${watts}
        gpu (W):
          absent: no GPU
`;
const HEADER = `GEOPM Version: 3.1.0
Start Time: 2024-10-24T08:00:00.123456789-0700
Profile: "a"
Agent: monitor
Policy: {}

Hosts:
`;

Deno.test("baselineFile() reads a report, the host's own section where there are several", () => {
  const one = baselineFile("r", HEADER + HOST("n1", 90) + "\n");
  assertEquals([...one.of("other").powers], [["package", 90]]);
  assertEquals(one.of("other").lengthS, 5);
  const two = baselineFile("r", HEADER + HOST("n1", 90) + HOST("n2", 80) + "\n");
  assertEquals([...two.of("n2").powers], [["package", 80]]);
  assertThrows(() => two.of("n3"), UsageError, "n3");
});

/** A node of four CPUs, as files. */
function node(files: Record<string, string>): { host: MachineHost; dir: string } {
  const dir = Deno.makeTempDirSync();
  const all: Record<string, string> = { ...files };
  all["/sys/devices/system/cpu/online"] = "0-3\n";
  for (let cpu = 0; cpu < 4; cpu++) {
    all[`/sys/devices/system/cpu/cpu${cpu}/topology/physical_package_id`] = `${cpu >> 1}\n`;
    all[`/sys/devices/system/cpu/cpu${cpu}/topology/core_id`] = `${cpu & 1}\n`;
  }
  for (const [path, text] of Object.entries(all)) {
    Deno.mkdirSync(dir + path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(dir + path, text);
  }
  return { host: new MachineHost(dir), dir };
}

const report = () => ({ host: "n", agent: {}, application: { "package-energy (J)": 1000 } });
const KEY = "joulemark-package-energy-job-share (J)";

Deno.test("JobShare goes by the cpuset of the control group and busy time", () => {
  const { host, dir } = node({
    "/proc/self/cgroup": "0::/slurm/job_1/step_0\n",
    // The step has no controller of its own.
    "/sys/fs/cgroup/slurm/job_1/cpuset.cpus.effective": "0-1\n",
    "/sys/fs/cgroup/cpuset.cpus.effective": "0-3\n",
    "/proc/stat": [0, 1, 2, 3].map((c) => `cpu${c} 100 0 0 0 0 0 0 0 0 0\n`).join(""),
  });
  try {
    const share = JobShare.begin(host, [0, 1, 2, 3])!;
    const now = [400, 300, 200, 300].map((t, c) => `cpu${c} ${t} 0 0 0 0 0 0 0 0 0\n`).join("");
    Deno.writeTextFileSync(`${dir}/proc/stat`, now);
    const section = report();
    // Masks of the launch do not matter then.
    share.addTo(section, true, [2, 3]);
    const { application, joulemark } = section as ReturnType<typeof report> & {
      joulemark: { "job share": Record<string, unknown> };
    };
    assertEquals(application, { "package-energy (J)": 1000, [KEY]: 625 } as typeof application);
    assertEquals(joulemark["job share"].share, 0.625);
    assertEquals(joulemark["job share"].cpus, "2 of 4");
    const blind = report();
    share.addTo(blind, false, []);
    assertEquals(Object.keys(blind.application), ["package-energy (J)"]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("JobShare takes no cpuset of a group that is not visible here", () => {
  // The parent of what this control group namespace shows: the group shown is another one.
  const { host, dir } = node({
    "/proc/self/cgroup": "0::/..\n",
    "/sys/fs/cgroup/cpuset.cpus.effective": "0-1\n",
  });
  try {
    assertEquals(JobShare.begin(host, [0, 1, 2, 3]), undefined);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("JobShare goes by the affinity mask without a control group, and by CPUs without /proc/stat", () => {
  const { host, dir } = node({});
  try {
    assertEquals(JobShare.begin(host, [0, 1, 2, 3]), undefined);
    assertEquals(JobShare.begin(host, [0, 9]), undefined);
    const section = report();
    JobShare.begin(host, [2])!.addTo(section, true, []);
    assertEquals((section.application as Record<string, number>)[KEY], 250);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
