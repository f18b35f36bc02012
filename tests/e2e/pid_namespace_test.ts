/** Processes in namespaces of their own, as containers make them, and numbers that no process of the run has. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";

const UNSHARE = ["-p", "-f", "--mount-proc"];
const NO_NAMESPACE = unless(
  succeeds("unshare", ...UNSHARE, "true"),
  "unshare may make no namespace of process numbers",
);
const inNamespace: typeof endToEnd = (name, body, limitS) => {
  endToEnd(name, body, limitS, NO_NAMESPACE);
};
/** A container that sees of /dev what all have, and of memory files the session's alone. */
const CONTAINER =
  'bwrap --ro-bind / / --dev /dev --bind "$JOULEMARK_SESSION" "$JOULEMARK_SESSION"' +
  " --unshare-pid --proc /proc";
/** Seconds that a run takes at most that waits for nothing but its processes. */
const MOST_S = 15;

/** Runs a script; the regions of its report by name, and its processes. */
function measure(dir: string, script: string) {
  const beganMs = performance.now();
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", "sh", "-c", script]);
  assertEquals(out.code, 4, out.stderr);
  assert((performance.now() - beganMs) / 1000 < MOST_S, "the run waited");
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const tree = host.joulemark!.tree as { processes: number };
  const regions = (host.regions ?? []).map(({ region, fields }) => [region, fields] as const);
  return { regions: new Map(regions), processes: tree.processes, stderr: out.stderr };
}

for (const [how, end] of [["in good order", "return 3"], ["by a signal", "kill(getpid(), 9)"]]) {
  inNamespace(`programs and scripts in a namespace of their own that end ${how}`, (dir) => {
    const app = program(dir, end);
    joulemark(dir, ["client", "shell", "--dir", dir]);
    const script = `. ./joulemark.sh; joulemark_begin step; sleep 0.3; joulemark_end step`;
    Deno.writeTextFileSync(`${dir}/script.sh`, script);
    const { regions, processes } = measure(
      dir,
      `unshare ${UNSHARE.join(" ")} sh -c '${app} solve 0.3; sh script.sh; :'; exit 4`,
    );
    assertEquals(processes, 2);
    for (const name of ["solve", "step"]) {
      // They share no region, so each counts by itself.
      assertEquals(regions.get(name)?.count, 1, name);
      const seconds = Number(regions.get(name)!["runtime (s)"]);
      assert(Math.abs(seconds - 0.3) < 0.1, `${name}: ${seconds} s`);
    }
  });
}

inNamespace("a run in a namespace of its own whose /proc is that of outside", (dir) => {
  joulemark(dir, ["client", "shell", "--dir", dir]);
  const script = `. ./joulemark.sh; joulemark_begin step; sleep 0.3; joulemark_end step`;
  Deno.writeTextFileSync(`${dir}/script.sh`, script);
  const { success } = new Deno.Command("unshare", {
    args: ["-p", "-f", BINARY, "run", "-q", "--simulate", "--", "sh", "script.sh"],
    cwd: dir,
  }).outputSync();
  assert(success);
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  assertEquals(host.regions?.map(({ region, fields }) => [region, fields.count]), [["step", 1]]);
});

inNamespace("two namespaces at a time in which the numbers are the same", (dir) => {
  const app = program(dir, "kill(getpid(), 9)");
  const one = (name: string, seconds: number) =>
    `unshare ${UNSHARE.join(" ")} sh -c '${app} ${name} ${seconds}; :' &`;
  const { regions, processes } = measure(
    dir,
    `${one("first", 0.6)} sleep 0.1; ${one("second", 0.2)} wait; exit 4`,
  );
  assertEquals(processes, 2);
  for (const [name, seconds] of [["first", 0.6], ["second", 0.2]] as const) {
    const told = Number(regions.get(name)?.["runtime (s)"]);
    assert(Math.abs(told - seconds) < 0.1, `${name}: ${told} s`);
  }
});

endToEnd(
  "a program in a time namespace",
  (dir) => {
    const app = program(dir, "return 3");
    const { regions } = measure(dir, `unshare -T --monotonic=1000 ${app} solve 0.3; exit 4`);
    assertEquals(regions.get("solve")?.count, 1);
    const seconds = Number(regions.get("solve")!["runtime (s)"]);
    assert(Math.abs(seconds - 0.3) < 0.1, `${seconds} s`);
  },
  undefined,
  unless(succeeds("unshare", "-T", "--monotonic=1", "true"), "unshare may make no time namespace"),
);

endToEnd("lines of a number that is the kernel's, or the first process's, keep no run", (dir) => {
  const { regions } = measure(
    dir,
    `for pid in 1 2 3; do echo "b - left\ne - left" >>$JOULEMARK_SESSION/$pid.sh; done; sleep 0.2; exit 4`,
  );
  assert(Number(regions.get("left")?.count) > 0);
});

/** A program NAME SECONDS that takes so long in a region, then ends as said. */
function program(dir: string, end: string): string {
  return build("in_namespace", dir, [`-DEND=${end}`]);
}

inNamespace("many short scripts in a namespace of their own", (dir) => {
  joulemark(dir, ["client", "shell", "--dir", dir]);
  const script = `. ./joulemark.sh; joulemark_begin step; joulemark_end step`;
  Deno.writeTextFileSync(`${dir}/script.sh`, script);
  const loop = `for i in $(seq 200); do sh script.sh; done`;
  const { regions, processes } = measure(
    dir,
    `unshare ${UNSHARE.join(" ")} sh -c '${loop}'; exit 4`,
  );
  assertEquals(processes, 200);
  assertEquals(Math.round(200 * Number(regions.get("step")?.count)), 200);
});

inNamespace("a container that sees the session's directory alone", (dir) => {
  const app = program(dir, "kill(getpid(), 9)");
  const hasBwrap = new Deno.Command("sh", { args: ["-c", "bwrap --ro-bind / / true"] })
    .outputSync();
  if (!hasBwrap.success) return console.log("skipped: no bwrap that may make one");
  const { regions, processes } = measure(dir, `${CONTAINER} ${app} solve 0.3; exit 4`);
  assertEquals(processes, 1);
  assertEquals(regions.get("solve")?.count, 1);
});

inNamespace("many namespaces at once, each with the same numbers", (dir) => {
  const app = program(dir, "kill(getpid(), 9)");
  const all = Array.from({ length: 8 }, (_, i) => `${i % 4 / 10 + 0.2}`)
    .map((seconds) => `unshare ${UNSHARE.join(" ")} sh -c '${app} part ${seconds}; :' &`);
  const { regions, processes } = measure(dir, `${all.join(" ")} wait; exit 4`);
  assertEquals(processes, 8);
  assertEquals(regions.get("part")?.count, 1);
  const mean = Number(regions.get("part")!["runtime (s)"]);
  assert(Math.abs(mean - 0.35) < 0.1, `${mean} s`);
});

asEachUser("a namespace that its user may make", (dir, user) => {
  const app = program(dir, "kill(getpid(), 9)");
  const own = ["unshare", "-U", "-r", ...UNSHARE];
  const script = `${own.join(" ")} true || exit 77; ${
    own.join(" ")
  } sh -c '${app} solve 0.2; :'; exit 4`;
  const out = user.joulemark(["run", "-q", "--simulate", "--", "sh", "-c", script]);
  if (out.code === 77) return console.log("skipped: users may make no namespaces here");
  assertEquals(out.code, 4, out.stderr);
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  assertEquals(host.regions?.map(({ region, fields }) => [region, fields.count]), [["solve", 1]]);
});
