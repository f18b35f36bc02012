/** Sources and outputs that block are left behind; the run, its samples and its end are not. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { asEachUser, type User } from "../_support/plain_user.ts";

async function run(dir: string, { command }: User, args: string[]) {
  const begin = performance.now();
  const { code, stderr } = await new Deno.Command(command[0], {
    args: [...command.slice(1), "run", ...args],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  const sampling = host.joulemark!.sampling as Record<string, number | string>;
  return {
    code,
    sampling,
    host,
    stderr: new TextDecoder().decode(stderr),
    seconds: (performance.now() - begin) / 1000,
  };
}

asEachUser("the reader of a trace stalls: the run does not", async (dir, user) => {
  new Deno.Command("mkfifo", { args: ["-m", "666", `${dir}/pipe`] }).outputSync();
  const reader = new Deno.Command("sh", {
    args: ["-c", "exec 3<pipe; sleep 15"],
    cwd: dir,
  }).spawn();
  await new Promise((go) => setTimeout(go, 200));
  const words = ["--simulate", "--period", "0.001", "--trace", "pipe"];
  const { code, stderr, seconds, sampling } = await run(dir, user, [
    ...words,
    "--",
    "sh",
    "-c",
    "sleep 2; exit 9",
  ]);
  reader.kill("SIGKILL");
  await reader.status;
  assertEquals(code, 9);
  assert(seconds < 10, `${seconds} s`);
  assertStringIncludes(stderr, 'cannot write "pipe": no answer in time');
  // Only where a busy machine cannot take the samples away.
  const isFirst = sampling.scheduling === "fifo", missed = Number(sampling["samples missed"]);
  const text = `${missed} missed beside ${sampling.samples}`;
  assert(!isFirst || missed < Number(sampling.samples) / 4, text);
});

asEachUser("a slow reader of a trace gets all of it", async (dir, user) => {
  new Deno.Command("mkfifo", { args: ["-m", "666", `${dir}/pipe`] }).outputSync();
  const reader = new Deno.Command("sh", {
    args: ["-c", "exec 3<pipe; sleep 1.5; cat <&3 >trace"],
    cwd: dir,
  }).spawn();
  await new Promise((go) => setTimeout(go, 200));
  const words = ["-q", "--simulate", "--period", "0.001", "--trace", "pipe", "--", "sleep", "2"];
  const { code, stderr, sampling } = await run(dir, user, words);
  await reader.status;
  assertEquals([code, stderr], [0, ""]);
  const rows = Deno.readTextFileSync(`${dir}/trace`).split("\n")
    .filter((line) => /^[0-9]/.test(line));
  assert(rows.length > 200 && rows.length >= Number(sampling.samples) - 2, `${rows.length} rows`);
});

asEachUser("a counter that is a pipe fails, and the others go on", async (dir, user) => {
  const zone = (n: number) => `${dir}/tree/sys/class/powercap/intel-rapl:${n}`;
  for (const n of [0, 1]) {
    Deno.mkdirSync(zone(n), { recursive: true });
    Deno.writeTextFileSync(`${zone(n)}/name`, `package-${n}\n`);
    Deno.writeTextFileSync(`${zone(n)}/max_energy_range_uj`, "262143328850\n");
    Deno.writeTextFileSync(`${zone(n)}/energy_uj`, "1000\n");
  }
  Deno.removeSync(`${zone(1)}/energy_uj`);
  new Deno.Command("mkfifo", { args: [`${zone(1)}/energy_uj`] }).outputSync();
  const { code, seconds } = await run(dir, user, [
    "-q",
    "--root",
    `${dir}/tree`,
    "--",
    "sh",
    "-c",
    "sleep 1; exit 9",
  ]);
  assertEquals(code, 9);
  assert(seconds < 10, `${seconds} s`);
});
