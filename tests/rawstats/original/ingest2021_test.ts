/** What the ingest of 2021–2025 makes of lines that are not as usual: its own figures, of its own steps. */
import { assertEquals } from "@std/assert";
import { stats } from "../../../src/cli/stats.ts";
import { capture } from "../../_support/capture.ts";

const HEAD = "$hpcperfstats 2.3.4\n$hostname h\n$uname Linux x86_64 4.18 #1\n$uptime 5\n";

async function ingested(schema: string, ...records: string[]) {
  const text = records.map((lines, i) => `\n${1702000000 + 60 * i} 77 h\n${lines}\n`).join("");
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, `${HEAD}!${schema}\n${text}`);
    const { stdout } = await capture(stats, ["--as-original", "2021", path]);
    return JSON.parse(stdout).series;
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("of two counters with one event the ingest counts the last", async () => {
  // 0x43ff03 is FLOPS; 99 is nothing, and such a count has no width.
  const { amd64_pmc } = await ingested(
    "amd64_pmc CTL0,C CTL1,C CTL2,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 APERF,E,W=48",
    "amd64_pmc 0 4456195 4456195 99 1000 500 70 9000",
    "amd64_pmc 0 4456195 4456195 99 1600 800 40 8000",
  );
  assertEquals(amd64_pmc.FLOPS, { unit: "#", value: [800], delta: [300], rate: [5] });
  assertEquals(amd64_pmc.OTHER, { unit: "#", value: [40], delta: [-30], rate: [-0.5] });
  assertEquals(amd64_pmc.APERF, { unit: "#", value: [8000], delta: [-1000], rate: [-1000 / 60] });
});

Deno.test("a device that comes midway adds its value without a delta; short and long lines count as far as they go", async () => {
  const { net } = await ingested(
    "net rx,E,U=B tx,E,W=32",
    "net a 100 10",
    "net a 160 20\nnet b 1000 5",
    "net a 220 30 7\nnet b 1060",
  );
  assertEquals(net.rx, { unit: "B", value: [1160, 1280], delta: [60, 120], rate: [1, 2] });
  assertEquals(net.tx, {
    unit: "#",
    value: [25, 30],
    delta: [10, 10],
    rate: [10 / 60, 10 / 60],
  });
});
