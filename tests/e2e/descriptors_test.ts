/** A monitor opens and closes: after many checkpoints and answers it holds no more than at first. */
import { assert, assertEquals } from "@std/assert";
import { ownProcesses } from "../_support/processes.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { BINARY, build, endToEnd } from "../_support/programs.ts";
import { statPath } from "../../src/os/files.ts";

/** What they hold open, as links; a file that was removed is another one than its successor. */
function descriptors(pid: number, binary: string): string[] {
  return ownProcesses(pid, binary).flatMap((process) => {
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

/** So many of both, each of which once left one open. */
const LEAST = 8;

/** The fewest of some looks: a checkpoint being written is not a leak. */
async function settled(pid: number, binary: string): Promise<string[]> {
  let fewest = descriptors(pid, binary);
  for (let i = 0; i < 10; i++) {
    await wait();
    const now = descriptors(pid, binary);
    if (now.length < fewest.length) fewest = now;
  }
  return fewest;
}

asEachUser("checkpoints and answers to top leave no descriptor open", async (dir, user) => {
  const { binary, command: [program, ...words] } = user;
  const app = build("waits_inside", dir, ["-pthread"]);
  const run = new Deno.Command(program, {
    args: [
      ...[...words, "run", "-q", "--checkpoint", "0.2", "--simulate", "--"],
      ...["sh", "-c", `echo $$ >pid; exec ${app}`],
    ],
    cwd: dir,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  while (!exists(`${dir}/joulemark.report.partial`)) await wait();
  const target = Deno.readTextFileSync(`${dir}/pid`).trim();
  const before = await settled(run.pid, binary);
  assert(before.length > 3, "the monitor was not found");
  const checkpoints = new Set<number>();
  let answers = 0;
  while (answers < LEAST || checkpoints.size < LEAST) {
    checkpoints.add(Deno.statSync(`${dir}/joulemark.report.partial`).mtime!.getTime());
    const top = user.joulemark(["top", "--context", target]);
    assertEquals(top.code, 0, top.stderr);
    answers++;
  }
  const after = await settled(run.pid, binary);
  await run.stdin.close();
  assertEquals((await run.status).code, 0);
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

endToEnd("where descriptors are few, a report is written, or it is said why not", (dir) => {
  // The monitor of a simulated node needs some sixty.
  for (let most = 58; most <= 70; most += 2) {
    const line = `ulimit -n ${most}; exec "${BINARY}" run -q --simulate --report r${most} -- true`;
    const args = ["-c", line];
    const { code, stderr } = new Deno.Command("bash", { args, cwd: dir }).outputSync();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 0, text);
    const said = text.includes("too many open files");
    assert(said || statPath(`${dir}/r${most}`) !== undefined, `${most}: ${text}`);
  }
});
