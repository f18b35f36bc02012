/** Many names, many threads, many visits: all in the report, at a cost that grows with them only. */
import { assert, assertEquals } from "@std/assert";
import type { ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

function hostOf(dir: string): ReportHost {
  const path = `${dir}/joulemark.report`;
  return parseReport(Deno.readTextFileSync(path), path).hosts[0];
}

/** Visits by region. */
function visits(host: ReportHost): Map<string, number> {
  return new Map((host.regions ?? []).map((r) => [r.region, Number(r.fields.count)]));
}

endToEnd("20,000 names in 2 s are all told, and cost no more than so many names", (dir) => {
  const app = build("many_names", dir);
  const beganMs = Date.now();
  const out = joulemark(dir, ["run", "--simulate", "--", app, "20000", "2"]);
  const seconds = (Date.now() - beganMs) / 1000;
  assertEquals(out.code, 0, out.stderr);
  const told = visits(hostOf(dir));
  assertEquals(told.size, 20000);
  assert([...told.values()].every((count) => count === 1));
  // Quadratic work took 50 s; this machine may be slow and busy.
  assert(seconds < 12, `${seconds} s for a program of 2 s`);
});

endToEnd("100,000 names are all told, soon after the end", (dir) => {
  const app = build("many_names", dir);
  const out = joulemark(dir, ["run", "--simulate", "--", app, "100000", "1"]);
  assertEquals(out.code, 0, out.stderr);
  const host = hostOf(dir);
  const told = visits(host);
  assertEquals(told.size, 100_000);
  assert([...told.values()].every((count) => count === 1));
  const { overhead } = host.joulemark as { overhead: Record<string, number> };
  // Of the loop; what the report itself takes comes after it.
  assert(overhead["cpu (s)"] < 10, `${overhead["cpu (s)"]} CPU s`);
});

endToEnd("3,000 threads of one process, one after the other: every visit is told", (dir) => {
  const app = build("many_threads", dir);
  const out = joulemark(dir, ["run", "--simulate", "--", app, "3000", "1000"]);
  assertEquals(out.code, 0, out.stderr);
  assertEquals(visits(hostOf(dir)), new Map([["work", 3_000_000]]));
});

endToEnd("20,000 threads, 20 at a time: every visit is told", (dir) => {
  const app = build("many_threads", dir);
  const out = joulemark(dir, ["run", "--simulate", "--", app, "20000", "20", "20"]);
  assertEquals(out.code, 0, out.stderr);
  const host = hostOf(dir);
  assertEquals(visits(host), new Map([["work", 400_000]]));
  assertEquals((host.joulemark!.processes as Record<string, number>).count, 1);
});

endToEnd("an image that a process executes is the same process; _exit(0) is no death", (dir) => {
  const app = build("images", dir);
  const of = (kind: string) => {
    const out = joulemark(dir, ["run", "--simulate", "--", app, kind]);
    assertEquals(out.code, 0, out.stderr);
    const host = hostOf(dir);
    const { count, died } = host.joulemark!.processes as Record<string, number>;
    return [count, died, ...visits(host)];
  };
  assertEquals(of("exec"), [1, 0, ["work", 11]]);
  assertEquals(of("fork"), [5, 0, ["work", 1]]);
  assertEquals(of("killed"), [2, 1, ["work", 1]]);
});

endToEnd("two names of a megabyte that begin alike are two, and whole", (dir) => {
  const app = build("images", dir);
  const told = (bytes: number) => {
    assertEquals(joulemark(dir, ["run", "--simulate", "--", app, "long", String(bytes)]).code, 0);
    return [...visits(hostOf(dir)).keys()].sort();
  };
  const alike = "n".repeat((1 << 20) - 1);
  assertEquals(told(1 << 20), [`${alike}1`, `${alike}2`, "work"]);
  // Longer ones end in a hash.
  assertEquals(told(3_000_000).length, 3);
});

endToEnd(
  "a budget folds short visits and lengthens the period: counts stay exact, and it is said",
  (dir) => {
    const app = build("rate", dir);
    const out = joulemark(dir, ["run", "--simulate", "--budget", "1", "--", app, "50000", "4"]);
    assertEquals(out.code, 0, out.stderr);
    const [a, b] = out.stdout.trim().split(" ").map(Number);
    const host = hostOf(dir);
    assertEquals([...visits(host)].sort(), [["a", a], ["b", b]]);
    const budget = host.joulemark!.budget as Record<string, number>;
    assert(budget["visits folded"] > 0 && budget["period times, at most"] > 1, out.stderr);
    assert(out.stderr.includes("to stay within the budget"), out.stderr);
    const refused = joulemark(dir, ["run", "--budget", "none", "--", app]);
    assertEquals(refused.code, 2);
    assert(refused.stderr.includes("a share of one core"), refused.stderr);
  },
);

endToEnd("where memory runs out the monitor goes before the application", (dir) => {
  // The command's own, and the highest of its parent's other children: the runtime's.
  const script = `cat /proc/self/oom_score_adj; for p in /proc/[0-9]*; do
    [ "$(cut -d' ' -f4 <$p/stat 2>/dev/null)" = $PPID ] && cat $p/oom_score_adj; done | sort -n | tail -1`;
  const out = joulemark(dir, ["run", "-q", "--", "sh", "-c", `sleep 0.3; ${script}`]);
  assertEquals(out.code, 0, out.stderr);
  assertEquals(out.stdout.trim().split("\n"), ["0", "1000"]);
});
