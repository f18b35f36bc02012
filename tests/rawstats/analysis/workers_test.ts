/** Nodes read by several processes: the same as by one, whatever becomes of the helpers. */
import { assert, assertEquals } from "@std/assert";
import { readRawTables, share } from "../../../src/rawstats/analysis/workers.ts";
import { lookAtRawFiles, type RawFile } from "../../../src/rawstats/analysis/files.ts";
import type { RawTablePart } from "../../../src/rawstats/analysis/print/table.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const SELF = [
  ...[Deno.execPath(), "run", "--quiet", "--no-lock", "--config", `${ROOT}airgap/deno.json`],
  ...["-A", `${ROOT}main.ts`, "stats-helper"],
];

interface Read {
  parts: RawTablePart[];
  errors: string[];
  notes: string[];
  warnings: string[];
}

async function read(dir: string, processes: number, helper: readonly string[]): Promise<Read> {
  const files = await lookAtRawFiles([dir]);
  const errors: string[] = [];
  const notes: string[] = [];
  const warnings: string[] = [];
  const parts = await readRawTables({ files, job: undefined, types: undefined, devices: true }, {
    processes,
    helper,
    error: (line) => errors.push(line),
    note: (line) => notes.push(line),
    warn: (line) => warnings.push(line),
  });
  return { parts, errors, notes, warnings };
}

/** Four nodes: sums beyond 2^53, a wrap, a dip, a broken line, two files of one node, two jobs. */
function makeNodes(dir: string): void {
  const file = (name: string, host: string, from: number, jobs: string, values: string[]) =>
    Deno.writeTextFileSync(
      `${dir}/${name}`,
      `$hpcperfstats 2.3.5\n$hostname ${host}\n!t a,E,W=32 b,E c\n!cpu user,E\n` +
        values.map((v, i) =>
          `\n${from + 10 * i}.5 ${jobs} ${host}\n${i === 0 ? "%begin 7\n" : ""}` +
          `t 0 ${v}\ncpu 0 ${100 * i}\n`
        ).join(""),
    );
  file("d1", "d", 1000, "7", ["4294967290 5 1", "3 18446744073709551610 2", "9 8"]);
  file("a1", "a", 1000, "7,8", ["1 100000000 9", "2 99999990 NaN", "3 100000007 4"]);
  file("a2", "a", 2000, "8", ["5 100000009 1", "900 100000010 0"]);
  file("b1", "b", 1500, "-", ["1 1 1"]);
  file("c1", "c", 1500, "8", ["1 1 1", "5 5 5", "7 7 7"]);
}

Deno.test("readRawTables() gives the same by one process and by several", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    makeNodes(dir);
    const one = await read(dir, 1, []);
    assertEquals([one.notes, one.warnings], [[], []]);
    assert(one.errors.length > 0, "the files have mistakes");
    assertEquals(one.parts.map((part) => part.analysis.host), ["a", "b", "c", "d"]);
    const d = one.parts[3].table!.rows.find((row) => row.key === "b")!;
    assert(typeof d.total === "bigint", "a sum beyond 2^53");
    for (const processes of [2, 3, 9]) {
      const many = await read(dir, processes, SELF);
      assertEquals(many.notes, [`4 nodes, read by ${Math.min(processes, 4)} processes`]);
      assertEquals([many.parts, many.errors, many.warnings], [one.parts, one.errors, []]);
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("readRawTables() reads itself what a helper does not get done", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    makeNodes(dir);
    const one = await read(dir, 1, []);
    // ended with a status, killed, and a program that is not there
    const script = (text: string) => ["/bin/sh", "-c", text, "helper"];
    const rows: [string[], number][] = [
      [script("exit 3"), 3],
      [script("kill -9 $$"), 137],
      [[`${dir}/nothing`], NaN],
    ];
    for (const [helper, status] of rows) {
      const { parts, errors, warnings } = await read(dir, 2, helper);
      assertEquals([parts, errors], [one.parts, one.errors]);
      const line = `a reading process ended with status ${status}: its nodes are read once more`;
      assertEquals(warnings, status === status ? [line, line] : []);
    }
    // one that begins a part and is then killed
    const cut = script('printf "\\377\\0\\0\\0abc" > /proc/self/fd/$2; kill -9 $$');
    assertEquals((await read(dir, 2, cut)).parts, one.parts);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("share() keeps a node's files together, and loads evenly", () => {
  const node = (host: string, ...sizes: number[]): RawFile[] =>
    sizes.map((bytes, i) => ({
      path: `${host}/${i}`,
      host,
      firstUs: i,
      lastUs: i,
      records: 1,
      withEnd: [],
      from: 0,
      to: bytes,
      linesAbove: 0,
      bytes,
    }));
  const nodes = [node("a", 10, 10), node("b", 50), node("c", 30), node("d", 5, 5)];
  const shares = share(nodes, 2);
  assertEquals(shares.map((files) => files.map(({ path }) => path)), [
    ["b/0", "d/0", "d/1"],
    ["c/0", "a/0", "a/1"],
  ]);
  assertEquals(share(nodes.slice(0, 1), 3).length, 1);
  // packed files hold more than they weigh
  const packed = node("x", 10).map((file) => ({ ...file, path: "x.gz" }));
  assertEquals(share([node("y", 60), packed, node("z", 15)], 2).map((s) => s[0].path), [
    "x.gz",
    "y/0",
  ]);
});
