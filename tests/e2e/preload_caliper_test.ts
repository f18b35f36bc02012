/** Caliper's classes, snapshots and queries, answered with the real library and without. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROPERTY, SNAPSHOT_NAME } from "../../src/core/events/ring_layout.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { compile, eventsOf, needing, preloaded } from "../_support/preload.ts";

/** A program whose calls nobody but the interposition library answers. */
const alone = (compiler: string, source: string) =>
  `${compiler} -O2 -Wall -Wextra -Werror -shared -fPIC -Dmain=app_main -o libapp.so ` +
  `PROGRAMS/${source} && ` +
  `echo 'int app_main(); int main() { return app_main(); }' > main.c && ` +
  `${compiler} -o marked main.c -L. -lapp -Wl,--allow-shlib-undefined -Wl,-rpath,$PWD`;

/** What it must have told, in this order, whoever else listens. */
const EVENTS = [
  "begin,phase,assembly",
  "enter,assembly,UNKNOWN",
  "begin,kernel,axpy",
  "enter,axpy,UNKNOWN",
  "exit,axpy",
  "end,kernel",
  "exit,assembly",
  "end,phase",
  "begin,text,one",
  "set,text,two",
  "end,text",
  "begin,number,3",
  "set,number,-4",
  "end,number",
  "set,real,0.5",
  "set,real,2",
  "begin,flag,true",
  "end,flag",
  "set,flagged,true",
  "set,count,9",
  "begin,loop,main loop",
  "enter,main loop,UNKNOWN",
  ...[0, 1, 2].flatMap((i) => [`begin,iteration#main loop,${i}`, "end,iteration#main loop"]),
  "begin,loop,once more",
  "enter,once more,UNKNOWN",
  "exit,once more",
  "end,loop",
  "exit,main loop",
  "end,loop",
  "begin,loop,unended loop",
  "enter,unended loop,UNKNOWN",
  "exit,unended loop",
  "end,loop",
  'set,[joulemark] metadata,"bytes',
  "set,bytes,-7",
  "set,step,3",
  `set,${SNAPSHOT_NAME},0`,
  "begin,phase,by name",
  "enter,by name,UNKNOWN",
  "exit,by name",
  "end,phase",
  "enter,main,UNKNOWN",
  "exit,main",
];

const SAID = "0\naxpy\nstep 2048\nmain\nnone\n";

function checkEvents(dir: string): void {
  const rows = eventsOf(dir);
  const told = rows.filter((row) => /^(begin|set|end|enter|exit),/.test(row));
  assertEquals(told, EVENTS);
  const typeOf = (name: string) =>
    rows.find((row) => row.startsWith(`attribute,${name},`))?.split(",")[2];
  assertEquals(typeOf("number"), "int 1");
  assertEquals(typeOf("real"), "double 1");
  assertEquals(typeOf("flag"), "bool 1");
  assertEquals(typeOf("count"), "uint 1");
  assertEquals(typeOf("iteration#main loop"), "int 1");
  assertEquals(typeOf("bytes"), "int 2049");
  // The values of a snapshot are in it alone.
  assertEquals(typeOf("step"), `int ${1 + PROPERTY.ofSnapshot}`);
  assertEquals(Number(typeOf("kernel")!.split(" ")[1]) & ~PROPERTY.enterFollows, 256);
}

endToEnd("a program of Caliper's C++ classes is heard where there is no Caliper at all", (dir) => {
  compile(dir, alone("c++ -Wno-self-assign-overloaded", "caliper_cxx.cpp"));
  const out = preloaded(dir, "caliper", ["./marked"], { options: ["--record", "recording"] });
  assertEquals(out.stdout, SAID);
  checkEvents(dir);
});

// JOULEMARK_TEST_CALIPER names where Caliper is installed, see preload_test.ts.
const CALIPER = Deno.env.get("JOULEMARK_TEST_CALIPER");
needing(
  "Caliper (JOULEMARK_TEST_CALIPER=DIR)",
  CALIPER !== undefined,
  "objects of the real Caliper's classes are heard, and Caliper gets them where it is configured",
  (dir) => {
    compile(
      dir,
      `c++ -O2 -DREAL -I${CALIPER}/include -o marked PROGRAMS/caliper_cxx.cpp ` +
        `-L${CALIPER}/lib -lcaliper -Wl,-rpath,${CALIPER}/lib`,
    );
    const options = ["--record", "recording"];
    assertEquals(preloaded(dir, "caliper", ["./marked"], { options }).stdout, SAID);
    checkEvents(dir);
    const both = preloaded(dir, "caliper", ["./marked"], {
      options,
      env: { CALI_CONFIG: "runtime-report,output=stdout" },
    });
    assertStringIncludes(both.stdout, SAID);
    for (const region of ["assembly", "  axpy", "main loop", "unended loop", "by name", "main"]) {
      assertMatch(both.stdout, new RegExp(`^${region} `, "m"));
    }
    checkEvents(dir);
    // Its own words about mistakes would stand here.
    assert(!both.stderr.includes("CALIPER"), both.stderr);
  },
);

/** Alone there is no error; the real library has one. Both end what Fortran held. */
const FORTRAN_ENDED = "1 0 1 0\n";

endToEnd("objects of Caliper's Fortran module are made and ended without Caliper", (dir) => {
  compile(dir, alone("cc -Wno-strict-prototypes", "caliper_fortran.c"));
  const out = preloaded(dir, "caliper", ["./marked"], { options: ["--record", "recording"] });
  assertEquals(out.stdout, `<> 1 0\n${FORTRAN_ENDED}`);
  const told = eventsOf(dir).filter((row) => /^(begin|end),/.test(row));
  assertEquals(told, ["begin,step,7", "end,step"]);
});

needing(
  "Caliper (JOULEMARK_TEST_CALIPER=DIR)",
  CALIPER !== undefined,
  "objects of Caliper's Fortran module are the real library's where it is linked",
  (dir) => {
    const link = `-L${CALIPER}/lib -lcaliper -Wl,-rpath,${CALIPER}/lib`;
    compile(dir, `cc -O2 -o marked PROGRAMS/caliper_fortran.c ${link}`);
    const out = preloaded(dir, "caliper", ["./marked"], { options: ["--record", "recording"] });
    assertMatch(out.stdout, /^<.*no-such-report.*> 1 0\n/);
    assert(out.stdout.endsWith(FORTRAN_ENDED), out.stdout);
    const told = eventsOf(dir).filter((row) => /^(begin|end),/.test(row));
    assertEquals(told, ["begin,step,7", "end,step"]);
  },
);

endToEnd(
  "where the ring is full an attribute is told with its region, whole or not at all",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o phases PROGRAMS/phases.c -pthread");
    const out = preloaded(dir, "caliper", ["./phases"], { options: ["--record", "recording"] });
    assertEquals(out.counts.phase, 200000);
    const text = Deno.readTextFileSync(`${dir}/recording/events.csv`).trimEnd();
    const byThread = new Map<string, string[][]>();
    let folded = 0;
    for (const line of text.split("\n").slice(1)) {
      const row = line.split(",");
      const [event, , value, thread] = row.slice(2);
      if (event === "short") folded += Number(value.split(" ")[0]);
      if (!["begin", "end", "enter", "exit"].includes(event)) continue;
      if (!byThread.has(thread)) byThread.set(thread, []);
      byThread.get(thread)!.push(row.slice(2, 5));
    }
    assertEquals(byThread.size, 2);
    assert(folded > 0, "the ring was never full");
    for (const rows of byThread.values()) {
      const count = (event: string) => rows.filter(([e]) => e === event).length;
      assertEquals(count("begin"), count("end"));
      rows.forEach(([event, name, value], i) => {
        if (event === "begin") assertEquals(rows[i + 1].slice(0, 2), ["enter", value]);
        if (event !== "end") return;
        const region = name === "phase" ? "phase" : "halo";
        assertEquals(rows[i - 1].slice(0, 2), ["exit", region]);
      });
    }
  },
);

const FAST_LOOP = `
typedef unsigned long id;
id cali_make_loop_iteration_attribute(const char *);
void cali_begin_int(id, int), cali_end(id), cali_begin_region(const char *), cali_end_region(const char *);
int main(void) {
    id step = cali_make_loop_iteration_attribute("steps");
    for (int k = 0; k < 300; k++) {
        cali_begin_region("solve");
        for (int i = 0; i < 1000; i++) { cali_begin_int(step, i); cali_end(step); }
        cali_end_region("solve");
    }
    cali_begin_region("last");
    cali_end_region("last");
    return 0;
}
`;

endToEnd(
  "where the ring is full a value has begin and end or neither, and channels go on",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/fast.c`, FAST_LOOP);
    compile(dir, "cc -O2 -Wall -Wextra -Werror -shared -fPIC -Dmain=app_main -o libfast.so fast.c");
    compile(
      dir,
      "echo 'int app_main(void); int main(void) { return app_main(); }' > main.c && " +
        "cc -O2 -o fast main.c -L. -lfast -Wl,--allow-shlib-undefined -Wl,-rpath,$PWD",
    );
    const out = preloaded(dir, "caliper", ["./fast"], { options: ["--cali", "run.cali"] });
    assertEquals(out.counts, { solve: 300, last: 1 });
    assert(!/mismatch|Ceasing/.test(out.stderr), out.stderr);
    const lost = Number(/values without room: (\d+)/.exec(out.report)?.[1]);
    assert(lost > 0, "the ring was never full");
    assertStringIncludes(out.stderr.replaceAll(/\n +/g, " "), `${lost} values of attributes`);
    assert(!out.report.includes("mistakes"), out.report);
    const found = joulemark(dir, [
      "query",
      "-q",
      "select *,count() group by event.begin#iteration#steps," +
      "event.end#iteration#steps format json",
      "run.cali",
    ]);
    const rows = JSON.parse(found.stdout) as Record<string, number | string>[];
    const sum = (name: string) =>
      rows.filter((row) => name in row).reduce((all, { count }) => all + Number(count), 0);
    assertEquals(sum("event.begin#iteration#steps"), 300_000 - lost);
    assertEquals(sum("event.end#iteration#steps"), 300_000 - lost);
    const visits = joulemark(dir, [
      "query",
      "-q",
      "select region,sum(region.count) group by region where region.count,not event.end#iteration#steps format expand",
      "run.cali",
    ]);
    assertEquals(visits.stdout.trimEnd().split("\n").sort(), [
      "region=last,sum#region.count=1",
      "region=solve,sum#region.count=300",
    ]);
  },
);

/** Records of a stream, without what tells one run from another. */
function records(dir: string, stream: string): Record<string, string>[] {
  const out = joulemark(dir, ["query", "-e", stream]);
  assertEquals(out.code, 0, out.stderr);
  return out.stdout.trimEnd().split("\n").map((line) =>
    Object.fromEntries(
      line.split(",").map((field) => field.split(/=(.*)/s).slice(0, 2))
        .filter(([name]) => !/^(cali\.|starttime\.|process\.id$)/.test(name)),
    )
  );
}

/** Name, properties and type of all attributes but those of the run. */
function attributes(dir: string, stream: string): string[] {
  const out = joulemark(dir, ["query", "--list-attributes", "-e", stream]);
  assertEquals(out.code, 0, out.stderr);
  return out.stdout.split("\n").filter((line) => !/=(cali\.|starttime\.|process\.id)/.test(line))
    .map((line) => line.replace(/(,|^)attribute\.id=\d+/, "")).sort();
}

needing(
  "Caliper (JOULEMARK_TEST_CALIPER=DIR)",
  CALIPER !== undefined,
  "a run's stream of a program is the one that Caliper itself writes of it",
  (dir) => {
    compile(
      dir,
      `cc -O2 -I${CALIPER}/include -o marked PROGRAMS/caliper_calls.c ` +
        `-L${CALIPER}/lib -lcaliper -Wl,-rpath,${CALIPER}/lib`,
    );
    const env = { CALI_SERVICES_ENABLE: "event,trace,recorder", CALI_LOG_VERBOSITY: "0" };
    const alone = new Deno.Command("./marked", {
      cwd: dir,
      env: { ...env, CALI_RECORDER_FILENAME: "theirs.cali" },
    }).outputSync();
    assert(alone.success);
    preloaded(dir, "caliper", ["./marked"], {
      // The real library keeps out of it: it would write to the same file.
      env: { ...env, CALI_RECORDER_FILENAME: "ours.cali", JOULEMARK_CHAIN: "tau" },
    });
    const theirs = records(dir, "theirs.cali");
    assertEquals(theirs.length, 55);
    assertEquals(records(dir, "ours.cali"), theirs);
    assert(attributes(dir, "theirs.cali").length > 20);
    assertEquals(attributes(dir, "ours.cali"), attributes(dir, "theirs.cali"));
  },
);

needing(
  "Caliper (JOULEMARK_TEST_CALIPER=DIR)",
  CALIPER !== undefined,
  "a program's own ConfigManager gets its answers, and its output is what it was",
  (dir) => {
    compile(
      dir,
      `c++ -O2 -std=c++17 -I${CALIPER}/include -o marked PROGRAMS/caliper_own.cpp ` +
        `-L${CALIPER}/lib -lcaliper -Wl,-rpath,${CALIPER}/lib`,
    );
    const alone = new Deno.Command(`${dir}/marked`, { cwd: dir }).outputSync();
    // Its figures are times, and columns as wide as they are; names and counts are the same.
    const shape = (text: string) =>
      text.split("\n").map((line) => line.replace(/\d+\.\d{2,}/g, "T").replace(/ +/g, " ")).join(
        "\n",
      );
    const decoder = new TextDecoder();
    const said = shape(decoder.decode(alone.stdout));
    assertMatch(said, /^ solve .*\n {1,2}work /m);
    const out = preloaded(dir, "caliper", ["./marked"]);
    assertEquals(shape(out.stdout), said);
    assert(!out.stderr.includes("CALIPER"), out.stderr);
    assertEquals(out.counts, { before: 1 });
    const channels = preloaded(dir, "caliper", ["./marked"], {
      options: ["--cali-config", "runtime-report(output=ours.txt)"],
    });
    assertEquals(shape(channels.stdout), said);
    assertMatch(Deno.readTextFileSync(`${dir}/ours.txt`), /^ {2}solve/m);
    // What variables ask is the run's, and once; the program reads them as they are.
    const asked = preloaded(dir, "caliper", ["sh", "-c", "./marked; echo $CALI_CONFIG"], {
      env: { CALI_CONFIG: "runtime-report(output=asked.txt)" },
    });
    assertEquals(shape(asked.stdout), `${said}runtime-report(output=asked.txt)\n`);
    assert(!asked.stderr.includes("not found"), asked.stderr);
    assertMatch(Deno.readTextFileSync(`${dir}/asked.txt`), /^ {2}solve/m);
  },
);
