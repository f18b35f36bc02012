import { assertEquals } from "@std/assert";
import type { Domain } from "../../../src/core/machine/domain.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import type { SignalProvider } from "../../../src/core/signal.ts";
import { Batch, type NameTable } from "../../../src/sources/signals/batch.ts";
import { pushQuantities } from "../../../src/sources/signals/quantities.ts";

/** Values of DRAM_ENERGY as a quantity, on a node that has it by this domain. */
function memoryEnergy(domain: Domain) {
  const topology = PlatformTopology.regular({
    packages: 2,
    coresPerPackage: 1,
    threadsPerCore: 1,
  });
  const name = "DRAM_ENERGY";
  const provider: SignalProvider = {
    name: "TEST",
    signals: [{
      row: { name, domain, unit: "J", behavior: "monotone", agg: "sum", about: "" },
      source: "script",
      quality: "measured",
    }],
    open: () => ({
      readInto: (out) => out.set([3, 4].slice(0, topology.count(domain))),
      [Symbol.dispose]() {},
    }),
  };
  const [signal] = provider.signals;
  const table: NameTable = {
    resolve: (asked) =>
      asked === name ? { kind: "offered", provider, signal, phase: "read" } : { kind: "unknown" },
    names: () => [name],
  };
  using batch = new Batch(topology, table);
  const found = pushQuantities(batch, { table, count: (of) => topology.count(of) });
  batch.open();
  batch.read(0);
  batch.settle();
  return found.map(({ domain, handles }) => [domain, handles.map((at) => batch.sample(at))]);
}

Deno.test("a quantity has the signal's own domain if its row's domain does not contain it", () => {
  assertEquals(memoryEnergy("package"), [["package", [3, 4]]]);
  assertEquals(memoryEnergy("board"), [["board", [3]]]);
  assertEquals(memoryEnergy("memory").map(([domain]) => domain), ["memory"]);
});
