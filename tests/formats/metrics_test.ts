import { assertEquals } from "@std/assert";
import {
  type MetricFamily,
  openMetricsText,
  otlpJson,
  prometheusText,
} from "../../src/formats/metrics.ts";
import { reportMetrics } from "../../src/formats/report_metrics.ts";
import type { ReportHost } from "../../src/core/report.ts";

const FAMILIES: MetricFamily[] = [
  {
    name: "joulemark_node_energy",
    unit: "J",
    kind: "counter",
    help: 'a "b"\nc',
    samples: [
      { labels: { host: 'n"1\\', index: "0" }, value: 2.5 },
      { labels: { host: "n1", index: "1" }, value: NaN },
    ],
  },
  {
    name: "joulemark_run_frequency",
    unit: "%",
    kind: "gauge",
    help: "d",
    samples: [{ labels: { host: "n1" }, value: 80 }],
  },
  {
    name: "joulemark_run_gone",
    unit: "",
    kind: "gauge",
    help: "e",
    samples: [{ labels: {}, value: NaN }],
  },
];

Deno.test("openMetricsText() has units, total suffixes and an end; no sample of what is not known", () => {
  assertEquals(
    openMetricsText(FAMILIES),
    `# TYPE joulemark_node_energy_joules counter
# UNIT joulemark_node_energy_joules joules
# HELP joulemark_node_energy_joules a \\"b\\"\\nc
joulemark_node_energy_joules_total{host="n\\"1\\\\",index="0"} 2.5
# TYPE joulemark_run_frequency_ratio gauge
# UNIT joulemark_run_frequency_ratio ratio
# HELP joulemark_run_frequency_ratio d
joulemark_run_frequency_ratio{host="n1"} 0.8
# EOF
`,
  );
});

Deno.test("prometheusText() names counters with their suffix", () => {
  assertEquals(prometheusText(FAMILIES).split("\n").slice(0, 3), [
    "# TYPE joulemark_node_energy_joules_total counter",
    '# HELP joulemark_node_energy_joules_total a "b"\\nc',
    'joulemark_node_energy_joules_total{host="n\\"1\\\\",index="0"} 2.5',
  ]);
});

Deno.test("otlpJson() has sums with their begin and gauges, in UCUM's units", () => {
  const line = otlpJson(FAMILIES, {
    version: "1",
    resource: { "host.name": "n1" },
    startS: 1700000000,
    timeS: 1700000001.5,
  });
  assertEquals(line.indexOf("\n"), line.length - 1);
  const [{ resource, scopeMetrics }] = JSON.parse(line).resourceMetrics;
  assertEquals(resource.attributes, [{ key: "host.name", value: { stringValue: "n1" } }]);
  const [sum, gauge, ...more] = scopeMetrics[0].metrics;
  assertEquals(more, []);
  assertEquals([sum.name, sum.unit, sum.sum.isMonotonic, sum.sum.aggregationTemporality], [
    ...["joulemark.node_energy", "J", true, 2],
  ]);
  const { startTimeUnixNano, timeUnixNano, asDouble } = sum.sum.dataPoints[0];
  assertEquals([startTimeUnixNano, timeUnixNano, asDouble], [
    ...["1700000000000000000", "1700000001500000000", 2.5],
  ]);
  assertEquals(gauge.gauge.dataPoints[0].asDouble, 0.8);
});

Deno.test("reportMetrics() leaves out what has no source, and names the region", () => {
  const host: ReportHost = {
    host: "n1",
    agent: {},
    regions: [{
      region: "a",
      hash: 1,
      fields: {
        "runtime (s)": 2,
        "count": 3,
        "dram-energy (J)": 0,
        "package-energy (J)": 7,
        "joulemark-package-energy-fit (J)": 6,
        "TIME@cpu-0": 5,
        "note": "text",
      },
    }],
    application: {
      "time-hint-network (s)": 1,
      "package-energy (J)": 9,
      // KiB in spite of its name, and never measured.
      "geopmctl memory HWM (B)": 72292,
      "geopmctl network BW (B/s)": 0,
    },
  };
  const families = reportMetrics(host, (key) => key !== "dram-energy (J)");
  assertEquals(
    prometheusText(families).split("\n").filter((line) => !line.startsWith("# HELP")),
    `# TYPE joulemark_run_runtime_seconds gauge
joulemark_run_runtime_seconds{host="n1",section="region",region="a"} 2
# TYPE joulemark_run_visits gauge
joulemark_run_visits{host="n1",section="region",region="a"} 3
# TYPE joulemark_run_package_energy_joules_total counter
joulemark_run_package_energy_joules_total{host="n1",section="region",region="a"} 7
joulemark_run_package_energy_joules_total{host="n1",section="application"} 9
# TYPE joulemark_run_package_energy_fit_joules gauge
joulemark_run_package_energy_fit_joules{host="n1",section="region",region="a"} 6
# TYPE joulemark_run_signal gauge
joulemark_run_signal{host="n1",section="region",region="a",signal="TIME@cpu-0"} 5
# TYPE joulemark_run_hint_seconds gauge
joulemark_run_hint_seconds{host="n1",section="application",hint="network"} 1
`.split("\n"),
  );
});

Deno.test("two metrics that differ in the unit have two names in OTLP too", () => {
  const family = (name: string, unit: string): MetricFamily => {
    return { name, unit, kind: "gauge", help: "d", samples: [{ labels: {}, value: 1 }] };
  };
  const text = otlpJson(
    [
      family("joulemark_run_frequency", "%"),
      family("joulemark_run_frequency", "Hz"),
      family("joulemark_run_power", "W"),
    ],
    { version: "1", resource: {}, startS: 1, timeS: 2 },
  );
  const { metrics } = JSON.parse(text).resourceMetrics[0].scopeMetrics[0];
  assertEquals(metrics.map(({ name, unit }: { name: string; unit: string }) => [name, unit]), [
    ["joulemark.run_frequency_ratio", "1"],
    ["joulemark.run_frequency_hertz", "Hz"],
    ["joulemark.run_power", "W"],
  ]);
});
