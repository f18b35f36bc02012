/** What the ingest of 2021–2025 makes of lines that are not as usual: its own figures, of its own steps. */
import { assertEquals } from "@std/assert";
import { ingest2021 } from "./ingest2021.ts";
import { readOriginal } from "./read.ts";

const HEAD = "$hpcperfstats 2.3.4\n$hostname h\n$uname Linux x86_64 4.18 #1\n$uptime 5\n";

function ingested(schema: string, ...records: string[]) {
  const text = records.map((lines, i) => `\n${1702000000 + 60 * i} 77 h\n${lines}\n`).join("");
  return ingest2021(readOriginal(`${HEAD}!${schema}\n${text}`)).series;
}

Deno.test("of two counters with one event the ingest counts the last", () => {
  // 0x43ff03 is FLOPS; 99 is nothing, and such a count has no width.
  const { amd64_pmc } = ingested(
    "amd64_pmc CTL0,C CTL1,C CTL2,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 APERF,E,W=48",
    "amd64_pmc 0 4456195 4456195 99 1000 500 70 9000",
    "amd64_pmc 0 4456195 4456195 99 1600 800 40 8000",
  );
  assertEquals(amd64_pmc.FLOPS, { unit: "#", value: [800], delta: [300], rate: [5] });
  assertEquals(amd64_pmc.OTHER, { unit: "#", value: [40], delta: [-30], rate: [-0.5] });
  assertEquals(amd64_pmc.APERF, { unit: "#", value: [8000], delta: [-1000], rate: [-1000 / 60] });
});

Deno.test("a device that comes midway adds its value without a delta; short and long lines count as far as they go", () => {
  const { net } = ingested(
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

Deno.test("the ingest stops at the first time line without a job", () => {
  const record = (second: number, job: string) => `\n${second} ${job} h\ncpu 0 ${second}\n`;
  const text = HEAD + "!cpu user,E\n" + record(0, "5") + record(300, "5") + record(600, "5") +
    record(900, "-") + record(1200, "-") + record(1500, "5");
  assertEquals(ingest2021(readOriginal(text)).times, [300, 600]);
});

Deno.test("a key that begins in the middle has null before its second row", () => {
  const record = (second: number, values: string) => `\n${second} 7 h\nnet eth0 ${values}\n`;
  const text = HEAD + "!net rx_bytes,E,U=B\n" + record(0, "0") + record(300, "1000") +
    record(600, "2000") + HEAD + "!net collisions,E rx_bytes,E,U=B\n" + record(900, "3 3000") +
    record(1200, "4 4000") + record(1500, "5 5000");
  const { net } = ingest2021(readOriginal(text)).series;
  assertEquals(net.collisions.value, [null, null, null, 4, 5]);
  assertEquals(net.collisions.delta, [null, null, null, 1, 1]);
  assertEquals(net.rx_bytes.delta, [1000, 1000, 1000, 1000, 1000]);
});
