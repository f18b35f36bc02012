/** A program that has only spans: the summary shows them, and the simulator's CPU time is not the monitor's. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fieldOf } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

const LIBRARY = `unsigned long roctxRangeStartA(const char *m) { return (unsigned long)m; }
void roctxRangeStop(unsigned long r) { (void)r; }
`;
const PROGRAM = `#include <time.h>
extern unsigned long roctxRangeStartA(const char *);
extern void roctxRangeStop(unsigned long);
int main(void) {
  struct timespec t = {0, 3000000};
  for (int i = 0; i < 20; i++) {
    unsigned long r = roctxRangeStartA(i % 4 ? "transfer" : "wait");
    nanosleep(&t, 0);
    roctxRangeStop(r);
  }
  return 0;
}
`;

function cc(dir: string, args: string[]): void {
  const made = new Deno.Command("cc", { args, cwd: dir }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
}

endToEnd("the summary shows the spans of a program that has no regions", (dir) => {
  Deno.writeTextFileSync(`${dir}/library.c`, LIBRARY);
  Deno.writeTextFileSync(`${dir}/program.c`, PROGRAM);
  cc(dir, ["-shared", "-fPIC", "-o", "libroctx64.so", "library.c"]);
  cc(dir, ["program.c", "-o", "program", "-L.", "-lroctx64", `-Wl,-rpath,${dir}`]);
  const run = ["run", "--simulate", "--report", "r.report", "--preload", "roctx", "--"];
  const out = joulemark(dir, [...run, "./program"]);
  assertEquals(out.code, 0, out.stderr);
  const shown = joulemark(dir, ["show", "r.report"]).stdout;
  for (const text of [out.stderr, shown]) {
    assertMatch(text, /^span .* count +time \(s\)$/m);
    assertMatch(text, /^transfer +15 +\d/m);
    assertMatch(text, /^wait +5 +\d/m);
    assert(!/annotate the code|made a region/.test(text), text);
  }
});

endToEnd("the CPU time of simulated counters is booked apart from the monitor's", (dir) => {
  const run = ["run", "--simulate", "--report", "r.report", "--", "sleep", "0.5"];
  const out = joulemark(dir, run);
  assertMatch(
    out.stderr,
    /^monitor [\d.]+ % of one core \(simulated counters: [\d.]+ % more, not part of it\)$/m,
  );
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/r.report`)).hosts;
  const overhead = host.joulemark!.overhead as Record<string, number>;
  assert(fieldOf(overhead, "simulated counters (s)") > 0);
  assert(fieldOf(overhead, "cpu (s)") > 0);
});
