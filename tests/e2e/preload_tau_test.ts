/** `run --preload tau`: C++ objects, tasks, and a library whose functions call one another. */
import { assert, assertEquals } from "@std/assert";
import {
  compile,
  needing,
  type Preloaded,
  preloaded,
  spansOf,
  works,
} from "../_support/preload.ts";

const COMPILER = works("c++ --version");
const COUNTS = {
  "by text": 6,
  "a name that no short string holds, in C++": 3,
  short: 3,
  "of a type": 3,
  "each [1]": 1,
  "each [2]": 1,
  profiler: 1,
  innermost: 2,
  beside: 1,
  "of this thread": 1,
};

/** Visits by name over the whole tree: those within another region too. */
function visits({ host }: Preloaded): Record<string, number> {
  const { rows } = host.joulemark?.tree as unknown as { rows: { region: string; count: number }[] };
  const counts: Record<string, number> = {};
  for (const { region, count } of rows) counts[region] = (counts[region] ?? 0) + count;
  return counts;
}

needing(
  "C++ compiler",
  COMPILER,
  "run --preload tau answers TAU's C++ objects and tasks",
  (dir) => {
    compile(dir, "c++ -O2 -Wall -Wextra -Werror -o app PROGRAMS/tau_cxx.cpp");
    const out = preloaded(dir, "tau", ["./app"]);
    assertEquals(visits(out), COUNTS);
    assertEquals(spansOf(out).map(({ span, track, count }) => [span, track, count]), [
      ["task", "tau", 1],
    ]);
    assert(!out.report.includes("mistakes:"), out.report);
  },
);

needing(
  "C++ compiler",
  COMPILER,
  "run --preload tau hears the program, not what the real library calls within itself",
  (dir) => {
    compile(dir, "c++ -O2 -w -fPIC -shared -o libTAUown.so PROGRAMS/tau_library.cpp");
    compile(
      dir,
      "c++ -O2 -w -o app PROGRAMS/tau_cxx.cpp -Wl,--no-as-needed -L. -lTAUown -Wl,-rpath,.",
    );
    const out = preloaded(dir, "tau", ["./app"]);
    assertEquals(visits(out), COUNTS);
    assertEquals(spansOf(out).map(({ span, count }) => [span, count]), [["task", 1]]);
    assert(!out.report.includes("mistakes:"), out.report);
    // The library got every call, once.
    const got = Object.fromEntries(
      out.stdout.trimEnd().split("\n").map((line) => line.split(": ") as [string, string]),
    );
    for (const [name, count] of Object.entries({ ...COUNTS, task: 1 })) {
      assertEquals(got[name], `${count} ${count}`, name);
    }
    assertEquals(got[".TAU application"], "1 0");
  },
);

needing(
  "C compiler",
  works("cc --version"),
  "run --preload tau adds up TAU's events: count, sum, mean, minimum, maximum, deviation",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -pthread -o app PROGRAMS/tau_events.c");
    const out = preloaded(dir, "tau", ["./app"]);
    const events = out.host.joulemark?.["event values"] as unknown as Record<string, unknown>[];
    assertEquals(events, [
      {
        event: "by name, é",
        track: "tau",
        count: 1,
        sum: -0.25,
        mean: -0.25,
        minimum: -0.25,
        maximum: -0.25,
        "standard deviation": 0,
      },
      {
        // Of 1 to 1000, three times: √((1000² − 1) / 12).
        event: "bytes sent",
        track: "tau",
        count: 3000,
        sum: 1501500,
        mean: 500.5,
        minimum: 1,
        maximum: 1000,
        "standard deviation": 288.674990,
      },
    ]);
    assert(!out.report.includes("mistakes:"), out.report);
  },
);
