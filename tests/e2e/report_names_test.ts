/** Launches with one report's name: none overwrites or mixes with another one. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

const own = Date.now() % 1e8;

/** One node of a Slurm step of two. */
function task(dir: string, step: string, node: number, app: string[], more: string[] = []) {
  return new Deno.Command(BINARY, {
    args: ["run", "-q", "--simulate", "--pmc", "job.pmc", ...more, "--", ...app],
    cwd: dir,
    stdin: "null",
    env: {
      SLURM_JOB_ID: `${own}`,
      SLURM_STEP_ID: step,
      SLURM_PROCID: `${node}`,
      SLURM_LOCALID: "0",
      SLURM_NODEID: `${node}`,
      SLURM_GTIDS: `${node}`,
      SLURM_STEP_NUM_NODES: "2",
      SLURM_STEP_NODELIST: "n[1-2]",
      SLURM_STEP_NUM_TASKS: "2",
      SLURMD_NODENAME: `n${node + 1}`,
    },
  }).output();
}

/** A run of one node. */
function alone(dir: string, command: string[]) {
  const args = ["run", "-q", "--simulate", "--", ...command];
  return new Deno.Command(BINARY, { args, cwd: dir, stdin: "null" }).output();
}

function hostsOf(path: string): string[] {
  const report = parseReport(Deno.readTextFileSync(path), path);
  assertEquals(report.joulemark!.partial, undefined, path);
  return report.hosts.map(({ host, regions }) => `${host} ${regions!.map((r) => r.region)}`);
}

endToEnd(
  "launches on several nodes at once with one name have reports of their own",
  async (dir) => {
    const app = build("steps", dir);
    const steps = ["0", "1", "2"];
    const outputs = await Promise.all(
      steps.flatMap((step) => [0, 1].map((node) => task(dir, step, node, [app, "20", "50"]))),
    );
    const lines = outputs.map(({ stderr }) => new TextDecoder().decode(stderr)).join("");
    for (const { code } of outputs) assertEquals(code, 0, lines);
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
    for (const suffix of ["", "-2", "-3"]) {
      assertEquals(hostsOf(`${dir}/joulemark.report${suffix}`), ["n1 step", "n2 step"]);
      assert(names.includes(`job.pmc${suffix}`), names.join());
    }
    const moved = lines.split("\n").filter((line) => line.includes("belongs to another run"));
    assertEquals(moved.length, 2, lines);
    assertMatch(moved[0], /^joulemark: joulemark.report belongs to another run; this job writes /);
  },
);

/** Waits until a command has begun. */
async function begun(dir: string, name: string): Promise<void> {
  const isThere = () => [...Deno.readDirSync(dir)].some((entry) => entry.name === `begun-${name}`);
  while (!isThere()) await new Promise((go) => setTimeout(go, 20));
}

for (const order of [["alone", "several"], ["several", "alone"], ["alone", "several", "alone"]]) {
  endToEnd(`runs of one name at once: ${order.join(", ")}`, async (dir) => {
    const app = build("steps", dir);
    const script = `${app} 5 20; : >begun-$0; while [ ! -e end ]; do sleep 0.05; done`;
    const outputs: Promise<Deno.CommandOutput>[] = [];
    for (const [i, kind] of order.entries()) {
      const nodes = kind === "alone" ? [undefined] : [0, 1];
      for (const node of nodes) {
        const command = ["sh", "-c", script, `${i}-${node}`];
        outputs.push(node === undefined ? alone(dir, command) : task(dir, `${i}`, node, command));
      }
      for (const node of nodes) await begun(dir, `${i}-${node}`);
    }
    Deno.writeTextFileSync(`${dir}/end`, "");
    const lines = (await Promise.all(outputs)).map(({ stderr }) =>
      new TextDecoder().decode(stderr)
    );
    for (const [i, kind] of order.entries()) {
      const hosts = hostsOf(`${dir}/joulemark.report${i === 0 ? "" : `-${i + 1}`}`);
      const wanted = kind === "alone" ? [`${Deno.hostname()} step`] : ["n1 step", "n2 step"];
      assertEquals(hosts, wanted, lines.join(""));
    }
    const moved = lines.join("").match(/another run.* writes joulemark\.report-\d$/gm) ?? [];
    assertEquals(moved.length, order.length - 1, lines.join(""));
  });
}

endToEnd("runs at one time have files of their own, whatever option names them", async (dir) => {
  assertEquals(joulemark(dir, ["client", "shell", "-q"]).code, 0);
  const configs = [
    "event-trace(output=events)",
    "runtime-report(output=table)",
    "spot(output=spot)",
  ];
  const options = ["--cali", "stream", "--cali-config", configs.join(), "--trace", "trace"];
  const script = ". ./joulemark.sh; for i in 1 2 3; do joulemark_begin $0; joulemark_epoch; " +
    ": > $0; until [ -e alfa -a -e bravo ]; do sleep 0.02; done; sleep 0.3; joulemark_end $0; done";
  const run = (name: string) =>
    new Deno.Command(BINARY, {
      args: [
        "run",
        "-q",
        "--simulate",
        ...options,
        "--pmc",
        "pm",
        "--",
        "bash",
        "-c",
        script,
        name,
      ],
      cwd: dir,
      stdin: "null",
      env: { CALI_RECORDER_FILENAME: "default", CALI_SERVICES_ENABLE: "event,aggregate,recorder" },
    }).output();
  const outputs = await Promise.all(["alfa", "bravo"].map(run));
  const stderr = outputs.map((out) => new TextDecoder().decode(out.stderr)).join("");
  for (const { code } of outputs) assertEquals(code, 0, stderr);
  for (const file of ["joulemark.report", "stream", "events", "table", "spot", "default"]) {
    const texts = [file, `${file}-2`].map((name) => Deno.readTextFileSync(`${dir}/${name}`));
    const owners = texts.map((text) => ["alfa", "bravo"].filter((name) => text.includes(name)));
    assertEquals(
      owners.flat().sort(),
      ["alfa", "bravo"],
      `${file}: ${owners.join(" | ")}\n${stderr}`,
    );
    assertStringIncludes(stderr, `another run writes ${file}; this run writes ${file}-2\n`);
  }
  for (const file of ["trace", "pm"]) {
    for (const name of [file, `${file}-2`]) assert(Deno.statSync(`${dir}/${name}`).size > 0, name);
  }
});

endToEnd("a job that was started again leaves the files of the start before", (dir) => {
  const run = (restarts: string, ...more: string[]) => {
    const env = { SLURM_JOB_ID: `${own}`, SLURM_RESTART_COUNT: restarts };
    return joulemark(dir, ["run", "-q", "--simulate", "--trace", "t", ...more, "--", "true"], env);
  };
  const read = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
  assertEquals(run("0"), { code: 0, stdout: "", stderr: "" });
  const before = ["joulemark.report", "t"].map(read);
  const again = run("1");
  assertEquals(again.code, 0);
  assertStringIncludes(again.stderr, "this job was started again, and joulemark.report stays");
  assertStringIncludes(again.stderr, "this run writes joulemark.report-2\n");
  assertEquals(["joulemark.report", "t"].map(read), before);
  const { joulemark: facts } = parseReport(read("joulemark.report-2"), "r");
  assertEquals([facts!.job, facts!.restarts], [`slurm-${own}`, 1]);
  assert(read("t-2").length > 0);
  // What a killed start left stays too.
  Deno.writeTextFileSync(`${dir}/other.partial`, "the time so far\n");
  assertStringIncludes(run("1", "--report", "other").stderr, "writes other-2");
  assertEquals(read("other.partial"), "the time so far\n");
});
