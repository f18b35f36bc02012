/** `collate` with 4 ranks under real MPI libraries: byte for byte what `merge` makes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { stringifyReport } from "../../src/formats/report.ts";
import { hostReport } from "../job/merge/_generated.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

const LAUNCHERS: Record<string, string[]> = {
  "mpirun.openmpi": ["--allow-run-as-root", "--oversubscribe"],
  "mpirun.mpich": [],
};

const text = (host: string, n: number, more = {}) =>
  stringifyReport(hostReport(host, n, { regions: 7, ...more }));

function parts(directory: string, first: number, count: number): void {
  Deno.mkdirSync(directory, { recursive: true });
  for (let n = first; n < first + count; n++) {
    Deno.writeTextFileSync(`${directory}/n${n}.report`, text(`n${n}`, n));
  }
}

for (const [launcher, options] of Object.entries(LAUNCHERS)) {
  const here = new Deno.Command("sh", { args: ["-c", `command -v ${launcher}`] }).outputSync();
  if (!here.success) {
    console.log(`skipped: ${launcher} is not installed`);
    continue;
  }
  const launch = (dir: string, command: string[]) => {
    const args = [...options, "-n", "4", ...command];
    const out = new Deno.Command(launcher, { args, cwd: dir, stdin: "null" }).outputSync();
    const stderr = new TextDecoder().decode(out.stderr).split("\n");
    return { code: out.code, stderr: stderr.filter((line) => line.startsWith("joulemark")) };
  };
  const same = (dir: string) => {
    assertEquals(Deno.readFileSync(`${dir}/collated`), Deno.readFileSync(`${dir}/merged`));
  };

  endToEnd(`collate with 4 ranks of ${launcher} equals merge, digit for digit`, (dir) => {
    parts(`${dir}/parts`, 10, 23);
    const out = launch(dir, [BINARY, "collate", "-o", "collated", "parts"]);
    assertEquals([out.code, out.stderr], [0, ["joulemark: collated: 23 hosts"]]);
    assertEquals(joulemark(dir, ["merge", "-q", "-o", "merged", "parts"]).code, 0);
    same(dir);
  });

  endToEnd(`collate under ${launcher} leaves out what merge leaves out`, (dir) => {
    parts(`${dir}/parts`, 0, 5);
    Deno.writeTextFileSync(`${dir}/parts/x1.report`, text("n3", 99));
    Deno.writeTextFileSync(`${dir}/parts/x2.report`, text("y", 9, { version: "other" }));
    Deno.writeTextFileSync(`${dir}/parts/x3.report`, text("z", 9).slice(0, 500));
    const slow = hostReport("slow", 7, { regions: 7 });
    slow.hosts[0].regions![2].fields["runtime (s)"] = 99;
    slow.hosts[0].regions!.push({ region: "own", hash: 5, fields: { "runtime (s)": 1, extra: 4 } });
    Deno.writeTextFileSync(`${dir}/parts/slow.report`, stringifyReport(slow));
    const out = launch(dir, [BINARY, "collate", "-o", "collated", "parts"]);
    const merged = joulemark(dir, ["merge", "-o", "merged", "parts"]);
    assertEquals([merged.code, out.stderr.length], [1, 4]);
    assertEquals(
      out.stderr.slice(0, 3),
      merged.stderr.trimEnd().split("\n").slice(0, 3),
    );
    same(dir);
    assertStringIncludes(Deno.readTextFileSync(`${dir}/merged`), "slow: runtime (s) of region_02");
  });

  endToEnd(`collate under ${launcher} reads parts that lie on each node's own disk`, (dir) => {
    for (let rank = 0; rank < 4; rank++) parts(`${dir}/d${rank}`, 10 + 3 * rank, 1 + rank);
    const script = `exec ${BINARY} collate -o collated d\${OMPI_COMM_WORLD_RANK:-$PMI_RANK}`;
    const out = launch(dir, ["sh", "-c", script]);
    assertEquals(out.stderr, ["joulemark: collated: 10 hosts"]);
    joulemark(dir, ["merge", "-q", "-o", "merged", "d0", "d1", "d2", "d3"]);
    same(dir);
  });

  endToEnd(`collate under ${launcher} makes no file of nothing`, (dir) => {
    Deno.mkdirSync(`${dir}/empty`);
    const out = launch(dir, [BINARY, "collate", "-o", "collated", "empty"]);
    assertEquals(out.stderr.length, 1);
    assertStringIncludes(out.stderr[0], "at least one report");
  });
}
