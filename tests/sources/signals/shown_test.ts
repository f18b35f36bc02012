/** What people and other programs see of an energy whose counter began again. */
import { assertEquals } from "@std/assert";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import type { SignalRow } from "../../../src/core/signal.ts";
import { Batch, type NameTable, type ResolvedName } from "../../../src/sources/signals/batch.ts";

/** Values as sampled and as shown, of a signal over time. */
function follow(values: readonly number[], row: Pick<SignalRow, "unit" | "behavior">) {
  let step = 0;
  const provider = {
    name: "TEST",
    signals: [],
    open: () => ({
      readInto: (out: Float64Array) => void (out[0] = values[step++]),
      [Symbol.dispose]() {},
    }),
  };
  const whole: SignalRow = { name: "TEST::VALUE", domain: "board", agg: "sum", about: "", ...row };
  const signal = { row: whole, source: "", quality: "measured" as const };
  const found: ResolvedName = { kind: "offered", provider, signal, phase: "read" };
  const table: NameTable = { resolve: () => found, names: () => [] };
  const topology = PlatformTopology.regular({
    packages: 1,
    coresPerPackage: 1,
    threadsPerCore: 1,
  });
  const batch = new Batch(topology, table);
  const handle = batch.pushSignal("TEST::VALUE", "board", 0);
  return values.map((_, timeS) => {
    batch.read(timeS);
    batch.settle();
    return [batch.sample(handle), batch.shown(handle)];
  });
}

Deno.test("an energy that is shown never falls; a power does", () => {
  const values = [10, 12, NaN, 11, 11.5, 13];
  assertEquals(follow(values, { unit: "J", behavior: "monotone" }), [
    [10, 10],
    [12, 12],
    [NaN, NaN],
    [11, 12],
    [11.5, 12],
    [13, 13],
  ]);
  assertEquals(follow([10, 9], { unit: "W", behavior: "variable" }), [[10, 10], [9, 9]]);
});
