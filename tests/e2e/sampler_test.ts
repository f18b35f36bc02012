/** Caliper's sampler and symbollookup: samples of functions in the regions of a program. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { query, readCali } from "../../src/caliper/query/library.ts";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { readFolded } from "../_support/folded.ts";
import { asEachUser, type User, userIn } from "../_support/plain_user.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";

const LIMIT_S = 120;
const PC = "source.function#cali.sampler.pc";

/** Builds regions.c as ./app. */
function build(dir: string): void {
  joulemark(dir, ["client", "c"]);
  compile("e2e/programs/functions/regions.c", `${dir}/app`, ["-O2", "-g", `-I${dir}`]);
}

/** Runs ./app with variables of Caliper, and checks that nothing of it was touched. */
function sampled(
  user: User,
  env: Record<string, string>,
  options: readonly string[] = [],
  command: readonly string[] = ["./app"],
): string {
  const out = user.joulemark(["run", "-q", ...options, "--", ...command], env);
  assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
  return out.stderr;
}

/** Rows of a query over a stream. */
function rowsOf(path: string, text: string): Record<string, string>[] {
  return JSON.parse(query(`${text} format json`, [Deno.readTextFileSync(path)]));
}

/** Samples by region and function. */
function countsOf(path: string): Map<string, number> {
  const rows = rowsOf(path, `select region,${PC},count() group by region,${PC}`);
  return new Map(rows.map(({ path, [PC]: name, count }) => [`${path} ${name}`, Number(count)]));
}

asEachUser(
  "sample-report has the functions of each region, as --functions has them",
  (dir, user) => {
    build(dir);
    const config = "sample-report(source.module,source.location)";
    const options = ["--folded", "f", "--report", "r", "--record", "rec"];
    const text = sampled(user, { CALI_CONFIG: config }, options);
    assertMatch(text, /^Path +Samples Time \(sec\) Module +Source +Function *$/m);
    assertMatch(text, /^main *\n/m);
    const rows = [...text.matchAll(/^ +(\S+) +(\d+) +([\d.]+) +(\S+) +(\S+) +(\S+) *$/gm)];
    const row = (name: string) => rows.find((row) => row[6] === name)!;
    const folded = readFolded(`${dir}/f`);
    for (const [name, region] of [["heavy", "{solve}"], ["light", "{rest}"]]) {
      const [, , samples, seconds, module, place] = row(name);
      assertMatch(module, /\/app$/);
      assertMatch(place, /regions\.c:\d+$/);
      const own = folded.filter(({ frames }) => frames.includes(region) && frames.at(-1) === name)
        .reduce((sum, line) => sum + line.samples, 0);
      // At the edge of a region the two may differ by a sample.
      assertAlmostEquals(Number(samples), own, 3);
      assertAlmostEquals(Number(seconds), Number(samples) / 200, 1e-6);
    }
    const [heavy, light] = ["heavy", "light"].map((name) => Number(row(name)[2]));
    assertAlmostEquals(heavy / (heavy + light), 0.75, 0.1);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`), "r").hosts;
    const functions = host.joulemark!.functions as Record<string, number>;
    assertEquals(functions["rate (Hz)"], 200);
    const again = user.joulemark([
      "replay",
      "-q",
      "--report",
      "r2",
      "--cali-config",
      config,
      "rec",
    ]);
    assertEquals([again.code, again.stderr], [0, text]);
  },
  LIMIT_S,
);

asEachUser("hatchet-sample-profile has functions, modules and regions", (dir, user) => {
  build(dir);
  sampled(user, { CALI_CONFIG: "hatchet-sample-profile(sample.frequency=100)" });
  const { records, globals } = readCali(Deno.readTextFileSync(`${dir}/sample_profile.cali`));
  assertEquals(globals["cali.channel"], "sample-profile");
  const row = records.find((record) => record[PC] === "heavy")!;
  assertEquals(row.region, ["main", "solve"]);
  assertMatch(String(row["module#cali.sampler.pc"]), /\/app$/);
  assertAlmostEquals(Number(row.scount), Number(row.count) / 100, 1e-9);
  sampled(user, { CALI_CONFIG: "sample-profile(output.format=json-split,callpath)" });
  const { columns, nodes } = JSON.parse(Deno.readTextFileSync(`${dir}/sample_profile.json`));
  for (const name of ["count", "time", "Function", "Module", "path"]) {
    assert(columns.includes(name), String(columns));
  }
  const labels = nodes.map(({ label }: { label: string }) => label);
  for (const name of ["main", "solve", "rest"]) assert(labels.includes(name), String(labels));
}, LIMIT_S);

endToEnd("services sampler and symbollookup add the attributes of a sample", (dir) => {
  build(dir);
  const user = userIn(dir),
    env = {
      CALI_SERVICES_ENABLE: "sampler,symbollookup,callpath,trace,recorder",
      CALI_SYMBOLLOOKUP_LOOKUP_FILE: "true",
      CALI_SYMBOLLOOKUP_LOOKUP_LINE: "true",
      CALI_CALLPATH_USE_NAME: "true",
      CALI_SAMPLER_FREQUENCY: "100",
      CALI_RECORDER_FILENAME: "s.cali",
    };
  sampled(user, env, ["--record", "rec"]);
  const { records, globals } = readCali(Deno.readTextFileSync(`${dir}/s.cali`));
  assertEquals(globals["sample.frequency"], 100);
  const heavy = records.filter((record) => record[PC] === "heavy");
  assert(heavy.length > 20, String(heavy.length));
  for (const record of heavy) {
    assertEquals(record.region, ["main", "solve"]);
    const of = (name: string) => record[`${name}#cali.sampler.pc`];
    assertMatch(String(of("source.file")), /regions\.c$/);
    assertEquals(of("sourceloc"), `${of("source.file")}:${of("source.line")}`);
    assertMatch(String(of("module")), /\/app$/);
    assertEquals(record["callpath.address"], record["cali.sampler.pc"]);
  }
  const paths = rowsOf(`${dir}/s.cali`, `where ${PC}=heavy`);
  for (const row of paths) {
    assertMatch(row["source.function#callpath.address"], /\/main\/heavy$/);
    assertEquals(row["callpath.regname"], row["source.function#callpath.address"]);
  }
  const replayed = ["replay", "-q", "--report", "r2", "--cali-config"];
  const trace = "event-trace(sampling,sample.frequency=100,output=t.cali)";
  const out = user.joulemark([...replayed, trace, "rec"]);
  assertEquals([out.code, out.stderr], [0, ""]);
  assertEquals(countsOf(`${dir}/t.cali`).get("main/solve heavy"), heavy.length);
}, LIMIT_S);

endToEnd("rows of the service aggregate are looked up by their address", (dir) => {
  build(dir);
  sampled(userIn(dir), {
    CALI_SERVICES_ENABLE: "sampler,symbollookup,aggregate,recorder",
    CALI_AGGREGATE_KEY: "region,cali.sampler.pc",
    CALI_RECORDER_FILENAME: "a.cali",
  });
  const rows = rowsOf(`${dir}/a.cali`, `select region,${PC},sum(count) group by region,${PC}`);
  const count = (name: string) => {
    const row = rows.find((row) => row[PC] === name);
    return Number(row?.["sum#count"] ?? 0);
  };
  assertAlmostEquals(count("heavy") / (count("heavy") + count("light")), 0.75, 0.15);
}, LIMIT_S);

endToEnd(
  "the rate of samples is the greatest of those requested, 4999 per second at most",
  (dir) => {
    build(dir);
    const user = userIn(dir);
    const figure = (name: string) => {
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`), "r").hosts;
      return (host.joulemark!.functions as Record<string, number>)[name];
    };
    const rate = () => figure("rate (Hz)");
    const run = (config: string, ...options: string[]) => {
      return sampled(user, { CALI_CONFIG: config }, ["--report", "r", ...options]);
    };
    // By the counter of the same run: a program that is sampled very often may take longer.
    const assertTime = (text: string) => {
      const heavyS = Number(/ (\d+\.\d+) heavy *$/m.exec(text)?.[1]);
      const shareS = 0.75 * figure("cpu-time (s)");
      assertAlmostEquals(heavyS, shareS, 0.3 * shareS);
    };
    // Of the samples of --functions every fourth or so is taken.
    assertTime(run("sample-report", "--functions=797"));
    assertEquals(rate(), 797);
    const more = run("sample-report", "--functions=50");
    assertEquals(rate(), 200);
    assertTime(more);
    assertMatch(
      more,
      /^joulemark: functions are sampled 200 times per second, as Caliper's sampler/m,
    );
    const most = run("sample-report(sample.frequency=9000)");
    assertEquals(rate(), 4999);
    assertMatch(most, /^joulemark: sample-report: 4999 samples per second are taken, not 9000$/m);
    assertTime(most);
    assertEquals(run("sample-report(sample.frequency=0)").split("\n").length, 2);
  },
  LIMIT_S,
);

endToEnd("a program without regions has functions by call path", (dir) => {
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
  const user = userIn(dir), text = sampled(user, { CALI_CONFIG: "sample-report(callpath)" });
  assertMatch(text, /^ {8}work .*\n {10}(light|heavy) +\d+ +[\d.]+ (light|heavy) *$/m);
  assert(!text.includes("no regions"), text);
  const none = sampled(user, { CALI_CONFIG: "sample-report" }).trimEnd().split("\n");
  assertMatch(
    none[1],
    /^joulemark: sample-report: no regions were found\. Use sample-report\(call/,
  );
  assertEquals([none.length, none[0].trimEnd()], [2, "Path"]);
}, LIMIT_S);

endToEnd(
  "samples are by region, with one line, if neither the kernel nor a timer can sample",
  (dir) => {
    build(dir);
    compile("e2e/programs/without_perf.c", `${dir}/without_perf`, []);
    const { binary } = userIn(dir);
    // Others may write into the test's directory: a library there would be looked for elsewhere.
    const home = Deno.makeTempDirSync({ prefix: "joulemark-home-" });
    using _home = { [Symbol.dispose]: () => Deno.removeSync(home, { recursive: true }) };
    const config = { CALI_CONFIG: "sample-report", HOME: home, XDG_CACHE_HOME: "" };
    const run = (env: Record<string, string>) => {
      const { code, stderr } = new Deno.Command(`${dir}/without_perf`, {
        args: ["13", binary, "run", "-q", "--", "./app"],
        cwd: dir,
        env: { ...config, ...env },
      }).outputSync();
      const text = new TextDecoder().decode(stderr);
      assertEquals(code, 3, text);
      return text;
    };
    const text = run({ PATH: "/nowhere", CC: "" });
    assertMatch(text, /^joulemark: no functions: .*kernel\.perf_event_paranoid=2/m);
    assertMatch(text, /^ +solve +\d+ +[\d.]+ *$/m);
    // Threads sample themselves where the library can be built.
    const byTimer = run({});
    assert(!byTimer.includes("no functions"), byTimer);
    // The begin and end calls are in main.
    assertMatch(byTimer, /^ +(?:solve|\|-) +\d+ +[\d.]+ heavy *$/m);
  },
  LIMIT_S,
);

/** Open MPI for any user on any machine. */
const MPI = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

endToEnd(
  "sample-report is over all ranks below a launcher, without the launcher",
  (dir) => {
    build(dir);
    Deno.writeTextFileSync(`${dir}/app.sh`, "./app > /dev/null; exit 0");
    const args = ["run", "-q", "--", "mpirun", "-n", "2", "sh", "app.sh"];
    const out = joulemark(dir, args, { ...MPI, CALI_CONFIG: "sample-report" });
    assertEquals(out.code, 0, out.stderr);
    assertMatch(
      out.stderr,
      /^Path +Min time\/rank Max time\/rank Avg time\/rank Total time Time % +Function *$/m,
    );
    const row = /^ +(?:solve|\|-) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) heavy *$/m;
    const [least, most, mean, total, share] = row.exec(out.stderr)!.slice(1).map(Number);
    assert(least > 0 && least <= mean && mean <= most, out.stderr);
    assertAlmostEquals(total, 2 * mean, 1e-5);
    assertAlmostEquals(share, 75, 12);
    const calls = joulemark(dir, args, { ...MPI, CALI_CONFIG: "sample-report(callpath)" });
    // The dynamic linker may have been called from there, too, and main may have a sample of its own.
    assertMatch(calls.stderr, /^ {6}main .*\n( {8}.*\n)*? {8}\S.* (light|heavy) *$/m);
    for (const name of ["orterun", "libpmix", "hwloc"]) assert(!calls.stderr.includes(name), name);
  },
  LIMIT_S,
  unless(succeeds("mpirun", "--version"), "no mpirun"),
);
