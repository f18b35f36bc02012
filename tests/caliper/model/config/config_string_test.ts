/** Configuration strings: what is wrong with them, what cannot be had, and what joulemark adds. */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { CONFIGS, optionsOf } from "../../../../src/caliper/model/config/all.ts";
import { ABSENT_CONFIGS } from "../../../../src/caliper/model/config/absent_table.ts";
import { iterationsPerBlock } from "../../../../src/caliper/model/config/channel_spec.ts";
import { ConfigError } from "../../../../src/caliper/model/config/config_error.ts";
import { parseConfigString } from "../../../../src/caliper/model/config/config_string.ts";
import { ABSENT_SERVICES } from "../../../../src/caliper/model/config/services.ts";
import { UsageError } from "../../../../src/core/errors.ts";
import { query } from "../../../../src/caliper/query/library.ts";
import { parseQuery } from "../../../../src/caliper/query/parser.ts";

const FOLDER = new URL("../../../vectors/caliper/config/", import.meta.url);
const read = (name: string) => Deno.readTextFileSync(new URL(name, FOLDER));

const behaviorOf = (name: string) =>
  name.endsWith("ENERGY") ? "monotone" : name === "CPU_POWER" ? "variable" : undefined;
const serial = { mpi: false, behaviorOf } as const, mpi = { mpi: true, behaviorOf } as const;

function failure(text: string): ConfigError {
  return assertThrows(() => parseConfigString(text, serial), ConfigError);
}

Deno.test("an error is one line: text, Caliper's message, place, near names", () => {
  assertEquals(
    failure("runtime-report(region.cuont)").message,
    'cannot read configuration "runtime-report(region.cuont)": Unknown option: region.cuont, ' +
      "at character 16; did you mean region.count?",
  );
  assertEquals(
    failure("event-trace,runtime-reprot(output=x)").message,
    'cannot read configuration "event-trace,runtime-reprot(output=x)": Unknown config or ' +
      "parameter: runtime-reprot, at character 13; did you mean runtime-report?",
  );
  assertMatch(
    failure("foo").message,
    /^cannot read configuration "foo": Unknown config or parameter: foo, at character 1; available: .*runtime-report/,
  );
  assert(failure("x\ny") instanceof UsageError);
  assertEquals(failure("x\ny").message.split("\n").length, 1);
});

/** The line of the text with the trouble, and a caret below it. */
function caret(text: string): string {
  const { offset } = failure(text);
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(begin, end < 0 ? undefined : end);
  return `${line}\n${" ".repeat(offset - begin)}^`;
}

Deno.test("a caret by the offset is below the error", () => {
  const cases: [string, string][] = [
    ["event-trace(outdri=x)", "            ^"],
    ["runtime-report x", "               ^"],
    ["runtime-report(output=)", "                      ^"],
    ["runtime-report(output=a", "                       ^"],
    ["runtime-report,output=a=b", "                       ^"],
    ["event-trace,runtime-report(region.count=x)", "            ^"],
    ["runtime-report(metadata(a=b", "                           ^"],
  ];
  for (const [text, below] of cases) assertEquals(caret(text), `${text}\n${below}`);
  assertEquals(caret("event-trace,\nnope"), "nope\n^");
});

Deno.test("all options of all configurations have words about them, and queries that parse", () => {
  for (const config of CONFIGS) {
    assert(config.about.length > 10);
    for (const option of optionsOf(config).values()) {
      assert(option.about.length > 5, option.name);
      for (const part of [option.local, option.cross]) {
        if (part !== undefined && part !== "{}") parseQuery(part.replaceAll("{}", "x"));
      }
      for (const included of option.includes ?? []) assert(optionsOf(config).has(included));
    }
  }
});

Deno.test("options that cannot be had are named with what to use instead, and change nothing", () => {
  const plain = parseConfigString("runtime-report", serial);
  const { channels, remarks } = parseConfigString(
    "runtime-report(topdown.all,cuda.gputime,profile.kokkos)",
    serial,
  );
  assertEquals(channels[0].variables, plain.channels[0].variables);
  assertEquals(remarks.length, 3);
  for (const remark of remarks) assertEquals(remark.split("\n").length, 1);
  assertEquals(
    remarks[2],
    "Option profile.kokkos is left out: there is no such service; " +
      "--preload kokkos makes regions of Kokkos' kernels",
  );
  // given but false: nothing is missing
  assertEquals(parseConfigString("runtime-report(topdown.all=false)", serial).remarks, []);
});

Deno.test("configurations that cannot be had are named, and the others are made", () => {
  const { channels, remarks } = parseConfigString(
    'cuda-activity-report(output="a,b",x),nvtx,event-trace',
    serial,
  );
  assertEquals(channels.map(({ name }) => name), ["event-trace"]);
  assertEquals(remarks.length, 2);
  assertStringIncludes(remarks[0], "Configuration cuda-activity-report is left out: ");
  for (const service of ABSENT_CONFIGS.values()) assert(ABSENT_SERVICES.has(service));
});

Deno.test("a service that the caller does not have is missing like any other", () => {
  const facts = { ...serial, hasService: (name: string) => name !== "io" };
  assertEquals(parseConfigString("runtime-report(io.bytes)", facts).remarks, [
    "Option io.bytes.read is left out: service io is not available",
    "Option io.bytes.written is left out: service io is not available",
  ]);
});

Deno.test("samples have functions, and not more per second than are taken", () => {
  const variablesOf = (text: string, samplesHz?: number) => {
    const { channels, remarks } = parseConfigString(text, { ...serial, samplesHz });
    return { variables: channels[0].variables, remarks };
  };
  const report = variablesOf("sample-report");
  assertEquals(
    report.variables.CALI_SERVICES_ENABLE,
    "pthread,report,sampler,symbollookup,trace",
  );
  assertEquals(report.remarks, []);
  assertEquals(
    variablesOf("event-trace(sampling)").variables.CALI_SERVICES_ENABLE,
    "async_event,callpath,event,pthread,recorder,sampler,symbollookup,timer,trace",
  );
  for (const name of ["sample-report", "sample-profile"]) {
    const { variables, remarks } = variablesOf(`${name}(sample.frequency=1000)`, 250);
    assertEquals(Number(variables.CALI_SAMPLER_FREQUENCY), 250);
    assertStringIncludes(variables.CALI_REPORT_CONFIG, "scale_count(0.004000)");
    assertEquals(remarks, [`${name}: 250 samples per second are taken, not 1000`]);
    assertEquals(variablesOf(name, 997).remarks, []);
  }
});

Deno.test("a request for all ranks without MPI is reported", () => {
  const { channels, remarks } = parseConfigString(
    "runtime-report(aggregate_across_ranks)",
    serial,
  );
  assertEquals(channels[0].variables.CALI_SERVICES_ENABLE, "aggregate,event,report,timer");
  assertEquals(remarks, [
    "runtime-report: aggregate_across_ranks has no effect: the program does not run under MPI",
  ]);
  assertEquals(parseConfigString("mpi-report", serial).remarks.length, 1);
});

/** Regions below main with their energies and times, in the order of their first visits. */
function profile(regions: readonly [name: string, joules: number, seconds: number][]): string {
  return `__rec=node,id=20,attr=10,data=276,parent=3
__rec=node,id=21,attr=8,data=region,parent=20
__rec=node,id=22,attr=10,data=2113,parent=5
__rec=node,id=23,attr=8,data=sum#CPU_ENERGY,parent=22
__rec=node,id=24,attr=10,data=2113,parent=2
__rec=node,id=25,attr=8,data=sum#time.duration.ns,parent=24
__rec=node,id=26,attr=8,data=aggregate.slot,parent=24
__rec=node,id=27,attr=21,data=main
__rec=ctx,ref=27,attr=23=25=26,data=1.5=1000000000=0
` + regions.map(([name, joules, seconds], i) =>
    `__rec=node,id=${30 + i},attr=21,data=${name},parent=27
__rec=ctx,ref=${30 + i},attr=23=25=26,data=${joules}=${seconds * 1e9}=${i + 1}
`
  ).join("");
}

/** Lines of a report with single blanks. */
function lines(report: string): string[] {
  return report.trimEnd().split("\n").map((line) => line.trim().replace(/ +/g, " "));
}

Deno.test("order_by_time: the longest exclusive time first, independent of the order of visits", () => {
  const rows = profile([["b", 1, 2], ["c", 1, 4], ["a", 1, 3]]);
  const order = (text: string) => {
    const [{ variables }] = parseConfigString(text, serial).channels;
    const report = query(variables.CALI_REPORT_CONFIG, [rows], { strict: false });
    return lines(report).slice(1).map((line) => line.split(" ")[0]).join(" ");
  };
  assertEquals(order("runtime-report"), "main b c a");
  assertEquals(order("runtime-report(order_by_time)"), "main c a b");
  assertEquals(order("runtime-report(order_by_time=false)"), "main b c a");

  const [{ variables }] = parseConfigString("runtime-report(order_by_time)", mpi).channels;
  const local = query(variables.CALI_MPIREPORT_LOCAL_CONFIG, [rows], { strict: false });
  const report = query(variables.CALI_MPIREPORT_CONFIG, [local, local], { strict: false });
  assertEquals(lines(report).slice(1).map((line) => line.split(" ")[0]).join(" "), "main c a b");
});

Deno.test("energy: the service, its variable, and columns of energies", () => {
  const { channels: [{ variables, options }], remarks } = parseConfigString(
    "runtime-report(energy)",
    serial,
  );
  assertEquals(variables.CALI_SERVICES_ENABLE, "aggregate,event,joulemark,report,timer");
  assertEquals(variables.CALI_JOULEMARK_SIGNALS, "CPU_ENERGY,DRAM_ENERGY,GPU_ENERGY");
  assertEquals(options.energy, "true");
  assertEquals(remarks, []);
  const rows = profile([["solve", 40.25, 3]]);
  assertEquals(lines(query(variables.CALI_REPORT_CONFIG, [rows], { strict: false })), [
    "Path Time (E) Time (I) Time % (E) Time % (I) CPU_ENERGY J (E) CPU_ENERGY J (I)",
    "main 1.000000 4.000000 25.000000 100.000000 1.500000 41.750000",
    "solve 3.000000 3.000000 75.000000 75.000000 40.250000 40.250000",
  ]);
});

Deno.test("joulemark.signals: sums of what grows, means of the rest, remarks on unknown ones", () => {
  const text = 'runtime-report(joulemark.signals="BOARD_ENERGY,CPU_POWER,NO_SUCH")';
  const one = parseConfigString(text, serial), all = parseConfigString(text, mpi);
  assertEquals(one.remarks, ["Signal NO_SUCH is left out: it is not known on this machine"]);
  assertEquals(one.channels[0].variables.CALI_JOULEMARK_SIGNALS, "BOARD_ENERGY,CPU_POWER");
  const local = parseQuery(one.channels[0].variables.CALI_REPORT_CONFIG);
  assertEquals([...local.aliases].slice(-3), [
    ["sum#joulemark.BOARD_ENERGY", "BOARD_ENERGY J (E)"],
    ["inclusive#joulemark.BOARD_ENERGY", "BOARD_ENERGY J (I)"],
    ["avg#joulemark.CPU_POWER", "CPU_POWER W (avg)"],
  ]);
  const cross = parseQuery(all.channels[0].variables.CALI_MPIREPORT_CONFIG);
  assertEquals([...cross.aliases].slice(-5), [
    ["sum#sum#joulemark.BOARD_ENERGY", "BOARD_ENERGY J (E)"],
    ["sum#inclusive#joulemark.BOARD_ENERGY", "BOARD_ENERGY J (I)"],
    ["min#avg#joulemark.CPU_POWER", "CPU_POWER W/rank (min)"],
    ["avg#avg#joulemark.CPU_POWER", "CPU_POWER W/rank (avg)"],
    ["max#avg#joulemark.CPU_POWER", "CPU_POWER W/rank (max)"],
  ]);
  assertThrows(
    () => parseConfigString('runtime-report(joulemark.signals="a b)")', serial),
    UsageError,
  );
});

Deno.test("energy goes with every configuration, shared or not, and with none unless asked", () => {
  const names = CONFIGS.map(({ name }) => name);
  const { channels } = parseConfigString(`energy,${names.join(",")}`, mpi);
  assertEquals(channels.map(({ name }) => name), names);
  for (const { name, variables } of channels) {
    assert(variables.CALI_SERVICES_ENABLE.split(",").includes("joulemark"), name);
    for (const [key, value] of Object.entries(variables)) {
      if (!key.endsWith("_CONFIG")) continue;
      const local = key === "CALI_MPIREPORT_LOCAL_CONFIG";
      assert(local || value.includes("joulemark.CPU_ENERGY"), `${name} ${key}`);
      parseQuery(value);
    }
  }
  const off = parseConfigString("runtime-report(energy=false)", serial).channels[0];
  assertEquals(off.variables.CALI_JOULEMARK_SIGNALS, undefined);
});

Deno.test("a profile names signals as Hatchet reads metrics", () => {
  const { channels } = parseConfigString("runtime-profile(joulemark.signals=CPU_ENERGY)", serial);
  const spec = parseQuery(channels[0].variables.CALI_REPORT_CONFIG);
  assertEquals(spec.aliases.get("sum#joulemark.CPU_ENERGY"), "CPU_ENERGY");
  assertEquals(spec.aliases.get("inclusive#joulemark.CPU_ENERGY"), "CPU_ENERGY (inc)");
  assertEquals(spec.units.get("sum#joulemark.CPU_ENERGY"), "J");
});

Deno.test("loop-report: the tables are those of cali-query over the same profile", () => {
  const [{ loops }] = parseConfigString("loop-report(iteration_interval=2)", serial).channels;
  assert(loops !== undefined && loops.series !== null);
  assertEquals([loops.output, loops.printSummary, loops.series.maxRows], ["stdout", true, 20]);
  const ask = ({ local, cross }: { local: string; cross: string }) =>
    query(cross, [query(local, [read("loops.cali")], { strict: false })], { strict: false });
  assertEquals(ask(loops.summary), read("loops_summary.txt"));
  assertEquals(ask(loops.series.blocks("steps", 4)), read("loops_series.txt"));
});

Deno.test("loop-report: what is not wanted is not there; the size of blocks follows from rows", () => {
  const [{ loops }] =
    parseConfigString("loop-report(summary=false,timeseries=false)", serial).channels;
  assertEquals([loops?.printSummary, loops?.series], [false, null]);
  const rows = (maxRows: number) => {
    const text = `loop-report(timeseries.maxrows=${maxRows})`;
    return parseConfigString(text, serial).channels[0].loops!.series!;
  };
  assertEquals(iterationsPerBlock(rows(20), { records: 100, iterations: 1000 }), 50);
  assertEquals(iterationsPerBlock(rows(20), { records: 20, iterations: 1000 }), 1);
  assertEquals(iterationsPerBlock(rows(20), { records: 30, iterations: 10 }), 1);
  assertEquals(iterationsPerBlock(rows(0), { records: 100, iterations: 1000 }), 1);
});

Deno.test("spot: one profile over ranks, on wish a second channel of loops", () => {
  const [{ spot }] = parseConfigString("spot(output=a.cali,outdir=d)", serial).channels;
  assert(spot !== undefined);
  assertEquals([spot.output, spot.directory, spot.series], ["a.cali", "d", null]);
  assertEquals(spot.globals, {
    "spot.format.version": "2",
    "spot.options": "node.order,region.count,time.exclusive",
    "spot.channels": "regionprofile",
  });
  const rows = query(spot.profile.local, [read("profile_01.cali")], { strict: false });
  const text = query(`${spot.profile.cross} format json-split`, [rows], { strict: false });
  const titles: string[] = JSON.parse(text).columns;
  for (
    const title of ["Min time/rank", "Total time", "Avg time/rank (exc)", "Calls/rank (max)"]
  ) assert(titles.includes(title), title);

  const [{ spot: more }] = parseConfigString(
    'spot(timeseries,timeseries.iteration_interval=5,timeseries.metrics="mem.pages,region.count")',
    serial,
  ).channels;
  assertEquals(more?.globals["spot.channels"], "regionprofile,timeseries");
  assertEquals(more?.series?.channel.name, "spot.timeseries");
  assertEquals(more?.series?.channel.variables, {
    CALI_CHANNEL_FLUSH_ON_EXIT: "false",
    CALI_CHANNEL_CONFIG_CHECK: "false",
    CALI_TIMER_UNIT: "sec",
    CALI_LOOP_MONITOR_ITERATION_INTERVAL: "5",
    CALI_SERVICES_ENABLE: "loop_monitor,memstat,timer,trace",
  });
  const { local, cross } = more!.series!.loops.blocks("my loop", 5);
  assertEquals(parseQuery(local).where.map(({ value }) => value), ["", "my loop"]);
  assertStringIncludes(cross, "VmRSS");
  assertThrows(
    () => parseConfigString("spot(timeseries,timeseries.metrics=nope)", serial),
    ConfigError,
    "Unknown option: nope",
  );
});

Deno.test("options of a string hold for the configurations before them, too; own ones win", () => {
  const { channels } = parseConfigString(
    "event-trace(output=own),output=shared,runtime-report,metadata(a=b,c=d)",
    serial,
  );
  assertEquals(channels.map(({ options }) => options.output), ["own", "shared"]);
  for (const { metadata } of channels) assertEquals(metadata, { a: "b", c: "d" });
});
