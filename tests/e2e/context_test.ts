/** Caliper's channels of real programs: equal to what Caliper records of them, with energies. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { query, readCali } from "../../src/query/library.ts";
import { compile, preloaded } from "../_support/preload.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

const VECTORS = new URL("../vectors/caliper/context_program/", import.meta.url);
const PROGRAM = "cc -O1 -Wall -Wextra -Werror -pthread -o app PROGRAMS/caliper_context.c";

/** What differs from run to run, or says who recorded it. */
const OWN = /^(time\.|(min|max|sum|avg)#time\.|aggregate\.slot$|starttime\.|process\.id$)/;
const OURS = ["cali.channel", "opts:output", "cali.caliper.version", "joulemark.simulated"];

/** Records without times, one JSON object a line, keys and lines sorted as the vectors are. */
function comparable(path: string): string[] {
  const rows = JSON.parse(query("format json", [Deno.readTextFileSync(path)])) as Record<
    string,
    unknown
  >[];
  return rows.map((row) => {
    const kept = Object.entries(row).filter(([key]) => !OWN.test(key) && !OURS.includes(key));
    return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => a < b ? -1 : 1)));
  }).sort();
}

function vector(name: string): string[] {
  const lines = Deno.readTextFileSync(new URL(name, VECTORS)).trimEnd().split("\n");
  return lines.map((line) => JSON.stringify(JSON.parse(line))).sort();
}

/** Path and calls of each line of a report's tree. */
function callsIn(report: string): string[] {
  return report.trimEnd().split("\n").slice(1).map((line) => {
    const calls = line.trimEnd().split(/\s+/).at(-1);
    return `${/^ *\S.*?(?= +[0-9.]+ )/.exec(line)?.[0].trimEnd()} ${calls}`;
  });
}

endToEnd(
  "run --cali-config event-trace records what Caliper records of the same program",
  (dir) => {
    compile(dir, PROGRAM);
    const options = ["--cali-config", "event-trace(output=trace.cali)"];
    preloaded(dir, "caliper", ["./app"], { options });
    assertEquals(comparable(`${dir}/trace.cali`), vector("trace.jsonl"));
  },
);

endToEnd("CALI_SERVICES_ENABLE makes the rows that Caliper makes of the same program", (dir) => {
  compile(dir, PROGRAM);
  preloaded(dir, "caliper", ["./app"], {
    env: {
      CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder",
      CALI_AGGREGATE_KEY: "iteration#timeloop,mesh",
      CALI_RECORDER_FILENAME: "rows.cali",
    },
  });
  assertEquals(comparable(`${dir}/rows.cali`), vector("aggregate.jsonl"));
});

endToEnd(
  "runtime-report has Caliper's regions and calls, and the simulated node's energy",
  (dir) => {
    compile(dir, PROGRAM);
    const options = [
      "--simulate",
      "--cali-config",
      "runtime-report(region.count,output=plain.txt)",
    ];
    preloaded(dir, "caliper", ["./app"], { options });
    const wanted = Deno.readTextFileSync(new URL("runtime-report.txt", VECTORS));
    assertEquals(callsIn(Deno.readTextFileSync(`${dir}/plain.txt`)), callsIn(wanted));
    const energy = ["--simulate", "--cali-config", "runtime-report(energy,output=energy.txt)"];
    const out = preloaded(dir, "caliper", ["./app"], { options: energy });
    const text = Deno.readTextFileSync(`${dir}/energy.txt`);
    assertStringIncludes(text.split("\n")[0], "CPU_ENERGY J (I)");
    assertStringIncludes(text, "simulated node");
    const main = /^main .*$/m.exec(text)![0].trim().split(/\s+/).map(Number);
    const titles = text.split("\n")[0].trim().split(/\s{1,}(?=CPU|DRAM|Time|Path)/);
    const inclusiveJ = main[titles.indexOf("CPU_ENERGY J (I)")];
    // The report's totals hold what lies outside of main as well, which is little.
    const packageJ = Number(out.host.application["package-energy (J)"]);
    assert(inclusiveJ > 0 && inclusiveJ <= packageJ * 1.0001, `${inclusiveJ} J of ${packageJ} J`);
    assert(inclusiveJ > packageJ / 2, `${inclusiveJ} J of ${packageJ} J`);
  },
);

/** What a counter of a recording grew from the first start of a marking process to the last mark. */
function grownJ(dir: string, signal: string): number {
  const read = (name: string) => {
    const lines = Deno.readTextFileSync(`${dir}/recording/${name}`).trimEnd().split("\n");
    return lines.map((line) => line.split(","));
  };
  const [titles, ...rows] = read("samples.csv");
  const columns = titles.flatMap((title, i) => title.startsWith(`${signal}@`) ? [i] : []);
  const last: number[] = [];
  const points = rows.map((row) => {
    for (const i of columns) if (row[i] !== "=") last[i] = Number(row[i]);
    return { timeS: Number(row[0]), joules: columns.reduce((sum, i) => sum + last[i], 0) };
  });
  const at = (timeS: number) => {
    const next = points.findIndex((point) => point.timeS >= timeS);
    const [a, b] = [points[Math.max(0, next - 1)], points[next]];
    const part = b.timeS === a.timeS ? 0 : (timeS - a.timeS) / (b.timeS - a.timeS);
    return a.joules + part * (b.joules - a.joules);
  };
  const events = read("events.csv").slice(1);
  const starts = events.filter(([, , event, region]) => event === "start" && region !== "command");
  const exits = events.filter(([, , event]) => event === "exit");
  return at(Number(exits.at(-1)![0])) - at(Number(starts[0][0]));
}

endToEnd("energies of processes that run at once add up to the node's", (dir) => {
  compile(dir, PROGRAM);
  const options = ["--simulate", "--cali", "all.cali", "--record", "recording"];
  const command = ["sh", "-c", "./app 50 & ./app 50 & ./app 50 & wait"];
  preloaded(dir, "caliper", command, { options });
  const { records, globals } = readCali(Deno.readTextFileSync(`${dir}/all.cali`));
  assert(globals["joulemark.simulated"] !== undefined, JSON.stringify(globals));
  assertEquals(new Set(records.map((record) => record["process.id"])).size, 3);
  const sumJ = records.reduce((sum, record) => sum + Number(record.CPU_ENERGY ?? 0), 0);
  const nodeJ = grownJ(dir, "CPU_ENERGY");
  // What passes between a process's last mark and its end is in no record.
  assertAlmostEquals(sumJ, nodeJ, nodeJ * 0.03);
});

endToEnd("a stream whose name holds an attribute is one for each process", (dir) => {
  compile(dir, PROGRAM);
  const options = ["--cali-config", "event-trace(output=out/p-%process.id%.cali)"];
  preloaded(dir, "caliper", ["sh", "-c", "./app & ./app & wait"], { options });
  const names = [...Deno.readDirSync(`${dir}/out`)].map((entry) => entry.name);
  assertEquals(names.length, 2);
  for (const name of names) {
    assertEquals(/^p-\d+\.cali$/.test(name), true, name);
    assertEquals(comparable(`${dir}/out/${name}`), vector("trace.jsonl"));
  }
});

endToEnd("a configuration that is none stops before the command; a variable does not", (dir) => {
  const wrong = joulemark(dir, ["run", "--cali-config", "runtime-repotr", "--", "touch", "ran"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "runtime-report");
  assertEquals([...Deno.readDirSync(dir)].some(({ name }) => name === "ran"), false);
  const variable = joulemark(dir, ["run", "--", "touch", "ran"], { CALI_CONFIG: "nonsense(" });
  assertEquals(variable.code, 0);
  assertStringIncludes(variable.stderr, "nonsense");
  assertEquals([...Deno.readDirSync(dir)].some(({ name }) => name === "ran"), true);
});

endToEnd("a replay makes the stream that the run made", (dir) => {
  compile(dir, PROGRAM);
  const options = ["--simulate", "--cali", "live.cali", "--record", "recording"];
  preloaded(dir, "caliper", ["sh", "-c", "./app & ./app & wait"], { options });
  const replayed = joulemark(dir, [
    ...["replay", "--cali", "replayed.cali", "--report", "again.report", "recording"],
  ]);
  assertEquals(replayed.code, 0, replayed.stderr);
  const [live, again] = ["live.cali", "replayed.cali"].map((name) => {
    const { records } = readCali(Deno.readTextFileSync(`${dir}/${name}`));
    return records.map((record) => ({ ...record, "starttime.sec": 0, "starttime.nsec": 0 }));
  });
  assertEquals(again, live);
});

endToEnd("spot has Caliper's regions, calls and series, told apart by spot.channel", (dir) => {
  compile(dir, PROGRAM);
  const config = "spot(output=spot.cali,timeseries,timeseries.iteration_interval=1)";
  preloaded(dir, "caliper", ["./app"], { options: ["--cali-config", config] });
  const text = Deno.readTextFileSync(`${dir}/spot.cali`);
  const { globals, records } = readCali(text);
  assertEquals(globals["spot.format.version"], "2");
  assertEquals(globals["spot.channels"], "regionprofile,timeseries");
  assertEquals(globals["cali.channel"], "spot");
  const metrics = String(globals["spot.metrics"]).split(",");
  assert(metrics.includes("avg#inclusive#sum#time.duration"), metrics.join());
  const profile = records.filter((record) => record["spot.channel"] === "regionprofile");
  for (const name of metrics) assert(profile.some((record) => name in record), name);
  const calls = "select sum#sum#rc.count where spot.channel=regionprofile,comm.region=halo " +
    "format expand";
  assertEquals(query(calls, [text]).trim(), "sum#sum#rc.count=3");
  const series = records.filter((record) => record["spot.channel"] === "timeseries");
  assertEquals(series.map((record) => [record.block, record["max#sum#loop.iterations"]]), [
    ...[[0, 1], [1, 1], [2, 1]],
  ]);
});

endToEnd("what channels have to say goes where CALI_LOG_LOGFILE wants it, or nowhere", (dir) => {
  compile(dir, PROGRAM);
  const env = {
    CALI_SERVICES_ENABLE: "event,nonsense,trace,recorder",
    CALI_RECORDER_FILENAME: "x",
  };
  const said = preloaded(dir, "caliper", ["./app"], { env });
  assertStringIncludes(said.stderr, 'Service "nonsense" not found');
  const kept = preloaded(dir, "caliper", ["./app"], { env: { ...env, CALI_LOG_LOGFILE: "log" } });
  assertEquals(Deno.readTextFileSync(`${dir}/log`), 'Service "nonsense" not found!\n');
  const silent = preloaded(dir, "caliper", ["./app"], { env: { ...env, CALI_LOG_VERBOSITY: "0" } });
  for (const { stderr } of [kept, silent]) assertEquals(stderr.includes("nonsense"), false, stderr);
});
