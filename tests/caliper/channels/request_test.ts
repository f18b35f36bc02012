import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { parseConfigString } from "../../../src/caliper/model/config/config_string.ts";
import { parseQuery } from "../../../src/caliper/query/parser.ts";
import { assertEquals } from "@std/assert";
import { ALL_ENERGIES } from "../../../src/caliper/channels/run.ts";
import { factsOf, plainStream } from "../../../src/caliper/channels/request.ts";
import { machineOf } from "./_node.ts";

Deno.test("--cali FILE is one channel of every mark with the node's energies", () => {
  assertEquals(plainStream(undefined), []);
  const [{ variables, managed }, ...others] = plainStream("x.cali");
  assertEquals(others, []);
  assertEquals(variables.CALI_RECORDER_FILENAME, "x.cali");
  assertEquals(variables.CALI_JOULEMARK_SIGNALS, ALL_ENERGIES);
  for (const service of ["event", "timer", "joulemark", "trace", "recorder"]) {
    assertEquals(variables.CALI_SERVICES_ENABLE.split(",").includes(service), true, service);
  }
  // Variables of the environment are not its own, CALI_CHANNEL_FLUSH_ON_EXIT among them.
  assertEquals(managed, true);
});

Deno.test("configurations learn of signals what the node has: how they behave, and in which unit", () => {
  const topology = PlatformTopology.regular({ packages: 2, coresPerPackage: 2, threadsPerCore: 1 });
  const facts = factsOf(machineOf(() => 0).table, topology, true);
  assertEquals(facts.mpi, true);
  assertEquals(["CPU_ENERGY", "CPU_ENERGY@package", "CPU_POWER"].map(facts.behaviorOf), [
    "monotone",
    "monotone",
    "variable",
  ]);
  assertEquals(["GPU_ENERGY", "NO_SUCH"].map(facts.behaviorOf), [undefined, undefined]);
  assertEquals(["CPU_ENERGY", "CPU_POWER", "NO_SUCH"].map((name) => facts.unitOf?.(name)), [
    "J",
    "W",
    "",
  ]);
  assertEquals(facts.attributesOf?.("CPU_ENERGY"), ["CPU_ENERGY"]);
  const { channels } = parseConfigString('runtime-report(joulemark.signals="CPU_ENERGY@package")', {
    ...facts,
    mpi: false,
  });
  const { CALI_JOULEMARK_SIGNALS, CALI_REPORT_CONFIG } = channels[0].variables;
  assertEquals(CALI_JOULEMARK_SIGNALS, "CPU_ENERGY@package");
  assertEquals([...parseQuery(CALI_REPORT_CONFIG).aliases.values()].slice(-4), [
    ...["CPU_ENERGY-package-0 J (E)", "CPU_ENERGY-package-0 J (I)"],
    ...["CPU_ENERGY-package-1 J (E)", "CPU_ENERGY-package-1 J (I)"],
  ]);
});
