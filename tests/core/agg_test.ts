import { assertEquals } from "@std/assert";
import { aggregate, type Aggregation, AGGREGATIONS } from "../../src/core/agg.ts";
import { type Cell, number, readVectors } from "../energy/totals/_vector_source.ts";

interface Case {
  function: Aggregation;
  operands: Cell[];
  result: Cell;
}

Deno.test("aggregate() gives what the original gives", () => {
  const { cases } = readVectors<{ cases: Case[] }>("aggregation.json");
  const seen = new Set<string>();
  for (const c of cases) {
    const values = Float64Array.from(c.operands, number);
    const result = aggregate(c.function, values, Int32Array.from(values.keys()));
    const expected = number(c.result);
    const what = `${c.function}(${c.operands})`;
    if (Number.isNaN(expected)) assertEquals(result, NaN, what);
    else assertEquals(Math.abs(result - expected) <= 1e-12 * Math.abs(expected), true, what);
    seen.add(c.function);
  }
  assertEquals([...seen].sort(), [...AGGREGATIONS].sort());
});
