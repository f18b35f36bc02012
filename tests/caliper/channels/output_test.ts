import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ChannelSpec } from "../../../src/caliper/model/config/channel_spec.ts";
import { readCali } from "../../../src/caliper/query/library.ts";
import type { Printer } from "../../../src/caliper/channels/files.ts";
import { ContextOutput } from "../../../src/caliper/channels/output.ts";
import { ScriptedMachine } from "../model/_scripted.ts";

/** What was printed. */
class Printed implements Printer {
  readonly told: string[] = [];
  readonly texts = { stdout: "", stderr: "" };

  log(line: string): void {
    this.told.push(line);
  }

  stdout(text: string): void {
    this.texts.stdout += text;
  }

  stderr(text: string): void {
    this.texts.stderr += text;
  }
}

const PLAIN: ChannelSpec = {
  name: "test",
  variables: {},
  options: {},
  metadata: {},
  managed: true,
};

/** A channel with two processes, in a folder of its own. */
class Case {
  readonly dir = Deno.makeTempDirSync();
  readonly printed = new Printed();
  readonly output: ContextOutput;
  ns = 0;

  constructor(variables: Record<string, string>, more: {
    spec?: Partial<ChannelSpec>;
    host?: string;
    machine?: ScriptedMachine;
  } = {}) {
    const named = Object.entries(variables).map(([key, value]) => {
      return [key, value.replaceAll("DIR", this.dir)];
    });
    this.output = new ContextOutput(
      { ...PLAIN, ...more.spec, variables: Object.fromEntries(named) },
      { now: () => this.ns, machine: more.machine, globals: { "starttime.sec": 7 } },
      { defaultName: () => `${this.dir}/default.cali`, host: more.host },
      this.printed,
    );
  }

  /** Two processes of which each marks a region: pids 100 and 101. */
  run(): this {
    const { channel } = this.output;
    for (const pid of [100, 101]) {
      const first = channel.addThread(undefined, 0), second = channel.addThread(first, 0);
      this.output.joined(first, first, pid);
      this.output.joined(second, first, pid);
      channel.turnTo(first);
      channel.set(channel.attribute("process.id", "int", "asvalue:process_scope"), pid);
      channel.globalInt("size", pid * 10);
      for (const [thread, name] of [[first, "main"], [second, "worker"]] as const) {
        channel.turnTo(thread);
        channel.beginRegion(name);
        this.ns += pid;
        channel.endRegion(name);
      }
    }
    return this;
  }

  finish(): this {
    this.output.finish();
    return this;
  }

  files(): string[] {
    const all = (folder: string): string[] =>
      [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
        const path = `${folder}/${name}`;
        return isDirectory ? [`${path}/`, ...all(path)] : [path];
      });
    return all(this.dir).map((path) => path.slice(this.dir.length + 1)).sort();
  }

  text(name: string): string {
    return Deno.readTextFileSync(`${this.dir}/${name}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dir, { recursive: true });
  }
}

const TRACE = "event,trace,recorder";
const ROWS = "event,timer,aggregate";
const REPORT = "select region,sum(sum#time.duration.ns) as ns group by region format table";

Deno.test("a trace grows while the run is on; rows are written when it is over", () => {
  using trace = new Case({
    CALI_SERVICES_ENABLE: TRACE,
    CALI_RECORDER_FILENAME: "DIR/t.cali",
  });
  trace.run().output.flush();
  assertEquals(trace.text("t.cali").match(/__rec=ctx/g)?.length, 10);
  assertEquals(trace.text("t.cali").includes("__rec=globals"), false);
  trace.finish();
  assertEquals(trace.text("t.cali").match(/__rec=globals/g)?.length, 1);
  using rows = new Case({
    CALI_SERVICES_ENABLE: `${ROWS},recorder`,
    CALI_RECORDER_FILENAME: "DIR/r.cali",
  });
  rows.run().output.flush();
  assertEquals(rows.files(), []);
  rows.finish();
  assertEquals(readCali(rows.text("r.cali")).globals["cali.channel"], "test");
});

Deno.test("without a name a stream has the default one; CALI_RECORDER_DIRECTORY goes before it", () => {
  using unnamed = new Case({ CALI_SERVICES_ENABLE: TRACE });
  assertEquals(unnamed.run().finish().files(), ["default.cali"]);
  using inFolder = new Case({
    CALI_SERVICES_ENABLE: TRACE,
    CALI_RECORDER_DIRECTORY: "DIR/a/b",
    CALI_RECORDER_FILENAME: "x.cali",
  });
  assertEquals(inFolder.run().finish().files(), ["a/", "a/b/", "a/b/x.cali"]);
});

Deno.test("globals have channel, options, metadata and start", () => {
  using one = new Case(
    { CALI_SERVICES_ENABLE: TRACE, CALI_RECORDER_FILENAME: "DIR/t.cali" },
    { spec: { options: { level: "phase" }, metadata: { user: "me" } } },
  );
  const { globals } = readCali(one.run().finish().text("t.cali"));
  assertEquals([globals["opts:level"], globals.user, globals["starttime.sec"]], ["phase", "me", 7]);
});

Deno.test("a name with %attribute% makes a stream of each process, with its globals and its threads", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: TRACE,
    CALI_RECORDER_FILENAME: "DIR/p-%process.id%-%none%.cali",
  });
  one.run();
  // They have their names only when it is known what the attributes are.
  assertEquals(one.files().every((name) => name.endsWith(".partial")), true, `${one.files()}`);
  one.finish();
  assertEquals(one.files(), ["p-100-.cali", "p-101-.cali"]);
  for (const pid of [100, 101]) {
    const { records, globals } = readCali(one.text(`p-${pid}-.cali`));
    assertEquals(records.length, 5);
    assertEquals(globals.size, pid * 10);
    const regions = records.flatMap((record) => record["event.begin#region"] ?? []);
    assertEquals(regions, ["main", "worker"]);
  }
});

Deno.test("a stream of one process has the services' lines about the channel", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${TRACE},sampler`,
    CALI_SAMPLER_FREQUENCY: "20",
    CALI_RECORDER_FILENAME: "DIR/%process.id%.cali",
  });
  one.run().finish();
  for (const pid of [100, 101]) {
    assertEquals(readCali(one.text(`${pid}.cali`)).globals["sample.frequency"], 20);
  }
});

Deno.test("%pid% is the process where no attribute has that name, in folders too", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${ROWS},recorder`,
    CALI_RECORDER_FILENAME: "DIR/out/%pid%/rows.cali",
  });
  assertEquals(one.run().finish().files().filter((name) => !name.endsWith("/")), [
    "out/100/rows.cali",
    "out/101/rows.cali",
  ]);
  assertEquals(one.files().some((name) => name.includes("%")), false, `${one.files()}`);
});

Deno.test("two channels with streams of each process do not write into each other's", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: TRACE,
    CALI_RECORDER_FILENAME: "DIR/a-%process.id%.cali",
  });
  const other = new ContextOutput(
    {
      ...PLAIN,
      variables: {
        CALI_SERVICES_ENABLE: TRACE,
        CALI_RECORDER_FILENAME: `${one.dir}/b-%process.id%.cali`,
      },
    },
    { now: () => 0 },
    { defaultName: () => "" },
    one.printed,
  );
  const first = other.channel.addThread();
  other.joined(first, first, 100);
  other.channel.turnTo(first);
  other.channel.set(other.channel.attribute("process.id", "int", "asvalue:process_scope"), 100);
  one.run();
  other.channel.beginRegion("other");
  one.finish();
  other.finish();
  assertEquals(one.files(), ["a-100.cali", "a-101.cali", "b-100.cali"]);
  assertEquals(readCali(one.text("a-100.cali")).records.length, 5);
  assertEquals(one.printed.told, []);
});

Deno.test("a stream to stdout or stderr is printed whole at the end", () => {
  for (const name of ["stdout", "stderr"] as const) {
    using one = new Case({ CALI_SERVICES_ENABLE: TRACE, CALI_RECORDER_FILENAME: name });
    one.run();
    assertEquals(one.printed.texts, { stdout: "", stderr: "" });
    one.finish();
    assertEquals(readCali(one.printed.texts[name]).records.length, 10);
    assertEquals(one.files(), []);
  }
});

Deno.test("a report is a query over the rows of all processes", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${ROWS},report`,
    CALI_REPORT_CONFIG: `${REPORT} order by region desc`,
  });
  one.run().finish();
  assertEquals(one.printed.texts.stdout.split("\n").map((line) => line.trim()), [
    "region ns",
    "worker  201",
    "main    201",
    "601",
    "",
  ]);
});

Deno.test("CALI_REPORT_FILENAME names a file, whole or added to", () => {
  using one = new Case({ CALI_SERVICES_ENABLE: "event" });
  const again = (append: string) => {
    const spec: ChannelSpec = {
      ...PLAIN,
      variables: {
        CALI_SERVICES_ENABLE: "event,aggregate,report",
        CALI_REPORT_CONFIG: "select count() where event.end#region format expand",
        CALI_REPORT_FILENAME: `${one.dir}/r.txt`,
        CALI_REPORT_APPEND: append,
      },
    };
    const names = { defaultName: () => "" };
    const output = new ContextOutput(spec, { now: () => 0 }, names, one.printed);
    output.joined(0, 0, 1);
    output.channel.beginRegion("a");
    output.channel.endRegion("a");
    output.finish();
    return one.text("r.txt");
  };
  assertEquals(again("true"), "count=1\n");
  assertEquals(again("true"), "count=1\ncount=1\n");
  assertEquals(again("false"), "count=1\n");
});

Deno.test("mpireport asks its local query of each process, then its query of all rows", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${ROWS},mpireport`,
    CALI_MPIREPORT_LOCAL_CONFIG:
      "select region,sum(sum#time.duration.ns) where region group by region",
    CALI_MPIREPORT_CONFIG: "select region,max(sum#sum#time.duration.ns) as most,count() as rows " +
      "group by region format expand",
    CALI_MPIREPORT_FILENAME: "DIR/m.txt",
  });
  one.run().finish();
  assertEquals(one.text("m.txt"), "region=worker,most=101,rows=2\nregion=main,most=101,rows=2\n");
});

Deno.test("a text about a simulated node is marked; a document for programs has it among its globals", () => {
  const simulated = (query: string) => {
    const machine = new ScriptedMachine({
      name: "CPU_ENERGY",
      unit: "J",
      grows: true,
      quality: "simulated",
    });
    machine.set("CPU_ENERGY", 1);
    using one = new Case({
      CALI_SERVICES_ENABLE: "event,joulemark,aggregate,report",
      CALI_JOULEMARK_SIGNALS: "CPU_ENERGY",
      CALI_REPORT_CONFIG: query,
    }, { machine });
    one.run().finish();
    return one.printed.texts.stdout;
  };
  const note = "(simulated node, not measured: CPU_ENERGY)\n";
  assertEquals(simulated("select count() format expand").endsWith(`\n${note}`), true);
  assertEquals(simulated("select count() format json").includes("not measured"), false);
  assertEquals(simulated("select count() format cali").includes("joulemark.simulated"), true);
  // Without a format it is a table.
  assertEquals(simulated("select count()").endsWith(note), true);
});

Deno.test("a query that cannot be parsed is logged in one line, and stops nothing else", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${ROWS},report,recorder`,
    CALI_REPORT_CONFIG: "selekt region",
    CALI_RECORDER_FILENAME: "DIR/r.cali",
  });
  one.run().finish();
  assertEquals(one.printed.told.length, 1);
  assertStringIncludes(one.printed.told[0], "test: ");
  assertStringIncludes(one.printed.told[0], "selekt");
  assertEquals(one.printed.told[0].trimEnd().includes("\n"), false);
  assertEquals(one.files(), ["r.cali"]);
});

Deno.test("CALI_CHANNEL_FLUSH_ON_EXIT=false leaves nothing, unless a configuration made the channel", () => {
  const variables = {
    CALI_SERVICES_ENABLE: `${ROWS},recorder`,
    CALI_RECORDER_FILENAME: "DIR/r.cali",
    CALI_CHANNEL_FLUSH_ON_EXIT: "false",
  };
  using own = new Case(variables, { spec: { managed: false } });
  assertEquals(own.run().finish().files(), []);
  using managed = new Case(variables);
  assertEquals(managed.run().finish().files(), ["r.cali"]);
});

Deno.test("where several hosts write, names end in the host's", () => {
  using one = new Case(
    { CALI_SERVICES_ENABLE: TRACE, CALI_RECORDER_FILENAME: "DIR/t.cali" },
    { host: "node/01" },
  );
  const [name, ...others] = one.run().finish().files();
  assertEquals(others, []);
  assertStringIncludes(name, "t.cali-node");
});

Deno.test("a run that marked nothing logs it, and leaves no empty stream and no bare titles", () => {
  const report = { CALI_REPORT_CONFIG: REPORT, CALI_REPORT_FILENAME: "stderr" };
  const stream = { CALI_RECORDER_FILENAME: "DIR/t.cali" };
  for (const services of [TRACE, `${ROWS},report`]) {
    using one = new Case({ CALI_SERVICES_ENABLE: services, ...report, ...stream });
    assertEquals(one.finish().files(), []);
    assertEquals(one.printed.told, [
      "test: no regions were found, so nothing is written. --preload caliper intercepts the " +
      "program's Caliper calls",
    ]);
  }
});

Deno.test("a place that cannot be written is logged once, and the run goes on", () => {
  using one = new Case({
    CALI_SERVICES_ENABLE: `${TRACE}`,
    CALI_RECORDER_FILENAME: "DIR/file/t.cali",
  });
  Deno.writeTextFileSync(`${one.dir}/file`, "");
  one.run().finish();
  assertEquals(one.printed.told.length, 1);
  assertStringIncludes(one.printed.told[0], `${one.dir}/file/t.cali`);
  assertEquals(one.text("file"), "");
});
