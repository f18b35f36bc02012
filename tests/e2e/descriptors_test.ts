/** A monitor opens and closes: after many checkpoints and answers it holds no more than at first. */
import { assert, assertEquals } from "@std/assert";
import { ownProcesses } from "../_support/processes.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

/** What they hold open, as links; a file that was removed is another one than its successor. */
function descriptors(pid: number): string[] {
  return ownProcesses(pid).flatMap((process) => {
    const links: string[] = [];
    for (const { name } of Deno.readDirSync(`/proc/${process}/fd`)) {
      try {
        links.push(Deno.readLinkSync(`/proc/${process}/fd/${name}`));
      } catch {
        // It was closed meanwhile.
      }
    }
    return links;
  });
}

/** The fewest of some looks: a checkpoint being written is not a leak. */
async function settled(pid: number): Promise<string[]> {
  let fewest = descriptors(pid);
  for (let i = 0; i < 10; i++) {
    await wait();
    const now = descriptors(pid);
    if (now.length < fewest.length) fewest = now;
  }
  return fewest;
}

endToEnd("checkpoints and answers to top leave no descriptor open", async (dir) => {
  const app = build("waits_inside", dir, ["-pthread"]);
  const run = new Deno.Command(BINARY, {
    args: [
      ...["run", "-q", "--checkpoint", "0.2", "--simulate", "--"],
      ...["sh", "-c", `echo $$ >pid; exec ${app}`],
    ],
    cwd: dir,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  while (!exists(`${dir}/joulemark.report.partial`)) await wait();
  const target = Deno.readTextFileSync(`${dir}/pid`).trim();
  const before = await settled(run.pid);
  assert(before.length > 3, "the monitor was not found");
  let answers = 0;
  const end = Date.now() + 2500;
  while (Date.now() < end) {
    const top = joulemark(dir, ["top", "--context", target]);
    assertEquals(top.code, 0, top.stderr);
    answers++;
  }
  const after = await settled(run.pid);
  await run.stdin.close();
  assertEquals((await run.status).code, 0);
  assert(answers >= 5, `${answers} answers`);
  const counts = `${before.length} before, ${after.length} after ${answers} answers`;
  assert(after.length <= before.length, `${counts}:\n${after.join("\n")}`);
});

function wait(): Promise<void> {
  return new Promise((go) => setTimeout(go, 20));
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
