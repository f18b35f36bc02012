/** The verb over the vectors' runs, against whole files in tests/golden/replay. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { replay } from "../../src/cli/replay.ts";
import { runVerb } from "../../src/cli/command_line/run_verb.ts";
import { REPORT_VERSION } from "../../src/core/version.ts";
import { AccessError, UnknownNameError, UsageError } from "../../src/core/errors.ts";
import { totalsFromNested } from "../../src/core/job_totals.ts";
import { treeFromNested } from "../../src/core/region_tree.ts";
import { parseReport } from "../../src/formats/report.ts";
import { makeProgram } from "../_support/sim_programs.ts";
import { recordProgram } from "../_support/sim_recording.ts";
import { APPLICATION_CASES, recordingOf, RecordingOnDisk } from "../run/session/_application.ts";

const GOLDEN = new URL("../golden/replay/", import.meta.url);
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

function sameAsGolden(name: string, written: string): void {
  const text = written.replace(REPORT_VERSION, "VERSION");
  const path = new URL(name, GOLDEN);
  if (UPDATE) Deno.writeTextFileSync(path, text);
  assertEquals(text, Deno.readTextFileSync(path), name);
}

/** The seed example and two more hosts' runs, as recordings. */
function recordings(): RecordingOnDisk[] {
  return APPLICATION_CASES.slice(0, 3).map((c, i) =>
    new RecordingOnDisk(recordingOf({ ...c, host: `node0${i + 1}` }))
  );
}

async function inDirectory(action: (directory: string) => Promise<void>): Promise<void> {
  const directory = Deno.makeTempDirSync();
  try {
    await action(directory);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("replay writes the seed example's report, trace and event log", async () => {
  await inDirectory(async (out) => {
    using recording = new RecordingOnDisk(recordingOf(APPLICATION_CASES[0]));
    const status = await runVerb(replay, [
      "-q",
      "--report-signals",
      "TIME@package",
      "--trace-signals",
      "CPU_ENERGY@package",
      "--report",
      `${out}/r`,
      "--trace",
      `${out}/t`,
      "--event-log",
      `${out}/e`,
      recording.path,
    ]);
    assertEquals(status, 0);
    assertEquals([...Deno.readDirSync(out)].map((entry) => entry.name).sort(), ["e", "r", "t"]);
    sameAsGolden("seed_example.report", Deno.readTextFileSync(`${out}/r`));
    sameAsGolden("seed_example.trace", Deno.readTextFileSync(`${out}/t`));
    sameAsGolden("seed_example.events", Deno.readTextFileSync(`${out}/e`));
  });
});

Deno.test("replay of several recordings is one report of several hosts", async () => {
  await inDirectory(async (out) => {
    const several = recordings();
    try {
      const paths = several.map((recording) => recording.path);
      await runVerb(replay, ["-q", "--report", `${out}/r`, "--trace", `${out}/t`, ...paths]);
      const report = parseReport(Deno.readTextFileSync(`${out}/r`));
      assertEquals(report.hosts.map((host) => host.host), ["node01", "node02", "node03"]);
      const names = [...Deno.readDirSync(out)].map((entry) => entry.name).sort();
      assertEquals(names, ["r", "t-node01", "t-node02", "t-node03"]);
      await assertRejects(
        async () => await runVerb(replay, ["-q", "--report", `${out}/x`, paths[0], paths[0]]),
        UsageError,
        "host node01 again",
      );
    } finally {
      for (const recording of several) recording[Symbol.dispose]();
    }
  });
});

Deno.test("each host of several recordings has its own peak, and the job has their sums", async () => {
  await inDirectory(async (out) => {
    // The second node's power is half of the first one's.
    const paths = ["random 10 ms", "random 2 ms"].map((name, k) => {
      const made = makeProgram(name as "random 2 ms", {
        seed: 5 + k,
        seconds: 2,
        counters: "rapl",
      });
      const { yaml, events, samples } = recordProgram(made, {});
      const path = `${out}/rec${k}`;
      const [head, ...rows] = samples.trimEnd().split("\n");
      const own = rows.map((row) => {
        const [time, ...joules] = row.split(",");
        return [time, ...joules.map((j) => Number(j) / (1 + k))].join();
      });
      Deno.mkdirSync(path);
      Deno.writeTextFileSync(`${path}/recording.yaml`, yaml.replace(/^host: .*$/m, `host: n${k}`));
      Deno.writeTextFileSync(`${path}/events.csv`, events);
      Deno.writeTextFileSync(`${path}/samples.csv`, [head, ...own].join("\n") + "\n");
      return path;
    });
    const reportOf = async (...some: string[]) => {
      await runVerb(replay, ["-q", "--report", `${out}/r`, ...some]);
      return parseReport(Deno.readTextFileSync(`${out}/r`));
    };
    const singles = [await reportOf(paths[0]), await reportOf(paths[1])];
    const both = await reportOf(...paths);
    const alone = singles.map(({ hosts }) => totalsFromNested(hosts[0].joulemark!.totals)!);
    const packages = alone.map(({ components }) => components.get("package")!);
    assert(packages[1].peakW < 0.7 * packages[0].peakW);
    both.hosts.forEach((host, k) => {
      assertEquals(totalsFromNested(host.joulemark!.totals), alone[k], host.host);
    });
    const job = totalsFromNested(both.joulemark!.totals)!.components.get("package")!;
    assertAlmostEquals(job.joules, packages[0].joules + packages[1].joules, 1e-6);
    assertAlmostEquals(job.peakAtMostW, packages[0].peakW + packages[1].peakW, 1e-6);
    const tree = treeFromNested(both.joulemark!.tree)!;
    const counts = singles.map(({ hosts }) => treeFromNested(hosts[0].joulemark!.tree)!)
      .map(({ rows }) => rows.find(({ region }) => region === "solve")!.count);
    const solve = tree.rows.find(({ region }) => region === "solve")!;
    assertEquals(solve.count * tree.processes, counts[0] + counts[1]);
  });
});

Deno.test("replay leaves nothing half-written when it fails", async () => {
  await inDirectory(async (out) => {
    using recording = new RecordingOnDisk(recordingOf(APPLICATION_CASES[0]));
    Deno.writeTextFileSync(`${out}/r`, "old");
    const broken = { ...recordingOf(APPLICATION_CASES[0]), "samples.csv": "time\n1\n0\n" };
    using wrong = new RecordingOnDisk(broken);
    await assertRejects(
      async () =>
        await runVerb(replay, ["--report", `${out}/r`, "--trace", `${out}/t`, wrong.path]),
      SyntaxError,
    );
    assertEquals(Deno.readTextFileSync(`${out}/r`), "old");
    assertEquals([...Deno.readDirSync(out)].length, 1);
    await assertRejects(
      async () => await runVerb(replay, ["--report", `${out}/none/r`, recording.path]),
      AccessError,
      `${out}/none/r`,
    );
    await assertRejects(
      async () => await runVerb(replay, ["--report-signals", "CPU_ENERGIE", recording.path]),
      UnknownNameError,
      "CPU_ENERGY",
    );
    await assertRejects(async () => await runVerb(replay, []), UsageError, "a directory");
  });
});

Deno.test("an update of a counter after the end of the program says nothing about it", async () => {
  await inDirectory(async (out) => {
    Deno.writeTextFileSync(
      `${out}/recording.yaml`,
      "format: joulemark-recording/1\nhost: n0\nprofile: job\nagent: monitor\n" +
        "start: 2024-10-24T08:00:00.000000000-0700\n" +
        "topology: {packages: 1, cores_per_package: 2, threads_per_core: 1}\nsignals:\n" +
        "- {name: CPU_ENERGY, domain: package, unit: J, aggregation: sum, behavior: monotone, " +
        "format: double, quality: measured, source: a meter, update_period: 0.1}\n",
    );
    const events = ["0.001,1,start,,0-1,", "0.05,1,shutdown,,,"];
    Deno.writeTextFileSync(
      `${out}/events.csv`,
      ["time,process,event,region,value,thread", ...events, ""].join("\n"),
    );
    for (const [updateS, energyJ] of [[0.03, 18], [0.052, NaN], [0.08, NaN]]) {
      let samples = "time,CPU_ENERGY@package-0\n";
      for (let ms = 0; ms <= 100; ms += 5) {
        samples += `${ms / 1e3},${ms / 1e3 < updateS ? 5000 : 5018}\n`;
      }
      Deno.writeTextFileSync(`${out}/samples.csv`, samples);
      assertEquals(await runVerb(replay, ["-q", "--report", `${out}/r`, out]), 0);
      const [{ application, joulemark }] = parseReport(Deno.readTextFileSync(`${out}/r`)).hosts;
      assertEquals(application["package-energy (J)"], energyJ);
      assertEquals(application["joulemark-package-energy-exact (J)"], energyJ);
      const told = JSON.stringify(joulemark!.sources);
      const why = "the measured time was shorter than the update period of the counter (0.1 s)";
      assertEquals(told.includes(why), Number.isNaN(energyJ), told);
    }
  });
});
