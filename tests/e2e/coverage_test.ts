/** The rules of docs/reference/coverage.md, each on a tree whose counters break while a run reads them. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import {
  exists,
  type Fault,
  type Faulty,
  replayed,
  runOver,
  WATTS,
} from "../_support/live_tree.ts";
import { monitorProcess } from "../_support/processes.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark, unbroken } from "../_support/programs.ts";

const ENERGY = "package-energy (J)";
const KNOWN = "joulemark-package-energy-known (J)";
const KNOWN_POWER = "joulemark-package-power-known (W)";
const SHARE = "joulemark-package-energy-coverage (%)";
/** The tree is written every 10 ms, on a loaded machine now and then a tenth of a second late. */
const SLACK_J = 35, SLACK_W = 35;

/** So long it may be a glitch. */
const DOUBT_S = 0.25;

const whole = (_pkg: number, _s: number, uj: number) => `${uj}\n`;

function length(run: Faulty): number {
  return Number(run.application["sync-runtime (s)"]);
}

/** A figure that covers a part: no plain number anywhere, ours says what is known and how much. */
function assertPartial(run: Faulty, knownJ: number, share: number): void {
  assertStringIncludes(run.text, "package-energy (J): .nan\n");
  assertStringIncludes(run.text, "power (W): .nan\n");
  assertEquals(run.application[ENERGY], NaN);
  assertEquals(run.application["joulemark-package-energy-exact (J)"], NaN);
  assertEquals(run.application["joulemark-package-energy-fit (J)"], NaN);
  assertAlmostEquals(Number(run.application[KNOWN]), knownJ, SLACK_J, KNOWN);
  assertAlmostEquals(Number(run.application[KNOWN_POWER]), 2 * WATTS, SLACK_W, KNOWN_POWER);
  assertAlmostEquals(Number(run.application[SHARE]), 100 * share, 8, SHARE);
  assert(
    / J at least \(package counter of .* while measured$/m.test(unbroken(run.stderr)),
    run.stderr,
  );
  assert(run.joulemark.coverage !== undefined);
}

function assertWhole(run: Faulty): void {
  const energyJ = 2 * WATTS * length(run);
  assertAlmostEquals(Number(run.application[ENERGY]), energyJ, SLACK_J);
  assertAlmostEquals(Number(run.application["power (W)"]), 2 * WATTS, SLACK_W);
  assertEquals(run.application[KNOWN], undefined);
  assertEquals(run.joulemark.coverage, undefined);
}

function troubleOf(run: Faulty): string {
  const sources = run.joulemark.sources as Record<string, Record<string, string>>;
  return sources.CPU_ENERGY.trouble ?? "";
}

asEachUser("well counters cover all of the command, start to end", async (dir, { command }) => {
  const run = await runOver(dir, { seconds: 0.6, fault: whole, command });
  assertWhole(run);
  const runtimeS = Number(run.application["runtime (s)"]);
  assertAlmostEquals(length(run), runtimeS, 0.002, "the first sample comes before the command");
  assertAlmostEquals(Number(run.application["GEOPM startup (s)"]), 0, 0.001);
});

const GONE: readonly (readonly [string, string | undefined])[] = [
  ["that is lost", undefined],
  ["that turns to garbage", "banana\n"],
];
for (const [what, content] of GONE) {
  const name = `of a package ${what} midway the time before counts, and the other one`;
  asEachUser(name, async (dir, { command }) => {
    let lastS = NaN;
    const fault: Fault = (pkg, s, uj) => {
      if (pkg === 1 && s > 0.8) return content;
      if (pkg === 1) lastS = s;
      return `${uj}\n`;
    };
    const options = ["--record", "recording"];
    const run = await runOver(dir, { seconds: 1.6, fault, options, command });
    const seconds = length(run);
    const covered = (seconds + lastS) / (2 * seconds);
    assertPartial(run, WATTS * (seconds + lastS), covered);
    assert(/counter of 1 of 2 packages after [01]\.\d+ s\)/.test(unbroken(run.stderr)), run.stderr);
    assert(troubleOf(run) !== "");
    const again = replayed(dir, "recording");
    for (const key of [ENERGY, KNOWN, KNOWN_POWER, SHARE, "sync-runtime (s)"]) {
      assertEquals(again.application[key], run.application[key], key);
    }
    assertEquals(again.joulemark.coverage, run.joulemark.coverage);
  });
}

endToEnd("a package that appears late counts from there on", async (dir) => {
  let firstS = NaN;
  const fault: Fault = (pkg, s, uj) => {
    if (pkg === 1 && s < 0.8) return "not yet\n";
    // On a loaded machine the file is written late.
    if (pkg === 1 && !(firstS <= s)) firstS = s;
    return `${uj}\n`;
  };
  const run = await runOver(dir, { seconds: 1.6, fault });
  const seconds = length(run);
  assertPartial(run, WATTS * (2 * seconds - firstS), 1 - firstS / (2 * seconds));
  assert(/package 1 from [01]\.\d+ s until/.test(unbroken(run.stderr)), run.stderr);
});

endToEnd("a package that never counts leaves the other one", async (dir) => {
  const run = await runOver(dir, {
    seconds: 0.5,
    fault: (pkg, _s, uj) => pkg === 1 ? "never\n" : `${uj}\n`,
    options: ["--report-signals", "CPU_ENERGY@package"],
  });
  assertStringIncludes(run.text, "package-energy (J): .nan\n");
  assertAlmostEquals(Number(run.application[KNOWN]), WATTS * length(run), SLACK_J);
  assertEquals(run.application["CPU_ENERGY@package-1"], NaN);
  assertEquals(run.application["joulemark-CPU_ENERGY@package-1-known"], NaN);
  assertAlmostEquals(Number(run.application["CPU_ENERGY@package-0"]), WATTS * length(run), SLACK_J);
  assert(/counter of 1 of 2 packages/.test(unbroken(run.stderr)), run.stderr);
});

endToEnd("a short gap that the counter bridges leaves the energy whole", async (dir) => {
  const fault: Fault = (pkg, s, uj) => pkg === 1 && s > 0.4 && s < 0.6 ? "" : `${uj}\n`;
  const run = await runOver(dir, { seconds: 1, fault });
  assertWhole(run);
  assertStringIncludes(troubleOf(run), "empty");
});

asEachUser("a spike is rejected and named, and the energy whole", async (dir, { command }) => {
  let spikes = 0;
  const fault: Fault = (pkg, s, uj) => {
    // Few, since a loaded machine writes each of them late, and then they are no glitch.
    const spike = pkg === 1 && s > 0.5 && spikes < 2;
    if (spike) spikes++;
    return `${uj + (spike ? 50e9 : 0)}\n`;
  };
  const run = await runOver(dir, { seconds: 1, fault, command });
  assertWhole(run);
  assertStringIncludes(troubleOf(run), "grew faster than is possible");
});

endToEnd("a counter that jumps for good begins again, and the jump is not counted", async (dir) => {
  const fault: Fault = (pkg, s, uj) => `${uj + (pkg === 1 && s > 0.5 ? 50e9 : 0)}\n`;
  const run = await runOver(dir, { seconds: 1, fault });
  assertPartial(run, WATTS * (2 * length(run) - DOUBT_S), 1 - DOUBT_S / (2 * length(run)));
  assertStringIncludes(troubleOf(run), "grew faster than is possible");
  // A note goes on below its beginning.
  assertStringIncludes(unbroken(run.stderr), "began again once");
});

endToEnd("a counter that restarts is not taken for a wrap", async (dir) => {
  const fault: Fault = (pkg, s, uj) => `${uj - (pkg === 1 && s > 0.5 ? 1.9e9 : 0)}\n`;
  const run = await runOver(dir, { seconds: 1, fault });
  assertPartial(run, WATTS * (2 * length(run) - DOUBT_S), 1 - DOUBT_S / (2 * length(run)));
  assertStringIncludes(troubleOf(run), "went backwards");
});

endToEnd("a frozen counter counts until it froze", async (dir) => {
  let frozen = "", frozenS = NaN;
  const fault: Fault = (pkg, s, uj) => {
    if (pkg === 0 || s < 0.5) return `${uj}\n`;
    if (frozen === "") frozenS = s;
    return frozen ||= `${uj}\n`;
  };
  const run = await runOver(dir, { seconds: 3.2, fault });
  const seconds = length(run);
  assertPartial(run, WATTS * (seconds + frozenS), (seconds + frozenS) / (2 * seconds));
  assertStringIncludes(troubleOf(run), "has not changed for long");
});

asEachUser(
  "a monitor that stood still while the command ended keeps to the time before",
  async (dir, { binary, command }) => {
    const run = await stopping(dir, (pid) => [monitorProcess(pid, binary)], command);
    // The guardian saw the end; what was counted after the last sample is lost.
    assertAlmostEquals(Number(run.application["runtime (s)"]), 1.5, 0.1);
    assertAlmostEquals(length(run), 1.5, 0.1);
    const covered = Number(/counter of the first ([\d.]+) s/.exec(unbroken(run.stderr))?.[1]);
    assert(covered > 0.3 && covered < 1.2, run.stderr);
    assertPartial(run, 2 * WATTS * covered, covered / length(run));
    const { "samples missed": missed } = run.joulemark.sampling as Record<string, number>;
    assert(missed > 100, `${missed} missed`);
    assertStringIncludes(run.stderr, "the monitor was stalled from");
  },
);

/** Stops processes half a second into a run of 1.5 s, until two seconds after its end. */
function stopping(
  dir: string,
  which: (pid: number) => number[],
  command: readonly string[] = [BINARY],
) {
  return runOver(dir, {
    seconds: 1.5,
    fault: whole,
    command,
    async during(pid) {
      while (!exists(`${dir}/begun`)) await wait(20);
      await wait(500);
      const stopped = which(pid);
      for (const process of stopped) Deno.kill(process, "SIGSTOP");
      await wait(2500);
      for (const process of stopped) Deno.kill(process, "SIGCONT");
    },
  });
}

endToEnd("no region has a plain number where the monitor stood still in it", async (dir) => {
  const app = build("short_regions", dir);
  const child = new Deno.Command(BINARY, {
    args: ["run", "--simulate", "--record", "recording", "--", app, "1.6", "2", "8", "7"],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  await wait(900);
  const monitor = monitorProcess(child.pid);
  Deno.kill(monitor, "SIGSTOP");
  await wait(2000);
  Deno.kill(monitor, "SIGCONT");
  const stderr = new TextDecoder().decode((await output).stderr);
  assertStringIncludes(stderr, "the monitor was stalled from");
  joulemark(dir, ["replay", "recording", "--report", "again.report"]);
  for (const name of ["joulemark.report", "again.report"]) {
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/${name}`)).hosts;
    assertEquals(host.regions!.length, 4);
    for (const { region, fields } of host.regions!) {
      const energies = Object.keys(fields).filter((key) => /(?<!-known) \([JW]\)$/.test(key));
      assert(energies.length > 6, `${energies}`);
      for (const key of energies) assertEquals(fields[key], NaN, `${name}: ${region}: ${key}`);
      const share = Number(fields["joulemark-package-energy-coverage (%)"]);
      assert(share > 5 && share < 95, `${name}: ${region}: ${share} %`);
    }
  }
});

endToEnd("a guardian that is stopped tells late of an end that was seen in time", async (dir) => {
  const run = await stopping(dir, (pid) => [pid]);
  assertAlmostEquals(Number(run.application["runtime (s)"]), 1.5, 0.1);
  assertAlmostEquals(length(run), 1.5, 0.1);
  assertWhole(run);
});

endToEnd("an end is seen in time without counters, guardian or annotations", async (dir) => {
  for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
    const uptime = "read now rest </proc/uptime; echo $now";
    const app = `${uptime}; : >${signal}.begun; sleep 1.5; ${uptime}`;
    const run = new Deno.Command(BINARY, {
      args: ["run", "--report", signal, "--", "sh", "-c", app],
      cwd: dir,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = run.output();
    while (!exists(`${dir}/${signal}.begun`)) await wait(20);
    await wait(500);
    Deno.kill(run.pid, signal);
    await wait(2500);
    if (signal === "SIGSTOP") Deno.kill(run.pid, "SIGCONT");
    const [begin, end] = new TextDecoder().decode((await output).stdout).split("\n").map(Number);
    while (!exists(`${dir}/${signal}`)) await wait(20);
    const [{ application }] = parseReport(Deno.readTextFileSync(`${dir}/${signal}`)).hosts;
    assertAlmostEquals(Number(application["runtime (s)"]), end - begin, 0.2, signal);
  }
});

endToEnd(
  "where all of joulemark was stopped, figures end at the last sample before",
  async (dir) => {
    const run = await stopping(dir, (pid) => [pid, monitorProcess(pid)]);
    const seconds = length(run);
    assert(seconds > 0.3 && seconds < 1.2, `${seconds} s`);
    assertPartial(run, 2 * WATTS * seconds, 1);
    assertStringIncludes(run.stderr, "the monitor was stalled from");
  },
);

function wait(ms: number): Promise<void> {
  return new Promise((go) => setTimeout(go, ms));
}

endToEnd("a region has no energy of the other package while one is lost", (dir) => {
  const signal =
    "{name: CPU_ENERGY, domain: package, unit: J, aggregation: sum, behavior: monotone}";
  Deno.mkdirSync(`${dir}/rec`);
  Deno.writeTextFileSync(
    `${dir}/rec/recording.yaml`,
    `format: joulemark-recording/1
host: n1
profile: loss
agent: monitor
start: 2024-01-01T00:00:00.000000000+0000
topology: {packages: 2, cores_per_package: 1, threads_per_core: 1}
signals:
- ${signal}
`,
  );
  Deno.writeTextFileSync(
    `${dir}/rec/events.csv`,
    'time,process,event,region,value,thread\n0,7,start,,"0,1",\n0,7,enter,a,,\n4,7,exit,a,,\n4,7,shutdown,,,\n',
  );
  const rows = Array.from({ length: 41 }, (_, k) => {
    const timeS = k / 10, isLost = timeS > 1 && timeS < 2;
    // It begins again a count below its last value.
    const known = timeS < 2 ? 100 * timeS : 100 * (timeS - 1) - 0.0001;
    return `${timeS},${isLost ? "" : known},${100 * timeS}\n`;
  });
  const title = "time,CPU_ENERGY@package-0,CPU_ENERGY@package-1\n";
  Deno.writeTextFileSync(`${dir}/rec/samples.csv`, title + rows.join(""));
  const out = joulemark(dir, ["replay", "rec", "--report", "r"]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`)).hosts;
  const { fields } = host.regions![0];
  assertAlmostEquals(Number(fields[KNOWN]), 600, 0.01);
  assertAlmostEquals(Number(fields[KNOWN_POWER]), 200, 0.01);
  assertAlmostEquals(Number(fields[SHARE]), 75, 0.01);
  assertAlmostEquals(Number(host.application[KNOWN]), 700, 0.01);
  assertAlmostEquals(Number(host.application[KNOWN_POWER]), 200, 0.01);
});
