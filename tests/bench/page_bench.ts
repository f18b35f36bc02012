/**
 * What a page costs: a sample of a node with 128 CPUs at 1 kHz, and an hour's page with 200 regions.
 *
 *     deno bench --config airgap/deno.json --no-lock -A tests/bench/page_bench.ts
 */
import { openSeries } from "../../src/run/outputs/html.ts";
import type { RunView } from "../../src/run/outputs/run_view.ts";
import { pageHtml } from "../../src/show/page/html.ts";
import { reportPage } from "../../src/show/page/page.ts";
import { hostReport } from "../job/merge/_generated.ts";

const CPUS = 128;
const PERIOD_S = 0.001;
const HOUR = 3_600_000;

const report = hostReport("n1", 1, { regions: 200 });
const hashes = report.hosts[0].regions!.map(({ hash }) => hash);
const energies = new Float64Array(3);
const regions = new Float64Array(CPUS);
const COUNTERS = ["BOARD_ENERGY", "CPU_ENERGY", "DRAM_ENERGY"];

/** A run of three counters that change at each sample, and CPUs that change region together. */
function view(): RunView {
  let handles = 0;
  return {
    host: "n1",
    topology: { count: () => CPUS },
    table: {
      resolve: (name: string) => ({ kind: COUNTERS.includes(name) ? "offered" : "absent" }),
    },
    batch: {
      pushSignal: () => handles++,
      sample: (handle: number) => handle < 3 ? energies[handle] : regions[handle - 3],
    },
  } as unknown as RunView;
}

let sample = 0;
const series = openSeries(view());

function next(): void {
  const isPeak = sample % 60_000 < 30;
  energies[0] += 0.4;
  energies[1] += isPeak ? 0.9 : 0.25;
  energies[2] += 0.03;
  if (sample % 50 === 0) regions.fill(hashes[(sample / 50) % hashes.length]);
  series.sample!(sample++ * PERIOD_S, false, false);
}

Deno.bench("sample: 128 CPUs, 3 counters", { group: "sample" }, next);

while (sample < HOUR) next();
const html = pageHtml(reportPage(report, [series.timeline(report)]));
console.log(`an hour of 200 regions: ${html.length} bytes`);

Deno.bench("page: an hour, 200 regions", { group: "page" }, () => {
  pageHtml(reportPage(report, [series.timeline(report)]));
});
