/** The monitor's budget: what is left out when, and taken back. */
import { assertEquals } from "@std/assert";
import { Budget } from "../../src/core/budget.ts";

/** Ticks of 5 ms at a share of one core, from a moment on. */
function run(budget: Budget, fromS: number, seconds: number, share: number, cpu = { s: 0 }) {
  for (let k = 1; k <= seconds / 0.005; k++) {
    cpu.s += 0.005 * share;
    budget.note(fromS + k * 0.005, () => cpu.s);
  }
  return cpu;
}

Deno.test("Budget folds short visits first, then lengthens the period, up to a bound", () => {
  const budget = new Budget(5);
  // The start is not judged.
  const cpu = run(budget, 0, 1.5, 0.9);
  assertEquals([budget.foldBelowNs, budget.periodFactor], [0, 1]);
  run(budget, 1.5, 0.6, 0.2, cpu);
  assertEquals([budget.foldBelowNs, budget.periodFactor], [1e6, 1]);
  run(budget, 2.1, 20, 0.2, cpu);
  assertEquals([budget.foldBelowNs, budget.periodFactor, budget.mostFactor], [1e6, 16, 16]);
});

Deno.test("Budget takes back what is not needed any more, and remembers what it did", () => {
  const budget = new Budget(5);
  const cpu = run(budget, 0, 5, 0.2);
  assertEquals(budget.periodFactor > 1, true);
  run(budget, 5, 60, 0.01, cpu);
  assertEquals([budget.foldBelowNs, budget.periodFactor], [0, 1]);
  assertEquals(budget.mostFactor > 1 && budget.foldingS > 2 && budget.longerS > 1, true);
});

Deno.test("Budget waits longer each time that it took something back too soon", () => {
  const budget = new Budget(5), cpu = { s: 0 };
  // Folding is cheap and telling is not: what is taken back is needed again at once.
  let foldedS = 0;
  for (let atS = 0; atS < 200; atS += 0.5) {
    run(budget, atS, 0.5, budget.foldBelowNs > 0 ? 0.01 : 0.9, cpu);
    if (budget.foldBelowNs > 0) foldedS += 0.5;
  }
  assertEquals(foldedS > 190, true, `${foldedS} s`);
  assertEquals(cpu.s < 0.05 * 200 + 2, true, `${cpu.s} s`);
});

Deno.test("Budget of a run that stays within it does nothing", () => {
  const budget = new Budget(5);
  run(budget, 0, 60, 0.045);
  assertEquals([budget.foldBelowNs, budget.periodFactor, budget.foldingS], [0, 1, 0]);
});
