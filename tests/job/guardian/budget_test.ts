/** A runtime that takes more than its budget, or goes round in circles, under the real guardian. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type Machine,
  MACHINES,
  makeBlock,
  makeExecutable,
  MODE,
  readCode,
} from "../../../src/job/guardian/image.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";
import { skippedWithout, succeeds, unless } from "../../_support/skipped.ts";

/** Stands in for the runtime: says go and its budget, then computes; says what it hears and what it is. */
const RUNTIME = `#!/usr/bin/env python3
import os, sys, threading, time
word = [w for w in sys.argv if w.startswith("--joulemark-guardian=")][0].split("=", 1)[1]
sock = int(word.split(":")[0])
os.set_blocking(sock, False)
mode = os.environ["MODE"]
with open("pid", "w") as out: out.write(str(os.getpid()))
threading.Thread(target=lambda: time.sleep(60), daemon=True).start()
os.write(sock, b"G")
# A twentieth of a core, of which nice 19 leaves far less where others compute; a thousandth of one is always exceeded.
os.write(sock, b"L1" if mode == "stuck" else b"L50")
told = began = time.monotonic()
while True:
    now = time.monotonic()
    if mode == "quiet" and now - began < 2.5: time.sleep(0.05)
    if mode != "stuck" and now - told > 0.5:
        told = now
        os.write(sock, b"B")
    try: packet = os.read(sock, 256)
    except BlockingIOError: continue
    with open("heard", "a") as out: out.write(packet.decode() + "\\n")
    if packet[:1] == b"L":
        levels = [os.getpriority(os.PRIO_PROCESS, int(t)) for t in os.listdir("/proc/self/task")]
        with open("levels", "w") as out: out.write("%s %d" % (levels, os.sched_getscheduler(0)))
    if packet[:1] in (b"X", b""): break
# The report: without a word, with a tenth of a CPU, for longer than silence lasts.
end = time.monotonic() + (24 if mode == "slow" else 0)
while time.monotonic() < end:
    begin = time.process_time()
    while time.process_time() - begin < 0.01: pass
    time.sleep(0.1)
`;

function text(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Runs a command under the guardian, with that runtime. */
async function guarded(dir: string, mode: string, script: string) {
  const machine = Deno.build.arch as Machine;
  const hex = new URL(`../../../src/job/guardian/guardian_${machine}.hex`, import.meta.url);
  Deno.writeTextFileSync(`${dir}/runtime`, RUNTIME, { mode: 0o755 });
  const block = makeBlock({
    code: await readCode(Deno.readTextFileSync(hex)),
    mode: MODE.execute,
    linker: MACHINES[machine].linker,
    runtime: `${dir}/runtime`,
    argumentsFrom: 1,
  });
  Deno.writeFileSync(`${dir}/guardian`, makeExecutable(machine, block), { mode: 0o755 });
  const { code, stderr } = await new Deno.Command(`${dir}/guardian`, {
    args: ["run", "--", "sh", "-c", script],
    cwd: dir,
    env: { MODE: mode },
    stdin: "null",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

function test(name: string, body: (dir: string) => Promise<void>) {
  Deno.test({
    ...skippedWithout(name, unless(succeeds("python3", "-V"), "no python3")),
    async fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-guardian-" });
      try {
        await withTimeLimit(() => body(dir), 90);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

/** Until the runtime has heard of it, at most so long. */
const UNTIL_LOWERED =
  "i=0; while [ ! -s levels ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done; exit 7";

test("a runtime that takes twice its budget gets nice 19 in all threads, and a message", async (dir) => {
  const { code, stderr } = await guarded(dir, "busy", UNTIL_LOWERED);
  assertEquals([code, stderr], [7, ""]);
  assertEquals(text(`${dir}/levels`), "[19, 19] 0");
  assertEquals(text(`${dir}/heard`).split("\n").filter((line) => line === "L").length, 1);
});

test("a runtime that goes round in circles is ended, and the command goes on", async (dir) => {
  // Until its guardian has taken its status: what is killed is without a command line some time before that.
  const wait =
    "until [ -s pid ]; do sleep 0.1; done; while [ -e /proc/$(cat pid) ]; do sleep 0.2; done";
  const { code, stderr } = await guarded(dir, "stuck", `${wait}; echo ran >end; exit 7`);
  assertEquals([code, text(`${dir}/end`)], [7, "ran\n"]);
  assertMatch(
    stderr,
    /^joulemark: the monitor ended \(by its guardian: it used more CPU time .*\); the command goes on/,
  );
});

test("a runtime within its budget is left alone", async (dir) => {
  const { code } = await guarded(dir, "quiet", "sleep 2.4; exit 7");
  assertEquals(code, 7);
  assert(!text(`${dir}/heard`).includes("L"));
});

test("a runtime that gets little time for its report after the end is waited for", async (dir) => {
  const { code, stderr } = await guarded(dir, "slow", "exit 7");
  assertEquals([code, stderr], [7, ""]);
});
