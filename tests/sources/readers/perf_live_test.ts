/** Software events of this kernel against its own figures; skipped where perf is closed. */
import { assert } from "@std/assert";
import { MachineHost } from "../../../src/os/host.ts";
import { perf } from "../../../src/sources/readers/perf.ts";
import { procstat } from "../../../src/sources/readers/procstat.ts";
import { skippedWithout, unless } from "../../_support/skipped.ts";

const host = new MachineHost();
const offer = perf.probe(host);
const NO_PERF = offer.ok
  ? unless(
    offer.signals.some((s) => s.row.name === "PERF::CONTEXT_SWITCHES"),
    "perf counts no context switches here",
  )
  : offer.reason;

Deno.test({
  ...skippedWithout("perf: context switches grow as /proc/stat's do", NO_PERF),
  async fn() {
    assert(offer.ok);
    const counts = offer.signals.filter((s) => s.row.name === "PERF::CONTEXT_SWITCHES");
    const stat = procstat.probe(host);
    assert(stat.ok);
    const total = stat.signals.filter((s) => s.row.name === "PROCSTAT::CONTEXT_SWITCHES");
    using events = perf.open(host, counts);
    using kernel = procstat.open(host, total);
    const byCpu = new Float64Array(host.topology.count("cpu"));
    const one = new Float64Array(1);
    const sum = () => byCpu.reduce((n, v) => n + (Number.isNaN(v) ? 0 : v), 0);
    events.readInto(byCpu, 0);
    kernel.readInto(one, 0);
    const before = [sum(), one[0]];
    for (let i = 0; i < 300; i++) await new Promise((resolve) => setTimeout(resolve, 1));
    events.readInto(byCpu, 1);
    kernel.readInto(one, 1);
    const [mine, theirs] = [sum() - before[0], one[0] - before[1]];
    assert(theirs > 100, `${theirs} switches`);
    // The kernel's own line also counts switches to and from idle between the two readings.
    assert(Math.abs(mine - theirs) < 0.05 * theirs + 50, `perf ${mine}, /proc/stat ${theirs}`);
  },
});

Deno.test("perf: an energy that is offered counts, also where a hypervisor shows more than it serves", () => {
  const energies = offer.ok ? offer.signals.filter((s) => s.row.unit === "J") : [];
  for (const energy of energies) {
    using reading = perf.open(host, [energy]);
    const joules = new Float64Array(host.topology.count(energy.row.domain));
    const end = performance.now() + 1000;
    do reading.readInto(joules, performance.now() / 1000, true); while (
      !joules.some((j) => j > 0) && performance.now() < end
    );
    assert(joules.some((j) => j > 0), energy.row.name);
  }
});
