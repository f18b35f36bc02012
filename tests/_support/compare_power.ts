/**
 * How often `compare` raises an alarm, by simulation: the table of docs/how-to/compare.md.
 *
 *     deno run --config airgap/deno.json --no-lock tests/_support/compare_power.ts
 */
import { difference } from "../../src/show/analysis/difference.ts";
import { Random } from "../../src/core/random.ts";

/** Pairs of sets of runs. */
export interface Pairs {
  /** Deviation of a run, relative. */
  readonly noise: number;
  /** True increase of the second set, relative. */
  readonly increase: number;
  readonly pairs: number;
  readonly seed: number;
  /** Runs of a set. @default 5 */
  readonly runs?: number;
  /**
   * `skewed`: one run in eight takes three deviations more; `uneven`: the second set varies twice as
   * much. @default normal
   */
  readonly shape?: "normal" | "skewed" | "uneven";
}

/** Share of the pairs that raise an alarm. */
export function alarmShare({ noise, increase, pairs, seed, runs = 5, shape }: Pairs): number {
  const random = new Random(seed);
  const set = (mean: number, deviation: number) =>
    Array.from({ length: runs }, () => {
      const late = shape === "skewed" && random.uniform() < 1 / 8 ? 3 : 0;
      return mean * (1 + deviation * (random.normal() + late));
    });
  let alarms = 0;
  for (let i = 0; i < pairs; i++) {
    const a = set(1000, noise);
    const b = set(1000 * (1 + increase), shape === "uneven" ? 2 * noise : noise);
    if (difference(a, b).low > 0) alarms++;
  }
  return alarms / pairs;
}

/** Increase in the rows, noise in the columns. */
export function powerTable(): string {
  const noises = [0.01, 0.02, 0.05];
  const percent = (value: number) => `${Number((100 * value).toFixed(1))} %`;
  const rows = [0, 0.01, 0.02, 0.03, 0.05, 0.1].map((increase) => {
    const cells = noises.map((noise) =>
      percent(alarmShare({ noise, increase, pairs: 2000, seed: 7 }))
    );
    return `| ${increase === 0 ? "none" : `+ ${percent(increase)}`} | ${cells.join(" | ")} |`;
  });
  return [
    `| true increase | runs vary by ${noises.map(percent).join(" | by ")} |`,
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

if (import.meta.main) console.log(powerTable());
