/**
 * How right the energies of regions are: recordings whose joules are known, as the table and the plot of
 * docs/explanation/energy-method.md.
 *
 *   deno task judge [SEEDS [KIND,... [PLOT.svg]]]
 *
 * `replay` of the built executable is judged. Values: regions and time outside. Determined: with a
 * standard error. Inside: within ± 2 standard errors.
 */
import { type Judged, judged, lineOf, pictureOf, sum } from "../_support/judge_energies.ts";
import { SCENES } from "../_support/known_joules.ts";

const HEADS = [
  "kind",
  "simulated program and meter",
  "values",
  "determined (%)",
  "inside (%)",
  "error/SE",
  "maximum",
  "median error (%)",
  "worst (%)",
];

const [seeds = "4", kinds = "", plot] = Deno.args;
console.log(`| ${HEADS.join(" | ")} |\n|${" --- |".repeat(HEADS.length)}`);
const found = new Map<string, Judged>();
for (const kind of kinds === "" ? Object.keys(SCENES) : kinds.split(",")) {
  const runs = Array.from({ length: Number(seeds) }, (_, seed) => judged(kind, seed));
  found.set(kind, sum(runs));
  console.log(lineOf(kind, SCENES[kind][0], found.get(kind)!));
}
console.log(lineOf("all", "", sum([...found.values()])));
if (plot !== undefined) Deno.writeTextFileSync(plot, pictureOf(found));
