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
  // The start has 0.15 s of its own.
  const cpu = run(budget, 0, 0.6, 0.29);
  assertEquals([budget.foldBelowNs, budget.periodFactor], [0, 1]);
  run(budget, 0.6, 0.3, 0.2, cpu);
  assertEquals([budget.foldBelowNs, budget.periodFactor], [1e6, 1]);
  run(budget, 0.9, 20, 0.2, cpu);
  assertEquals([budget.foldBelowNs, budget.periodFactor, budget.mostFactor], [1e6, 16, 16]);
});

Deno.test("Budget reacts to a flood before it has cost more than the start may", () => {
  const budget = new Budget(5), cpu = { s: 0 };
  // Telling each mark takes 35 % of a core, folding them 4 %.
  for (let atS = 0; atS < 10; atS += 0.25) {
    run(budget, atS, 0.25, budget.foldBelowNs > 0 ? 0.04 : 0.35, cpu);
  }
  assertEquals(cpu.s < 0.05 * 10 + 0.15, true, `${cpu.s} s`);
  assertEquals(budget.mostFactor, 1);
});

Deno.test("Budget leaves what is dear for a moment alone, as a checkpoint is", () => {
  const budget = new Budget(5), cpu = { s: 0 };
  for (let atS = 0; atS < 60; atS += 10) {
    run(budget, atS, 9.75, 0.03, cpu);
    run(budget, atS + 9.75, 0.25, 0.3, cpu);
  }
  assertEquals(budget.foldingS, 0);
});

Deno.test("Budget tells how many marks a second may be emitted one by one", () => {
  assertEquals([5, 1, 1000, Infinity].map((percent) => Math.round(new Budget(percent).marksPerS)), [
    ...[12500, 2500, 200_000, 200_000],
  ]);
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
