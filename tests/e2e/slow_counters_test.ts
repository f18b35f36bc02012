/** Energies of a counter that is renewed every 0.1 s, in a tree that follows the clock and on the simulated node. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

const WATTS = 100, WRITE_MS = 2;
const PM = "/sys/cray/pm_counters";

function put(path: string, text: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(`${path}.new`, text);
  Deno.renameSync(`${path}.new`, path);
}

/** Keeps a tree with pm_counters alive until it is disposed of. */
function keptAlive(root: string, hz = 10): Disposable {
  put(`${root}/sys/devices/system/cpu/online`, "0-1\n");
  put(`${root}/proc/cpuinfo`, "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\n");
  for (const name of ["startup", "generation"]) put(`${root}${PM}/${name}`, "1\n");
  put(`${root}${PM}/power`, `${WATTS} W\n`);
  put(`${root}${PM}/raw_scan_hz`, `${hz}\n`);
  const start = performance.now();
  let shown = -1;
  const turn = () => {
    const moment = Math.floor((performance.now() - start) * hz / 1000);
    if (moment === shown) return;
    shown = moment;
    put(`${root}${PM}/energy`, `${1000 + WATTS * moment / hz} J\n`);
    put(`${root}${PM}/freshness`, `${moment}\n`);
  };
  turn();
  const timer = setInterval(turn, WRITE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Energy of the node and seconds of a report. */
function totalsOf(path: string): [joules: number, seconds: number] {
  const [{ application }] = parseReport(Deno.readTextFileSync(path), path).hosts;
  return [Number(application.BOARD_ENERGY), Number(application["sync-runtime (s)"])];
}

const MARKED = `
import joulemark, time
joulemark.begin("main")
time.sleep(3)
joulemark.end("main")
`;
const COMMANDS: readonly [what: string, command: string][] = [
  ["a command", "exec sleep 3"],
  ["a process that ends before its launcher", "python3 marked.py; sleep 0.4"],
  ["a process that ends shortly before its launcher", "python3 marked.py; sleep 0.02"],
];

/** Runs a command with a recording, and replays that. */
async function measured(dir: string, options: string[], command: string) {
  joulemark(dir, ["client", "python", "-q"]);
  put(`${dir}/marked.py`, MARKED);
  const signals = ["--report-signals", "BOARD_ENERGY"];
  const { code, stderr } = await new Deno.Command(BINARY, {
    args: ["run", "-q", ...options, ...signals, "--record", "rec", "--", "sh", "-c", command],
    cwd: dir,
    stdin: "null",
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  joulemark(dir, ["replay", "rec", "-q", ...signals, "--report", "again.report"]);
  const totals = totalsOf(`${dir}/joulemark.report`);
  assertAlmostEquals(totalsOf(`${dir}/again.report`)[0], totals[0], 1e-6);
  return totals;
}

for (const [what, command] of COMMANDS) {
  endToEnd(`${what} has all energy of a counter of 10 Hz`, async (dir) => {
    using _tree = keptAlive(`${dir}/tree`);
    const [joules, seconds] = await measured(dir, ["--root", "tree"], command);
    assertAlmostEquals(joules, WATTS * seconds, 0.015 * WATTS * seconds);
  });
  endToEnd(`${what} has all energy of the simulated counter of 10 Hz`, async (dir) => {
    const constant = { dynamicW: 0, dramDynamicW: 0, noise: 0, visitNoise: 0, drift: 0 };
    const powers = [];
    for (const pmHz of [10, 100]) {
      const node = Object.assign({ preset: "cray", pmHz }, constant);
      put(`${dir}/node.json`, JSON.stringify(node));
      const [joules, seconds] = await measured(dir, ["--simulate=node.json"], command);
      powers.push(joules / seconds);
    }
    assertAlmostEquals(powers[0], powers[1], 0.015 * powers[1]);
  });
}

endToEnd(
  "regions of an annotated command have all energy of the simulated counter of 10 Hz",
  (dir) => {
    const constant = { dynamicW: 0, dramDynamicW: 0, noise: 0, visitNoise: 0, drift: 0 };
    joulemark(dir, ["client", "python", "-q"]);
    put(`${dir}/marked.py`, MARKED.replace("sleep(3)", "sleep(0.55)"));
    put(`${dir}/node.json`, JSON.stringify({ preset: "cray", pmHz: 10, ...constant }));
    const { code, stderr } = joulemark(dir, [
      ...["run", "-q", "--simulate=node.json", "--", "python3", "marked.py"],
    ]);
    assertEquals(code, 0, stderr);
    const path = `${dir}/joulemark.report`;
    const [{ application, regions = [] }] = parseReport(Deno.readTextFileSync(path), path).hosts;
    const key = "joulemark-node-energy-exact (J)", whole = Number(application[key]);
    const watts = whole / Number(application["runtime (s)"]);
    // Idle: two packages of 45 W with memories of 6 W, and the board of 60 W.
    assertAlmostEquals(watts, 162, 0.04 * 162);
    const { fields } = regions[0];
    assertAlmostEquals(Number(fields[key]), 162 * 0.55, 0.06 * 162 * 0.55);
  },
);

endToEnd("processes one after another have all energy of the simulated counter", (dir) => {
  const program = build("four_regions", dir), command = `${program} 0.1; ${program} 0.1`;
  const { code, stderr } = joulemark(dir, ["run", "-q", "--simulate", "--", "sh", "-c", command]);
  assertEquals(code, 0, stderr);
  const path = `${dir}/joulemark.report`;
  const [{ joulemark: own = {} }] = parseReport(Deno.readTextFileSync(path), path).hosts;
  assertEquals(own.coverage, undefined);
});

endToEnd(
  "a signal after the command's end ends the reading: the error has half a period",
  async (dir) => {
    using _tree = keptAlive(`${dir}/tree`, 1);
    /** Time of a run, the node's energy and its error, and the time of that energy. */
    const run = async (name: string, more: string) => {
      const script =
        `"$0" run -q --root tree --report ${name} -- sh -c 'sleep 3.3; : > ${name}.over' &
      J=$!; ${more} wait $J; echo $?`;
      const start = performance.now();
      const { stdout } = await new Deno.Command("sh", { args: ["-c", script, BINARY], cwd: dir })
        .output();
      assertEquals(new TextDecoder().decode(stdout), "0\n");
      const tookMs = performance.now() - start;
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/${name}`), name).hosts;
      const { node } = host.joulemark!.totals as Record<string, Record<string, number>>;
      const sampling = host.joulemark!.sampling as Record<string, unknown>;
      const seconds = Number(host.application["sync-runtime (s)"]);
      const [joules, errorJ] = [node["energy (J)"], node["reading-error (J)"]];
      return { tookMs, joules, errorJ, seconds, unread: sampling["last update not read"] };
    };
    const whole = await run("whole", "");
    assertEquals(whole.unread, undefined);
    assertAlmostEquals(whole.joules, WATTS * whole.seconds, 0.02 * WATTS * whole.seconds);
    const cut = await run("cut", "until [ -e cut.over ]; do sleep 0.02; done; sleep 0.1; kill $J;");
    assertEquals(cut.unread, ["BOARD_ENERGY"]);
    assert(cut.tookMs < whole.tookMs, `${cut.tookMs} ms and ${whole.tookMs} ms`);
    assert(cut.errorJ > 0.45 * WATTS && cut.errorJ > 1.2 * whole.errorJ, `${cut.errorJ} J`);
    const offJ = Math.abs(cut.joules - WATTS * cut.seconds);
    assert(offJ < 2 * cut.errorJ, JSON.stringify({ cut, whole }));
  },
);
