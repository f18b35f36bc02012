/**
 * One script of marks has the same counts in every output, by whatever client or annotation API: regions
 * that nest, values before, in and after them, epochs, spans.
 */
import { assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";

const COUNTS = { outer: 1, "outer/w": 10, "outer/w/inner": 10, "outer/c": 10 };

/** APIs whose calls `--preload` answers. */
const PRELOADED = [
  ...["caliper", "tau", "nvtx", "roctx", "itt", "scorep", "perfstubs", "geopm", "likwid"],
  ...["craypat", "kokkos"],
];

type Counts = Record<string, number>;

function succeed(dir: string, args: string[], env: Record<string, string> = {}): string {
  const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...env });
  assertEquals([out.code, out.stderr], [0, ""], args.join(" "));
  return out.stdout;
}

/** Sums by path of a `.cali` file. */
function sums(dir: string, file: string, query: string): Counts {
  const json = JSON.parse(
    succeed(dir, ["query", "-q", `${query} where region group by path format json`, file]),
  ) as { path: string; n?: number | string }[];
  return Object.fromEntries(json.filter(({ n }) => n).map(({ path, n }) => [path, Number(n)]));
}

/** Counts of the tree in a report, by path. */
function treeCounts(dir: string): Counts {
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
  const { rows } = host.joulemark?.tree as unknown as {
    rows: { region: string; depth?: number; count: number }[];
  };
  const open: string[] = [];
  return Object.fromEntries(rows.map(({ region, depth = 0, count }) => {
    open.splice(depth, open.length, region);
    return [open.join("/"), count];
  }));
}

const BY_PATH = "runtime-profile(region.count,output=alone.cali)";
const EVENTS = "event-trace(output=trace.cali)";

/** Every output of a run of the script has its counts. */
function assertCounts(dir: string, options: string[], command: string[]): void {
  const run = (...more: string[]) =>
    succeed(dir, ["run", "-q", "--simulate", ...options, ...more, "--", ...command]);
  run("--cali-config", BY_PATH);
  const tree = treeCounts(dir);
  assertEquals(tree, COUNTS, "report beside a profile");
  const profiled = "select region,sum(sum#rc.count) as n";
  assertEquals(sums(dir, "alone.cali", profiled), COUNTS, "profile alone");
  const beside = BY_PATH.replace("alone", "beside");
  const aggregated = "CALI_SERVICES_ENABLE=event,aggregate,recorder";
  const own = {
    CALI_SERVICES_ENABLE: aggregated.split("=")[1],
    CALI_RECORDER_FILENAME: "own.cali",
  };
  succeed(
    dir,
    [
      ...["run", "-q", "--simulate", ...options, "--record", "recording"],
      ...["--cali-config", `${beside},${EVENTS}`, "--", ...command],
    ],
    own,
  );
  assertEquals(treeCounts(dir), COUNTS, "report beside a trace");
  assertEquals(sums(dir, "beside.cali", profiled), COUNTS, "profile beside a trace");
  assertEquals(
    sums(dir, "own.cali", "select region,sum(sum#region.count) as n"),
    COUNTS,
    "services beside a trace",
  );
  assertEquals(
    sums(dir, "trace.cali", "select region,sum(region.count) as n"),
    COUNTS,
    "aggregation of the trace",
  );
  succeed(dir, ["replay", "-q", "recording", "--report", "again.report", "--cali", "again.cali"]);
  assertEquals(
    sums(dir, "again.cali", "select region,sum(region.count) as n"),
    COUNTS,
    "replay",
  );
}

for (const api of PRELOADED) {
  endToEnd(`one script has the same counts in every output: ${api}`, (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -rdynamic -o app PROGRAMS/one_script.c -ldl");
    assertCounts(dir, ["--preload", api], ["./app", api]);
  });
}

endToEnd("one script has the same counts in every output: C", (dir) => {
  joulemark(dir, ["client", "c", "--dir", dir]);
  compile(dir, "cc -O2 -Wall -Wextra -DOWN -I. -o app PROGRAMS/one_script.c -ldl");
  assertCounts(dir, [], ["./app", "joulemark"]);
});

needing(
  "python3",
  works("python3 -c ''"),
  "one script has the same counts in every output: Python",
  (dir) => {
    joulemark(dir, ["client", "python", "--dir", dir]);
    Deno.writeTextFileSync(
      `${dir}/app.py`,
      `import joulemark

def value(i):
    joulemark.set_value("step", i)
    joulemark.set_value("residual", 0.5 * i)
    joulemark.set_value("phase", "odd" if i % 2 else "even")
    joulemark.set_value("done", i == 9)
    joulemark.epoch()
    joulemark.span_end(joulemark.span_begin("span"))

with joulemark.region("outer"):
    for i in range(10):
        value(i)
        with joulemark.region("w"):
            value(i)
            with joulemark.region("inner"):
                value(i)
        with joulemark.region("c"):
            value(i)
    value(10)
`,
    );
    assertCounts(dir, [], ["python3", "app.py"]);
  },
);

needing(
  "gfortran",
  works("gfortran --version"),
  "one script has the same counts in every output: Fortran",
  (dir) => {
    joulemark(dir, ["client", "fortran", "--dir", dir]);
    Deno.writeTextFileSync(
      `${dir}/app.f90`,
      `program app
  use joulemark
  implicit none
  integer :: i
  call joulemark_begin("outer")
  do i = 0, 9
    call value(i)
    call joulemark_begin("w")
    call value(i)
    call joulemark_begin("inner")
    call value(i)
    call joulemark_end("inner")
    call joulemark_end("w")
    call joulemark_begin("c")
    call value(i)
    call joulemark_end("c")
  end do
  call value(10)
  call joulemark_end("outer")
contains
  subroutine value(i)
    integer, intent(in) :: i
    call joulemark_set_int("step", i)
    call joulemark_set_double("residual", 0.5d0 * i)
    call joulemark_set_string("phase", "even  ")
    call joulemark_epoch()
    call joulemark_span_end(joulemark_span_begin("span"))
  end subroutine
end program
`,
    );
    const built = "cc -O2 -c joulemark_fortran.c && " +
      "gfortran -O2 -Wall -o app joulemark.f90 app.f90 joulemark_fortran.o";
    compile(dir, built);
    assertCounts(dir, [], ["./app"]);
  },
);

needing(
  "go",
  works("go version"),
  "one script has the same counts in every output: Go",
  (dir) => {
    joulemark(dir, ["client", "go", "--dir", `${dir}/joulemark`]);
    Deno.writeTextFileSync(`${dir}/go.mod`, "module app\n\ngo 1.19\n");
    Deno.writeTextFileSync(
      `${dir}/main.go`,
      `package main

import (
	"app/joulemark"
	"runtime"
)

func value(i int) {
	joulemark.SetInt("step", int64(i))
	joulemark.SetFloat("residual", 0.5*float64(i))
	joulemark.SetString("phase", "even")
	joulemark.Epoch()
	joulemark.SpanBegin("span").End()
}

func main() {
	runtime.LockOSThread()
	defer joulemark.Region("outer")()
	for i := 0; i < 10; i++ {
		value(i)
		func() {
			defer joulemark.Region("w")()
			value(i)
			defer joulemark.Region("inner")()
			value(i)
		}()
		func() {
			defer joulemark.Region("c")()
			value(i)
		}()
	}
	value(10)
}
`,
    );
    const cache = "GOCACHE=$PWD/cache GOFLAGS=-mod=mod GOTOOLCHAIN=local";
    compile(dir, `${cache} go build -o app .`);
    assertCounts(dir, [], ["./app"]);
  },
);
