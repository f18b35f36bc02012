/**
 * Building, writing and reading a report by number of regions.
 *
 * Run: `deno bench -A --config CONFIG tests/bench/report_bench.ts`; figures: docs/explanation/overhead.md.
 */
import { buildReportHost } from "../../src/energy/totals/build_report.ts";
import { Coverage, type PartSource } from "../../src/energy/totals/coverage.ts";
import { ReportSignals } from "../../src/energy/totals/report_signals.ts";
import { SampleAggregator } from "../../src/energy/totals/sample_aggregator.ts";
import { MONITOR } from "../../src/core/agent.ts";
import { regionHash } from "../../src/core/hash.ts";
import type { Report } from "../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../src/formats/report.ts";

function make(count: number): () => Report {
  const values = new Map<number, number>();
  const handles = new Map<string, number>();
  const source: PartSource = {
    pushSignal(name, domain, index) {
      const key = `${name}@${domain}-${index}`;
      if (!handles.has(key)) handles.set(key, handles.size);
      return handles.get(key)!;
    },
    updatePeriodS: () => undefined,
    isDerived: () => false,
    pushParts: (name, domain, index) => [source.pushSignal(name, domain, index)],
    sample: (handle) => values.get(handle) ?? 0,
    behavior: () => "monotone",
  };
  const aggregator = new SampleAggregator(source);
  const coverage = new Coverage(source);
  const signals = new ReportSignals(aggregator, {
    exists: () => true,
    count: () => 1,
    user: [],
    coverage,
    constant: () => undefined,
    isDerived: () => false,
    unit: (name) => name.endsWith("ENERGY") ? "J" : "",
  });
  signals.stickerHz = 2e9;
  const regions = Array.from({ length: count }, (_, i) => ({
    name: `region ${i}`,
    hash: regionHash(`region ${i}`),
    runtimeS: (i * 7919 % count) * 0.37,
    count: 1 + i,
  }));
  regions.forEach(({ hash }, k) => {
    for (const [key, handle] of handles) {
      values.set(handle, key === "REGION_HASH@board-0" ? hash : k * 0.311 + handle);
    }
    aggregator.update();
    coverage.step();
  });
  return () => ({
    version: "3.1.0",
    startTime: "2024-10-24T08:00:00.000000000-0700",
    profile: "bench",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [buildReportHost({
      host: "node01",
      regions,
      signals,
      epochCount: 3,
      runtimeS: 100,
      startupS: 0,
      overheadS: 0,
      memoryKib: 0,
      networkBytes: 0,
      agent: MONITOR,
    })],
  });
}

for (const count of [10, 1000]) {
  const build = make(count);
  const report = build();
  const text = stringifyReport(report);
  const group = `${count} regions, ${text.length} bytes`;
  Deno.bench({ name: `build a report: ${count} regions`, group, fn: () => void build() });
  Deno.bench({
    name: `write a report: ${count} regions`,
    group,
    fn: () => void stringifyReport(report),
  });
  Deno.bench({ name: `read a report: ${count} regions`, group, fn: () => void parseReport(text) });
}
