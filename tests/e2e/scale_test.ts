/** Many names, many threads, many visits: all in the report, at a cost that grows with them only. */
import { assert, assertEquals } from "@std/assert";
import type { ReportHost } from "../../src/core/report.ts";
import { reportText } from "../../src/formats/journal.ts";
import { parseReport } from "../../src/formats/report.ts";
import { cpuTimeOf, statLine, timesLine } from "../_support/cpu_time.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { bestOf } from "../_support/tries.ts";

function hostOf(dir: string): ReportHost {
  const path = `${dir}/joulemark.report`;
  return parseReport(Deno.readTextFileSync(path), path).hosts[0];
}

/** Visits by region. */
function visits(host: ReportHost): Map<string, number> {
  return new Map((host.regions ?? []).map((r) => [r.region, Number(r.fields.count)]));
}

asEachUser("20,000 names in 2 s are all told, at the cost of so many names", (dir, user) => {
  const app = build("many_names", dir);
  const beganMs = Date.now();
  const out = user.joulemark(["run", "--simulate", "--", app, "20000", "2"]);
  const seconds = (Date.now() - beganMs) / 1000;
  assertEquals(out.code, 0, out.stderr);
  const told = visits(hostOf(dir));
  assertEquals(told.size, 20000);
  assert([...told.values()].every((count) => count === 1));
  // Quadratic work took 50 s; this machine may be slow and busy.
  assert(seconds < 12, `${seconds} s for a program of 2 s`);
});

/** CPU time from the end of the application on, on a machine that takes so long for a plain script, or less. */
const AFTER_END_S = 3, PLAIN_S = 0.5;
/** Keeps names in a map and makes lines of text of them: a slower machine takes longer for both alike. */
const PLAIN_SCRIPT = `const rows = new Map();
for (let i = 0; i < 300_000; i++) rows.set("name " + i, { count: i, seconds: i / 7 });
let length = 0;
for (let k = 0; k < 3; k++) {
  for (const [name, { count, seconds }] of rows) {
    length += (name + ": " + (seconds * 1.7).toPrecision(12) + " " + count).length;
  }
}
if (length === 0) throw new Error();`;
/** No thread of V8 makes it quicker or slower. */
const V8 = "--v8-flags=--single-threaded";

endToEnd("100,000 names are all told, and cost 3 CPU s after the end at most", (dir) => {
  const app = build("many_names", dir);
  Deno.writeTextFileSync(`${dir}/plain.js`, PLAIN_SCRIPT);
  // What the monitor took so far, when the command's last part ends.
  const script = `${app} 100000 1 >/dev/null
    for p in $(cat /proc/$PPID/task/$PPID/children); do [ $p = $$ ] || cat /proc/$p/stat; done; times`;
  bestOf(3, () => {
    const run = [BINARY, "run", "-q", "--simulate", "--", "bash", "-c", script];
    const { seconds, stdout } = cpuTimeOf(dir, run);
    const told = visits(hostOf(dir));
    assertEquals(told.size, 100_000);
    assert([...told.values()].every((count) => count === 1));
    const [monitor, ...times] = stdout.trim().split("\n");
    const own = times.reduce((sum, line) => sum + timesLine(line), 0);
    const afterS = seconds - own - statLine(monitor);
    const plain = cpuTimeOf(dir, [Deno.execPath(), "run", "--no-config", V8, "plain.js"]);
    const figures = `${afterS.toFixed(2)} CPU s after the end, a plain script ${plain.seconds}`;
    console.log(`100,000 names: ${figures}`);
    const mostS = AFTER_END_S * Math.max(1, plain.seconds / PLAIN_S);
    assert(afterS > 0 && afterS < mostS, figures);
  });
}, 200);

endToEnd(
  "signals while the report of 100,000 names is made leave one, by the second at the latest",
  async (dir) => {
    const app = build("many_names", dir);
    const path = `${dir}/joulemark.report`;
    const regionsOf = (path: string) => {
      const [host] = parseReport(reportText(Deno.readFileSync(path)), path).hosts;
      return host.regions!.length + Number(host.joulemark!["regions left out here"] ?? 0);
    };
    const at = (path: string) => {
      try {
        return Deno.statSync(path).mtime!.getTime();
      } catch {
        return 0;
      }
    };
    for (const signals of [1, 2]) {
      // The shell is not ended by the signal that comes before it has ended itself.
      const script = `${app} 100000 1; sleep 1.5; trap "" TERM; echo ended`;
      const child = new Deno.Command(BINARY, {
        args: ["run", "-q", "--simulate", "--", "sh", "-c", script],
        cwd: dir,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; !text.includes("ended");) text += (await reader.read()).value ?? "ended";
      child.kill("SIGTERM");
      // The second comes when what it may cost is kept.
      while (
        at(path) === 0 && (at(`${path}.partial`) === 0 || regionsOf(`${path}.partial`) < 100_000)
      ) {
        await new Promise((go) => setTimeout(go, 500));
      }
      if (signals === 2) child.kill("SIGTERM");
      await reader.cancel();
      const { code } = await child.status;
      assertEquals(code, 0, "the command's own status");
      const left = [path, `${path}.partial`].find((path) => at(path) > 0)!;
      assertEquals(regionsOf(left), 100_000);
      const [host] = parseReport(reportText(Deno.readFileSync(left)), left).hosts;
      // Of the process that marks.
      assert(Number(host.application["runtime (s)"]) > 0.9, "nothing is lost");
      const stderr = await new Response(child.stderr).text();
      if (left !== path) {
        assert(
          stderr.includes(`${left.slice(dir.length + 1)} has the values up to the last checkpoint`),
          stderr,
        );
      }
      for (const left of [path, `${path}.partial`]) if (at(left) > 0) Deno.removeSync(left);
    }
  },
);

asEachUser("3,000 threads, one after the other: every visit is told", (dir, user) => {
  const app = build("many_threads", dir);
  const out = user.joulemark(["run", "--simulate", "--", app, "3000", "1000"]);
  assertEquals(out.code, 0, out.stderr);
  const host = hostOf(dir);
  assertEquals(visits(host), new Map([["work", 3_000_000]]));
  // They come faster than they can be told one by one: 12 s of CPU time took the monitor a core.
  const { "cpu (s)": cpuS, "after the command (s)": afterS } = host.joulemark!
    .overhead as Record<string, number>;
  assert(cpuS + afterS < 6, `${cpuS} and ${afterS} CPU s`);
});

endToEnd("a budget folds visits of short threads, and of what is nested: none is lost", (dir) => {
  const app = build("many_threads", dir);
  const words = ["run", "-q", "--simulate", "--budget", "5", "--", app];
  // What came before the first stretch was judged is told one by one: a fast machine makes more of it.
  for (let threads = 80_000;; threads *= 2) {
    const out = joulemark(dir, [...words, String(threads), "3", "4", "inside"]);
    assertEquals(out.code, 0, out.stderr);
    const host = hostOf(dir);
    const { rows } = host.joulemark!.tree as unknown as {
      rows: { region: string; count: number; "runtime (s)": number; "runtime-self (s)": number }[];
    };
    const all = 3 * threads;
    assertEquals(rows.map(({ region, count }) => [region, count]), [["work", all], [
      "inside",
      all,
    ]]);
    const [work, within] = rows;
    const selfS = work["runtime (s)"] - within["runtime (s)"];
    assert(Math.abs(work["runtime-self (s)"] - selfS) < 1e-6 + 1e-6 * selfS, JSON.stringify(rows));
    const budget = host.joulemark!.budget as Record<string, number>;
    if (budget["visits folded"] > all / 2) break;
    assert(threads < 1_000_000, `${budget["visits folded"]} of ${all} visits folded`);
  }
}, 200);

endToEnd(
  "1,000 threads that begin at once do not wait for each other, and every visit is told",
  (dir) => {
    const app = build("flood", dir);
    const { seconds, stdout } = cpuTimeOf(dir, [
      ...[BINARY, "run", "-q", "--budget", "5", "--", app],
      ...["threads", "50000", "1"],
    ]);
    assertEquals(visits(hostOf(dir)), new Map([["work", Number(stdout)]]));
    // They took 20 to 60 s where each looked every 0.1 ms whether it was its turn.
    assert(seconds < 15, `${seconds} CPU s`);
  },
);

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

endToEnd(
  "a process that a signal ended died and made no mistake, though its parent is slow",
  (dir) => {
    const app = build("images", dir);
    for (const kind of ["kept", "open"]) {
      assertEquals(joulemark(dir, ["run", "--simulate", "--", app, kind]).code, 0);
      const { processes, marks } = hostOf(dir).joulemark as Record<string, Record<string, unknown>>;
      assertEquals([processes.count, processes.died, marks.mistakes], [2, 1, undefined], kind);
    }
  },
);

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
    assert(refused.stderr.includes("percent of one core"), refused.stderr);
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
