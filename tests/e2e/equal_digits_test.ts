/**
 * Card, report, tree, a channel's report and the page have the same times, counts and energies, to the last
 * digit that each prints, also of threads whose visits come faster than a ring takes them.
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { type RegionTree, treeFromNested, type TreeRow } from "../../src/core/region_tree.ts";
import { parseReport } from "../../src/formats/report.ts";
import { pageDataOf, rowOf } from "../_support/page_data.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  "µs": 1e-6,
  ms: 1e-3,
  s: 1,
  min: 60,
  "µJ": 1e-6,
  mJ: 1e-3,
  J: 1,
  kJ: 1e3,
  MJ: 1e6,
};

/** What a printed figure may be off by: half of its last digit. */
function printed(text: string): { value: number; half: number } {
  const found = /^~?([0-9.]+)(?: ± [0-9.]+)? (\S+)$/.exec(text);
  assert(found !== null && UNITS[found[2]] !== undefined, `${text}: no figure`);
  const decimals = found[1].split(".")[1]?.length ?? 0;
  const unit = UNITS[found[2]];
  // Four digits of a whole number may be rounded to tens.
  const last = decimals > 0 ? 10 ** -decimals : 10 ** Math.max(0, found[1].length - 4);
  return { value: Number(found[1]) * unit, half: 0.5001 * last * unit };
}

/** Rows of a card by region, in its order, and its titles. */
function cardRows(text: string): { titles: string[]; rows: string[][] } {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^region {2,}visits/.test(line));
  // An energy with six digits, or with its error, fills its column: one blank is between it and its neighbours.
  const unit = "[nµm]?s|min|[µmkM]?J|[µmkM]?W";
  const between = new RegExp(` {2,}|(?<= (?:${unit})) (?=~?\\d)`);
  const split = (line: string) => line.trim().split(between);
  const rows: string[][] = [];
  for (let k = at + 1; /^ *[a-z]/.test(lines[k]); k++) rows.push(split(lines[k]));
  return { titles: split(lines[at]), rows };
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

  const { titles, rows } = cardRows(stderr);
  const kinds = ([["node", "node"], ["package", "package"], ["memory", "dram"]] as const)
    .filter(([title]) => titles.includes(title));
  assert(rows.length >= 2 && kinds.length > 0, stderr);
  for (const cells of rows) {
    const row = tree.rows.find(({ region }) => region === cells[0])!;
    const cell = (title: string) => cells[titles.indexOf(title)];
    assertEquals(Number(cell("visits")), row.count, stderr);
    const time = printed(cell("time"));
    assertAlmostEquals(time.value, row.runtimeS, time.half, `${row.region}\n${stderr}`);
    for (const [title, kind] of kinds) {
      if (cell(title) === "-") continue;
      const { value, half } = printed(cell(title));
      assertAlmostEquals(value, joulesOf(row, kind), half, `${row.region}, ${kind}\n${stderr}`);
    }
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
  60,
);

endToEnd("nested regions that are told have one time and energy everywhere", async (dir) => {
  const app = build("nested_energy", dir);
  const out = joulemark(dir, [...RUN, app, "4"]);
  assertEquals(out.code, 0, out.stderr);
  const { told } = await check(out.stderr, dir);
  assert(told > 0, out.stderr);
}, 60);
