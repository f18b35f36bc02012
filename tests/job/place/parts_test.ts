/** Which node of which job, by every launcher's environment; and the parts of a job. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { completeness, type PartFacts, sameJob } from "../../../src/job/place/part_files.ts";
import { JobPart } from "../../../src/job/place/parts.ts";
import { expandHosts } from "../../../src/core/host_list.ts";
import { type JobNode, jobNode } from "../../../src/job/place/place.ts";
import { hostReport } from "../merge/_generated.ts";

type Env = Record<string, string>;
const of = (env: Env, files: Env = {}) => jobNode((name) => env[name], (path) => files[path]);

const SLURM: Env = {
  SLURM_JOB_ID: "7",
  SLURM_STEP_ID: "0",
  SLURM_STEP_NUM_NODES: "2",
  SLURM_STEP_NODELIST: "n[1-2]",
  SLURM_NODEID: "1",
  SLURM_PROCID: "3",
  SLURM_LOCALID: "0",
  SLURM_GTIDS: "3",
  SLURM_STEP_NUM_TASKS: "4",
  SLURMD_NODENAME: "n2",
};

Deno.test("jobNode() recognizes Slurm's steps, and that a batch script is alone", () => {
  assertEquals(of(SLURM), {
    launcher: "slurm",
    job: "slurm-7-0",
    weak: false,
    isRequeued: false,
    nodes: 2,
    hosts: ["n1", "n2"],
    name: "n2",
    rank: 3,
    localRanks: 1,
    ranks: 4,
  });
  const again = of({ ...SLURM, SLURM_RESTART_COUNT: "2" })!;
  assertEquals([again.job, again.isRequeued], ["slurm-7-0-restart-2", true]);
  assertEquals(of({ ...SLURM, SLURM_RESTART_COUNT: "0" })?.job, "slurm-7-0");
  const { SLURM_STEP_ID: _, ...batch } = SLURM;
  assertEquals(of({ ...batch, SLURM_NNODES: "2" }), undefined);
  assertEquals(of({ ...SLURM, SLURM_STEP_NUM_NODES: "1" }), undefined);
});

Deno.test("jobNode() recognizes the other launchers", () => {
  const brief = (node: JobNode | undefined) =>
    node && [node.launcher, node.job, node.nodes, node.rank, node.localRanks, node.ranks];
  const openMpi = {
    OMPI_COMM_WORLD_SIZE: "8",
    OMPI_COMM_WORLD_RANK: "5",
    OMPI_COMM_WORLD_LOCAL_SIZE: "4",
    OMPI_COMM_WORLD_LOCAL_RANK: "1",
    PMIX_NAMESPACE: "415760385",
  };
  assertEquals(brief(of(openMpi)), ["openmpi", "openmpi-415760385", undefined, 4, 4, 8]);
  // mpirun inside of a Slurm job: its daemons are steps of their own.
  assertEquals(brief(of({ ...SLURM, ...openMpi }))?.slice(0, 2), [
    "openmpi",
    "slurm-7-openmpi-415760385",
  ]);
  assertEquals(of({ ...openMpi, OMPI_COMM_WORLD_LOCAL_SIZE: "8" }), undefined);
  const hydra = { PMI_SIZE: "6", PMI_RANK: "4", MPI_LOCALNRANKS: "3", MPI_LOCALRANKID: "1" };
  assertEquals(brief(of(hydra)), ["hydra", "hydra-6", undefined, 3, 3, 6]);
  assertEquals(of(hydra)?.weak, true);
  assertEquals(brief(of({ ...hydra, PBS_JOBID: "9.server" }))?.[1], "pbs-9.server-6");
  const processes = {
    "/proc/self/stat": "70 (deno) S 60 70",
    "/proc/60/stat": "60 (a) b) S 50 60",
    "/proc/60/cmdline": "sh\0-c\0joulemark run -- ./a\0",
    "/proc/50/cmdline": "/usr/bin/hydra_pmi_proxy\0--control-port\0n1:45985\0--rmk\0user\0",
    "/proc/50/stat": "50 (hydra_pmi_proxy) S 1 50",
  };
  assertEquals(of(hydra, processes)?.job, "hydra-n1:45985");
  assertEquals(of({ ...hydra, PMI_JOBID: "3" }, processes)?.job, "hydra-3");
  assertEquals(of(hydra, { ...processes, "/proc/50/cmdline": "sshd\0" })?.job, "hydra-6");
  assertEquals(
    brief(of({
      FLUX_JOB_ID: "f2",
      FLUX_JOB_NNODES: "3",
      FLUX_JOB_SIZE: "6",
      FLUX_TASK_RANK: "5",
      FLUX_TASK_LOCAL_ID: "1",
    })),
    ["flux", "flux-f2", 3, 4, undefined, 6],
  );
  const files = { "/nodes": "a\na\nb\nb\n" };
  assertEquals(
    brief(of(
      { PALS_APID: "x", PALS_RANKID: "3", PALS_LOCAL_RANKID: "1", PBS_NODEFILE: "/nodes" },
      files,
    )),
    ["pals", "pals-x", 2, 2, undefined, undefined],
  );
  assertEquals(
    brief(of({
      LSB_JOBID: "5",
      JSM_NAMESPACE_RANK: "3",
      JSM_NAMESPACE_SIZE: "4",
      JSM_NAMESPACE_LOCAL_RANK: "1",
      JSM_NAMESPACE_LOCAL_SIZE: "2",
    })),
    ["jsm", "lsf-5-0-4", undefined, 2, 2, 4],
  );
  assertEquals(
    brief(of({ LSB_JOBID: "5", LSF_PM_TASKID: "2", LSB_MCPU_HOSTS: "a 4 b 4" })),
    ["lsf", "lsf-5-0", 2, 1, undefined, undefined],
  );
  assertEquals(
    brief(of(
      { PBS_JOBID: "9", PBS_NODENUM: "1", PBS_TASKNUM: "2", PBS_NODEFILE: "/nodes" },
      files,
    )),
    ["pbs", "pbs-9", 2, 1, undefined, undefined],
  );
  assertEquals(of({ PBS_JOBID: "9", PBS_NODENUM: "0", PBS_NODEFILE: "/nodes" }, files), undefined);
  assertEquals(of({}), undefined);
});

Deno.test("expandHosts() reads Slurm's lists", () => {
  assertEquals(expandHosts("n[1-3,07],login"), ["n1", "n2", "n3", "n07", "login"]);
  assertEquals(expandHosts("nid[000998-001001]"), [
    "nid000998",
    "nid000999",
    "nid001000",
    "nid001001",
  ]);
  assertEquals(expandHosts("r[1-2]n[0-1]s"), ["r1n0s", "r1n1s", "r2n0s", "r2n1s"]);
  assertEquals(expandHosts(""), []);
  assert(expandHosts("n[0-999999999]x[0-99999]").length <= 200_000);
});

/** A node of a job of three, and its report. */
function part(dir: string, host: string, rank: number, more: Partial<JobNode> = {}): JobPart {
  const node: JobNode = {
    launcher: "slurm",
    job: "slurm-7-0",
    weak: false,
    isRequeued: false,
    nodes: 3,
    hosts: ["a", "b", "c"],
    rank,
    ...more,
  };
  return new JobPart(node, host, { report: `${dir}/job.report` });
}

function write(one: JobPart, n: number): void {
  Deno.writeTextFileSync(
    one.reportPath,
    stringifyReport(hostReport(one.host, n, { regions: 1 })),
  );
}

function inDirectory(body: (dir: string) => void): void {
  const dir = Deno.makeTempDirSync();
  try {
    body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("JobPart: the last node done makes the job's report, earlier ones a partial one", () => {
  inDirectory((dir) => {
    const told: string[] = [];
    const log = (line: string) => told.push(line.replace(`${dir}/`, ""));
    const nodes = ["c", "a", "b"].map((host, i) => part(dir, host, i));
    const hosts = () => {
      const report = parseReport(Deno.readTextFileSync(`${dir}/job.report`));
      return [report.hosts.map((h) => h.host).join(""), report.joulemark!.partial ?? "whole"];
    };
    const seen = nodes.map((node, i) => {
      write(node, i);
      node.finish(log);
      return hosts();
    });
    assertEquals(seen, [["c", "1 of 3 hosts"], ["ac", "2 of 3 hosts"], ["abc", "whole"]]);
    assertEquals(told, [
      "job.report: 1 host, partial so far, without a, b",
      "job.report: 2 hosts, partial so far, without b",
      "job.report: 3 hosts",
    ]);
    const left = [...Deno.readDirSync(`${dir}/job.report.parts`)].map((e) => e.name).sort();
    assertEquals(left, ["a.json", "a.report", "b.json", "b.report", "c.json", "c.report"]);
  });
});

Deno.test("JobPart leaves out other jobs, and removes what an earlier one left", () => {
  inDirectory((dir) => {
    const old = part(dir, "z", 0, { job: "slurm-6-0", nodes: 2 });
    write(old, 1);
    old.finish(() => {});
    // Its end lies in the past by the clock's grain at least.
    const until = Date.now() + 5;
    while (Date.now() < until);
    const ours = part(dir, "a", 0, { nodes: 2, hosts: undefined });
    write(ours, 2);
    const told: string[] = [];
    ours.finish((line) => told.push(line));
    const report = parseReport(Deno.readTextFileSync(`${dir}/job.report`));
    assertEquals(report.hosts.map((h) => h.host), ["a"]);
    assertEquals([...Deno.readDirSync(`${dir}/job.report.parts`)].length, 2);
    assertEquals(told.length, 1);
  });
});

Deno.test("JobPart: launches at one time have reports of their own, all nodes of each the same", () => {
  inDirectory((dir) => {
    const [a1, b2] = ["n1", "n2"].map((host, i) =>
      part(dir, host, i, { job: "slurm-7-0", nodes: 2 })
    );
    // Of another launch on the same nodes, which runs at the same time.
    const facts = (host: string, report = "job.report") => {
      const path = `${dir}/${report}.parts/${host}.json`;
      return { path, facts: JSON.parse(Deno.readTextFileSync(path)) as PartFacts };
    };
    const others = ["n2", "n1"].map((host, i) =>
      part(dir, host, i, { job: "slurm-7-1", nodes: 2 })
    );
    assertEquals(others.map(({ suffix }) => suffix), ["-2", "-2"]);
    assertEquals([a1, b2].map(({ suffix }) => suffix), ["", ""]);
    [a1, b2, ...others].forEach(write);
    const log: string[] = [];
    for (const one of [a1, others[0], b2, others[1]]) one.finish((line) => log.push(line));
    for (const [name, job] of [["job.report", "slurm-7-0"], ["job.report-2", "slurm-7-1"]]) {
      const report = parseReport(Deno.readTextFileSync(`${dir}/${name}`));
      assertEquals(report.hosts.map(({ host }) => host), ["n1", "n2"]);
      assertEquals(report.joulemark!.partial, undefined);
      assertEquals(facts("n1", name).facts.job, job);
    }
    // Both are over: the name is free for the next one.
    assertEquals(part(dir, "n1", 0, { job: "slurm-7-2" }).suffix, "");
    // A node that was killed long ago, and one on this host whose process has ended.
    for (const [host, change] of [["n1", { pid: 1 << 22 }], ["n9", { aliveS: 0 }]] as const) {
      const { path, facts: own } = facts("n1");
      Deno.writeTextFileSync(path, JSON.stringify({ ...own, host, ...change, endS: 0 }));
      assertEquals(part(dir, "n1", 0, { job: `slurm-${host}` }).suffix, "");
    }
    // A node elsewhere that may run.
    const { path, facts: own } = facts("n1");
    Deno.writeTextFileSync(
      path.replace("n1.json", "n8.json"),
      JSON.stringify({ ...own, host: "n8" }),
    );
    assertEquals(part(dir, "n1", 0, { job: "slurm-8" }).suffix, "-2");
  });
});

Deno.test("JobPart takes over a lock that a killed process left", () => {
  inDirectory((dir) => {
    Deno.mkdirSync(`${dir}/job.report.parts/claim.lock`, { recursive: true });
    assertEquals(part(dir, "a", 0).suffix, "");
    const left = [...Deno.readDirSync(`${dir}/job.report.parts`)].map(({ name }) => name);
    assertEquals(left, ["a.json"]);
  });
});

Deno.test("JobPart of a job that was started again leaves the report of the start before", () => {
  inDirectory((dir) => {
    const first = part(dir, "a", 0);
    write(first, 1);
    first.finish(() => {});
    const before = Deno.readTextFileSync(`${dir}/job.report`);
    const again = ["b", "c", "d"].map((host, i) => {
      return part(dir, host, i, { job: "slurm-7-0-restart-1", isRequeued: true });
    });
    again.forEach((one, i) => {
      assertEquals(one.suffix, "-2");
      write(one, i);
      one.finish(() => {});
    });
    assertEquals(Deno.readTextFileSync(`${dir}/job.report`), before);
    const report = parseReport(Deno.readTextFileSync(`${dir}/job.report-2`));
    assertEquals(report.hosts.map(({ host }) => host), ["b", "c", "d"]);
    assertEquals(part(dir, "b", 0, { job: "slurm-7-0-restart-2", isRequeued: true }).suffix, "-3");
  });
});

Deno.test("JobPart goes away from a lock that is held, and takes an old one", () => {
  inDirectory((dir) => {
    const one = part(dir, "a", 0, { nodes: 1 });
    write(one, 1);
    const lock = `${dir}/job.report.parts/merge.lock`;
    Deno.mkdirSync(lock);
    one.finish(() => {});
    const isThere = () => [...Deno.readDirSync(dir)].some((e) => e.name === "job.report");
    assertEquals(isThere(), false);
    const past = new Date(Date.now() - 3600e3);
    Deno.utimeSync(lock, past, past);
    one.finish(() => {});
    assertEquals(isThere(), true);
  });
});

Deno.test("JobPart logs a part that is torn, and merges the rest", () => {
  inDirectory((dir) => {
    const nodes = ["a", "b"].map((host, i) => part(dir, host, i, { nodes: 2 }));
    nodes.forEach(write);
    const text = Deno.readTextFileSync(nodes[1].reportPath);
    Deno.writeTextFileSync(nodes[1].reportPath, text.slice(0, 900));
    const told: string[] = [];
    for (const node of nodes) node.finish((line) => told.push(line));
    assertStringIncludes(told.at(-2)!, "b.report");
    assertStringIncludes(told.at(-1)!, "1 host, partial");
  });
});

Deno.test("completeness() counts nodes, else ranks", () => {
  const facts = (more: Partial<PartFacts>) => ({ endS: 2, startS: 1, ...more }) as PartFacts;
  assertEquals(completeness([facts({ host: "a", nodes: 2, hosts: ["a", "b"] })]), {
    nodes: 2,
    complete: false,
    missing: ["b"],
  });
  const ranks = [facts({ localRanks: 3, ranks: 6 }), facts({ localRanks: 3, ranks: 6 })];
  assertEquals(completeness(ranks).complete, true);
  assertEquals(completeness(ranks.slice(1)).incomplete, "nodes of 3 of 6 ranks");
  assertEquals(completeness([ranks[0], { ...ranks[1], endS: 0 }]).complete, false);
});

Deno.test("sameJob() needs the time where the name is not enough", () => {
  const facts = { job: "hydra-4", startS: 1000, endS: 1010 } as PartFacts;
  const mark = { job: "hydra-4", weak: true, startS: 1005 };
  assertEquals(sameJob(facts, mark), true);
  assertEquals(sameJob(facts, { ...mark, startS: 1100 }), false);
  assertEquals(sameJob(facts, { ...mark, startS: 1100, weak: false }), true);
  assertEquals(sameJob(facts, { ...mark, job: "hydra-5" }), false);
});
