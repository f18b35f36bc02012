/**
 * Raw stats of simulated nodes, whose counters are known: dips, wraps, boots, copies and any cut into files
 * leave the sums as they were counted.
 */
import { assert, assertEquals } from "@std/assert";
import { Random } from "../../fuzz/random.ts";
import { header, json } from "./_files.ts";

const SEEDS = 60, RECORDS = 40, STEP_S = 60, START_S = 1760000000;
const JOULES = 2 ** -14;

/** A counter: its line, width, counts per second; dips occur only if it is none of energy. */
const COUNTERS = [
  { line: "cpu 0", bits: 64, rate: 90, first: 7_000_000, dips: false },
  { line: "ib_sw mlx5_0/1", bits: 64, rate: 40_000_000, first: 4e12, dips: true },
  { line: "ib mlx5_0.1", bits: 32, rate: 9_000_000, first: 3e9, dips: true },
  { line: "intel_8pmc3 0", bits: 48, rate: 3e9, first: 2 ** 48 - 2e12, dips: true },
  { line: "intel_rapl 0", bits: 32, rate: 300 / JOULES, first: 4e9, dips: false },
] as const;
const SCHEMAS = [
  "!cpu user,E,U=cs",
  "!ib port_rcv_data,E,U=4B,W=32",
  "!ib_sw rx_bytes,E,U=B",
  "!intel_8pmc3 FIXED_CTR0,E,W=48",
  "!intel_rapl MSR_PKG_ENERGY_STATUS,E,U=mJ,W=32",
];
const KEYS = ["user", "rx_bytes", "port_rcv_data", "FIXED_CTR0", "MSR_PKG_ENERGY_STATUS"];

interface Simulated {
  /** Text of each record, and the header of a file that begins with it. */
  readonly records: string[];
  readonly heads: string[];
  /** Number of the first record after the boot; −1: none. */
  readonly bootAt: number;
  /** Counts of each counter. */
  readonly truth: number[];
}

function simulate(random: Random): Simulated {
  const values = COUNTERS.map(({ first }) => Number(first));
  const truth = COUNTERS.map(() => 0);
  const records: string[] = [], heads: string[] = [];
  const bootAt = random.once(2) ? 3 + random.below(RECORDS - 6) : -1;
  let bootS = START_S - 864_000, hasDipped = false;
  for (let i = 0; i < RECORDS; i++) {
    const timeS = START_S + STEP_S * i;
    const isBoot = i === bootAt;
    const elapsedS = isBoot ? 5 + random.below(STEP_S - 10) : STEP_S;
    if (isBoot) bootS = timeS - elapsedS;
    const isCalm: boolean = i < 2 || i > RECORDS - 3 || Math.abs(i - bootAt) < 2 || hasDipped;
    hasDipped = !isCalm && random.once(4);
    const lines = COUNTERS.map(({ line, bits, rate, dips }, k) => {
      const grown = Math.floor(rate * elapsedS * (0.5 + random.below(1000) / 1000) / 1.5);
      const before = values[k];
      if (i > 0) truth[k] += grown;
      values[k] = isBoot ? grown : (before + grown) % 2 ** bits;
      // no dip beside a wrap: nobody could say what it was
      const isBelow = before < values[k] && values[k] + rate * STEP_S < 2 ** bits;
      const shown = hasDipped && dips && isBelow
        ? Math.floor(before * random.below(950) / 1000)
        : values[k];
      return `${line} ${shown}`;
    });
    heads.push(header(SCHEMAS, timeS - bootS));
    records.push(`\n${timeS}.000000 7 n1\n${lines.join("\n")}\n`);
  }
  return { records, heads, bootAt, truth };
}

/** The records in some files, some records twice. */
function filesOf({ records, heads, bootAt }: Simulated, random: Random): Record<string, string> {
  const files: Record<string, string> = {};
  let text = "", name = 0;
  records.forEach((record, i) => {
    if (i > 0 && random.once(20)) {
      files[`f${name++}`] = text;
      text = "";
    }
    text += (text === "" || i === bootAt ? heads[i] : "") + record;
    // a broker delivers a record again, at once or later
    if (random.once(10) && i - 3 > bootAt) text += records[i - random.below(Math.min(i, 4))];
  });
  files[`f${name}`] = text;
  if (random.once(3)) files.copy = heads[0] + records.slice(0, 5).join("");
  return files;
}

Deno.test("sums of simulated nodes are what their counters counted", async () => {
  let dips = 0, boots = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = new Random(38, seed);
    const simulated = simulate(random);
    const files = filesOf(simulated, random);
    const all = await json(files, "--energy-unit", "2^-14");
    const sums = COUNTERS.map(({ line }, k) => {
      const [type, device] = line.split(" ");
      const { delta, scale } = all.series[type][device][KEYS[k]];
      return delta.reduce((sum: number, value: number | null) => sum + (value ?? 0), 0) / scale;
    });
    assertEquals(sums, simulated.truth, `seed ${seed}`);
    assertEquals(all.times.length, RECORDS, `seed ${seed}`);
    dips += all.mended.dip;
    boots += all.mended.reset > 0 ? 1 : 0;
  }
  assert(dips > SEEDS && boots > SEEDS / 4, `${dips} dips, ${boots} boots`);
});
