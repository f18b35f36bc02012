/** Calls of other tools, answered: regions, counts and times; and what is in the way of it. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROPERTY } from "../../src/core/events/ring_layout.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";
import { compile, eventsOf, needing, preloaded, spansOf, works } from "../_support/preload.ts";

const DIALECTS = "cc -O2 -Wall -Wextra -Werror -o dialects PROGRAMS/dialects.c";

endToEnd("run --preload geopm answers geopm_prof(3)", (dir) => {
  compile(dir, DIALECTS);
  const out = preloaded(dir, "geopm", ["./dialects", "geopm"]);
  assertEquals(out.stdout, "-1 -3\n");
  assertEquals(out.counts, { outer: 5 });
  assertEquals(out.host.epoch?.count, 5);
  const runtime = Number(out.host.regions![0].fields["runtime (s)"]);
  assert(runtime >= 0.01 && runtime < 0.5, `${runtime} s`);
});

endToEnd(
  "run --preload caliper answers regions, and attributes come with type and value",
  (dir) => {
    compile(dir, DIALECTS);
    const out = preloaded(dir, "caliper", ["./dialects", "caliper"], {
      options: ["--record", "recording"],
    });
    assertEquals(out.counts, { main: 1, setup: 1, "time loop": 1 });
    const rows = eventsOf(dir);
    for (
      const row of [
        "attribute,input,string 1548",
        "set,input,small",
        "begin,phase,setup",
        "begin,loop,time loop",
        "attribute,iteration#time loop,int 1",
        "begin,iteration#time loop,2",
        "end,iteration#time loop",
        "begin,mesh.size,64",
        "set,level,-3",
        "attribute,residual,double 1",
        "set,residual,0.125",
      ]
    ) assert(rows.includes(row), `no ${row} in\n${rows.join("\n")}`);
    // The attribute of a region stands directly around it.
    const events = rows.filter((row) => !/^(attribute|region),/.test(row));
    const text = `\n${events.join("\n")}\n`;
    for (
      const [attribute, properties, region, hint] of [
        ["phase", 262420, "setup", "UNKNOWN"],
        ["comm.region", 65812, "halo", "NETWORK"],
        ["loop", 276, "time loop", "UNKNOWN"],
      ] as const
    ) {
      const told = rows.find((row) => row.startsWith(`attribute,${attribute},string `))!;
      assertEquals(Number(told.split(" ").at(-1)) & ~PROPERTY.enterFollows, properties);
      assertStringIncludes(text, `\nbegin,${attribute},${region}\nenter,${region},${hint}\n`);
      assertStringIncludes(text, `\nexit,${region}\nend,${attribute}\n`);
    }
    assert(!text.includes("begin,region"), text);
  },
);

endToEnd("run --preload pm_mpi hears every generation of pm_mpi_lib", (dir) => {
  compile(dir, DIALECTS);
  preloaded(dir, "pm_mpi", ["./dialects", "pm_mpi"], { options: ["--record", "recording"] });
  assertEquals(eventsOf(dir).filter((row) => row.startsWith("pm_")), [
    "pm_open,,4.4",
    "pm_record,,1 10 1 0",
    "pm_record,,2 20 1 1",
    "pm_record,,3 30 1 0",
    "pm_close",
    "pm_open,,4.0",
    "pm_record,,7 1 0 0",
    "pm_close",
  ]);
  preloaded(dir, "pm_mpi", ["./dialects", "pm_mpi"], {
    options: ["--record", "recording"],
    env: { JOULEMARK_PMC_VERSION: "2.0" },
  });
  assert(eventsOf(dir).includes("pm_open,,2.0"));
});

for (
  const [word, counts] of [
    ["roctx", { kernel: 4 }],
    ["tau", { plain: 3, timer: 3, fortran: 3, lite: 3, "fortran timer": 3 }],
    ["craypat", { first: 3, second: 3 }],
    ["pcontrol", { controlled: 3 }],
  ] as const
) {
  endToEnd(`run --preload ${word} answers its calls`, (dir) => {
    compile(dir, DIALECTS);
    const out = preloaded(dir, word, ["./dialects", word], {
      env: { JOULEMARK_PCONTROL_EPOCH: "5" },
    });
    assertEquals(out.counts, counts);
    if (word === "pcontrol") assertEquals(out.host.epoch?.count, 3);
    assert(!out.report.includes("mistakes:"), out.report);
  });
}

for (
  const [word, counts] of [
    ["nvtx", { pushed: 4, "wide é": 4, registered: 4 }],
    ["itt", { task: 4, outer: 4, injected_task: 4 }],
    ["kokkos", { region: 4, axpy: 4, fence: 4, section: 4 }],
  ] as const
) {
  endToEnd(`run --preload ${word} is loaded by the program itself`, (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -rdynamic -o injected PROGRAMS/injected.c -ldl");
    const out = preloaded(dir, word, ["./injected", word]);
    assertEquals(out.counts, counts);
    if (word === "itt") {
      assertEquals(out.host.epoch?.count, 4);
      assertEquals(spansOf(out).map(({ span, track, count }) => [span, track, count]), [
        ["overlapped", "itt/d", 8],
        ["region", "itt/d", 4],
      ]);
    }
    if (word === "nvtx") {
      assertEquals(spansOf(out).map(({ span, count }) => [span, count]), [["started", 4]]);
    }
    assert(!out.report.includes("mistakes:"), out.report);
  });
}

endToEnd(
  "run --preload says why there may be no region, and does not advise what was done",
  (dir) => {
    compile(dir, DIALECTS);
    const { stderr: summary, report } = preloaded(dir, "tau", [
      "env",
      "LD_PRELOAD=",
      "./dialects",
      "tau",
    ]);
    assert(!summary.includes("joulemark run --preload"), summary);
    assertStringIncludes(summary.replaceAll(/\n +/g, " "), "annotate the code: joulemark client c");
    const note = /--preload: no call of tau made a region\. .*LD_PRELOAD/;
    assertMatch(summary.replaceAll(/\n +/g, " "), note);
    assertMatch(report, note);
    // A region that was begun is one.
    compile(dir, "cc -O2 -o ends_inside PROGRAMS/ends_inside.c");
    const open = preloaded(dir, "caliper", ["./ends_inside"]).report;
    assertMatch(open, /region: "?start/);
    assert(!open.includes("made a region"), open);
  },
);

endToEnd("run --preload answers only what is switched on, and only marks make a process", (dir) => {
  compile(dir, DIALECTS);
  const out = preloaded(dir, "tau", [
    "sh",
    "-c",
    "ls >/dev/null; ./dialects caliper; ./dialects tau",
  ]);
  assertEquals(out.counts, { plain: 3, timer: 3, fortran: 3, lite: 3, "fortran timer": 3 });
  assertMatch(out.report, /processes:\n\s+count: 1\n/);
  const all = preloaded(dir, "all", ["./dialects", "geopm"], { env: { JOULEMARK_PRELOAD: "tau" } });
  assertEquals(all.counts, { outer: 5 });
});

for (
  const [word, counts, values] of [
    ["tau", { profiler: 3, "step [7]": 1 }, [
      "set,input,small",
      "set,bytes sent,0",
      "set,bytes sent,1.5",
      "set,bytes sent,3",
    ]],
    ["perfstubs", { timer: 3, "step [0]": 2, "step [1]": 1 }, [
      "set,bytes,0",
      "set,bytes,0.5",
      "set,bytes,1",
      "set,input,small",
    ]],
    ["scorep", { "by handle": 3, fortran: 3 }, [
      "set,input,small",
      "set,load,0",
      "set,input,small",
      "set,load,0.5",
      "set,input,small",
      "set,load,1",
    ]],
    ["itt", { timed: 1 }, [
      "set,d.items,1",
      "set,d.items,42",
      "set,d.load,0.25",
      "set,mesh,coarse",
      "set,itt.marker,here",
    ]],
  ] as const
) {
  endToEnd(`run --preload ${word} records values that are told beside regions`, (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o values PROGRAMS/told_values.c -ldl");
    const out = preloaded(dir, word, ["./values", word], { options: ["--record", "recording"] });
    assertEquals(out.counts, counts);
    assertEquals(eventsOf(dir).filter((row) => row.startsWith("set,")), [...values]);
    assert(!out.report.includes("mistakes:"), out.report);
    const sums = (out.host.joulemark?.["event values"] ?? []) as unknown as Record<
      string,
      number
    >[];
    assertEquals(
      sums.map((row) => [row.event, row.count, row.sum, row["standard deviation"]]),
      word === "tau"
        ? [["bytes sent", 3, 4.5, 1.22474487]]
        : word === "perfstubs"
        ? [["bytes", 3, 1.5, 0.40824829]]
        : [],
    );
    if (word !== "perfstubs") return;
    // A library with everything in it is no tool for PerfStubs where nobody asked by name.
    compile(
      dir,
      `${BINARY} client preload --dir jm && cc -O0 -w -std=gnu99 -fPIC -shared -o all.so jm/*.c -ldl`,
    );
    for (const [words, said] of [["all", "none\n"], ["perfstubs,tau", "found\n"]]) {
      const args = ["run", "-q", "--preload", words, "--preload-lib", "all.so", "--", "./values"];
      assertEquals(joulemark(dir, [...args, "perfstubs"]).stdout, said, words);
    }
  });
}

const LIKWID = "#include <likwid-marker.h>";
needing(
  "likwid-marker.h (Debian: likwid)",
  works(`echo '${LIKWID}' | cc -E - && ldconfig -p | grep -q liblikwid`),
  "a binary of LIKWID's marker interface is heard unmodified",
  (dir) => {
    compile(dir, "cc -O2 -DLIKWID_PERFMON -pthread -o marked PROGRAMS/likwid.c -llikwid");
    const alone = new Deno.Command("./marked", { cwd: dir, args: ["1000"] }).outputSync();
    assert(alone.success);
    const out = preloaded(dir, "likwid", ["./marked", "1000"]);
    assertEquals(out.counts, { solve: 1000, thread: 200 });
  },
);

needing(
  "papi.h (Debian: libpapi-dev)",
  works("echo '#include <papi.h>' | cc -E -"),
  "a binary of PAPI's high-level interface is heard unmodified",
  (dir) => {
    compile(dir, "cc -O2 -o marked PROGRAMS/papi.c -lpapi");
    const out = preloaded(dir, "papi", ["./marked"]);
    assertEquals(out.counts, { "hl region": 6 });
  },
);

// Caliper has no package: JOULEMARK_TEST_CALIPER names where it is installed.
const CALIPER = Deno.env.get("JOULEMARK_TEST_CALIPER");
needing(
  "Caliper (JOULEMARK_TEST_CALIPER=DIR)",
  CALIPER !== undefined,
  "a binary of the real Caliper is heard unmodified, and Caliper too where it is configured",
  (dir) => {
    compile(
      dir,
      `c++ -O2 -I${CALIPER}/include -o marked PROGRAMS/caliper.cpp ` +
        `-L${CALIPER}/lib -lcaliper -Wl,-rpath,${CALIPER}/lib`,
    );
    const counts = { work: 10, scope: 10, "time loop": 1, phase: 1, solve: 1000 };
    assertEquals(preloaded(dir, "caliper", ["./marked"]).counts, counts);
    const both = preloaded(dir, "caliper", ["./marked"], {
      env: { CALI_CONFIG: "runtime-report,output=stdout" },
    });
    assertEquals(both.counts, counts);
    assertMatch(both.stdout, /^Path/m);
    assertMatch(both.stdout, /^time loop/m);
  },
);

// What is in the way. The application runs, unmarked, and one line says why.

/** A run that cannot have the library; what was said before the card. */
function unmarked(dir: string, env: Record<string, string>, ...options: string[]): string {
  // Without a home the cache is the one in /tmp, where earlier runs of the tests have built.
  Deno.mkdirSync(`${dir}/home`, { recursive: true });
  const out = joulemark(dir, ["run", "-q", "--preload", "tau", ...options, "--", "./dialects"], {
    HOME: `${dir}/home`,
    XDG_CACHE_HOME: `${dir}/home/.cache`,
    ...env,
  });
  assertEquals(out.code, 0, out.stderr);
  return out.stderr;
}

endToEnd("run --preload goes on without a compiler, and with one that fails", (dir) => {
  compile(dir, DIALECTS);
  Deno.mkdirSync(`${dir}/bin`);
  const none = unmarked(dir, { PATH: `${dir}/bin`, CC: "" });
  assertStringIncludes(none, "none of cc, gcc, clang in PATH");
  assertStringIncludes(none, "--preload-lib");
  assertEquals(none.trimEnd().split("\n").length, 1, none);
  const script = '#!/bin/sh\necho "cc: error: no space for a heart" >&2\nexit 4\n';
  Deno.writeTextFileSync(`${dir}/bin/cc`, script, { mode: 0o755 });
  const failing = unmarked(dir, { PATH: `${dir}/bin`, CC: "" });
  assertStringIncludes(failing, "status 4: cc: error: no space for a heart");
  assertEquals(failing.trimEnd().split("\n").length, 1, failing);
  // What another node with this home has built serves where there is no compiler.
  Deno.removeSync(`${dir}/bin/cc`);
  assertEquals(unmarked(dir, {}), "");
  assertEquals(unmarked(dir, { PATH: `${dir}/bin`, CC: "" }), "");
});

endToEnd("run --preload keeps away from a cache that is not its own", (dir) => {
  compile(dir, DIALECTS);
  Deno.mkdirSync(`${dir}/other`, { mode: 0o700 });
  for (const kind of ["open", "link", "file"]) {
    const cache = `${dir}/${kind}`;
    Deno.mkdirSync(`${cache}/home/.cache`, { recursive: true });
    for (const place of [`${cache}/joulemark`, `${cache}/home/.cache/joulemark`]) {
      if (kind === "open") Deno.mkdirSync(place);
      else if (kind === "link") Deno.symlinkSync(`${dir}/other`, place);
      else Deno.writeTextFileSync(place, "");
      if (kind === "open") Deno.chmodSync(place, 0o777);
    }
    const said = unmarked(dir, { XDG_CACHE_HOME: cache, HOME: `${cache}/home` });
    // The last place, /tmp, may do where this user has it for itself.
    assert(said === "" || said.includes("not a directory that only this user can access"), said);
    assertEquals([...Deno.readDirSync(`${dir}/other`)].length, 0, kind);
    if (kind === "open") assertEquals([...Deno.readDirSync(`${cache}/joulemark`)].length, 0);
  }
});

endToEnd("run refuses a dialect or a library that cannot be, before the command", (dir) => {
  const run = (...options: string[]) =>
    joulemark(dir, ["run", ...options, "--", "sh", "-c", "echo ran"]);
  const unknown = run("--preload", "tau,calliper");
  assertEquals([unknown.code, unknown.stdout], [2, ""]);
  assertStringIncludes(unknown.stderr, "caliper");
  const missing = run("--preload-lib", "missing.so");
  assertEquals([missing.code, missing.stdout], [2, ""]);
  assertStringIncludes(missing.stderr, "joulemark client preload");
  Deno.writeTextFileSync(`${dir}/library.c`, "int f(void) { return 0; }\n");
  const other = run("--preload-lib", "library.c");
  assertEquals([other.code, other.stdout], [2, ""]);
  assertMatch(
    other.stderr,
    /^joulemark run: cannot use "--preload-lib library\.c": expected a shared library.*\n$/,
  );
});

endToEnd("client preload writes sources that build without a warning, for --preload-lib", (dir) => {
  compile(dir, DIALECTS);
  const written = joulemark(dir, ["client", "preload", "--dir", "."]);
  const line = /build with: (.*)\n/.exec(written.stderr)![1];
  compile(
    dir,
    line.replace("-O2", "-O2 -Wall -Wextra -Werror").replace(" ./*.c", " " + sources(dir)),
  );
  const out = joulemark(dir, [
    "run",
    "--preload-lib",
    "libjoulemark_preload.so",
    "--",
    "./dialects",
    "caliper",
  ]);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(Deno.readTextFileSync(`${dir}/joulemark.report`), 'region: "time loop"');
});

function sources(dir: string): string {
  return [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => n.endsWith(".c")).join(" ");
}

endToEnd(
  "a command that began before --preload was ready has no regions of it: it is said",
  (dir) => {
    compile(dir, DIALECTS);
    const strace = [
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      "inject=memfd_create:delay_enter=1500000",
    ];
    const run = [
      BINARY,
      "run",
      "-q",
      "--preload",
      "tau",
      "--",
      "sh",
      "-c",
      "sleep 3; ./dialects tau",
    ];
    const out = new Deno.Command("strace", { args: [...strace, ...run], cwd: dir }).outputSync();
    const said = new TextDecoder().decode(out.stderr);
    assertEquals(out.code, 0, said);
    assertStringIncludes(said, "the command began without what was to change it (--preload");
  },
  undefined,
  NO_STRACE,
);

endToEnd("run --preload builds once for many processes that come together", async (dir) => {
  compile(dir, DIALECTS);
  const children = Array.from({ length: 6 }, (_, i) =>
    new Deno.Command(BINARY, {
      args: [
        "run",
        "-q",
        "--report",
        `${i}.report`,
        "--preload",
        "tau",
        "--",
        "./dialects",
        "tau",
      ],
      cwd: dir,
      env: { XDG_CACHE_HOME: `${dir}/cache` },
    }).output());
  const ends = await Promise.all(children);
  // A machine that is so busy lets a command go without it, and it is said; never all of them.
  const heard = ends.flatMap(({ code, stderr }, i) => {
    const said = new TextDecoder().decode(stderr);
    assertEquals(code, 0, said);
    if (said.includes("the command began without")) return [];
    assertStringIncludes(Deno.readTextFileSync(`${dir}/${i}.report`), 'region: "timer"', said);
    return [i];
  });
  assert(heard.length > 0, "no command waited for what was built");
  const cached = [...Deno.readDirSync(`${dir}/cache/joulemark`)].map((e) => e.name);
  assertEquals(cached.filter((n) => n.endsWith(".so")).length, 1);
  assertEquals(cached.filter((n) => n.startsWith("build")).length, 0);
  assertEquals(Deno.statSync(`${dir}/cache/joulemark`).mode! & 0o777, 0o700);
});
