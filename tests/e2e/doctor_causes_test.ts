/** doctor, read and the card name the cause of a missing energy, and no fix that would not help. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { asEachUser } from "../_support/plain_user.ts";
import { exists } from "../_support/live_tree.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

const POWER_PMU = "/sys/bus/event_source/devices/power";

if (exists(POWER_PMU)) console.log(`skipped: this machine has ${POWER_PMU}`);
else {
  asEachUser("without a power PMU no permission is blamed for energy", (_dir, user) => {
    const doctor = user.joulemark(["doctor", "--sources"]);
    assertStringIncludes(doctor.stdout.replace(/\n +/g, " "), `no power PMU (${POWER_PMU})`);
    assert(!/perf_event_paranoid=0|CVE/.test(doctor.stdout), doctor.stdout);
    const { stderr } = user.joulemark(["read", "CPU_ENERGY", "package", "0"]);
    assert(!/paranoid|CAP_PERFMON/.test(stderr), stderr);
    const run = user.joulemark(["run", "--", "true"]);
    assertEquals(run.code, 0);
    assert(!/paranoid|CAP_PERFMON/.test(run.stderr), run.stderr);
  });
}

asEachUser("an energy without permission has that reason, and a remedy", (_dir, user) => {
  const { stdout } = user.joulemark(["doctor"]);
  const closed = /^\w+ energy +no permission.*(?:\n {2,}.*)*/m.exec(stdout)?.[0] ?? "";
  assert(closed !== "" || !stdout.includes("may not read them"), stdout);
  assert(!/\bno \/sys/.test(closed.replace(/\s+/g, " ")), stdout);
  assert(closed === "" || !stdout.includes("There is nothing to fix"), stdout);
});

endToEnd("zones that a container hides are no reason to load a driver", (dir) => {
  const put = (path: string, text: string) => {
    const whole = `${dir}/tree${path}`;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(whole, text);
  };
  put("/proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\n");
  put("/sys/class/powercap/.keep", "");
  Deno.symlinkSync(
    "../../devices/virtual/powercap/intel-rapl/intel-rapl:0",
    `${dir}/tree/sys/class/powercap/intel-rapl:0`,
  );
  const { stdout } = joulemark(dir, ["doctor", "--sources", "--root", "tree"]);
  assertStringIncludes(stdout.replace(/\n +/g, " "), "are broken links: a container hides");
  assert(!stdout.includes("modprobe"), stdout);
});
