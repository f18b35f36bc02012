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

/** A node whose keys several processes share: 18 MB, most of them comments. */
function largeNode(dir: string): string {
  const path = `${dir}/large`;
  const comment = `# ${"-".repeat(1400)}\n`;
  let text = "$hpcperfstats 2.3.5\n$hostname m\n!t a,E,W=32 b c,C\n!cpu user,E system,E\n";
  for (let i = 0; i < 12_000; i++) {
    text += `\n${1000 + i}.0 7 m\nt 0 ${(700_000 * i) % 2 ** 32} ${i % 9} 1\n${comment}` +
      `cpu 0 ${50 * i} ${i}\ncpu 1 ${7 * i} 0\n`;
  }
  Deno.writeTextFileSync(path, text);
  return path;
}

endToEnd("stats writes series by several processes, and they are the same", (dir) => {
  const paths = [makeNodes(dir, 5, 1000), largeNode(dir)];
  const sum = (format: string, processes: number) => {
    const args = ["stats", "-v", "--format", format, "--processes", String(processes), ...paths];
    const script = '"$0" "$@" 2>messages | sha256sum';
    const { stdout } = new Deno.Command("sh", { args: ["-c", script, BINARY, ...args], cwd: dir })
      .outputSync();
    return [new TextDecoder().decode(stdout), Deno.readTextFileSync(`${dir}/messages`)];
  };
  for (const format of ["csv", "json", "openmetrics"]) {
    const [one, messages] = sum(format, 1);
    assertEquals(messages, "");
    for (const processes of [2, 3]) {
      assertEquals(sum(format, processes), [
        one,
        `joulemark: written by ${processes} processes\n`,
      ]);
    }
  }
});

endToEnd("stats whose output is closed ends quietly with its helpers", async (dir) => {
  const child = new Deno.Command(BINARY, {
    args: ["stats", "--processes", "3", "--format", "csv", largeNode(dir)],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [0, ""]);
});

endToEnd("stats says that the output is cut when a helper is killed", async (dir) => {
  const child = new Deno.Command(BINARY, {
    args: ["stats", "--processes", "2", "--format", "csv", largeNode(dir)],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let helper = "";
  while (helper === "") {
    await new Promise((resolve) => setTimeout(resolve, 5));
    helper = Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`).trim();
  }
  // nobody reads yet: the pipe is full long before the end
  Deno.kill(Number(helper), "SIGKILL");
  const [, stderr] = await Promise.all([
    child.stdout.pipeTo(new WritableStream()),
    new Response(child.stderr).text(),
  ]);
  assertEquals((await child.status).code, 1);
  assertEquals(
    stderr,
    "joulemark: Cannot write the output: expected every process to write its part, found one that " +
      "ended with status 137: the output is cut; give --processes 1\n",
  );
});
