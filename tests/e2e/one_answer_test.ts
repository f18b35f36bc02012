/**
 * One answer a region: the report's tree, GEOPM's section of it, the summary and a channel's report say
 * the same of nested regions whose power is known.
 */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { treeFromNested } from "../../src/core/region_tree.ts";
import { parseReport } from "../../src/formats/report.ts";
import { makeProgram } from "../_support/sim_programs.ts";
import { recordProgram } from "../_support/sim_recording.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const SEED = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
const SECONDS = 20;
/** What each region stands in, beside `main` around all. */
const GROUPS: Readonly<Record<string, string>> = { solve: "step", exchange: "step" };

/** A recording of five regions of known power inside `main`, two of them inside `step`. */
function nested(dir: string): ReadonlyMap<string, number> {
  const made = makeProgram("random 10 ms", { seed: SEED, seconds: SECONDS, counters: "rapl" });
  const program = { ...made, spec: { ...made.spec, raplPeriodS: 0.000977 } };
  const { yaml, events, samples, truth } = recordProgram(program, { dither: 0.25 });
  const pid = program.processes[0].pid;
  const [header, ...rows] = events.trimEnd().split("\n");
  const lines = [header];
  let isBegun = false;
  for (const row of rows) {
    const [time, , kind, name] = row.split(",");
    const group = GROUPS[name];
    if (kind === "enter") {
      if (!isBegun) lines.push(`${time},${pid},enter,main,,`);
      isBegun = true;
      if (group !== undefined) lines.push(`${time},${pid},enter,${group},,`);
    }
    if (kind === "shutdown") lines.push(`${time},${pid},exit,main,,`);
    lines.push(row);
    if (kind === "exit" && group !== undefined) lines.push(`${time},${pid},exit,${group},,`);
    if (kind === "start") {
      for (const region of ["main", "step"]) lines.push(`${time},${pid},region,${region},UNKNOWN,`);
    }
  }
  Deno.mkdirSync(`${dir}/rec`);
  Deno.writeTextFileSync(`${dir}/rec/recording.yaml`, yaml);
  Deno.writeTextFileSync(`${dir}/rec/events.csv`, lines.join("\n") + "\n");
  Deno.writeTextFileSync(`${dir}/rec/samples.csv`, samples);
  return new Map([...truth.package[0].regions].map(([name, { joules }]) => [name, joules]));
}

endToEnd(
  "report, tree and channels give nested regions one energy each, and the right one",
  (dir) => {
    console.log(`seed ${SEED}`);
    const truth = nested(dir);
    const config = "runtime-report(energy,output=profile.txt)";
    const out = joulemark(dir, ["replay", "rec", "--report", "r", "--cali-config", config]);
    assertEquals(out.code, 0, out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`)).hosts;
    const tree = treeFromNested(host.joulemark!.tree)!;
    const rows = new Map(tree.rows.map((row) => [row.region, row]));
    assertEquals(tree.rows[0].region, "main");
    assertEquals(rows.get("solve")!.depth, 2);
    const energy = (name: string) => rows.get(name)!.energies.get("package")!;
    let covered = 0;
    for (const [name, joules] of truth) {
      const { joules: fit, seJ } = energy(name);
      assertAlmostEquals(fit / joules, 1, 0.03, name);
      if (Math.abs(fit - joules) <= 2 * seJ) covered++;
    }
    assert(covered >= 3, `${covered} of ${truth.size} within two standard errors`);
    // A region has what is nested in it, and the error of the sum.
    const step = energy("step");
    const parts = ["solve", "exchange"].map(energy);
    const inside = parts.reduce((sum, { joules }) => sum + joules, 0);
    assertAlmostEquals(step.joules, inside + step.selfJ, 1e-6 * step.joules);
    const direct = truth.get("solve")! + truth.get("exchange")!;
    assert(Math.abs(step.joules - direct) <= 4 * step.seJ + 0.2, `${step.joules} ${direct}`);
    // GEOPM's section has the outermost region with all inside it.
    const { fields } = host.regions!.find(({ region }) => region === "main")!;
    const main = Number(fields["joulemark-package-energy-fit (J)"]);
    assertAlmostEquals(main / energy("main").joules, 1, 1e-9);
    assertAlmostEquals(Number(fields["runtime (s)"]) / rows.get("main")!.runtimeS, 1, 1e-5);
    const unmarked = tree.unmarked.get("package")!.joules;
    const all = Number(host.application["joulemark-package-energy-fit (J)"]);
    assertAlmostEquals((energy("main").joules + (unmarked || 0)) / all, 1, 1e-3);
    // The channel's rows: name, times, and the energy of itself.
    const text = Deno.readTextFileSync(`${dir}/profile.txt`);
    const [title, ...profile] = text.trimEnd().split("\n");
    const at = title.indexOf("CPU_ENERGY J (E)") + "CPU_ENERGY J (E)".length;
    for (const name of ["assemble", "solve", "exchange", "update", "output"]) {
      const line = profile.find((line) => line.trim().startsWith(name))!;
      const shown = Number(line.slice(0, at).trim().split(/\s+/).at(-1));
      assertAlmostEquals(shown, energy(name).selfJ, 1e-5, text);
    }
  },
);

endToEnd("a live run has energies of nested regions without any edge of them", (dir) => {
  const app = build("nested_energy", dir);
  const spec = {
    preset: "rapl",
    seed: SEED % 1000,
    packages: 1,
    idleW: 40,
    rampS: 0,
    raplPeriodS: 0.000977,
    coresPerPackage: navigator.hardwareConcurrency,
    regions: { main: { watts: 60, dramWatts: 5 }, output: { watts: 20, dramWatts: 1 } },
  };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(spec));
  const config = "runtime-report(energy,output=profile.txt)";
  const run = ["run", "--simulate=node.json", "--cali-config", config, "--", app, "6"];
  const out = joulemark(dir, run);
  assertEquals(out.code, 0, out.stderr);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
  const tree = treeFromNested(host.joulemark!.tree)!;
  const rows = new Map(tree.rows.map((row) => [row.region, row]));
  const path = ["main", "solve", "exchange", "pack"].map((name) => rows.get(name)!);
  assertEquals(path.map(({ depth }) => depth), [0, 1, 1, 2]);
  const [main, solve, exchange, pack] = path.map(({ energies }) => energies.get("package")!);
  assertEquals(rows.get("pack")!.count, 20 * rows.get("exchange")!.count);
  // The node draws the same in all that is in main: energy goes by time.
  const mainS = rows.get("main")!.runtimeS;
  for (const [name, { joules, seJ }] of [["solve", solve], ["pack", pack]] as const) {
    // An error above a tenth is not told; solve, most of the time, always is.
    if (name === "pack" && Number.isNaN(joules)) continue;
    const share = rows.get(name)!.runtimeS / mainS;
    const expected = main.joules * share;
    // Six seconds on a machine that others use too: what is told is within its error.
    const most = Math.max(0.05 * expected, 4 * seJ);
    assertAlmostEquals(joules, expected, most, `${name}\n${out.stderr}`);
    assert(seJ > 0 && seJ < 0.2 * joules, `${name}: ${seJ} of ${joules}`);
  }
  // What main draws by itself, in a few per cent of the time, may not be told either.
  const inside = solve.joules + exchange.joules + main.selfJ;
  if (!Number.isNaN(inside)) assertAlmostEquals(inside / main.joules, 1, 1e-6);
  else assert(solve.joules + (exchange.joules || 0) < main.joules + 4 * solve.seJ);
  const [title, ...profile] = Deno.readTextFileSync(`${dir}/profile.txt`).trimEnd().split("\n");
  const at = title.indexOf("CPU_ENERGY J (I)") + "CPU_ENERGY J (I)".length;
  for (const [name, { joules }] of [["main", main], ["solve", solve], ["pack", pack]] as const) {
    if (Number.isNaN(joules)) continue;
    const line = profile.find((line) => line.trim().startsWith(name))!;
    const shown = Number(line.slice(0, at).trim().split(/\s+/).at(-1));
    assertAlmostEquals(shown / joules, 1, 1e-6, `${name}\n${profile.join("\n")}`);
  }
});

endToEnd(
  "a channel's report has the tree's energies where visits come folded, of each thread",
  (dir) => {
    const app = build("nested", dir);
    const config = "runtime-report(energy,output=profile.txt)";
    const out = joulemark(dir, ["run", "--simulate", "--cali-config", config, "--", app, "300000"]);
    assertEquals(out.code, 0, out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
    const tree = treeFromNested(host.joulemark!.tree)!;
    const [title, ...profile] = Deno.readTextFileSync(`${dir}/profile.txt`).trimEnd().split("\n");
    const column = (name: string) => {
      const end = title.indexOf(name) + name.length;
      return (line: string) =>
        Number(line.slice(end - name.length - 4, end).trim().split(/\s+/).at(-1));
    };
    const [own, inside] = [column("CPU_ENERGY J (E)"), column("CPU_ENERGY J (I)")];
    const lineOf = (region: string) =>
      profile.find((line) => line.trim().startsWith(`${region} `))!;
    // One below 0 by the error of those inside it is 0, and what is around it more.
    const isMended = profile.some((line) => own(line) === 0);
    let told = 0;
    for (const { region, energies } of tree.rows) {
      // Of visits that came folded beside others in order nothing is told.
      const { joules, exactJ } = energies.get("package") ?? { joules: NaN, exactJ: NaN };
      const shown = Number.isNaN(joules) ? exactJ : joules;
      if (Number.isNaN(shown) || isMended) continue;
      assertAlmostEquals(
        inside(lineOf(region)),
        shown,
        2e-5 + 1e-6 * shown,
        `${region}\n${profile.join("\n")}`,
      );
      told++;
    }
    assert(told >= 2 || isMended, `${told} rows\n${profile.join("\n")}`);
    for (const region of ["main", "worker"]) assert(inside(lineOf(region)) >= 0, region);
  },
);

endToEnd(
  "a region on the CPUs of another thread's regions is not determined as if it had been alone",
  (dir) => {
    console.log(`seed ${SEED}`);
    nested(dir);
    // The regions within main are those of a thread that has all CPUs of the process.
    const events = Deno.readTextFileSync(`${dir}/rec/events.csv`).split("\n");
    const ofThread = events.map((row) => {
      const [, , kind, name] = row.split(",");
      const isInside = (kind === "enter" || kind === "exit") && name !== "main";
      return isInside ? row.replace(/[^,]*$/, "77") : row;
    });
    Deno.writeTextFileSync(`${dir}/rec/events.csv`, ofThread.join("\n"));
    const out = joulemark(dir, ["replay", "rec", "--report", "r"]);
    assertEquals(out.code, 0, out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`)).hosts;
    const fit = (name: string) =>
      Number(
        host.regions!.find(({ region }) => region === name)!
          .fields["joulemark-package-energy-fit (J)"],
      );
    assert(Number.isNaN(fit("main")), `${fit("main")} J`);
    // What main draws beside the other thread cannot be separated from what that thread draws.
    const notes = (host.joulemark!.notes as string[]).join("\n");
    assertMatch(notes, /package energy of \d+ regions is coarse \(~: main,/);
    // The table marks a row that is the difference of counter readings at its edges.
    const shown = joulemark(dir, ["show", "r"]).stdout.split("\n");
    assert(shown.some((line) => /^main .* edges /.test(line)), shown.join("\n"));
  },
);

endToEnd("unmarked time of a short run has the power of the time that its energy is of", (dir) => {
  const app = build("in_namespace", dir, ["-DEND=return 0"]);
  const { code, stderr } = joulemark(dir, ["run", "--simulate", "--", app, "solve", "0.3"]);
  assertEquals(code, 0, stderr);
  // The node's counter moves ten times a second: the first one has energy of a time before the start.
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
  const { powerW } = treeFromNested(host.joulemark!.tree)!.unmarked.get("node")!;
  assert(powerW < 400, stderr);
});
