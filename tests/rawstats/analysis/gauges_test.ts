/** Gauges of several devices: summed over the devices of a sample, then over time. */
import { assert, assertEquals } from "@std/assert";
import { header, printed, record } from "./_files.ts";

async function gaugeOf(schema: string, records: readonly (readonly string[])[]): Promise<string> {
  const text = records.map((lines, i) => record(1760000000 + 60 * i, "1", ...lines)).join("");
  const { stdout } = await printed({ a: header([schema]) + text });
  return /^TYPE[^\n]*\n([^\n]*)\n/m.exec(stdout)![1].replace(/ +/g, " ");
}

Deno.test("LAST, MIN and MAX are of the sums over devices", async () => {
  const records = [["mem 0 100", "mem 1 0"], ["mem 0 0", "mem 1 100"], ["mem 0 100", "mem 1 0"]];
  const row = await gaugeOf("!mem MemUsed,U=KB", records);
  assertEquals(row, "mem (2 devices) MemUsed B - - 102400 102400 102400");
});

Deno.test("a device that has gone does not count in LAST", async () => {
  const records = [["proc a/1 4"], ["proc a/1 4", "proc b/2 3"], ["proc a/1 5"]];
  assertEquals(await gaugeOf("!proc VmRSS", records), "proc (2 devices) VmRSS - - - 5 4 7");
});

Deno.test("a gauge that never had a value is -", async () => {
  const text = record(1760000000, "1", "mem 0 5") + record(1760000060, "1", "mem 0 6");
  const { stdout } = await printed({ a: header(["!mem MemUsed,U=KB Extra,U=KB,R=S"]) + text });
  assert(/^mem +0 +Extra +B +- +- +-$/m.test(stdout), stdout);
  assertEquals(stdout.includes("Infinity"), false);
});

Deno.test("gauges and sums of thousands of devices are those of few", async () => {
  for (const count of [4096, 4097, 5000, 20_001]) {
    const lines = (value: number) =>
      Array.from({ length: count }, (_, i) => [`mem ${i} ${value}`, `task ${i} ${10 * value}`])
        .flat();
    const schemas = ["!mem MemUsed,U=KB", "!task ops,E"];
    const part = (from: number) =>
      [0, 1].map((i) => record(1760000000 + 60 * (from + i), "1", ...lines(from + i + 2))).join("");
    // the second file goes on where the first one ends
    const { stdout } = await printed({
      a: header(schemas) + part(0),
      b: header(schemas) + part(2),
    });
    const row = (type: string) =>
      new RegExp(`^${type} +(.*)$`, "m").exec(stdout)![1].replace(/ +/g, " ").trim();
    const gauge = [5, 2, 5].map((value) => value * count * 1024).join(" ");
    assertEquals(row("mem"), `(${count} devices) MemUsed B - - ${gauge}`);
    assertEquals(row("task").split(" ")[4], String(30 * count));
  }
});
