/** The verb over the vectors' runs, against whole files in tests/golden/replay. */
import { assertEquals, assertRejects } from "@std/assert";
import { replay } from "../../src/cli/replay.ts";
import { runVerb } from "../../src/cli/command_line/run_verb.ts";
import { REPORT_VERSION } from "../../src/core/version.ts";
import { AccessError, UnknownNameError, UsageError } from "../../src/core/errors.ts";
import { parseReport } from "../../src/formats/report.ts";
import { APPLICATION_CASES, recordingOf, RecordingOnDisk } from "../session/_application.ts";

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
