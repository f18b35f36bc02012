/**
 * What `joulemark run` costs: start-up, many starts at once, and the monitor beside a program.
 *
 *     sh airgap/deno.sh run -A tests/bench/run_cost.ts [--seconds S]
 *
 * Prints a table; docs/explanation/overhead.md has one, with machine and date. CPU time of the monitor is that
 * of its process by `perf stat` where there is one (exact), else what the report itself says.
 */
import { loadNode } from "../_support/node_tree.ts";
import { BINARY } from "../_support/programs.ts";
import { memoryFolder, writeRegisterTree } from "../_support/register_files.ts";

const seconds = Number(Deno.args[Deno.args.indexOf("--seconds") + 1]) || 10;
const rows: [string, string][] = [];

function run(args: string[], env: Record<string, string> = {}) {
  return new Deno.Command(BINARY, { args, env, cwd: folder, stdout: "null", stderr: "null" });
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}

function time(body: () => void, times: number): number {
  return median(Array.from({ length: times }, () => {
    const t = performance.now();
    body();
    return performance.now() - t;
  }));
}

function fieldOf(path: string, key: string): number {
  const text = Deno.readTextFileSync(`${folder}/${path}`);
  return Number(new RegExp(`^\\s*${key}: (\\S+)$`, "m").exec(text)?.[1] ?? NaN);
}

const folder = memoryFolder();
rows.push([
  "--version, median of 20",
  `${time(() => run(["--version"]).outputSync(), 20).toFixed(1)} ms`,
]);

const bare = time(() => {
  new Deno.Command("true", { stdout: "null" }).outputSync();
}, 20);
rows.push(["true, median of 20", `${bare.toFixed(1)} ms`]);
rows.push([
  "run -- true, median of 10",
  `${time(() => run(["run", "-q", "--", "true"]).outputSync(), 10).toFixed(1)} ms`,
]);

{
  const job = { SLURM_JOB_ID: `b${Deno.pid}`, SLURM_STEP_ID: "0" };
  const first = run(["run", "-q", "--", "sleep", "3"], job).spawn();
  await new Promise((go) => setTimeout(go, 500));
  rows.push([
    "run -- true where a monitor is there",
    `${time(() => run(["run", "-q", "--", "true"], job).outputSync(), 10).toFixed(1)} ms`,
  ]);
  await first.status;
}
{
  const job = { SLURM_JOB_ID: `m${Deno.pid}`, SLURM_STEP_ID: "0" };
  const t = performance.now();
  const all = Array.from({ length: 128 }, () => run(["run", "-q", "--", "true"], job).output());
  await Promise.all(all);
  rows.push([
    "128 x run -- true at once, all ended",
    `${((performance.now() - t) / 1000).toFixed(2)} s`,
  ]);
}

const root = `${folder}/tree`;
Deno.mkdirSync(root);
writeRegisterTree(root, loadNode("cray-xc30-ivb"));
for (const period of ["0.005", "0.001"]) {
  run([
    "run",
    "-q",
    "--root",
    root,
    "--period",
    period,
    "--",
    "sleep",
    String(seconds),
  ]).outputSync();
  const cpu = fieldOf("joulemark.report", "cpu \\(% of a core\\)");
  const missed = fieldOf("joulemark.report", "samples missed");
  const late = fieldOf("joulemark.report", "samples late");
  const steps = fieldOf("joulemark.report", "samples");
  const memory = fieldOf("joulemark.report", "resident memory \\(KiB\\)");
  rows.push([
    `48 CPUs, ${Number(period) * 1000} ms`,
    `${cpu.toFixed(1)} % of a core, ${steps} samples, ${missed} missed, ${late} late, ` +
    `${(memory / 1024).toFixed(0)} MiB`,
  ]);
}
Deno.removeSync(folder, { recursive: true });
for (const [what, figure] of rows) console.log(`${what.padEnd(40)} ${figure}`);
