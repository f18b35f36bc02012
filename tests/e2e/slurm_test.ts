/** Jobs of two nodes under a real Slurm: one report, both hosts, ranks; a node that is killed. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Nested } from "../../src/core/report.ts";
import { parsePmc } from "../../src/formats/pmc/pmc.ts";
import { parseReport } from "../../src/formats/report.ts";
import { findLibrary } from "../../src/os/devices/library.ts";
import { query } from "../../src/caliper/query/library.ts";
import { BROWSER, Browser } from "../_support/browser.ts";
import { BINARY, build, joulemark, NO_BINARY, NO_COMPILER } from "../_support/programs.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { NO_SLURM, Slurm } from "./_slurm.ts";
import { skippedWithout } from "../_support/skipped.ts";

type Mapping = { [key: string]: Nested };

Deno.test({
  ...skippedWithout("run under Slurm on two nodes", NO_SLURM, NO_BINARY, NO_COMPILER),
  fn: (t) => withTimeLimit(() => underSlurm(t), 300),
});

async function underSlurm(t: Deno.TestContext): Promise<void> {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-e2e-" });
  await using slurm = await Slurm.start();
  const app = build("steps", dir);
  const reportOf = (name: string) => parseReport(Deno.readTextFileSync(`${dir}/${name}`), name);

  await t.step("makes one report of both, with the ranks, and one PMC log", async () => {
    const run = [BINARY, "run", "--simulate", "--report", "two.report", "--pmc", "two.pmc"];
    const args = ["-N2", "-n4", ...run, "--", app, "20", "20"];
    const out = await slurm.srun(dir, args).output();
    assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    const report = reportOf("two.report");
    assertEquals(report.joulemark!.partial, undefined);
    assertEquals(report.hosts.map((h) => h.host), ["n1", "n2"]);
    const ranks = report.hosts.map((h) => h.joulemark!.ranks as Record<string, number>);
    assertEquals(ranks[0].lowest, 0);
    assertEquals(ranks[1].lowest, ranks[0]["on this node"]);
    assertEquals(ranks[0]["on this node"] + ranks[1]["on this node"], 4);
    for (const host of report.hosts) {
      assertEquals(host.regions!.map((r) => [r.region, r.fields.count]), [["step", 20]]);
      // Ranks that were handed over mark before the monitor of their node is ready.
      const runtimeS = Number(host.regions![0].fields["runtime (s)"]);
      assert(runtimeS >= 20 * 0.02, `${runtimeS} s`);
      const processes = host.joulemark!.processes as Record<string, number>;
      assertEquals(processes.count, (host.joulemark!.ranks as Mapping)["on this node"]);
    }
    const { records } = parsePmc(Deno.readFileSync(`${dir}/two.pmc`));
    assertEquals(records.map((r) => r.step), [
      -1,
      ...Array.from({ length: 20 }, (_, i) => i + 1),
    ]);
    const parts = [...Deno.readDirSync(`${dir}/two.report.parts`)].map((e) => e.name).sort();
    assertEquals(
      parts.join(" "),
      "n1.json n1.pmc n1.report n1.timeline n2.json n2.pmc n2.report n2.timeline",
    );
  });

  await t.step(
    "makes one of Caliper's reports of all ranks, and a stream of each node",
    async () => {
      const config = "runtime-report(region.count,energy,output=both.txt)," +
        "event-trace(output=both.cali)";
      const run = [BINARY, "run", "-q", "--simulate", "--report", "cali.report"];
      const args = ["-N2", "-n4", ...run, "--cali-config", config, "--", app, "20", "5"];
      const out = await slurm.srun(dir, args).output();
      assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
      const [titles, row, note] = Deno.readTextFileSync(`${dir}/both.txt`).trimEnd().split("\n");
      assertMatch(titles, /^Path +Min time\/rank +Avg time\/rank .*CPU_ENERGY J \(I\)/);
      assertMatch(row, /^step /);
      assertMatch(note, /simulated/);
      // 20 visits by each rank.
      assertMatch(row, / 20 +20 +20 +80 /);
      assert(Number(row.trim().split(/\s+/)[1]) > 20 * 0.005, row);
      const streams = ["n1", "n2"].map((host) => Deno.readTextFileSync(`${dir}/both.cali-${host}`));
      const sum = "select sum(region.count) where region=step group by region format expand";
      assertEquals(query(sum, streams).trim(), "sum#region.count=80");
    },
  );

  await t.step(
    "makes a page of the job, again out of its parts, and of its report",
    async () => {
      const run = [
        BINARY,
        "run",
        "-q",
        "--simulate",
        "--report",
        "page.report",
        "--html",
        "page.html",
      ];
      const out = await slurm.srun(dir, ["-N2", "-n4", ...run, "--", app, "20", "20"]).output();
      assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
      const pages = ["page.html"];
      for (const input of ["page.report", "page.report.parts"]) {
        const html = `${input}.html`;
        const shown = joulemark(dir, ["show", "--html", "-o", html, input]);
        assertEquals([shown.code, shown.stderr], [0, ""]);
        pages.push(html);
      }
      for (const name of pages) {
        const html = Deno.readTextFileSync(`${dir}/${name}`);
        assertStringIncludes(html, '"format":"joulemark-page/2"');
        if (BROWSER === undefined) continue;
        await using page = await Browser.open();
        await page.show(`${dir}/${name}`);
        const text = await page.run<string>("document.body.innerText");
        assertStringIncludes(
          text,
          "2 hosts",
        );
        assertStringIncludes(text, "step");
        // The sum, and both nodes: the parts beside the report have their timelines.
        const hosts = await page.run<string[]>(
          "[...document.querySelectorAll('#power select option')].map((e) => e.textContent)",
        );
        assertEquals(hosts, ["all 2 hosts", "n1", "n2"], name);
        assertEquals(page.errors, [], name);
      }
    },
  );

  await t.step("leaves a partial report when a node's monitor is killed", async () => {
    const run = [BINARY, "run", "--simulate", "--report", "killed.report", "--checkpoint", "0.3"];
    const args = ["-K0", "-N2", "-n2", ...run, "--", app, "40", "50"];
    const job = slurm.srun(dir, args).output();
    const victim = `${dir}/killed.report.parts/n2.report.partial`;
    for (let i = 0; i < 100; i++) {
      await new Promise((go) => setTimeout(go, 50));
      try {
        Deno.statSync(victim);
        break;
      } catch {
        // Not yet.
      }
    }
    killMonitor("n2", dir);
    await job;
    const report = reportOf("killed.report");
    assertEquals(report.hosts.map((h) => h.host), ["n1", "n2"]);
    assertEquals(report.joulemark!["hosts missing"], ["n2"]);
    assertStringIncludes(String(report.joulemark!.partial), "1 partial host");
    assertEquals(report.hosts[0].regions![0].fields.count, 40);
  });

  const mpich = findLibrary("libmpich.so.12");
  const collates = async () => {
    const run = `srun ${BINARY} run -q --simulate --report $PARTS/lu.report -- ${app} 3 5`;
    // As with disks of their own.
    const disks = `for n in n1 n2; do
      mkdir $PARTS/$n && mv $PARTS/lu.report.parts/$n.* $PARTS/$n; done`;
    const collate = (kind: string) =>
      `SLURM_MPI_TYPE=${kind} srun -n "$SLURM_NNODES" --ntasks-per-node=1 sh -c '
        ${BINARY} collate --mpi-lib ${
        mpich.ok ? mpich.path : ""
      } -o ${kind}.report $PARTS/$SLURMD_NODENAME'
      echo "${kind} $?"`;
    const lines = [
      "#!/bin/sh",
      "#SBATCH --nodes=2",
      "#SBATCH --ntasks=4",
      "export PARTS=$PWD/parts",
    ];
    lines.push(run, disks, collate("pmi2"), collate("none"));
    Deno.writeTextFileSync(`${dir}/job.sh`, lines.join("\n") + "\n");
    assertEquals((await slurm.sbatch(dir, ["-o", "job.out", "job.sh"]).output()).code, 0);
    const said = Deno.readTextFileSync(`${dir}/job.out`);
    assertStringIncludes(said, "joulemark: pmi2.report: 2 hosts\npmi2 0\n");
    assertEquals(reportOf("pmi2.report").hosts.map((h) => h.host), ["n1", "n2"]);
    assertMatch(said, /expected 2 processes.*srun --mpi/);
    assertStringIncludes(said, "none 2\n");
    assert(![...Deno.readDirSync(dir)].some((entry) => entry.name === "none.report"));
  };
  await t.step({
    ...skippedWithout(
      "collates from a job script, and says that processes do not find each other",
      mpich.ok ? undefined : "no MPICH",
    ),
    fn: collates,
  });

  Deno.removeSync(dir, { recursive: true });
}

/** Ends the executable under test on one virtual node, of a job that began in `dir`. */
function killMonitor(node: string, dir: string): void {
  let killed = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      if (Deno.readLinkSync(`/proc/${name}/exe`) !== Deno.realPathSync(BINARY)) continue;
      const environment = Deno.readTextFileSync(`/proc/${name}/environ`);
      if (!environment.includes(`SLURMD_NODENAME=${node}\0`)) continue;
      if (!environment.includes(`SLURM_SUBMIT_DIR=${dir}\0`)) continue;
      Deno.kill(Number(name), "SIGKILL");
      killed++;
    } catch {
      // It ended, or is none of ours.
    }
  }
  assert(killed > 0, `no monitor on ${node}`);
}
