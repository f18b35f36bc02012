/** The main job against real programs: regions, counts, totals, statuses, signals. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import type { Report, ReportHost } from "../../src/core/report.ts";
import { reportText } from "../../src/formats/journal.ts";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

function reportOf(path: string): Report {
  return parseReport(reportText(Deno.readFileSync(path)), path);
}

function region(host: ReportHost, name: string) {
  const found = host.regions?.find((r) => r.region === name);
  assert(found !== undefined, `no region ${name}`);
  return found.fields as Record<string, number>;
}

/** Regions + unmarked = application, for every monotone field of the report. */
function assertAddsUp(host: ReportHost): void {
  const keys = ["sync-runtime (s)", "package-energy (J)", "dram-energy (J)"];
  for (const key of keys) {
    const parts = [...(host.regions ?? []).map((r) => r.fields), host.unmarked ?? {}];
    const sum = parts.reduce((total, f) => total + Number(f[key] ?? 0), 0);
    const whole = Number(host.application[key]);
    // Six digits a figure.
    assertAlmostEquals(sum, whole, 1e-5 * Math.max(1e-3, Math.abs(whole)) * parts.length, key);
  }
}

endToEnd("run reports two processes of two threads exactly", (dir) => {
  const app = build("two_threads", dir);
  const script = `${app} >a.txt & ${app} >b.txt & wait`;
  const out = joulemark(dir, ["run", "--", "sh", "-c", script]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = reportOf(`${dir}/joulemark.report`).hosts;
  const measured = new Map<string, { count: number; inner: number; outer: number }>();
  for (const file of ["a.txt", "b.txt"]) {
    for (const line of Deno.readTextFileSync(`${dir}/${file}`).trim().split("\n")) {
      const [name, ...numbers] = line.split(" ");
      const [count, inner, outer] = numbers.map((n) => Number(n) / 2);
      const sum = measured.get(name) ?? { count: 0, inner: 0, outer: 0 };
      measured.set(name, {
        count: sum.count + count,
        inner: sum.inner + inner,
        outer: sum.outer + outer,
      });
    }
  }
  assertEquals(measured.size, 3);
  const marks = host.joulemark!.marks as Record<string, number>;
  const moved = marks["late events"] * (marks["late by at most (s)"] ?? 0);
  for (const [name, { count, inner, outer }] of measured) {
    const fields = region(host, name);
    assertEquals(fields.count, count, name);
    const runtime = fields["runtime (s)"];
    // The report prints six digits. On a crowded machine a mark can be delayed between its stamp
    // and its record for more than a tick; the report says by how much it then moved.
    const slack = 50e-6 + 1e-6 * runtime + moved;
    assert(runtime > inner - slack, `${name}: ${runtime} s, from inside ${inner} s`);
    assert(runtime < outer + slack, `${name}: ${runtime} s, from outside ${outer} s`);
  }
  assertEquals(host.epoch?.count, 23);
  assertAddsUp(host);
});

endToEnd("run keeps the status of the command", (dir) => {
  const status = (...command: string[]) => joulemark(dir, ["run", "-q", "--", ...command]).code;
  assertEquals(status("sh", "-c", "exit 0"), 0);
  assertEquals(status("sh", "-c", "exit 41"), 41);
  assertEquals(status("sh", "-c", "kill -9 $$"), 137);
  assertEquals(status("sh", "-c", "kill -15 $$"), 143);
  assertEquals(status("no-such-command"), 127);
  Deno.writeTextFileSync(`${dir}/plain`, "", { mode: 0o644 });
  assertEquals(status("./plain"), 126);
});

endToEnd("run counts an unmarked command as one process without regions", (dir) => {
  assertEquals(joulemark(dir, ["run", "--", "sleep", "0.3"]).code, 0);
  const [host] = reportOf(`${dir}/joulemark.report`).hosts;
  assertEquals(host.regions, undefined);
  const runtime = Number(host.application["runtime (s)"]);
  assert(runtime >= 0.3 && runtime < 1, `${runtime} s`);
});

endToEnd("run passes arguments, input and output through untouched", (dir) => {
  const out = joulemark(dir, ["run", "-q", "--", "printf", "%s|", "a b", "--report", "", "é\n"]);
  assertEquals(out.stdout, "a b|--report||é\n|");
  assertEquals(out.stderr, "");
});

endToEnd("run stops before the command on a wrong request, with one line", (dir) => {
  const refused = (...options: string[]) => {
    const out = joulemark(dir, ["run", ...options, "--", "touch", "started"]);
    assertEquals(out.code, 2, options.join(" "));
    assertEquals(out.stderr.trimEnd().split("\n").length, 1, out.stderr);
    assertEquals([...Deno.readDirSync(dir)].map((e) => e.name), []);
    return out.stderr;
  };
  assertStringIncludes(refused("--reprot", "x"), "--report");
  assertStringIncludes(refused("--report-signals", "CPU_ENRGY"), "CPU_ENERGY");
  assertStringIncludes(refused("--report-signals", "TIME@pakage"), "pakage");
  refused("--report-signals", "REGION_HASH");
  refused("--period", "0");
  refused("--record-filter", "nonsense");
  refused("--without", "NOSUCH");
  refused("--root", "/no/such/tree");
  refused("--report");
  assertEquals(joulemark(dir, ["run"]).code, 2);
});

endToEnd("run loses no count of ten million pairs", (dir) => {
  const app = build("pairs", dir);
  const out = joulemark(dir, ["run", "--", app, "10000000"]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = reportOf(`${dir}/joulemark.report`).hosts;
  assertEquals(region(host, "tight").count, 1e7);
  const seconds = Number(out.stdout);
  const runtime = region(host, "tight")["runtime (s)"];
  assert(runtime > 0 && runtime <= seconds, `${runtime} of ${seconds} s`);
});

endToEnd("run tells of a process that died inside a region, and counts the other", (dir) => {
  const app = build("die_inside", dir);
  const out = joulemark(dir, ["run", "--", "sh", "-c", `${app}; ${app} calm`]);
  assertEquals(out.code, 0, out.stderr);
  const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
  const [host] = reportOf(`${dir}/joulemark.report`).hosts;
  assertEquals(region(host, "fatal").count, 0.5);
  assertStringIncludes(text, "ended inside a region");
});

endToEnd("a replay names the processes that ended inside a region", (dir) => {
  const app = build("die_inside", dir);
  joulemark(dir, ["run", "--simulate", "--record", "rec", "--", app]);
  const replayed = joulemark(dir, ["replay", "--report", "replayed", "rec"]);
  assertEquals(replayed.code, 0, replayed.stderr);
  assertStringIncludes(replayed.stderr, "still open: fatal");
  const factOf = (name: string) => {
    const processes = reportOf(`${dir}/${name}`).hosts[0].joulemark!.processes;
    return (processes as Record<string, unknown>)["ended inside a region"];
  };
  assertEquals(factOf("replayed"), factOf("joulemark.report"));
});

endToEnd("run survives hostile names and calls in the wrong order", (dir) => {
  const app = build("hostile", dir);
  const out = joulemark(dir, ["run", "--", app]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = reportOf(`${dir}/joulemark.report`).hosts;
  assertEquals(host.regions!.length >= 11, true);
  assert(host.regions!.some((r) => r.region.length === 2 ** 20 - 1), "names are kept whole");
  assert(!out.stderr.includes("\x1b["), "an escape sequence reached the terminal");
  // The card has room for three notes, the report has all.
  assertStringIncludes(String(host.joulemark!.notes), "exit without entry");
  const bytes = Deno.readFileSync(`${dir}/joulemark.report`);
  assert(!bytes.includes(0x1b));
});

endToEnd("run reports where it can write, and says where it cannot", (dir) => {
  for (const path of ["missing/x.report", "/proc/x.report", dir]) {
    const out = joulemark(dir, ["run", "-q", "--report", path, "--", "sh", "-c", "exit 5"]);
    assertEquals(out.code, 5);
    assertEquals(out.stderr.trimEnd().split("\n").length, 1, out.stderr);
    assertStringIncludes(out.stderr, path);
  }
  // Node-local memory, which the runtime's own file API would refuse.
  const folder = Deno.makeTempDirSync({ dir: "/dev/shm" }), inMemory = `${folder}/x.report`;
  const memory = joulemark(dir, ["run", "-q", "--report", inMemory, "--", "true"]);
  assertEquals([memory.code, memory.stderr], [0, ""]);
  assert(
    new Deno.Command("grep", { args: ["-q", "^GEOPM Version", inMemory] }).outputSync().success,
  );
  Deno.removeSync(folder, { recursive: true });
  const out = joulemark(dir, ["run", "-q", "--trace", "missing/t", "--", "true"]);
  assertEquals(out.code, 0);
  assertStringIncludes(out.stderr, "missing/t");
});

endToEnd(
  "run leaves a whole partial report when it is killed, and the application goes on",
  async (dir) => {
    const child = new Deno.Command(BINARY, {
      args: ["run", "--checkpoint", "0.2", "--", "sh", "-c", "sleep 2.5; echo done >end.txt"],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await new Promise((go) => setTimeout(go, 1800));
    child.kill("SIGKILL");
    await child.status;
    const partial = reportOf(`${dir}/joulemark.report.partial`);
    const runtimeS = Number(partial.hosts[0].application["runtime (s)"]);
    assert(runtimeS > 0.9, `${runtimeS} s`);
    assertStringIncludes(String(partial.hosts[0].joulemark!.partial), "the run goes on");
    for (let i = 0; i < 50; i++) {
      await new Promise((go) => setTimeout(go, 100));
      try {
        assertEquals(Deno.readTextFileSync(`${dir}/end.txt`), "done\n");
        return;
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    throw new Error("the application did not go on");
  },
);

endToEnd("run forwards signals and keeps its hands off the rest", async (dir) => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT"] as const) {
    const script = `trap 'echo ${signal}; exit 9' ${signal.slice(3)}; echo ready; ` +
      "while :; do sleep 0.05; done";
    const child = new Deno.Command(BINARY, {
      args: ["run", "-q", "--", "sh", "-c", script],
      cwd: dir,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("ready")) text += (await reader.read()).value ?? "";
    child.kill(signal);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    assertEquals((await child.status).code, 9, signal);
    assertEquals(text, `ready\n${signal}\n`);
  }
});

endToEnd(
  "run without -- before the command measures it, arguments and status as they are",
  (dir) => {
    const out = joulemark(dir, [
      "run",
      "--period",
      "0.01",
      "sh",
      "-c",
      'echo "$@"; exit 3',
      "x",
      "a b",
    ]);
    assertEquals([out.code, out.stdout], [3, "a b\n"], out.stderr);
    assert(!out.stderr.includes("unmeasured"), out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "report").hosts;
    assert(Number(host.application["runtime (s)"]) > 0);
  },
);
