/** Figures 1, 3 and 5 of M. Bareford (2015) by the executable, each by the paper's own sentence. */
import { assert, assertEquals } from "@std/assert";
import { type PmcRecord, stringifyPmc } from "../../src/formats/pmc/pmc.ts";
import { COMPILERS, drawRun, normal } from "../show/analysis/_paper.ts";

import { endToEnd, joulemark } from "../_support/programs.ts";
import { Random } from "../run/session/_random.ts";

const STEPS = 4000;
/** Joules of a step and the share of the steps that are like it. */
const PEAKS = [[60, 0.1], [75, 0.15], [96, 0.75]] as const;

/** A run whose steps are of three kinds, every thousandth one a restart dump. */
function threePeaks(): string {
  const random = new Random(20150112);
  const records: PmcRecord[] = [{ timeS: 0, step: -1, powerW: 300, energyJ: 0 }];
  let energyJ = 0;
  for (let step = 1; step <= STEPS; step++) {
    let drawn = random.next();
    const [atJ] = PEAKS.find(([, share]) => (drawn -= share) < 0) ?? PEAKS[2];
    energyJ += Math.round(step % 1000 === 0 ? 1600 : atJ + 2 * normal(random));
    records.push({ timeS: 0.1 * step, step, powerW: 300, energyJ });
  }
  // Of the close, which ends no step.
  records.push({ timeS: 0.1 * STEPS, step: STEPS + 1, powerW: 300, energyJ });
  return String(stringifyPmc({ version: "3.1", form: "text", records }));
}

interface Tables {
  tables: { title: string; rows: Record<string, string | number>[] }[];
}

endToEnd(
  "in general, there is one main peak and two minor ones appearing at lower energies",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/cray.pmc`, threePeaks());
    const args = ["pmc", "--histogram", "--figure", "energy", "--format", "json", "cray.pmc"];
    const out = joulemark(dir, args);
    assertEquals(out.code, 0, out.stderr);
    const { tables } = JSON.parse(out.stdout) as Tables;
    const peaks = tables.find(({ title }) => title === "Peaks of the body")!.rows;
    assertEquals(peaks.map(({ remark }) => remark), ["", "", "main"]);
    peaks.forEach(({ at, share }, i) => {
      const [atJ, wanted] = PEAKS[i];
      assert(Math.abs(Number(at) - atJ) < 1, JSON.stringify(peaks));
      // Four deviations of a count of so many steps.
      assert(Math.abs(Number(share) - wanted) < 4 * Math.sqrt(wanted / STEPS), String(share));
    });
    // "In addition, there are high-energy simulation steps that occur every one thousand iterations."
    const bars = tables.find(({ title }) => title === "Histogram")!.rows;
    const count = (isBody: boolean) =>
      bars.filter(({ group }) => (group === "body") === isBody)
        .reduce((sum, { steps }) => sum + Number(steps), 0);
    assertEquals([count(true), count(false)], [STEPS - 4, 4]);
  },
);

/** Words of a picture. */
function wordsOf(dir: string, args: string[]): string[] {
  const out = joulemark(dir, ["pmc", ...args, "--format", "svg"]);
  assertEquals(out.code, 0, out.stderr);
  return [...out.stdout.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
}

endToEnd(
  "the normal distributions inferred by the power histograms for all runs are also given in a plot",
  (dir) => {
    const names = Object.entries(COMPILERS).flatMap(([compiler, drawn], k) =>
      [1, 2].map((i) => {
        const name = `${compiler}-${i}`;
        const log = drawRun(drawn, 100 * k + i);
        Deno.writeTextFileSync(
          `${dir}/${name}.pmc`,
          String(stringifyPmc({ ...log, records: log.records.slice(0, 3000) })),
        );
        return name;
      })
    );
    const files = names.map((name) => `${name}.pmc`);
    const histogram = wordsOf(dir, ["--histogram", "--figure", "power", ...files]);
    assert(histogram.includes("Power of a node at a step"), histogram.join());
    assert(histogram.includes("Power of a node at a step: normal distributions"), histogram.join());
    // Once in the legend of each panel, beside the plot, and with mean and standard deviation for distributions.
    const isOf = (name: string) => (word: string) => word === name || word.startsWith(`${name}: `);
    for (const name of names) {
      assertEquals(histogram.filter((word) => word === name).length, 1, name);
      const about = histogram.filter((word) => word.startsWith(`${name}: `) && word.includes("±"));
      assertEquals(about.length, 2, `${name} ${about}`);
    }
    // "Figure 5: The normal distributions (left) and the cumulative distribution functions (right)".
    const figure5 = wordsOf(dir, ["--cdf", "--figure", "power", ...files]);
    for (const name of names) assertEquals(figure5.filter(isOf(name)).length, 2, name);
  },
);
