/** Caliper's channels of real programs: equal to what Caliper records of them, with energies. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { query, readCali } from "../../src/caliper/query/library.ts";
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
    // What is outside may take longer than main where the node is busy.
    const { fields } = out.host.regions!.find(({ region }) => region === "main")!;
    const share = Number(fields["runtime (s)"]) / Number(out.host.application["runtime (s)"]);
    assert(inclusiveJ > packageJ * share / 2, `${inclusiveJ} J of ${packageJ} J, ${share}`);
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
  assertEquals(Deno.readTextFileSync(`${dir}/log`), '== CALIPER: Service "nonsense" not found!\n');
  const silent = preloaded(dir, "caliper", ["./app"], { env: { ...env, CALI_LOG_VERBOSITY: "0" } });
  for (const { stderr } of [kept, silent]) assertEquals(stderr.includes("nonsense"), false, stderr);
});

/** Of Caliper 2.15-dev with the same variables, but for the number of records, which is each stream's own. */
const LOGS: [Record<string, string>, string[]][] = [
  [{ CALI_SERVICES_ENABLE: "event,recorder,timestamp,trace", CALI_RECORDER_FILENAME: "t.cali" }, [
    "Initialized",
    "Creating channel default",
    "default: Registered event trigger service",
    "default: Registered timer service",
    "default: Registered trace service",
    "Finalizing ... ",
    "default: Flushing Caliper data",
    "default: trace: Flushed 10 snapshots.",
    "default: Recorder: Wrote N records.",
    "Releasing channel default",
    "Finished",
  ]],
  [{ CALI_SERVICES_ENABLE: "event,timer,aggregate,report" }, [
    "Initialized",
    "Creating channel default",
    "default: Registered event trigger service",
    "default: Registered timer service",
    "default: Registered aggregation service",
    "default: Registered report service",
    "Finalizing ... ",
    "default: Flushing Caliper data",
    "default: Aggregate: flushed 4 snapshots.",
    "Releasing channel default",
    "Finished",
  ]],
  [{ CALI_SERVICES_ENABLE: "event,aggregate,recorder,report", CALI_RECORDER_FILENAME: "b.cali" }, [
    "Initialized",
    "Creating channel default",
    "default: Registered event trigger service",
    "default: Registered aggregation service",
    "default: Registered report service",
    "Finalizing ... ",
    "default: Flushing Caliper data",
    "default: Aggregate: flushed 4 snapshots.",
    "default: Recorder: Wrote N records.",
    "default: Aggregate: flushed 4 snapshots.",
    "Releasing channel default",
    "Finished",
  ]],
  [{ CALI_SERVICES_ENABLE: "recorder:timestamp", CALI_RECORDER_FILENAME: "r.cali" }, [
    "Initialized",
    "Creating channel default",
    "default: Registered timer service",
    'Config check: Warning: offline output service "recorder" requires snapshot buffer services, ' +
    "but none are active.",
    "Finalizing ... ",
    "default: Flushing Caliper data",
    "default: Recorder: Wrote N records.",
    "Releasing channel default",
    "Finished",
  ]],
  [{ CALI_CONFIG: "runtime-report" }, [
    "Initialized",
    "No manual config specified, disabling default channel",
    "Creating channel builtin.configmgr",
    "Creating channel runtime-report",
    "runtime-report: Registered aggregation service",
    "runtime-report: Registered event trigger service",
    "runtime-report: Registered report service",
    "runtime-report: Registered timer service",
    "Registered builtin ConfigManager",
    "Finalizing ... ",
    "builtin.configmgr: Flushing Caliper data",
    "runtime-report: Flushing Caliper data",
    "runtime-report: Aggregate: flushed 3 snapshots.",
    "Releasing channel builtin.configmgr",
    "Releasing channel runtime-report",
    "Finished",
  ]],
];

endToEnd(
  "== CALIPER: Registered recorder service … Wrote 38 records … Finished: as 2.15 says it",
  (dir) => {
    compile(dir, PROGRAM.replace(/\S*\.c\b/, "PROGRAMS/caliper_small.c"));
    for (const [variables, lines] of LOGS) {
      const env = { CALI_LOG_VERBOSITY: "1", ...variables };
      const { stdout, stderr } = preloaded(dir, "caliper", ["./app"], { env });
      const said = stderr.split("\n").filter((line) => line.startsWith("== CALIPER: "))
        .map((line) => line.slice("== CALIPER: ".length).replace(/Wrote \d+/, "Wrote N"));
      assertEquals(said, lines);
      const quiet = preloaded(dir, "caliper", ["./app"], { env: variables });
      assertEquals(quiet.stderr.includes("CALIPER"), false, quiet.stderr);
      // The report service makes a table where its query names no format.
      const isAsked = variables.CALI_SERVICES_ENABLE?.includes("report") ?? false;
      assertEquals(stdout.startsWith("event.begin#region "), isAsked, stdout);
    }
    // What is not there is told at its place in the list.
    const asked = { CALI_LOG_VERBOSITY: "1", CALI_SERVICES_ENABLE: "no:event:such:timer:trace" };
    const partly = preloaded(dir, "caliper", ["./app"], { env: asked });
    assertStringIncludes(
      partly.stderr,
      [
        'Service "no" not found!',
        "default: Registered event trigger service",
        'Service "such" not found!',
        "default: Registered timer service",
      ].map((line) => `== CALIPER: ${line}\n`).join(""),
    );
    const records = Deno.readTextFileSync(`${dir}/t.cali`).split("\n").length - 1;
    const env = { CALI_LOG_VERBOSITY: "1", ...LOGS[0][0] };
    const { stderr } = preloaded(dir, "caliper", ["./app"], { env });
    assertStringIncludes(stderr, `default: Recorder: Wrote ${records} records.`);
  },
);

endToEnd(
  "the slide's own program runs to the end, where each attribute is a stack by itself",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/caliper_slide.c");
    const counted = (variables: Record<string, string>) => {
      const env = {
        CALI_SERVICES_ENABLE: "event,aggregate,recorder",
        CALI_RECORDER_FILENAME: "slide.cali",
        ...variables,
      };
      const { stderr } = preloaded(dir, "caliper", ["./app"], { env });
      const text = Deno.readTextFileSync(`${dir}/slide.cali`);
      const rows = query(
        "select phase,sum(count) where event.end#phase group by phase order by phase format csv",
        [text],
      );
      return { stderr, rows };
    };
    const today = counted({});
    assertStringIncludes(today.stderr, 'Trying to end "phase" but current region is "2"');
    assertEquals(today.rows, "phase,sum#count\ninit,1\n");
    const first = counted({ CALI_CALIPER_ATTRIBUTE_STACKS: "true" });
    assertEquals(first.stderr.includes("mismatch"), false, first.stderr);
    assertEquals(first.rows, "phase,sum#count\ninit,1\nloop,1\noutput,1\n");
  },
);

endToEnd(
  "binary blobs, addresses and types are heard live, and values are made as by 2.15",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/caliper_blobs.c");
    const env = { CALI_SERVICES_ENABLE: "event,trace,recorder", CALI_RECORDER_FILENAME: "b.cali" };
    const options = ["--record", "kept"];
    const { stdout, stderr } = preloaded(dir, "caliper", ["./app"], { env, options });
    const values = new URL("../vectors/caliper/values-2.15.txt", import.meta.url);
    assertEquals(stdout, Deno.readTextFileSync(values), stderr);
    const check = (file: string) => {
      const text = Deno.readTextFileSync(`${dir}/${file}`);
      // As Caliper writes them; nobody can read bytes back from a stream.
      assertStringIncludes(text, "data=01:0:ff:41:a:\n");
      const [row] = readCali(text).records.filter((record) => record["event.begin#region"] === "x");
      assertEquals([row.where, row.kind], [0xffffffff12345678n, "double"]);
    };
    check("b.cali");
    assertEquals(joulemark(dir, ["replay", "-q", "kept", "--cali", "again.cali"]).code, 0);
    check("again.cali");
  },
);

endToEnd("Complex datatypes: describes layout of binary blobs", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/caliper_blobs.c");
  const layout = [{ name: "low", type: "uint", size: 2 }, { name: "mark", type: "int", size: 1 }];
  const env = {
    CALI_SERVICES_ENABLE: "event,trace,recorder",
    CALI_RECORDER_FILENAME: "b.cali",
    CALI_CALIPER_ATTRIBUTE_LAYOUTS: JSON.stringify({ blob: layout }),
  };
  preloaded(dir, "caliper", ["./app"], { env });
  const out = joulemark(dir, [
    ...[
      "query",
      "-q",
      "select blob.low,blob.mark,max(blob.low) where region=x group by blob.low," +
      "blob.mark format csv",
    ],
    "b.cali",
  ]);
  assertEquals(out.stdout, "blob.low,blob.mark,max#blob.low\n1,-1,1\n", out.stderr);
});

endToEnd("Complex datatypes: a program describes the layout itself, as metadata", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/caliper_layout.c");
  const env = { CALI_SERVICES_ENABLE: "event,trace,recorder", CALI_RECORDER_FILENAME: "l.cali" };
  const select = "select mesh.cell.x,mesh.cell.n,mesh.cell.tag,mesh.cell.v[1] " +
    "where region=step format csv";
  const header = "mesh.cell.x,mesh.cell.n,mesh.cell.tag,mesh.cell.v[1]\n";
  const rows = ["0.5,0,ab,0", "1.5,-1,ab,0.25", "2.5,-2,ab,0.5"];
  const ask = (file: string) => joulemark(dir, ["query", "-q", select, file]).stdout;
  preloaded(dir, "caliper", ["./app"], { env, options: ["--record", "rec"] });
  assertEquals(ask("l.cali"), header + rows.join("\n") + "\n");
  joulemark(dir, ["replay", "--cali", "again.cali", "rec"]);
  assertEquals(ask("again.cali"), header + rows.join("\n") + "\n");
  // One that is none is told, and the bytes stay bytes.
  const wrong = preloaded(dir, "caliper", ["./app", "[{}]"], { env });
  assertMatch(wrong.stderr, /attribute\.layout of mesh\.cell: a field without a name/);
  assertEquals(ask("l.cali").includes("0.25"), false);
});
