import { assertEquals } from "@std/assert";
import { parseRawStats } from "../../../src/rawstats/format/rawstats.ts";
import { rawDeltas } from "../../../src/rawstats/analysis/deltas.ts";

const VECTORS = new URL("../../vectors/rawstats/", import.meta.url);
const text = (name: string) => Deno.readTextFileSync(new URL(name, VECTORS));

Deno.test("rawDeltas() gives the same from text, bytes and parsed files", () => {
  const whole = text("rollover-a.raw");
  const fromText = rawDeltas(whole);
  assertEquals(rawDeltas(new TextEncoder().encode(whole)), fromText);
  assertEquals(rawDeltas(parseRawStats(whole)), fromText);
  assertEquals(fromText.host, "c101-001.hpc.test");
  assertEquals(fromText.errors, []);
});

Deno.test("rawDeltas() repairs what the originals get wrong, and agrees elsewhere", () => {
  const { series, corrections } = rawDeltas(text("rollover-a.raw"));
  const ingest = JSON.parse(text("rollover-a.ingest2021.json")).series;
  const wrong = new Set(
    corrections.filter((c) => c.kind !== "wrap").map((c) => `${c.type} ${c.key}`),
  );
  let compared = 0;
  for (const [type, devices] of Object.entries(series)) {
    if (type === "intel_8pmc3") continue; // events by other names there
    for (const key of Object.keys(Object.values(devices)[0])) {
      const all = Object.values(devices).map((keys) => keys[key]);
      if (all[0].kind !== "event" || wrong.has(`${type} ${key}`)) continue;
      const sums = all[0].delta!.slice(1).map((_, i) =>
        all.reduce((n, one) => n + Number(one.delta![i + 1]), 0)
      );
      assertEquals(sums, ingest[type][key].delta, `${type} ${key}`);
      compared += sums.length;
    }
  }
  assertEquals(compared, 6 * 32);
  assertEquals(
    corrections.filter((c) => c.kind !== "wrap").map((c) =>
      `${c.kind} ${c.type} ${c.key} ${c.delta}`
    ),
    [
      "reset block rd_ticks 45",
      "dip cpu iowait 0",
      "reset ib_ext port_xmit_data 111504700",
      "reset ib_ext port_xmit_pkts 111559804",
      "dip numa other_node 0",
      "dip llite open 0",
      "dip llite open 0",
    ],
  );
});

Deno.test("rawDeltas() makes no delta across a step back of time or a change of schema", () => {
  const head = "$hpcperfstats 2.3.5\n!x a,E\n";
  const record = (t: number, v: number) => `\n${t} - h\nx 0 ${v}\n`;
  const back = rawDeltas(head + record(10, 5) + record(20, 9) + record(15, 11) + record(25, 12));
  assertEquals(back.series.x["0"].a.delta, [undefined, 4, undefined, 1]);
  assertEquals(back.errors.length, 1);
  const changed = rawDeltas(
    head + record(10, 5) + record(20, 9) + "!x a,E,W=32\n" + record(30, 11) + record(40, 14),
  );
  assertEquals(changed.series.x["0"].a.delta, [undefined, 4, undefined, 3]);
});
