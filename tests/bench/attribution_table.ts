/**
 * The table of errors of docs/how-sure.md, in Markdown on stdout; a minute or two.
 *
 *   deno run -A tests/bench/attribution_table.ts [SEEDS [SECONDS [FIRST_SEED]]]
 */
import { PROGRAM_NAMES } from "../_support/sim_programs.ts";
import { measure, type Outcome, summarise, type Summary, WAYS } from "../energy/edges/_table.ts";

if (import.meta.main) {
  const [seeds = 40, seconds = 60, first = 1] = Deno.args.map(Number);
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
  const titles = [
    "program",
    "counter",
    "sampled",
    "exact",
    "fit, reported",
    "reported %",
    "coverage %",
  ];
  line([...titles, "error / SE"]);
  line(Array.from({ length: titles.length + 1 }, () => "---"));
  const all: Outcome[] = [];
  for (const name of PROGRAM_NAMES) {
    const byWay = WAYS.map((): Outcome[] => []);
    for (let k = 0; k < seeds; k++) {
      const outcomes = measure(name, { seed: first + 7919 * k, seconds }, WAYS);
      outcomes.forEach((outcome, way) => byWay[way].push(outcome));
    }
    byWay.forEach((outcomes, way) => {
      all.push(...outcomes);
      line([name, WAYS[way].name, ...cells(summarise(outcomes))]);
    });
  }
  const sum = summarise(all);
  console.log(
    `\n${seeds} seeds from ${first} x ${seconds} s. All told regions: coverage ` +
      `${percent(sum.covered)} % of ${sum.toldCount}, error / SE ${sum.spread.toFixed(2)}; ` +
      `regions and unmarked against the counter: ${sum.sumError.toExponential(1)} at most.`,
  );
}

function cells(s: Summary): string[] {
  return [
    percent(s.sampled),
    percent(s.exact),
    percent(s.fit),
    percent(s.told),
    percent(s.covered),
    Number.isFinite(s.spread) ? s.spread.toFixed(2) : "-",
  ];
}

function percent(share: number): string {
  return Number.isFinite(share) ? String(Number((100 * share).toPrecision(2))) : "-";
}
