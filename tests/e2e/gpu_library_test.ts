/** A GPU library that blocks, crashes or exits costs its figures, and neither the run nor other counters. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { onPrivateNode, type PrivateNode } from "../_support/private_node.ts";

/** What becomes of the process that the library is in. */
const FATES: readonly (readonly [name: string, code: string, why: string])[] = [
  ["crashes", "abort()", "the library ended its process"],
  ["writes where nothing is", "*(volatile int *)0 = 1", "the library ended its process"],
  ["exits", "exit(0)", "the library ended its process"],
  ["blocks", "for (;;) pause()", "the library does not answer"],
  ["goes round in circles", "for (;;) continue", "the library does not answer"],
];

function install(node: PrivateNode, flag: string): void {
  compile("sources/readers/fake_nvml.c", `${node.dir}/libnvidia-ml.so.1`, [
    "-shared",
    "-fPIC",
    flag,
  ]);
}

async function run(node: PrivateNode, command: string[]) {
  const beganMs = performance.now();
  const out = await node.joulemark(["run", "--report-signals", "GPU_ENERGY", "--", ...command]);
  const seconds = (performance.now() - beganMs) / 1000;
  const [host] = parseReport(Deno.readTextFileSync(`${node.dir}/joulemark.report`), "r").hosts;
  const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
  return { ...out, seconds, fields: host.application, sources };
}

for (const [name, code, why] of FATES) {
  onPrivateNode(`a GPU library that ${name} in mid-run`, async (node) => {
    install(node, `-DFATE=${code}`);
    const out = await run(node, ["sh", "-c", "sleep 1.5; exit 9"]);
    assertEquals(out.code, 9, out.stderr);
    assert(out.seconds < 20, `${out.seconds} s`);
    // The processor's counters have all of it; the GPU's energy is not told as a whole one.
    const seconds = Number(out.fields["sync-runtime (s)"]);
    const joules = Number(out.fields["package-energy (J)"]);
    assert(Math.abs(joules - 100 * seconds) < 5, `${joules} J in ${seconds} s`);
    assert(Number.isNaN(out.fields["gpu-energy (J)"]), `${out.fields["gpu-energy (J)"]} J`);
    assertStringIncludes(out.sources.GPU_ENERGY.trouble, why);
    const { stdout } = new Deno.Command("pgrep", {
      args: ["-f", `${node.dir}/joulemark library-helper`],
    })
      .outputSync();
    assertEquals(new TextDecoder().decode(stdout), "", "no helper is left");
  });
}

onPrivateNode("a GPU library that does not come up is absent, with the reason", async (node) => {
  install(node, "-DBEGIN=exit(0)");
  const out = await run(node, ["sh", "-c", "sleep 0.3; exit 9"]);
  assertEquals(out.code, 9, out.stderr);
  assertStringIncludes(out.sources.GPU_ENERGY.absent, "the library ended its process");
  assert(Number(out.fields["package-energy (J)"]) > 20);
});

onPrivateNode(
  "a GPU library that never comes up does not keep the command waiting",
  async (node) => {
    install(node, "-DBEGIN=for(;;)pause()");
    // When it was started, and its guardian: a node takes a while to be made.
    const script =
      'cat /proc/uptime >at; cut -d " " -f 22 /proc/$PPID/stat >>at; sleep 5.5; exit 9';
    const out = await node.joulemark([
      ...["run", "--report-signals", "GPU_ENERGY", "--", "sh", "-c", script],
    ]);
    assertEquals(out.code, 9, out.stderr);
    const [at, ticks] = Deno.readTextFileSync(`${node.dir}/at`).trim().split("\n");
    const startedS = Number(at.split(" ")[0]) - Number(ticks) / 100;
    assert(startedS < 4, `${startedS} s until the command was started`);
    const [host] = parseReport(Deno.readTextFileSync(`${node.dir}/joulemark.report`), "r").hosts;
    const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
    assertStringIncludes(sources.GPU_ENERGY.absent, "no answer within 5 s");
  },
);

function statusOf(pid: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/status`);
  } catch {
    return "";
  }
}

onPrivateNode(
  "no thread of a GPU library's process opens what it has not declared",
  async (node) => {
    install(node, "-DPLAIN");
    const attempt = `${node.dir}/attempt`;
    compile("e2e/programs/attempt.c", attempt, []);
    const secret = `${node.dir}/secret`;
    Deno.writeTextFileSync(secret, "as it was");
    const ended = run(node, ["sh", "-c", "while [ ! -e stop ]; do sleep 0.1; done; exit 9"]);
    const refused = [`read:${secret}`, `write:${secret}`, `remove:${secret}`, "run:/bin/true"];
    const allowed = ["read:/proc/stat"];
    let last = "no helper";
    for (const end = Date.now() + 30_000; last !== "" && Date.now() < end;) {
      await new Promise((go) => setTimeout(go, 100));
      const helper = new TextDecoder().decode(
        new Deno.Command("pgrep", { args: ["-f", `${node.dir}/joulemark library-helper`] })
          .outputSync().stdout,
      ).trim();
      // A process that is only starting is left alone.
      if (helper === "" || !/^Seccomp:\s*2$/m.test(statusOf(helper))) continue;
      // What does no harm, until threads that were late are confined too.
      const tried = last === "held" ? [...refused, ...allowed] : [refused[0]];
      const { code, stdout } = new Deno.Command(attempt, { args: [helper, ...tried] }).outputSync();
      if (code === 77) {
        console.log("skipped: no thread can be traced here");
        break;
      }
      const lines = new TextDecoder().decode(stdout).trim().split("\n");
      const wrong = lines.filter((line) => {
        const [_tid, what, result] = line.split(" ");
        return refused.includes(what) !== (result === "-13" || result === "-1");
      }).join("\n");
      const isFew = lines.length < 2 * tried.length;
      last = isFew ? "few threads" : wrong === "" && tried.length === 1 ? "held" : wrong;
    }
    Deno.writeTextFileSync(`${node.dir}/stop`, "");
    const { code, stderr, sources } = await ended;
    assertEquals(code, 9, stderr);
    assertEquals([last, Deno.readTextFileSync(secret)], ["", "as it was"]);
    // And the library goes on answering.
    assertEquals(sources.GPU_ENERGY.trouble, undefined);
  },
);
