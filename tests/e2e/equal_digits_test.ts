/**
 * Summary, report, tree, a channel's report and the page have the same times, counts and energies, to the last
 * digit that each prints, also of threads whose visits come faster than a ring takes them.
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { type RegionTree, treeFromNested, type TreeRow } from "../../src/core/region_tree.ts";
import { parseReport } from "../../src/formats/report.ts";
import { pageDataOf, rowOf } from "../_support/page_data.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";
import { makeProgram } from "../_support/sim_programs.ts";
import { recordProgram } from "../_support/sim_recording.ts";

const FACTORS: Readonly<Record<string, number>> = { "": 1, m: 1e-3, k: 1e3, M: 1e6 };
const KINDS = { node: "node", package: "package", memory: "dram" } as const;
type Kind = typeof KINDS[keyof typeof KINDS];

/** A printed number, and half of its last digit. */
interface Printed {
  readonly value: number;
  readonly half: number;
}

function printed(text: string, factor: number): Printed {
  const decimals = text.split(".")[1]?.length ?? 0;
  // Four digits of a whole number may be rounded to tens.
  const last = decimals > 0 ? 10 ** -decimals : 10 ** Math.max(0, text.length - 4);
  return { value: Number(text) * factor, half: 0.5001 * last * factor };
}

/** Component and rows of a summary's table, by region. */
function summaryRows(text: string): {
  kind: Kind;
  rows: { region: string; energy: Printed; time: Printed }[];
} {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^region .* energy \(/.test(line));
  const [, name, prefix, unit] = /^region +(\w+) energy \((.?)J\).* time \((.?)s\)/.exec(
    lines[at],
  )!;
  const rows = [];
  for (let k = at + 1; lines[k] !== "" && k < lines.length; k++) {
    const found = /^[├└│ ]*(\S+) +~?([\d.]+)(?: ± [\d.]+)? +<?\d+ %[ █▉▊▋▌▍▎▏]+([\d.]+)/.exec(
      lines[k],
    );
    if (found === null || found[1].startsWith("(")) continue;
    rows.push({
      region: found[1],
      energy: printed(found[2], FACTORS[prefix]),
      time: printed(found[3], FACTORS[unit]),
    });
  }
  return { kind: KINDS[name as keyof typeof KINDS], rows };
}

/** Rows directly inside a row. */
function inside({ rows }: RegionTree, at: number): TreeRow[] {
  const found: TreeRow[] = [];
  for (let k = at + 1; k < rows.length && rows[k].depth > rows[at].depth; k++) {
    if (rows[k].depth === rows[at].depth + 1) found.push(rows[k]);
  }
  return found;
}

/** What a row says of a kind of energy: the fit's, or by exact edges where that is not told. */
function joulesOf(row: TreeRow, kind: "node" | "package" | "dram"): number {
  const energy = row.energies.get(kind);
  return energy === undefined ? NaN : Number.isNaN(energy.joules) ? energy.exactJ : energy.joules;
}

/** Holds the columns of a page against the report's tree: each number has seven digits. */
async function checkPage(path: string, tree: RegionTree): Promise<void> {
  const page = await pageDataOf(Deno.readTextFileSync(path));
  const { regions } = page;
  const same = (shown: number | null | undefined, value: number, about: string) => {
    if (Number.isNaN(value)) return assertEquals(shown ?? null, null, about);
    const exponent = Number(value.toExponential().split("e")[1]);
    assertAlmostEquals(Number(shown), value, 0.51 * 10 ** (exponent - 6), about);
  };
  const names: string[] = [];
  for (const row of tree.rows) {
    names.splice(row.depth, Infinity, row.region);
    const i = rowOf(regions!, names.join("/"));
    const about = names.join("/");
    assert(i >= 0, about);
    same(regions!.visits[i], row.count, about);
    same(regions!.time_s[i], row.runtimeS, about);
    same(regions!.own_time_s[i], row.selfS, about);
    page.components.forEach(({ id }, k) => {
      const energy = row.energies.get(id as "node");
      same(regions!.energy_j[k][i], joulesOf(row, id as "node"), about);
      same(regions!.power_w[k][i], energy?.powerW ?? NaN, about);
      same(regions!.se_j[k][i], energy?.seJ ?? NaN, about);
    });
  }
}

async function check(stderr: string, dir: string): Promise<{ told: number }> {
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const tree = treeFromNested(host.joulemark!.tree)!;
  let told = 0;
  tree.rows.forEach((row, at) => {
    const parts = inside(tree, at);
    const sum = parts.reduce((all, { runtimeS }) => all + runtimeS, row.selfS);
    assertAlmostEquals(sum, row.runtimeS, 1e-9 * Math.max(1, row.runtimeS), row.region);
    for (const [kind, { joules, selfJ }] of row.energies) {
      const nested = parts.reduce((all, part) => all + (part.energies.get(kind)?.joules ?? 0), 0);
      if (Number.isNaN(joules + selfJ + nested)) continue;
      assertAlmostEquals(nested + selfJ, joules, 1e-6 * joules, `${kind} of ${row.region}`);
      told++;
    }
    const section = row.depth === 0 && host.regions!.find(({ region }) => region === row.region);
    if (section === false || section === undefined) return;
    const runtimeS = Number(section.fields["runtime (s)"]);
    // Sums of cycles are told at once, by a rate that is known to some µs of the time so far.
    assertAlmostEquals(runtimeS / row.runtimeS, 1, 5e-5, row.region);
    const fit = Number(section.fields["joulemark-package-energy-fit (J)"]);
    const exact = Number(section.fields["joulemark-package-energy-exact (J)"]);
    const shown = joulesOf(row, "package");
    assertAlmostEquals((Number.isNaN(fit) ? exact : fit) / shown, 1, 1e-6, row.region);
  });

  const { kind, rows } = summaryRows(stderr);
  assert(rows.length >= 1, stderr);
  for (const { region, energy, time } of rows) {
    const row = tree.rows.find((one) => one.region === region)!;
    assertAlmostEquals(time.value, row.runtimeS, time.half, `${region}\n${stderr}`);
    assertAlmostEquals(energy.value, joulesOf(row, kind), energy.half, `${region}\n${stderr}`);
  }

  const [title, ...profile] = Deno.readTextFileSync(`${dir}/profile.txt`).trimEnd().split("\n");
  const columns = title.trim().match(/\S+(?: [%J])?(?: \([EI]\))?/g)!;
  const column = (name: string, line: string) => {
    assert(columns.includes(name), title);
    return Number(line.trim().split(/\s+/)[columns.indexOf(name)]);
  };
  // A path whose energy would be below 0 by its error is shown as 0, and the one around it has more.
  const isMended = profile.some((line) => column("CPU_ENERGY J (E)", line) === 0);
  for (const row of tree.rows) {
    const line = profile.find((text) => text.trim().startsWith(`${row.region} `))!;
    const about = `${row.region}\n${profile.join("\n")}\n${stderr}`;
    assertEquals(column("Calls", line), row.count, about);
    assertAlmostEquals(column("Time (E)", line), row.selfS, 2e-6, about);
    assertAlmostEquals(column("Time (I)", line), row.runtimeS, 2e-6, about);
    const joules = joulesOf(row, "package");
    if (Number.isNaN(joules) || isMended) continue;
    assertAlmostEquals(column("CPU_ENERGY J (I)", line), joules, 2e-5 + 1e-7 * joules, about);
  }
  await checkPage(`${dir}/page.html`, tree);
  return { told };
}

const CONFIG = "runtime-report(energy,region.count,output=profile.txt)";
const RUN = ["run", "--simulate", "--html", "page.html", "--cali-config", CONFIG, "--"];

endToEnd(
  "threads that mark faster than a ring takes have one time and energy everywhere",
  async (dir) => {
    const app = build("nested", dir);
    const out = joulemark(dir, [...RUN, app, "300000"]);
    assertEquals(out.code, 0, out.stderr);
    await check(out.stderr, dir);
  },
);

endToEnd("nested regions that are told have one time and energy everywhere", async (dir) => {
  const app = build("nested_energy", dir);
  const out = joulemark(dir, [...RUN, app, "4"]);
  assertEquals(out.code, 0, out.stderr);
  const { told } = await check(out.stderr, dir);
  assert(told > 0, out.stderr);
});

endToEnd(
  "a region without an estimate has at most what the others leave, everywhere",
  (dir) => {
    const made = makeProgram("random 2 ms", { seed: 4, seconds: 3, counters: "both" });
    const { yaml, events, samples } = recordProgram(made, { dither: 0.25 });
    Deno.mkdirSync(`${dir}/rec`);
    Deno.writeTextFileSync(`${dir}/rec/recording.yaml`, yaml);
    Deno.writeTextFileSync(`${dir}/rec/events.csv`, events);
    Deno.writeTextFileSync(`${dir}/rec/samples.csv`, samples);
    const config = "runtime-report(energy,output=profile.txt)";
    const out = joulemark(dir, ["replay", "rec", "--report", "r", "--cali-config", config]);
    assertEquals(out.code, 0, out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`), "r").hosts;
    const tree = treeFromNested(host.joulemark!.tree)!;
    assert(tree.rows.some(({ energies }) => Number.isNaN(energies.get("package")!.joules)));
    const profile = Deno.readTextFileSync(`${dir}/profile.txt`).split("\n");
    let sum = 0, sumExact = Number(host.unmarked!["joulemark-package-energy-exact (J)"]);
    for (const row of tree.rows) {
      const joules = joulesOf(row, "package");
      sum += joules;
      const { fields } = host.regions!.find(({ region }) => region === row.region)!;
      const fit = Number(fields["joulemark-package-energy-fit (J)"]);
      const exact = Number(fields["joulemark-package-energy-exact (J)"]);
      sumExact += exact;
      if (!Number.isNaN(fit)) assertAlmostEquals(fit / joules, 1, 1e-9, row.region);
      const line = profile.find((text) => text.trim().startsWith(`${row.region} `));
      assert(line?.split(/\s+/).includes(joules.toFixed(6)), `${row.region} ${joules}\n${line}`);
    }
    for (const rest of [tree.unmarked, tree.otherCpus, tree.undetermined]) {
      const energy = rest.get("package");
      if (energy !== undefined) sum += Number.isNaN(energy.joules) ? energy.exactJ : energy.joules;
    }
    const totalJ = Number(host.application["joulemark-package-energy-exact (J)"]);
    assertAlmostEquals(sum / totalJ, 1, 1e-4);
    // What the key promises: its values add up without the estimates.
    assertAlmostEquals(sumExact / totalJ, 1, 1e-9);
  },
);
