/** GEOPM's SampleAggregator beside ours: random cases, every result after every update. */
import { assert } from "@std/assert";
import { SampleAggregator } from "../../src/energy/totals/sample_aggregator.ts";
import type { Domain } from "../../src/core/machine/domain.ts";
import { type VectorSignal, VectorSource } from "../energy/totals/_vector_source.ts";
import { topologyOf } from "../energy/totals/_vector_source.ts";
import { Random } from "../fuzz/random.ts";
import { besidePeer, programPath, shell } from "./_peers.ts";

const CASES = 300;
const UNMARKED = 0x725e8066;
const REGIONS = [UNMARKED, 0, 0xd3d99e8b, 0x4ad0cf31, 0x3dd7ffa7];
/** What additions in another order may differ by. */
const TOLERANCE = 1e-12;
const DOMAINS = ["board", "package", "cpu"] as const;

interface Case {
  packages: number;
  cores: number;
  periodS: number | undefined;
  signals: Record<string, VectorSignal>;
  updates: number;
  push: { mode: string; name: string; domain: Domain; index: number }[];
}

/** Values that wander: monotone ones grow, sometimes stand still; each may be missing. */
function rows(random: Random, updates: number, count: number, next: (last: number) => number) {
  const last = Array.from({ length: count }, () => next(0));
  return Array.from({ length: updates }, () =>
    last.map((_, i) => {
      last[i] = next(last[i]);
      return random.once(25) ? "NaN" as const : last[i];
    }));
}

function caseOf(random: Random): Case {
  const packages = 1 + random.below(2), cores = 1 + random.below(3), cpus = packages * cores;
  const updates = 2 + random.below(40);
  const fraction = () => random.below(1000) / 1000;
  let timeS = 0;
  const time = Array.from({ length: updates }, () => [timeS += 0.001 + fraction() / 100]);
  // Regions change on one CPU or on all, so that wider domains have regions too.
  const now = Array.from({ length: cpus }, () => UNMARKED);
  const regions = Array.from({ length: updates }, () => {
    const hash = random.pick(REGIONS);
    if (random.once(3)) now.fill(hash);
    else if (random.once(2)) now[random.below(cpus)] = hash;
    return [...now];
  });
  const epochs = Array.from({ length: cpus }, () => 0);
  const counts = Array.from(
    { length: updates },
    () => epochs.map((_, i) => random.once(5) ? ++epochs[i] : epochs[i]),
  );
  const grow = (last: number) => last + (random.once(6) ? 0 : fraction() * 90);
  const vary = () => 100 + fraction() * 250;
  const signals: Record<string, VectorSignal> = {
    TIME: { domain: "board", aggregation: "select_first", behavior: "monotone", values: time },
    REGION_HASH: { domain: "cpu", aggregation: "region_hash", behavior: "label", values: regions },
    EPOCH_COUNT: { domain: "cpu", aggregation: "min", behavior: "monotone", values: counts },
    ENERGY: {
      domain: "package",
      aggregation: "sum",
      behavior: "monotone",
      values: rows(random, updates, packages, grow),
    },
    CYCLES: {
      domain: "cpu",
      aggregation: "sum",
      behavior: "monotone",
      values: rows(random, updates, cpus, grow),
    },
    POWER: {
      domain: "package",
      aggregation: "sum",
      behavior: "variable",
      values: rows(random, updates, packages, vary),
    },
    FREQUENCY: {
      domain: "cpu",
      aggregation: "average",
      behavior: "variable",
      values: rows(random, updates, cpus, vary),
    },
  };
  const push: Case["push"] = [];
  for (const name of ["TIME", "ENERGY", "CYCLES", "POWER", "FREQUENCY"]) {
    const from = DOMAINS.indexOf(signals[name].domain as typeof DOMAINS[number]);
    const domain = DOMAINS[random.below(from + 1)];
    const mode = random.once(4) ? random.pick(["total", "average"]) : "auto";
    push.push({ mode, name, domain, index: random.below(countOf(domain, { packages, cores })) });
  }
  return { packages, cores, updates, push, signals, periodS: random.once(3) ? 0.02 : undefined };
}

function countOf(domain: Domain, { packages, cores }: Pick<Case, "packages" | "cores">): number {
  return domain === "board" ? 1 : domain === "package" ? packages : packages * cores;
}

/** The case as the program reads it. */
function textOf(c: Case): string {
  const all = Object.entries(c.signals);
  return [
    `topology ${c.packages} ${c.cores}`,
    ...all.map(([name, s]) => `signal ${name} ${s.domain} ${s.aggregation} ${s.behavior}`),
    ...c.periodS === undefined ? [] : [`period ${c.periodS}`],
    ...c.push.map(({ mode, name, domain, index }) => `push ${mode} ${name} ${domain} ${index}`),
    ...REGIONS.map((hash) => `region ${hash}`),
    ...Array.from(
      { length: c.updates },
      (_, row) => `row ${all.flatMap(([, s]) => s.values[row]).join(" ").replaceAll("NaN", "nan")}`,
    ),
    "",
  ].join("\n");
}

/** Lines of numbers as the program prints them. */
function ours(c: Case): number[][] {
  const topology = topologyOf({
    packages: c.packages,
    cores_per_package: c.cores,
    threads_per_core: 1,
  });
  const source = new VectorSource(topology, c.signals);
  const aggregator = new SampleAggregator(source);
  if (c.periodS !== undefined) aggregator.periodDuration(c.periodS);
  const handles = c.push.map(({ mode, name, domain, index }) =>
    mode === "total"
      ? aggregator.pushSignalTotal(name, domain, index)
      : mode === "average"
      ? aggregator.pushSignalAverage(name, domain, index)
      : aggregator.pushSignal(name, domain, index)
  );
  const lines: number[][] = [];
  for (let row = 0; row < c.updates; row++) {
    source.row = row;
    aggregator.update();
    for (const h of handles) {
      lines.push([
        ...[aggregator.sampleApplication(h), aggregator.sampleEpoch(h)],
        ...[aggregator.sampleEpochLast(h), aggregator.samplePeriodLast(h)],
        ...REGIONS.flatMap((
          r,
        ) => [aggregator.sampleRegion(h, r), aggregator.sampleRegionLast(h, r)]),
        aggregator.getPeriod(),
      ]);
    }
  }
  return lines;
}

const near = (a: number, b: number) =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= TOLERANCE * Math.abs(b);

besidePeer("geopm", "SampleAggregator: results of random samples are GEOPM's", (dir, at) => {
  const folders = ["libgeopmd/include", "libgeopmd/src", "libgeopm/include", "libgeopm/src"];
  const library = `${at}/libgeopmd/.libs`;
  shell(
    dir,
    `c++ -std=c++17 -O1 -w ${folders.map((f) => `-I${at}/${f}`).join(" ")} -o aggregator ` +
      `${programPath("geopm_aggregator.cpp")} ${at}/libgeopm/src/SampleAggregator.cpp ` +
      `${at}/libgeopm/src/Accumulator.cpp -L${library} -lgeopmd -Wl,-rpath,${library}`,
  );
  let compared = 0;
  for (let number = 0; number < CASES; number++) {
    const c = caseOf(new Random(24, number));
    Deno.writeTextFileSync(`${dir}/case`, textOf(c));
    const theirs = shell(dir, "./aggregator < case").trimEnd().split("\n").map((line) =>
      line.split(" ").map((word) => word === "-nan" || word === "nan" ? NaN : Number(word))
    );
    ours(c).forEach((line, i) =>
      line.forEach((value, k) => {
        const { name, domain, mode } = c.push[i % c.push.length];
        const where = `case ${number}, update ${Math.floor(i / c.push.length)}, ${mode} ` +
          `${name}@${domain}, column ${k}: GEOPM ${theirs[i][k]}, ours ${value}`;
        assert(near(value, theirs[i][k]), where);
        compared++;
      })
    );
  }
  assert(compared > 100 * CASES, `${compared} figures`);
});
