/**
 * What breaks the fit: the second table of errors of docs/how-sure.md, in Markdown on stdout.
 *
 *   deno run -A tests/bench/attribution_breaks.ts [SEEDS [SECONDS [FIRST_SEED [MODEL [PART]]]]]
 *   deno run -A tests/bench/attribution_breaks.ts table FILE...
 *
 * PART is `1/3`: the first of three parts, of which each is one line of JSON a machine; `table` makes the
 * table of any such files, of other machines or of other seeds.
 */
import { DRAWN, drawn, EVENT_MODELS } from "../energy/edges/_event_models.ts";
import { type EventModel, runEvents } from "../energy/edges/_event_node.ts";
import {
  measureOther,
  measureRun,
  OTHER_MODELS,
  type OtherModel,
  type OtherOutcome,
} from "../energy/edges/_other_models.ts";
import { CAUSES } from "../../src/energy/edges/causes.ts";
import { JUDGE_MODELS, SECOND_MODELS } from "../energy/edges/_more_models.ts";

/** A row of the table. */
interface Machine {
  readonly name: string;
  readonly additive: boolean;
  readonly measure: (seed: number, seconds: number) => OtherOutcome;
}

const onGrid = (model: OtherModel): Machine => ({
  name: model.name,
  additive: model.additive,
  measure: (seed, seconds) => measureOther(model, seed, seconds),
});
const byEvents = (model: EventModel, seed: number, seconds: number) =>
  measureRun(runEvents(model, seed, seconds), model.counter?.periodS ?? 0.001);
const third = EVENT_MODELS.map((model): Machine => ({
  name: model.name,
  additive: model.additive,
  measure: (seed, seconds) => byEvents(model, seed, seconds),
}));
// Each seed is another machine.
const atRandom = DRAWN.map((kind): Machine => ({
  name: kind,
  additive: drawn(kind, 0).additive,
  measure: (seed, seconds) => byEvents(drawn(kind, seed), seed, seconds),
}));

const SETS = ([
  ["first", OTHER_MODELS.map(onGrid)],
  ["second", SECOND_MODELS.map(onGrid)],
  ["judges", JUDGE_MODELS.map(onGrid)],
  ["third", third],
  ["drawn at random", atRandom],
] as const).flatMap(([name, machines]): [name: string, machines: readonly Machine[]][] => [
  [`${name}, additive`, machines.filter(({ additive }) => additive)],
  [`${name}, others`, machines.filter(({ additive }) => !additive)],
]);

/** What is known of a machine's runs; sums, so that those of several files add up. */
interface Tally {
  readonly set: string;
  readonly name: string;
  /** The worst region's error of each run that told any. */
  worst: number[];
  runs: number;
  regions: number;
  told: number;
  within: number;
  squares: number;
  /** Runs that named a cause. */
  causes: Record<string, number>;
}

if (import.meta.main) {
  if (Deno.args[0] === "table") {
    table(joined(Deno.args.slice(1).flatMap((path) => readTallies(path))));
  } else {
    const [seeds = 30, seconds = 60, first = 1] = Deno.args.slice(0, 3).map(Number);
    const [part, parts] = (Deno.args[4] ?? "1/1").split("/").map(Number);
    const wanted = SETS.flatMap(([set, machines]) => machines.map((machine) => ({ set, machine })))
      .filter(({ set, machine }) => `${set}: ${machine.name}`.includes(Deno.args[3] ?? ""))
      .filter((_, k) => k % parts === part - 1);
    const tallies = wanted.map(({ set, machine }) => {
      const tally = emptyTally(set, machine.name);
      for (let k = 0; k < seeds; k++) add(tally, machine.measure(first + 7919 * k, seconds));
      if (parts > 1) console.log(JSON.stringify(tally));
      return tally;
    });
    if (parts === 1) table(tallies);
  }
}

function emptyTally(set: string, name: string): Tally {
  const none = { runs: 0, regions: 0, told: 0, within: 0, squares: 0 };
  return { set, name, worst: [], ...none, causes: {} };
}

function add(tally: Tally, { error, se, causes }: OtherOutcome): void {
  const told = error.filter((e) => !Number.isNaN(e));
  tally.runs++;
  tally.regions += error.length;
  if (told.length > 0) tally.worst.push(Math.max(...told.map(Math.abs)));
  error.forEach((e, r) => {
    if (Number.isNaN(e)) return;
    tally.told++;
    if (Math.abs(e) <= 2 * se[r]) tally.within++;
    tally.squares += (e / se[r]) ** 2;
  });
  for (const cause of causes) tally.causes[cause] = (tally.causes[cause] ?? 0) + 1;
}

function addTally(tally: Tally, other: Tally): void {
  tally.worst.push(...other.worst);
  for (const key of ["runs", "regions", "told", "within", "squares"] as const) {
    tally[key] += other[key];
  }
  for (const [cause, runs] of Object.entries(other.causes)) {
    tally.causes[cause] = (tally.causes[cause] ?? 0) + runs;
  }
}

function readTallies(path: string): Tally[] {
  return Deno.readTextFileSync(path).split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** Those of one machine together, in the order of the sets. */
function joined(tallies: readonly Tally[]): Tally[] {
  return SETS.flatMap(([set, machines]) =>
    machines.flatMap(({ name }) => {
      const own = tallies.filter((tally) => tally.set === set && tally.name === name);
      if (own.length === 0) return [];
      const sum = emptyTally(set, name);
      for (const tally of own) addTally(sum, tally);
      return [sum];
    })
  );
}

function table(tallies: readonly Tally[]): void {
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
  line([
    "the machine",
    "worst error, %",
    "reported %",
    "coverage %",
    "error / SE",
    "named, % of runs",
  ]);
  line(Array.from({ length: 6 }, () => "---"));
  for (const [set] of SETS) {
    const all = emptyTally(set, set);
    for (const tally of tallies) {
      if (tally.set !== set) continue;
      line([tally.name, ...cells(tally)]);
      addTally(all, tally);
    }
    if (all.runs > 0) line([`**${set}**`, ...cells(all)]);
  }
  for (const kind of ["additive", "others"]) {
    const all = emptyTally(kind, kind);
    for (const tally of tallies) if (tally.set.endsWith(`, ${kind}`)) addTally(all, tally);
    if (all.runs > 0) line([`**all, ${kind}**`, ...cells(all)]);
  }
}

function cells({ worst, regions, told, within, squares, causes, runs }: Tally): string[] {
  const share = (some: number, of: number) => of > 0 ? (100 * some / of).toFixed(0) : "-";
  const mean = worst.reduce((a, b) => a + b, 0) / worst.length;
  return [
    worst.length > 0 ? (100 * mean).toPrecision(2) : "-",
    share(told, regions),
    share(within, told),
    told > 0 ? Math.sqrt(squares / told).toFixed(2) : "-",
    // By the words of CAUSES; what few runs name is left out.
    Object.entries(CAUSES).filter(([, cause]) => (causes[cause] ?? 0) >= 0.1 * runs)
      .map(([word, cause]) => `${word} ${share(causes[cause], runs)}`).join(", "),
  ];
}
