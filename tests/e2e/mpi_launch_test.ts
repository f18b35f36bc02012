/** One monitor a node under the launchers of Open MPI and MPICH, where they are installed. */
import { assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { exists } from "../_support/live_tree.ts";
import { BINARY, build, endToEnd } from "../_support/programs.ts";
import { NOT_ROOT, succeeds, unless } from "../_support/skipped.ts";

const LAUNCHERS: Record<string, string[]> = {
  "mpirun.openmpi": ["--allow-run-as-root", "--oversubscribe"],
  "mpirun.mpich": [],
};

for (const [launcher, options] of Object.entries(LAUNCHERS)) {
  const here = new Deno.Command("sh", { args: ["-c", `command -v ${launcher}`] }).outputSync();
  if (!here.success) {
    console.log(`skipped: ${launcher} is not installed`);
    continue;
  }
  endToEnd(`run under ${launcher} has one monitor and one report for four ranks`, (dir) => {
    const app = build("steps", dir);
    const run = [BINARY, "run", "-q", "--simulate", "--", app, "5"];
    const out = new Deno.Command(launcher, {
      args: [...options, "-n", "4", ...run],
      cwd: dir,
      stdin: "null",
    }).outputSync();
    assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    const names = [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => n.includes("report"));
    assertEquals(names, ["joulemark.report"]);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
    assertEquals((host.joulemark!.processes as Record<string, number>).count, 4);
  });
}

const NO_OPEN_MPI = unless(succeeds("mpirun.openmpi", "--version"), "Open MPI is not installed");

endToEnd(
  "the launcher has the status of a failed rank that started the monitor while others run",
  async (dir) => {
    // Rank 1 starts the monitor. Rank 0 runs until the launcher ends it.
    const script = `run() { exec "${BINARY}" run -q --simulate -- sh -c "$1"; }
      if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
        run 'touch first; until [ -e second ]; do sleep 0.05; done; exit 3'
      fi
      until [ -e first ]; do sleep 0.05; done
      run 'touch second; sleep 60; touch waited'`;
    const args = ["--allow-run-as-root", "--oversubscribe", "-n", "2", "sh", "-c", script];
    const out = new Deno.Command("mpirun.openmpi", { args, cwd: dir, stdin: "null" }).outputSync();
    assertEquals(out.code, 3, new TextDecoder().decode(out.stderr));
    assertEquals([...Deno.readDirSync(dir)].some(({ name }) => name === "waited"), false);
    const path = `${dir}/joulemark.report`;
    for (let i = 0; i < 200 && !exists(path); i++) await new Promise((go) => setTimeout(go, 50));
    assertEquals(parseReport(Deno.readTextFileSync(path), "r").joulemark!["exit status"], 3);
  },
  undefined,
  NO_OPEN_MPI,
);

endToEnd(
  "the job's share has the CPUs of all ranks",
  (dir) => {
    const run = `${BINARY} run -q --simulate -- sleep 0.5`;
    const script = `exec taskset -c "$OMPI_COMM_WORLD_RANK" ${run}`;
    const args = ["--allow-run-as-root", "--oversubscribe", "-n", "2", "sh", "-c", script];
    const out = new Deno.Command("mpirun.openmpi", { args, cwd: dir, stdin: "null" }).outputSync();
    assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
    const cpus = navigator.hardwareConcurrency;
    const share = host.joulemark!["job share"] as Record<string, string> | undefined;
    assertEquals(share?.cpus, cpus === 2 ? undefined : `2 of ${cpus}`);
  },
  undefined,
  NO_OPEN_MPI ?? unless(succeeds("taskset", "-c", "1", "true"), "there is no CPU 1"),
);

/** Stands for ssh: the machine is another host for what it starts. */
const SSH = `#!/bin/sh
[ "$1" != -x ] || shift
host=$1
shift
exec unshare -u sh -c 'hostname "$1"; shift; eval "exec $*"' sh "$host" "$@"
`;
const NO_HYDRA = NOT_ROOT ??
  unless(succeeds("mpiexec.mpich", "--version"), "mpiexec.mpich is not installed") ??
  unless(succeeds("unshare", "-u", "true"), "unshare may make no host");

endToEnd(
  "two launches of Hydra at once on the same two nodes have a report each",
  async (dir) => {
    Deno.writeTextFileSync(`${dir}/ssh`, SSH, { mode: 0o755 });
    const launch = (seconds: string) =>
      new Deno.Command("mpiexec.mpich", {
        args: ["-launcher", "ssh", "-launcher-exec", `${dir}/ssh`, "-hosts", "n1,n2"]
          .concat([
            "-n",
            "4",
            "-ppn",
            "2",
            BINARY,
            "run",
            "-q",
            "--simulate",
            "--",
            "sleep",
            seconds,
          ]),
        cwd: dir,
        stdin: "null",
      }).output();
    const outs = await Promise.all([launch("1"), launch("1")]);
    for (const { code, stderr } of outs) assertEquals(code, 0, new TextDecoder().decode(stderr));
    const names = [...Deno.readDirSync(dir)].filter((entry) => entry.isFile).map(({ name }) =>
      name
    );
    const reports = names.filter((name) => name.includes("report")).sort();
    assertEquals(reports, ["joulemark.report", "joulemark.report-2"]);
    for (const name of reports) {
      const { hosts } = parseReport(Deno.readTextFileSync(`${dir}/${name}`), name);
      assertEquals(hosts.map(({ host }) => host).sort(), ["n1", "n2"]);
    }
  },
  undefined,
  NO_HYDRA,
);
