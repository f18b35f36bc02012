/**
 * What breaks the fit: the second table of errors of docs/how-sure.md, in Markdown on stdout.
 *
 *   deno run -A tests/bench/attribution_breaks.ts [SEEDS [SECONDS [FIRST_SEED [MODEL]]]]
 */
import {
  measureOther,
  OTHER_MODELS,
  type OtherModel,
  type OtherOutcome,
} from "../aggregate/attribution/_other_models.ts";
import { JUDGE_MODELS, SECOND_MODELS } from "../aggregate/attribution/_more_models.ts";

const SETS =
  ([["first", OTHER_MODELS], ["second", SECOND_MODELS], ["judges", JUDGE_MODELS]] as const)
    .flatMap(([name, models]): [name: string, models: readonly OtherModel[]][] => [
      [`${name}, additive`, models.filter(({ additive }) => additive)],
      [`${name}, others`, models.filter(({ additive }) => !additive)],
    ]);

if (import.meta.main) {
  const [seeds = 30, seconds = 60, first = 1] = Deno.args.slice(0, 3).map(Number);
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
  line(["the machine", "fit, told", "told %", "coverage %", "error / SE", "named cause"]);
  line(Array.from({ length: 6 }, () => "---"));
  for (const [name, models] of SETS) {
    const all: OtherOutcome[] = [];
    for (const model of models) {
      if (!`${name}: ${model.name}`.includes(Deno.args[3] ?? "")) continue;
      const outcomes = Array.from(
        { length: seeds },
        (_, k) => measureOther(model, first + 7919 * k, seconds),
      );
      all.push(...outcomes);
      line([model.name, ...cells(outcomes)]);
    }
    if (all.length > 0) line([`**${name}**`, ...cells(all)]);
  }
}

function cells(outcomes: readonly OtherOutcome[]): string[] {
  const ratios: number[] = [];
  const worst: number[] = [];
  let count = 0;
  for (const { error, se } of outcomes) {
    count += error.length;
    const told = error.filter((e) => !Number.isNaN(e));
    if (told.length > 0) worst.push(Math.max(...told.map(Math.abs)));
    error.forEach((e, r) => Number.isNaN(e) || ratios.push(Math.abs(e) / se[r]));
  }
  const share = (some: number, of: number) => of > 0 ? (100 * some / of).toFixed(0) : "-";
  const mean = (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const causes = new Map<string, number>();
  for (const { causes: named } of outcomes) {
    for (const cause of named) causes.set(cause, (causes.get(cause) ?? 0) + 1);
  }
  return [
    worst.length > 0 ? (100 * mean(worst)).toPrecision(2) : "-",
    share(ratios.length, count),
    share(ratios.filter((x) => x <= 2).length, ratios.length),
    ratios.length > 0 ? Math.sqrt(mean(ratios.map((x) => x * x))).toFixed(2) : "-",
    [...causes].map(([cause, n]) => `${cause} ${share(n, outcomes.length)} %`).join(", "),
  ];
}
