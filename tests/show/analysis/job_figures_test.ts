/** Figures of jobs that are compared. */
import { assertEquals } from "@std/assert";
import { comparableFigures, type JobFigures } from "../../../src/show/analysis/job_figures.ts";

const job = (source: string, energyJ: number): JobFigures => {
  return { source, energyJ, timeS: 2, regions: new Map() };
};

Deno.test("jobs whose energies are of different parts have times alone", () => {
  const energies = (jobs: JobFigures[]) => comparableFigures(jobs).map(({ energyJ }) => energyJ);
  assertEquals(energies([job("node", 10), job("node", 12)]), [10, 12]);
  const mixed = comparableFigures([job("node", 10), job("package + memory", 9)]);
  assertEquals(mixed.map(({ energyJ, timeS }) => [energyJ, timeS]), [[NaN, 2], [NaN, 2]]);
});
