import { assertAlmostEquals, assertEquals } from "@std/assert";
import { hostTotals, totalsFromNested, totalsToNested } from "../../src/core/job_totals.ts";
import type { ReportHost } from "../../src/core/report.ts";

const fields = (energy: number, seconds: number) => ({
  "runtime (s)": seconds,
  count: 4,
  "sync-runtime (s)": seconds,
  "package-energy (J)": energy,
  "dram-energy (J)": energy / 10,
  "power (W)": energy / seconds,
});

Deno.test("hostTotals() takes our own figures before GEOPM's, and parts for what they are", () => {
  const host: ReportHost = {
    host: "n",
    agent: {},
    application: {
      ...fields(300, 12),
      "joulemark-package-energy-exact (J)": 301,
      "joulemark-package-energy-idle (J)": 100,
      "joulemark-package-energy-net (J)": 200,
      "joulemark-node-energy-exact (J)": 500,
      "dram-energy (J)": NaN,
      "joulemark-dram-energy-known (J)": 7,
      "joulemark-dram-power-known (W)": 2,
      "joulemark-dram-energy-coverage (%)": 40,
      "gpu-energy (J)": 0,
    },
    joulemark: {
      sources: {
        GPU_ENERGY: { absent: "no GPU" },
        CPU_ENERGY: { quality: "measured", source: "/sys/x" },
      },
    },
  };
  const totals = hostTotals(host);
  assertEquals([...totals.components.keys()], ["node", "package", "dram"]);
  assertEquals(totals.edp, 6000);
  const { joules, netJ, source, meanW } = totals.components.get("package")!;
  assertEquals([joules, netJ, source, meanW], [301, 200, "measured, /sys/x", 301 / 12]);
  const peakOf = (watts: number) =>
    hostTotals(host, new Map([["package", watts]])).components.get("package")!.peakW;
  assertEquals([peakOf(30), peakOf(25)], [30, 301 / 12], "no peak is below the mean");
  const dram = totals.components.get("dram")!;
  assertEquals([dram.joules, dram.meanW, dram.coverage], [7, 2, 0.4]);
  assertEquals(totalsFromNested(totalsToNested(totals))!.components.get("dram")!.joules, 7);
  assertEquals(totalsFromNested({}), undefined);
});

Deno.test("hostTotals() has the reading error of a counter: update period times power over the root of 6", () => {
  const host: ReportHost = {
    host: "n",
    agent: {},
    application: fields(300, 12),
    joulemark: {
      attribution: {
        "package-0": { "update period (s)": 0.1 },
        "package-1": { "update period (s)": 0.1 },
        dram: { "update period (s)": 1 },
      },
    },
  };
  const { components } = hostTotals(host);
  // Two counters of 12.5 W each, independent of each other.
  const each = 0.1 * 12.5 / Math.sqrt(6);
  assertAlmostEquals(components.get("package")!.errorJ, each * Math.SQRT2, 1e-9);
  assertEquals(components.get("dram")!.errorJ, NaN, "no counter has a number");
});

Deno.test("hostTotals() of a late first sample has the power and the share of the time after it", () => {
  const host: ReportHost = {
    host: "n",
    agent: {},
    application: fields(300, 12),
    joulemark: { sampling: { "first sample after (s)": 9 } },
  };
  const { components, edp } = hostTotals(host);
  const { joules, meanW, coverage, covers } = components.get("package")!;
  assertEquals([joules, meanW, coverage, covers], [300, 100, 0.25, "the time after 9 s"]);
  assertEquals(edp, NaN);
});
