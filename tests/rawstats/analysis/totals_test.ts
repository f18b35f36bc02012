/** Devices that come and go for ever, as single processes do: told apart up to a number, none lost. */
import { assertEquals } from "@std/assert";
import { RawScanner } from "../../../src/rawstats/format/scanner.ts";
import { JobFilter, RawNode } from "../../../src/rawstats/analysis/node.ts";
import { tableRows } from "../../../src/rawstats/analysis/print/tables.ts";
import { NodeTotals } from "../../../src/rawstats/analysis/totals.ts";

/** Records of processes 50 at a time, 25 new ones in each; process 3 comes back near the end. */
function file(records: number): Uint8Array {
  let text = "$hpcperfstats 2.3.5\n$hostname h\n!proc Threads\n!task ops,E\n";
  for (let r = 0; r < records; r++) {
    text += `\n${1000 + 10 * r} - h\n`;
    const alive = Array.from({ length: 50 }, (_, i) => r * 25 + i);
    if (r >= records - 2) alive.unshift(3);
    for (const pid of alive) text += `proc a b/${pid}/0/0 2\ntask ${pid} ${1000 * (r + 1)}\n`;
  }
  return new TextEncoder().encode(text);
}

Deno.test("NodeTotals adds up the devices that are gone, when there are many", () => {
  const records = 400;
  const listeners: JobFilter[] = [];
  const node = new RawNode("h", listeners);
  const totals = new NodeTotals("h");
  listeners.push(new JobFilter(undefined, totals));
  const scanner = new RawScanner(
    "f",
    node.startFile((error) => {
      throw error;
    }),
  );
  scanner.push(file(records));
  scanner.end();
  node.endSample();
  totals.end();
  const [proc, task] = tableRows(totals);
  // each process is there in two records, but for those of the first and the last
  const processes = 25 * records + 25;
  // 50 processes at a time, 51 in the last two records
  assertEquals(proc.gauge, [102, 100, 102]);
  assertEquals(proc.device, `(${processes} devices)`);
  // process 3 was seen in the first record alone before it came back: one step over all of them
  const steps = 25 * (records - 1) * 1000;
  const back = 1000 * (records - 2) + 1000;
  assertEquals(task.total, steps + back);
});
