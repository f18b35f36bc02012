/** The executable starts itself to read many nodes, and leaves nobody behind. */
import { assert, assertEquals } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** Nodes of one file each; the counter of node N grows by N a record. */
function makeNodes(dir: string, nodes: number, records: number): string {
  const path = `${dir}/nodes`;
  Deno.mkdirSync(path);
  for (let n = 1; n <= nodes; n++) {
    let text = `$hpcperfstats 2.3.5\n$hostname n${n}\n!t a,E\n!cpu user,E system,E\n`;
    for (let i = 0; i < records; i++) {
      text += `\n${1000 + i}.0 7 n${n}\nt 0 ${n * i}\ncpu 0 ${50 * i} ${i}\n`;
    }
    Deno.writeTextFileSync(`${path}/n${n}`, text);
  }
  return path;
}

endToEnd("stats reads nodes by several processes, and the table is the same", (dir) => {
  const nodes = makeNodes(dir, 5, 1000);
  const one = joulemark(dir, ["stats", "-v", "--processes", "1", nodes]);
  assertEquals([one.code, one.stderr], [0, ""]);
  assert(/^t +0 +a +- +4995 +5 *$/m.test(one.stdout), one.stdout);
  const three = joulemark(dir, ["stats", "-v", "--processes", "3", nodes]);
  assertEquals(three.stderr, "joulemark: 5 nodes, read by 3 processes\n");
  assertEquals([three.code, three.stdout], [0, one.stdout]);
  const job = ["stats", "--job", "7", "--devices", "--types", "cpu", nodes];
  assertEquals(
    joulemark(dir, [...job, "--processes", "2"]).stdout,
    joulemark(dir, [...job, "--processes", "1"]).stdout,
  );
  assertEquals(joulemark(dir, ["stats", "--processes", "0", nodes]).code, 2);
});

endToEnd("stats that is killed takes its helpers along", async (dir) => {
  const nodes = makeNodes(dir, 2, 1_000_000);
  const child = new Deno.Command(BINARY, {
    args: ["stats", "--processes", "2", nodes],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const helpers = () =>
    Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`).trim().split(" ")
      .filter((pid) => pid !== "");
  let pids: string[] = [];
  while (pids.length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    pids = helpers();
  }
  child.kill("SIGKILL");
  await child.status;
  const isThere = (pid: string) => {
    try {
      const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
      return !/\) [ZX]/.test(stat);
    } catch {
      return false;
    }
  };
  const endsMs = performance.now() + 20_000;
  while (pids.some(isThere) && performance.now() < endsMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(pids.filter(isThere), []);
});
