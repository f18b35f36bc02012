/**
 * What the monitor takes beside programs that mark as fast as few do, at the default budget: CPU time of
 * ten seconds, the start apart. `deno task flood [SECONDS]`; wants two CPUs with nothing else on them.
 */
import { parseReport } from "../../src/formats/report.ts";
import { build, joulemark } from "../_support/programs.ts";

/** A second. */
const FLOODS: readonly (readonly [kind: string, rate: number])[] = [
  ["visits", 0],
  ["visits", 100_000],
  ["visits", 1_000_000],
  ["nested", 500_000],
  ["spans", 100_000],
  ["spans", 1_000_000],
  ["epochs", 100_000],
  ["epochs", 1_000_000],
  ["values", 100_000],
  ["values", 1_000_000],
  ["threads", 100_000],
  ["forks", 100],
  ["forks", 1000],
];

const seconds = Deno.args[0] ?? "10";
const dir = Deno.makeTempDirSync({ prefix: "joulemark-flood-" });
try {
  const app = build("flood", dir);
  console.log("kind, a second | CPU s | % of a core | period times | marks");
  for (const [kind, rate] of FLOODS) {
    const out = joulemark(dir, [
      ...["run", "-q", "--budget", "5", "--", app],
      ...[kind, String(rate), seconds],
    ]);
    if (out.code !== 0) throw new Error(out.stderr);
    const path = `${dir}/joulemark.report`;
    const { joulemark: facts } = parseReport(Deno.readTextFileSync(path), path).hosts[0];
    const { overhead, budget } = facts as Record<string, Record<string, number>>;
    const period = budget?.["period times, at most"] ?? 1;
    const cpu = `${overhead["cpu (s)"].toFixed(2)} | ${overhead["cpu (% of a core)"].toFixed(1)}`;
    console.log(`${kind}, ${rate} | ${cpu} | ${period} | ${out.stdout.trim()}`);
  }
} finally {
  Deno.removeSync(dir, { recursive: true });
}
