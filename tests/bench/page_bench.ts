/**
 * What a page costs: a sample at 1 kHz, and an hour's page with 200 regions.
 *
 *     deno bench --config airgap/deno.json --no-lock -A tests/bench/page_bench.ts
 */
import { openTimeline } from "../../src/run/outputs/timeline.ts";
import type { RunView } from "../../src/run/outputs/run_view.ts";
import { pageHtml } from "../../src/show/page/html.ts";
import { reportPage } from "../../src/show/page/page.ts";
import { hostReport } from "../job/merge/_generated.ts";

const PERIOD_S = 0.001;
const HOUR = 3_600_000;

const report = hostReport("n1", 1, { regions: 200 });
const names = report.hosts[0].regions!.map(({ region }) => region);
const energies = new Float64Array(3);
const COUNTERS = ["BOARD_ENERGY", "CPU_ENERGY", "DRAM_ENERGY"];

/** A run of three counters that change at each sample, and a process that changes its region. */
function view(): RunView {
  let handles = 0;
  const track = { path: 0 };
  const process = { pid: 1, end: "running", hasMarked: true, track, threads: [] };
  return {
    host: "n1",
    tracker: {
      markingCount: 1,
      paths: { parent: () => 0, name: (path: number) => names[path - 1] },
      process: (handle: number) => handle === 0 ? process : undefined,
      processTimes: () => [],
    },
    batch: {
      columns: COUNTERS.map((name) => ({ name })),
      pushSignal: () => handles++,
      sample(handle: number) {
        track.path = 1 + Math.floor(sample / 50) % names.length;
        return energies[handle];
      },
    },
  } as unknown as RunView;
}

let sample = 0;
const open = openTimeline(view());

function next(): void {
  const isPeak = sample % 60_000 < 30;
  energies[0] += 0.4;
  energies[1] += isPeak ? 0.9 : 0.25;
  energies[2] += 0.03;
  open.sample!(sample++ * PERIOD_S, false, false);
}

Deno.bench("sample: 3 counters", { group: "sample" }, next);

while (sample < HOUR) next();
const html = pageHtml(reportPage(report, [open.timeline(report)]));
console.log(`an hour of 200 regions: ${html.length} bytes`);

Deno.bench("page: an hour, 200 regions", { group: "page" }, () => {
  pageHtml(reportPage(report, [open.timeline(report)]));
});
