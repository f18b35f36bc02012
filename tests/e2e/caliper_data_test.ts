/** What a program gives Caliper beside regions: metadata of attributes, values of snapshots, timed events. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { CACHE, compile } from "../_support/preload.ts";

const APP = "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/caliper_attached.c";

function succeed(dir: string, args: string[], env: Record<string, string> = {}) {
  const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...env });
  assertEquals(out.code, 0, out.stderr);
  return out;
}

function recorded(dir: string, word: string, services: string): string {
  compile(dir, APP);
  succeed(dir, ["run", "-q", "--simulate", "--preload", "caliper", "--", "./app", word], {
    CALI_SERVICES_ENABLE: services,
    CALI_RECORDER_FILENAME: "own.cali",
  });
  return Deno.readTextFileSync(`${dir}/own.cali`);
}

function configured(dir: string, config: string, word: string) {
  compile(dir, APP);
  const args = ["run", "-q", "--simulate", "--preload", "caliper", "--cali-config", config];
  return succeed(dir, [...args, "--", "./app", word]);
}

endToEnd(
  "an attribute has the metadata that the program gives it; class.aggregatable adds up",
  (dir) => {
    const trace = recorded(dir, "metadata", "event,trace,recorder");
    const name = (text: string) => new RegExp(`id=(\\d+),attr=8,data=${text},`).exec(trace)?.[1];
    assertMatch(trace, new RegExp(`attr=${name("my.unit")},data=widgets`));
    assertMatch(trace, new RegExp(`attr=${name("class.aggregatable")},data=true`));
    assertMatch(trace, /attr=10,data=2133,parent=\d+\n__rec=node,id=\d+,attr=8,data=mycounter/);
    recorded(dir, "metadata", "event,aggregate,recorder");
    const query = "select region,sum#mycounter,sum#flops where sum#mycounter format expand";
    assertEquals(succeed(dir, ["query", "-q", query, "own.cali"]).stdout.trimEnd().split("\n"), [
      "region=main,sum#flops=9.000000,sum#mycounter=60",
      "region=main/k,sum#flops=15.000000,sum#mycounter=100",
      "region=main,sum#flops=6.000000,sum#mycounter=40",
    ]);
  },
);

endToEnd("values of a pushed snapshot change nothing on the blackboard", (dir) => {
  recorded(dir, "pushed", "event,trace,recorder");
  const rows = succeed(dir, ["query", "-e", "own.cali"]).stdout.trimEnd().split("\n");
  const levels = rows.map((row) => [...row.matchAll(/,level=(\d)/g)].map(([, level]) => level));
  assertEquals(levels, [[], [], ["3", "7"], ["3"], ["3"], ["3"]]);
});

endToEnd("events that a program times itself are counted where async_events is on", (dir) => {
  const { stderr } = configured(dir, "runtime-report,async_events", "timed");
  assertMatch(stderr, /Event +Count +Event time \(min\) +Event time \(avg\) +Event time \(max\)/);
  assertMatch(stderr, /\bcopy +3 +0\.0/);
  const plain = configured(dir, "event-trace(output=plain.cali)", "timed");
  assertEquals(plain.stderr, "");
  const query = "select async.end,event.duration.ns where async.end format json";
  assertEquals(JSON.parse(succeed(dir, ["query", "-q", query, "plain.cali"]).stdout).length, 3);
  configured(dir, "runtime-report(output=report.txt)", "timed");
  assert(!Deno.readTextFileSync(`${dir}/report.txt`).includes("copy"));
});

endToEnd("the channel's globals are in no record, and spot has all of Caliper's", (dir) => {
  configured(dir, "event-trace(output=trace.cali),spot(output=spot.cali)", "timed");
  const rows = succeed(dir, ["query", "-e", "trace.cali"]).stdout;
  assert(!/cali\.channel|starttime|opts:/.test(rows), rows);
  const globals = succeed(dir, ["query", "-G", "-e", "trace.cali"]).stdout;
  for (const name of ["cali.channel", "starttime.sec", "starttime.nsec", "opts:output"]) {
    assertStringIncludes(globals, `${name}=`);
  }
  // Readers take each number for a metric.
  assertMatch(
    Deno.readTextFileSync(`${dir}/trace.cali`),
    /,attr=10,data=77,parent=3\n.*process\.id/,
  );
  const spot = succeed(dir, ["query", "-G", "-t", "spot.cali"]).stdout;
  for (const name of ["metrics", "options", "timeseries.metrics"]) {
    assertStringIncludes(spot, `spot.${name} `);
  }
});

endToEnd("metadata(file=F) has the members of a JSON file, of the given keys or of all", (dir) => {
  const meta = { system: "dane", build: { compiler: "gcc", opt: 3 }, skip: "no" };
  Deno.writeTextFileSync(`${dir}/meta.json`, JSON.stringify(meta));
  const globals = (metadata: string) => {
    configured(dir, `runtime-profile,metadata(${metadata}),output=o.cali`, "pushed");
    const text = succeed(dir, ["query", "-G", "-e", "o.cali"]).stdout.trimEnd();
    return text.split(",").filter((entry) => /^(system|build|skip|own|file|keys)/.test(entry))
      .sort();
  };
  const chosen = ["build.compiler=gcc", "build.opt=3", "system=dane"];
  assertEquals(globals('file=meta.json,keys="system,build"'), chosen);
  assertEquals(globals("file=meta.json,own=yes"), [...chosen, "skip=no", "own=yes"].sort());
  assertEquals(globals('file=meta.json,keys="build.opt,skip,none"'), ["build.opt=3", "skip=no"]);
  Deno.writeTextFileSync(
    `${dir}/meta.json`,
    '{"build": {"version": 1.10, "id": 12345678901234567890}}',
  );
  assertEquals(globals("file=meta.json"), ["build.id=12345678901234567890", "build.version=1.10"]);
  const missing = joulemark(dir, [
    ...["run", "--simulate", "--cali-config", "runtime-profile,metadata(file=no.json)"],
    ...["--", "./app", "pushed"],
  ]);
  assertEquals(missing.code, 2);
  assertMatch(missing.stderr, /Cannot read no\.json: it cannot be read/);
});

endToEnd("load(FILE) adds configurations of the user's own", (dir) => {
  const report = "select sum(sum#region.count) as Visits group by path format tree";
  const spec = {
    name: "visit-report",
    description: "visits by path",
    services: ["event", "aggregate", "report"],
    categories: ["output", "region"],
    config: {
      CALI_CHANNEL_FLUSH_ON_EXIT: "false",
      CALI_REPORT_FILENAME: "stdout",
      CALI_REPORT_CONFIG: report,
    },
    options: [{ name: "to.file", type: "string", config: { CALI_REPORT_FILENAME: "{}" } }],
  };
  Deno.writeTextFileSync(`${dir}/visits.json`, JSON.stringify(spec));
  const { stdout } = configured(dir, "load(visits.json),visit-report", "pushed");
  assertMatch(stdout, /^Path +Visits *\nmain +1 *\n +after +1 *\n/);
  Deno.writeTextFileSync(
    `${dir}/o.json`,
    JSON.stringify([Object.assign({}, spec, { name: "other-report" })]),
  );
  const both = configured(dir, "load(o.json, visits.json),other-report,visit-report", "pushed");
  assertEquals(both.stdout, stdout + stdout);
  configured(dir, "load(visits.json),visit-report(to.file=out.txt)", "pushed");
  assertEquals(Deno.readTextFileSync(`${dir}/out.txt`).split("\n")[0], stdout.split("\n")[0]);
  Deno.writeTextFileSync(`${dir}/wrong.json`, '{"description": "no name"}');
  const args = [
    "run",
    "--simulate",
    "--cali-config",
    "load(wrong.json),x",
    "--",
    "./app",
    "pushed",
  ];
  const wrong = joulemark(dir, args);
  assertEquals(wrong.code, 2);
  assertMatch(wrong.stderr, /Cannot read wrong\.json: expected a configuration with a "name"/);
});
