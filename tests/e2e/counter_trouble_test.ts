/** Counters that break while a run goes on: NaN with a reason, counted; the others go on. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { loadNode, writeNodeTree } from "../_support/node_tree.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";

const POWERCAP = "/sys/class/powercap/intel-rapl";
const HWMON = "/sys/class/hwmon";

interface Running {
  readonly root: string;
  /** Replaces a file by rename, as a live tree should be kept. */
  put(path: string, text: string): void;
  remove(path: string): void;
  /** Lets some ticks pass. */
  wait(): Promise<void>;
}

interface Ended {
  /** What the report says of a signal's source. */
  source(name: string): Record<string, string>;
  readonly application: Record<string, unknown>;
  readonly stderr: string;
  /** Values of a column of the trace. */
  column(name: string): number[];
}

/** Runs a command that waits, over a tree, while `during` breaks things. */
async function whileRunning(
  dir: string,
  signals: readonly string[],
  during: (running: Running) => Promise<void>,
): Promise<Ended> {
  const root = `${dir}/tree`;
  writeNodeTree(root, loadNode("intel-skx-2s"));
  const list = signals.join(",");
  const child = new Deno.Command(BINARY, {
    args: [
      ...["run", "--root", root, "--report-signals", list, "--trace", `${dir}/trace`],
      ...["--trace-signals", list, "--", "sh", "-c", ": > begun; read line"],
    ],
    cwd: dir,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const wait = () => new Promise<void>((go) => setTimeout(go, 250));
  // The first sample comes before the command, however late a busy machine starts it.
  while (![...Deno.readDirSync(dir)].some(({ name }) => name === "begun")) await wait();
  await wait();
  await during({
    root,
    put(path, text) {
      Deno.writeTextFileSync(`${root}${path}.new`, text);
      Deno.renameSync(`${root}${path}.new`, root + path);
    },
    remove: (path) => Deno.removeSync(root + path, { recursive: true }),
    wait,
  });
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode("go\n"));
  await input.close();
  const out = await child.output();
  const stderr = new TextDecoder().decode(out.stderr);
  assertEquals(out.code, 0, stderr);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "report").hosts;
  const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
  const rows = Deno.readTextFileSync(`${dir}/trace`).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("|"));
  return {
    source: (name) => sources[name],
    application: host.application,
    stderr,
    column: (name) => rows.slice(1).map((row) => Number(row[rows[0].indexOf(name)])),
  };
}

/** What a file may do, and what must be said of it. */
const FILE_TROUBLES: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ["turns empty", "", /empty/],
  ["holds text", "banana\n", /no number/],
  ["reads 2^64 − 1", "18446744073709551615\n", /2\^64 − 1/],
  ["is negative", "-5\n", /negative/],
];

for (const [what, text, says] of FILE_TROUBLES) {
  endToEnd(
    `a counter file that ${what} is NaN with a reason until it is well again`,
    async (dir) => {
      const signal = "POWERCAP::CPU_ENERGY_CONSUMED";
      const file = `${POWERCAP}:0/energy_uj`;
      const { source, column, stderr } = await whileRunning(
        dir,
        [`${signal}@package`, "HWMON::METER_POWER"],
        async ({ root, put, wait }) => {
          const good = Deno.readTextFileSync(root + file);
          put(file, text);
          await wait();
          put(file, String(Number(good) + 5e6) + "\n");
          await wait();
        },
      );
      assertEquals(source(signal).quality, "partial");
      assert(says.test(source(signal).trouble), source(signal).trouble);
      assert(/, [1-9]\d* times$/.test(source(signal).trouble), source(signal).trouble);
      assertStringIncludes(stderr, `${signal}:`);
      const first = column(`${signal}-package-0`);
      assert(first.some(Number.isNaN) && !Number.isNaN(first[0]));
      assertAlmostEquals(first.at(-1)! - first[0], 5, 1e-3, "the gap's energy is not lost");
      assert(column(`${signal}-package-1`).every((v) => !Number.isNaN(v)), "the other package");
      assertEquals(source("HWMON::METER_POWER").quality, "simulated");
      // No other counter of this tree ever changes.
      assertStringIncludes(source("CPU_ENERGY").trouble, "did not change");
    },
  );
}

/** Two names change places at once, renameat2(2) with RENAME_EXCHANGE: no sample finds none there. */
function exchange(one: string, other: string): void {
  const program = "import ctypes, os, sys; one, other = map(os.fsencode, sys.argv[1:]); " +
    "sys.exit(ctypes.CDLL(None).renameat2(-100, one, -100, other, 2))";
  const { success } = new Deno.Command("python3", { args: ["-c", program, one, other] })
    .outputSync();
  assert(success);
}

endToEnd(
  "a file that becomes a directory fails with its errno, and the run goes on",
  async (dir) => {
    const file = `${HWMON}/hwmon0/power1_average`;
    const { source, column } = await whileRunning(
      dir,
      ["HWMON::METER_POWER", "POWERCAP::CPU_ENERGY_CONSUMED"],
      async ({ root, wait }) => {
        Deno.mkdirSync(`${root}${file}.new`);
        exchange(root + file, `${root}${file}.new`);
        Deno.removeSync(`${root}${file}.new`);
        await wait();
      },
    );
    assertEquals(source("HWMON::METER_POWER").quality, "partial");
    assertStringIncludes(source("HWMON::METER_POWER").trouble, "Is a directory");
    assert(column("POWERCAP::CPU_ENERGY_CONSUMED").every((v) => !Number.isNaN(v)));
  },
);

endToEnd(
  "a hwmon that is unplugged and plugged in again is read again, whatever its number",
  async (dir) => {
    const file = `${HWMON}/hwmon0/power1_average`;
    const { source, column } = await whileRunning(
      dir,
      ["HWMON::METER_POWER"],
      async ({ root, put, remove, wait }) => {
        const good = Deno.readTextFileSync(root + file);
        remove(`${HWMON}/hwmon0`);
        await wait();
        // It comes back under another number, as chips do.
        Deno.mkdirSync(`${root}${HWMON}/hwmon9`);
        put(`${HWMON}/hwmon9/name`, "power_meter\n");
        put(`${HWMON}/hwmon9/power1_average`, good);
        // Opening is tried once a second.
        for (let i = 0; i < 5; i++) await wait();
      },
    );
    const watts = column("HWMON::METER_POWER");
    assert(
      source("HWMON::METER_POWER").quality === "partial",
      JSON.stringify(source("HWMON::METER_POWER")),
    );
    assert(!Number.isNaN(watts[0]) && !Number.isNaN(watts.at(-1)!), "well at both ends");
  },
);

endToEnd("a CPU that goes offline takes its own counters with it, no others", async (dir) => {
  const { source, column, application } = await whileRunning(
    dir,
    ["MSR::APERF:ACNT@cpu", "CPU_ENERGY@package"],
    async ({ remove, wait }) => {
      remove("/dev/cpu/3/msr.json");
      await wait();
    },
  );
  assertEquals(source("MSR::APERF:ACNT").quality, "partial");
  assertStringIncludes(source("MSR::APERF:ACNT").trouble, "CPU 3");
  assert(Number.isNaN(column("MSR::APERF:ACNT-cpu-3").at(-1)!));
  assert(column("MSR::APERF:ACNT-cpu-4").every((v) => !Number.isNaN(v)));
  assert(column("CPU_ENERGY-package-0").every((v) => !Number.isNaN(v)));
  assertEquals(application["joulemark-package-energy-coverage (%)"], 0, "no counter changes here");
});

endToEnd(
  "a register file caught half-written is NaN for that time, and energy goes on",
  async (dir) => {
    const { source, column } = await whileRunning(
      dir,
      ["CPU_ENERGY@package"],
      async ({ root, put, wait }) => {
        const path = "/dev/cpu/0/msr.json";
        const good = Deno.readTextFileSync(root + path);
        put(path, good.slice(0, good.length / 2));
        await wait();
        put(path, good);
        await wait();
      },
    );
    const joules = column("CPU_ENERGY-package-0");
    assert(joules.some(Number.isNaN) && joules.at(-1) === joules[0], "no joule was invented");
    assertEquals(source("CPU_ENERGY").quality, "partial");
  },
);
