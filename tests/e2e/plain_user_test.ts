/** Every verb works for a user without rights as it does for root, and shows nobody a stack. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { asEachUser } from "../_support/plain_user.ts";

asEachUser("demo and run --simulate work", (dir, user) => {
  const demo = user.joulemark(["demo"]);
  assertEquals(demo.code, 0, demo.stderr);
  assertStringIncludes(demo.stderr, "package");
  for (const spec of ["", "=rapl", "=cray", "=both"]) {
    const report = `simulated${spec.slice(1)}.report`;
    const command = ["run", `--simulate${spec}`, "--report", report, "--", "sleep", "0.3"];
    const out = user.joulemark(command);
    assertEquals(out.code, 0, out.stderr);
    assert(!out.stderr.includes("Cannot"), out.stderr);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/${report}`), report).hosts;
    // pm_counters know the node; its packages are not told apart.
    const key = spec === "=cray" ? "joulemark-node-energy-exact (J)" : "package-energy (J)";
    assert(Number(host.application[key]) > 0, spec);
  }
});

/** Verbs that read this machine or write into the folder, with the statuses that are right. */
const VERBS: readonly (readonly [args: readonly string[], codes: readonly number[]])[] = [
  [["run", "--", "true"], [0]],
  [["run", "--record", "recording", "--trace", "trace", "--simulate", "--", "sleep", "0.2"], [0]],
  [["replay", "recording", "--report", "again.report"], [0]],
  [["merge", "-o", "merged.report", "joulemark.report"], [0]],
  [["show", "joulemark.report"], [0, 2]],
  [["read", "TIME", "board", "0"], [0]],
  [["read", "CPU_ENERGY", "board", "0"], [0, 1]],
  [["read", "--list"], [0]],
  [["sample", "--signals", "TIME", "--period", "0.05", "--duration", "0.1"], [0]],
  [["doctor"], [0]],
  [["monitor", "--once"], [0]],
  [["mark", "hello"], [1, 2]],
  [["top", "--json"], [0]],
  [["study", "--vary", "OMP_NUM_THREADS=1", "--repeat", "1", "--", "true"], [0]],
  [["capture", "captured"], [0]],
  [["client", "c"], [0]],
  [["query", "-q", "select *", "joulemark.report"], [0]],
];

asEachUser("a setcap line of doctor names the executable that runs", (_dir, user) => {
  const { stdout } = user.joulemark(["doctor", "--sources"]);
  const lines = stdout.replaceAll(/\\\n +/g, "");
  const files = [...lines.matchAll(/setcap cap_\w+=ep (.*)/g)].map(([, file]) => file);
  for (const file of files) assert(file.startsWith("/") && Deno.statSync(file).isFile, file);
});

asEachUser("every verb ends in order, and shows nobody a stack", (_dir, user) => {
  for (const [args, codes] of VERBS) {
    const out = user.joulemark([...args]);
    const said = `${args.join(" ")}: ${out.code}\n${out.stderr}`;
    assert(codes.includes(out.code), said);
    assert(!/^ +at /m.test(out.stderr + out.stdout), said);
  }
});

asEachUser("a folder that may not be listed is called so", (dir, user) => {
  Deno.mkdirSync(`${dir}/closed`);
  Deno.chmodSync(`${dir}/closed`, 0o111);
  const { code, stderr } = user.joulemark(["show", "closed"]);
  // The folder is removed by whoever runs the tests.
  Deno.chmodSync(`${dir}/closed`, 0o755);
  assertEquals(code, 2, stderr);
  const isOwner = user.name === "root";
  assertStringIncludes(stderr, isOwner ? "found none in it" : "permission denied");
});
