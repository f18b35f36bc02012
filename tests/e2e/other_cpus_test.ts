/** Energy of CPUs that the application does not use, or not all the time, is no region's and not unmarked. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import type { RegionTree } from "../../src/core/region_tree.ts";
import { treeFromNested } from "../../src/core/region_tree.ts";
import { fieldOf, type ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

const WORK = `#include <stdlib.h>
#include <time.h>
#include "joulemark.h"
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int count, char **words) {
  double seconds = count > 1 ? atof(words[1]) : 1;
  for (int i = 0; i < 10; i++) {
    joulemark_begin("work");
    for (double end = now() + seconds / 10; now() < end;) {}
    joulemark_end("work");
  }
  return 0;
}
`;

interface Found {
  readonly host: ReportHost;
  readonly tree: RegionTree;
  readonly stderr: string;
}

function run(dir: string, script: string): Found {
  Deno.writeTextFileSync(`${dir}/work.c`, WORK);
  assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
  const made = new Deno.Command("cc", {
    args: ["-O1", "-I.", "work.c", "-o", "work", "-pthread"],
    cwd: dir,
  }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  const spec = { packages: 2, coresPerPackage: 1, threadsPerCore: 1, noise: 0, visitNoise: 0 };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(spec));
  const out = joulemark(dir, [
    ...["run", "--simulate=node.json", "--report", "r.report", "--"],
    ...["sh", "-c", script],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/r.report`)).hosts;
  return { host, tree: treeFromNested(host.joulemark!.tree)!, stderr: out.stderr };
}

/** Every joule is in one row. */
function addsUp({ host, tree }: Found): void {
  for (const kind of ["package", "dram"] as const) {
    const rows = [
      ...tree.rows.filter(({ depth }) => depth === 0).map(({ energies }) => energies),
      ...[tree.unmarked, tree.otherCpus, tree.undetermined],
    ];
    const sum = rows.reduce((all, energies) => {
      const { joules, exactJ } = energies.get(kind) ?? { joules: 0, exactJ: 0 };
      return all + (Number.isNaN(joules) ? exactJ : joules);
    }, 0);
    const totalJ = fieldOf(host.application, `joulemark-${kind}-energy-exact (J)`);
    assertAlmostEquals(sum / totalJ, 1, 2e-4, kind);
  }
}

function otherJ({ tree }: Found): number {
  const { joules, exactJ } = tree.otherCpus.get("package")!;
  return Number.isNaN(joules) ? exactJ : joules;
}

endToEnd("a package that no process may use is other CPUs, not unmarked", (dir) => {
  for (const script of ["exec taskset -c 0 ./work 1", "taskset -c 0 ./work 1"]) {
    const found = run(dir, script);
    addsUp(found);
    // It idles at 45 W, and its CPU outside all regions draws some more.
    const seconds = fieldOf(found.host.application, "runtime (s)");
    assert(otherJ(found) > 40 * seconds, `${script}: ${otherJ(found)} J in ${seconds} s`);
    const unmarked = found.tree.unmarked.get("package")!;
    const ownJ = Number.isNaN(unmarked.joules) ? unmarked.exactJ : unmarked.joules;
    const unmarkedS = fieldOf(found.host.unmarked!, "runtime (s)");
    assert(ownJ < 250 * unmarkedS + 2, `${script}: ${ownJ} J in ${unmarkedS} s`);
    assertMatch(found.stderr, /^\(other CPUs\) /m);
    const key = "joulemark-package-energy-other-cpus (J)";
    assertAlmostEquals(fieldOf(found.host.application, key) / otherJ(found), 1, 0.02);
  }
});

endToEnd("CPUs whose process ended, or did not begin yet, are other CPUs", (dir) => {
  for (
    const script of [
      "taskset -c 0 ./work 2 & taskset -c 1 ./work 0.5; wait",
      "taskset -c 0 ./work 2 & sleep 1.5; taskset -c 1 ./work 0.5; wait",
    ]
  ) {
    const found = run(dir, script);
    addsUp(found);
    assert(otherJ(found) > 60, `${script}: ${otherJ(found)} J\n${found.stderr}`);
  }
});

endToEnd("between two programs in turn there are only other CPUs", (dir) => {
  const found = run(dir, "./work 0.5; sleep 2; ./work 0.5");
  addsUp(found);
  // Two idle packages.
  assert(otherJ(found) > 160, `${otherJ(found)} J\n${found.stderr}`);
});
