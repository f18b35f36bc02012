/** The ingest of 2021–2025 itself beside the oracle of the tests, on random raw stats. */
import { assert, assertEquals } from "@std/assert";
import { Random } from "../fuzz/random.ts";
import { ingest2021 } from "../rawstats/analysis/original/ingest2021.ts";
import { readOriginal } from "../rawstats/analysis/original/read.ts";
import { besidePeer, programPath, shell } from "./_peers.ts";

const CASES = 25;
const TOLERANCE = 1e-9;
/** Type, schema, devices. Controls are FLOPS, branches, and one that is unknown. */
const TYPES = [
  ["cpu", "user,E,U=cs nice,E,U=cs idle,E,U=cs", ["0", "1", "2"]],
  ["net", "rx_bytes,E,U=B tx_packets,E,W=32", ["eth0", "ib0"]],
  ["mem", "MemTotal,U=KB MemUsed,U=KB", ["0", "1"]],
  ["block", "rd_sectors,E,U=512B rd_ticks,E,U=ms in_flight", ["sda"]],
  ["amd64_pmc", "CTL0,C CTL1,C CTL2,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48", ["0", "1"]],
] as const;
const CONTROLS = [0x43ff03, 0x4300c2, 99];

function rawStats(random: Random): string {
  const shown = TYPES.filter(([type]) => type === "cpu" || random.once(2));
  const schemas = shown.map(([type, keys]) => `!${type} ${keys}`);
  const state = new Map<string, number[]>();
  const lines = [
    ...["$hpcperfstats 2.3.4", "$hostname n1", "$uname Linux x86_64 4.18 #1", "$uptime 5"],
    ...schemas,
  ];
  let timeS = 1702000000;
  for (let i = 0; i < 3 + random.below(6); i++) {
    lines.push("", `${timeS += 30 + random.below(600)} ${random.once(4) ? "78" : "77"} n1`);
    for (const [type, keys, devices] of shown) {
      for (const device of devices) {
        // A device may come midway, and lack a record.
        if (i === 0 ? random.once(4) : random.once(12)) continue;
        const name = `${type} ${device}`, columns = keys.split(" ");
        const last = state.get(name) ?? columns.map(() => random.below(1e6));
        const next = last.map((v, k) => {
          if (columns[k].startsWith("CTL")) return CONTROLS[k];
          return random.once(15) ? Math.floor(v / 2) : v + random.below(5000);
        });
        state.set(name, next);
        const given = random.once(20) && type !== "amd64_pmc" ? next.slice(0, -1) : next;
        lines.push(`${name} ${given.join(" ")}`);
      }
    }
  }
  return lines.join("\n") + "\n";
}

interface Series {
  unit: string;
  rows: number[][];
}

besidePeer(
  "taccStats",
  "ingest2021(): figures of random files are the ingest's",
  (dir, at) => {
    Deno.mkdirSync(`${dir}/n1`);
    let compared = 0;
    for (let number = 0; number < CASES; number++) {
      const text = rawStats(new Random(2021, number));
      Deno.writeTextFileSync(`${dir}/n1/1702000000`, text);
      const python = `/usr/bin/python3 -W ignore '${programPath("ingest_2021.py")}' '${at}'`;
      const theirs: Record<string, Record<string, Series>> = JSON.parse(
        shell(dir, `${python} '${dir}/n1/1702000000'`),
      );
      const { times, series } = ingest2021(readOriginal(text));
      const names = (of: Record<string, Record<string, unknown>>) =>
        Object.entries(of).flatMap(([type, events]) =>
          Object.keys(events).map((e) => `${type} ${e}`)
        )
          .sort();
      assertEquals(names(series), names(theirs), `case ${number}`);
      for (const [type, events] of Object.entries(theirs)) {
        for (const [event, { unit, rows }] of Object.entries(events)) {
          const ours = series[type][event];
          assertEquals(ours.unit, unit);
          const own = times.flatMap((time, i) => {
            const row = [time, ours.value[i], ours.delta[i], ours.rate[i]];
            return row.includes(null) ? [] : [row as number[]];
          });
          const where = `case ${number}, ${type} ${event}`;
          assertEquals(own.length, rows.length, where);
          rows.forEach((figures, i) => {
            figures.forEach((figure, k) => {
              const isNear = Math.abs(own[i][k] - figure) <= TOLERANCE * Math.abs(figure);
              assert(isNear, `${where}, row ${i}: ${figures}, ours ${own[i]}`);
              compared++;
            });
          });
        }
      }
    }
    assert(compared > 20 * CASES, `${compared} figures`);
  },
);
