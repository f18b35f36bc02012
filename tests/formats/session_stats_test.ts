import { assertEquals } from "@std/assert";
import { aggregate } from "../../src/core/agg.ts";
import { type Domain } from "../../src/core/machine/domain.ts";
import { PlatformTopology } from "../../src/core/machine/topology.ts";
import { SessionStats } from "../../src/formats/session_stats.ts";
import { columnName } from "../../src/formats/trace/trace.ts";

const FILE = new URL("../vectors/geopm/session_report.json", import.meta.url);

Deno.test("SessionStats.text() prints what geopmsession prints", () => {
  // deno-lint-ignore no-explicit-any
  const { cases } = JSON.parse(Deno.readTextFileSync(FILE)) as any;
  const topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
  let compared = 0;
  for (const c of cases) {
    const names = c.requests.map((r: { signal: string; domain: Domain; index: number }) =>
      columnName(r.signal, r.domain, r.index)
    );
    const stats = new SessionStats(names);
    for (let step = 0; step < c.updates; step++) {
      const row = c.requests.map((r: { signal: string; domain: Domain; index: number }) => {
        const signal = c.signals[r.signal];
        const given: (number | string)[] = signal.values[step];
        const count = topology.count(signal.domain);
        const own = Float64Array.from({ length: count }, (_, i) => Number(given[i] ?? given[0]));
        const inside = Int32Array.from(topology.nested(signal.domain, r.domain, r.index));
        return aggregate(signal.aggregation, own, inside);
      });
      stats.add(Number(c.signals.TIME.values[step][0]), row);
    }
    const lines = stats.text("node01", "now").split("\n");
    c.report.forEach((line: string, i: number) => {
      if (line.includes("<any>")) assertEquals(lines[i].split(":")[0], line.split(":")[0]);
      else assertEquals(lines[i], line, `${c.name}, line ${i + 1}`);
      compared++;
    });
    assertEquals(lines.length, c.report.length);
  }
  assertEquals(compared > 60, true);
});
