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

/** A file of many rows: 24,000 values. */
function largeNode(dir: string): string {
  const path = `${dir}/large`;
  let text = "$hpcperfstats 2.3.5\n$hostname m\n!t a,E,W=32 b c,C\n!cpu user,E system,E\n";
  for (let i = 0; i < 12_000; i++) {
    text += `\n${1000 + i}.0 7 m\nt 0 ${(700_000 * i) % 2 ** 32} ${i % 9} 1\n` +
      `cpu 0 ${50 * i} ${i}\ncpu 1 ${7 * i} 0\n`;
  }
  Deno.writeTextFileSync(path, text);
  return path;
}

endToEnd("stats --format jsonl has the rows of CSV, an object for each", (dir) => {
  const path = largeNode(dir);
  const of = (format: string) => {
    const { code, stdout, stderr } = joulemark(dir, ["stats", "--format", format, path]);
    assertEquals([code, stderr], [0, ""]);
    return stdout.split("\n").slice(0, -1);
  };
  const [head, ...rows] = of("csv").map((line) => line.split(","));
  assertEquals(head.join(), "time,host,job,type,device,key,unit,kind,raw,delta,rate");
  const objects = of("jsonl").map((line) => JSON.parse(line));
  assertEquals(objects.length, 12_000 * 7);
  assertEquals(Object.keys(objects[0]), head);
  assertEquals(objects[0].delta, null);
  objects.forEach((object, i) => {
    assertEquals(Object.values(object).map((value) => String(value ?? "")), rows[i]);
  });
});

endToEnd("stats --json of more than fits in memory names the formats that stream", (dir) => {
  let text = "$hpcperfstats 2.3.5\n$hostname m\n!proc a b c d e f g h i j k l\n";
  for (let i = 0; i < 6000; i++) {
    text += `\n${1000 + i}.0 7 m\nproc p${i % 300}${" 1".repeat(12)}\n`;
  }
  Deno.writeTextFileSync(`${dir}/large`, text);
  const out = joulemark(dir, ["stats", "--json", "large"]);
  assertEquals([out.code, out.stdout], [2, ""]);
  assert(
    /^joulemark stats: [^\n]*--format csv or jsonl[^\n]*\n$/.test(out.stderr),
    out.stderr,
  );
});

endToEnd("stats whose output is closed ends quietly", async (dir) => {
  const child = new Deno.Command(BINARY, {
    args: ["stats", "--format", "csv", largeNode(dir)],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [0, ""]);
});
