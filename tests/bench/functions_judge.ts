/**
 * How right the energies of functions are: simulated programs, as the table of docs/explanation/energy-of-functions.md.
 *
 *   deno task judge-functions [SEEDS]
 */
import { shown } from "../_support/judge_functions.ts";
import type { SampledSettings } from "../_support/sampled_program.ts";

type Row = readonly [string, Omit<SampledSettings, "seed">];
const ROWS: readonly Row[] = [
  ["0.2–1 s, readings 3–7 ms apart", { functions: 30, hz: 99, kind: "stays", isDithered: true }],
  ["5–100 ms", { functions: 30, hz: 199, kind: "long" }],
  ["5–100 ms, 30 % waiting", { functions: 30, hz: 199, kind: "long", off: 0.3 }],
  ["5–100 ms, counter of 100 ms", { functions: 30, hz: 199, kind: "long", counter: "node" }],
  ["5–100 ms", { functions: 100, hz: 997, kind: "long" }],
  ["0.1–20 ms", { functions: 30, hz: 199, kind: "mixed" }],
  ["0.1–20 ms", { functions: 30, hz: 997, kind: "mixed" }],
  ["0.05–0.5 ms", { functions: 30, hz: 199, kind: "short" }],
  ["0.1–5 ms, no phases", { functions: 30, hz: 199, kind: "steady" }],
];
const HEADS = [
  "visits",
  "functions",
  "Hz",
  "by time: worst (%)",
  "worst (%)",
  "determined (%)",
  "inside (%)",
  "worst determined (%)",
  "callers determined (%)",
  "inside (%)",
];

const seeds = Array.from({ length: Number(Deno.args[0] ?? 10) }, (_, seed) => seed + 1);
console.log(`| ${HEADS.join(" | ")} |\n|${" --- |".repeat(HEADS.length)}`);
for (const [name, settings] of ROWS) {
  const found = shown(settings, seeds), { told, inside, worst, worstTold, worstByTime } = found;
  const percents = [
    worstByTime,
    worst,
    told,
    inside,
    worstTold,
    found.groupsTold,
    found.groupsInside,
  ];
  const cells = percents.map((part) => (100 * part).toFixed(part < 0.1 ? 1 : 0));
  console.log(`| ${[name, settings.functions, settings.hz, ...cells].join(" | ")} |`);
}
