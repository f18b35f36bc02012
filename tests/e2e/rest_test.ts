/** A run that has nothing to read sleeps until somebody marks. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { build, endToEnd, joulemark, type Outcome } from "../_support/programs.ts";

const WITHOUT = ["--without", READERS.map(({ name }) => name).join(",")];
const PERIOD_S = 0.01;
const RUN = ["run", "-q", ...WITHOUT, "--period", String(PERIOD_S)];

/** How the loop went, and the visits of each region. */
function read(dir: string, { code, stderr }: Outcome) {
  assertEquals(code, 0, stderr);
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const sampling = host.joulemark!.sampling as Record<string, number>;
  return {
    samples: sampling.samples,
    slept: sampling["samples slept through"] ?? 0,
    sampling,
    counts: new Map(
      (host.regions ?? []).map(({ region, fields }) => [region, fields.count as number]),
    ),
  };
}

endToEnd("a run without counters sleeps until somebody marks, and has every mark", (dir) => {
  const app = build("flood", dir);
  const script = `sleep 1; ${app} visits 100000 1; sleep 1`;
  const begun = performance.now();
  // The budget would make the period longer on a slow machine.
  const out = joulemark(dir, [...RUN, "--budget", "100", "--", "sh", "-c", script]);
  const tookS = (performance.now() - begun) / 1000;
  const { samples, slept, sampling, counts } = read(dir, out);
  assertEquals(counts.get("work"), Number(out.stdout));
  const told = JSON.stringify(sampling);
  // It slept in the second before the marks; when the process that marked has ended no sample counts.
  assert(slept > 0.5 / PERIOD_S && slept < 1.2 / PERIOD_S, told);
  // And each period until then has its sample all the same.
  const due = samples + sampling["samples missed"];
  assert(due > 1.9 / PERIOD_S && due < (tookS - 0.9) / PERIOD_S, `${told} in ${tookS} s`);
});

endToEnd("a trace has a row for every sample, whether there is something to read or not", (dir) => {
  const out = joulemark(dir, [...RUN, "--trace", "rows", "--", "sleep", "1"]);
  const { slept, sampling } = read(dir, out);
  const name = [...Deno.readDirSync(dir)].find((entry) => entry.name.startsWith("rows"))!.name;
  const rows = Deno.readTextFileSync(`${dir}/${name}`).split("\n").filter((line) =>
    /^\d/.test(line)
  );
  assertEquals(slept, 0);
  assert(rows.length + sampling["samples missed"] > 0.8 / PERIOD_S, JSON.stringify(sampling));
});
