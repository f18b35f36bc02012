/**
 * A `.cali` stream as a tree of regions and a table of its records, for a page.
 * @module
 */
import { columnsOf, type Table } from "../../show/analysis/table.ts";
import type { View } from "../../show/analysis/views.ts";
import { FOLDED_THREADS, VISITS_FOLDED } from "../../caliper/channels/unordered.ts";
import { type PlainRecord, plainRecord } from "../../caliper/model/plain_record.ts";
import { NO_END } from "../../caliper/stream/cali.ts";
import { UserFile } from "../../os/user_file.ts";
import type { TreeNode } from "../../show/page/tree.ts";
import { fromByteText } from "../../caliper/query/byte_text.ts";
import { MergedTree } from "../../caliper/query/merged_tree.ts";
import { caliSource } from "../../caliper/query/sources/cali.ts";

/** Records of a table on the page; all count in the tree. */
const MAX_RECORDS = 501;
/** Energies that records may have, those that hold others first. */
const ENERGIES = ["BOARD_ENERGY", "CPU_ENERGY"];
/** Durations without those of the regions inside, with their unit in seconds; from `A_TRACES` on a trace's. */
const TIMES: readonly (readonly [name: string, unitS: number])[] = [
  ["sum#sum#time.duration", 1],
  ["sum#time.duration", 1],
  ["sum#scale#sum#time.duration.ns", 1],
  ["scale#sum#time.duration.ns", 1],
  ["sum#time.duration.ns", 1e-9],
  ["time.duration", 1],
  ["time.duration.ns", 1e-9],
];
const A_TRACES = 5;
/** Attributes of the stream itself, which describe no region. */
const OWN = /^(cali\.|starttime\.|spot\.|opts:|joulemark\.)/;

/** Content of a stream. */
export interface CaliView {
  readonly tables: readonly Table[];
  readonly notes: readonly string[];
  readonly tree: TreeNode | undefined;
  readonly records: number;
  readonly simulated?: string;
}

interface Branch {
  energyJ: number;
  timeS: number;
  count: number;
  /** Some of its visits have only a count: the known time and energy are a part. */
  isPart: boolean;
  readonly inside: Map<string, Branch>;
}

/** Reads streams; what cannot be read is counted. */
export function caliView(paths: readonly string[]): CaliView {
  const tree = new MergedTree();
  const root = branch();
  const shown: PlainRecord[] = [];
  const problems: string[] = [], cuts: string[] = [];
  let [count, energyName, time] = [0, "", TIMES[0]];
  let isKnown = false;
  for (const path of paths) {
    using file = UserFile.read(path);
    caliSource((into) => file.readSync(into), { wholeLines: true })(tree, {
      wants: () => true,
      node() {},
      problem(message, line) {
        const list = message === NO_END ? cuts : problems;
        list.push(`${path}:${line}: ${fromByteText(message)}`);
      },
      record(snapshot) {
        const record = plainRecord(tree, snapshot, fromByteText);
        if (++count < MAX_RECORDS) shown.push(record);
        const found = TIMES.find(([name]) => record[name] !== undefined);
        if (found === undefined) return;
        // One stream has one of them.
        if (!isKnown) {
          time = found;
          energyName = ENERGIES.find((name) => record[name] !== undefined) ?? "";
          isKnown = true;
        }
        add(root, pathOf(record), { record, time, energyName });
      },
    });
  }
  const globals = plainRecord(tree, tree.globals, fromByteText);
  const simulated = [...tree.attributes()].some(({ name }) => name === "joulemark.simulated");
  return {
    tables: [globalTable(globals), recordTable(shown, count)],
    notes: [
      ...problems.length === 0
        ? []
        : [`${problems.length} records could not be read, the first at ${problems[0]}`],
      ...cuts,
      ...foldedNote(globals, isTraces(time)),
    ],
    records: count,
    tree: root.inside.size === 0 ? undefined : nodeOf(paths[0], root, energyName !== ""),
    ...simulated ? { simulated: "simulated counters" } : {},
  };
}

/** A stream's text for visits that it has only as sums, a trace only as a count. */
function foldedNote(globals: PlainRecord, isTrace: boolean): string[] {
  const { [VISITS_FOLDED]: count, [FOLDED_THREADS]: threads } = globals;
  if (count === undefined) return [];
  const where = threads === undefined ? "" : ` (${cellOf(threads)})`;
  const kept = isTrace
    ? "their number is whole, their times are in the report alone"
    : "counts and times by path are exact";
  return [`${count} visits came too fast to be recorded in order: ${kept}${where}`];
}

function branch(): Branch {
  return { energyJ: 0, timeS: 0, count: 0, isPart: false, inside: new Map() };
}

/** Nested values from the root to the leaf, over all attributes that are nested. */
function pathOf(record: PlainRecord): string[] {
  return Object.values(record).filter((value) => Array.isArray(value)).flat().map(String);
}

function add(
  root: Branch,
  path: readonly string[],
  { record, time, energyName }: {
    record: PlainRecord;
    time: typeof TIMES[number];
    energyName: string;
  },
): void {
  let at = root;
  for (const region of path) at = at.inside.getOrInsertComputed(region, branch);
  const [name, unitS] = time, visits = record["region.count"];
  at.timeS += Number(record[name] ?? 0) * unitS;
  at.energyJ += Number(record[energyName] ?? 0);
  at.count += Number(visits ?? record["sum#rc.count"] ?? (isEnd(record) ? 1 : 0));
  if (visits !== undefined && isTraces(time) && !isEnd(record)) at.isPart = true;
}

function isTraces(time: typeof TIMES[number]): boolean {
  return TIMES.indexOf(time) >= A_TRACES;
}

/** The snapshot of a trace at the end of a region, which is still open in it. */
function isEnd(record: PlainRecord): boolean {
  for (const name in record) if (name.startsWith("event.end#")) return true;
  return false;
}

/** The regions of a trace; `undefined` for a stream whose records fit on a page. */
export function traceView(paths: readonly string[]): View | undefined {
  const { tree, records, notes, tables: [metadata], simulated } = caliView(paths);
  if (tree === undefined || records < MAX_RECORDS) return undefined;
  const hasEnergy = tree.energyJ !== null;
  const rows: (string | number)[][] = [];
  const visit = ({ name, count, timeS, energyJ, children = [] }: TreeNode, depth: number) => {
    const ownS = (timeS ?? NaN) - children.reduce((sum, child) => sum + (child.timeS ?? NaN), 0);
    // The unknown time of a part below is included in its own.
    const figures = [timeS ?? NaN, Number(Math.max(0, ownS).toPrecision(7))];
    if (hasEnergy) figures.push(energyJ ?? NaN);
    rows.push(["  ".repeat(depth) + name, count ?? "", ...figures]);
    const longest = children.toSorted((a, b) => (b.timeS ?? 0) - (a.timeS ?? 0));
    for (const child of longest) visit(child, depth + 1);
  };
  for (const child of tree.children ?? []) visit(child, 0);
  const figures = ["visits", "time (s)", "own time (s)", ...hasEnergy ? ["energy (J)"] : []];
  const regions: Table = {
    title: "Regions, including nested regions",
    columns: columnsOf("region", ...figures),
    rows,
  };
  const all = `${records} records: joulemark query -T FILE prints each`;
  return {
    tables: [regions, metadata],
    panels: [],
    notes: [...simulated === undefined ? [] : [simulated], ...notes, all],
  };
}

/** Node with everything inside it. */
function nodeOf(name: string, of: Branch, hasEnergy: boolean): TreeNode {
  const { count, isPart, inside } = of;
  const children = [...inside].map(([region, own]) => nodeOf(region, own, hasEnergy));
  const sum = (key: "energyJ" | "timeS") => Number(sumOf(of, key).toPrecision(7));
  return {
    name,
    energyJ: hasEnergy && !isPart ? sum("energyJ") : null,
    timeS: isPart ? null : sum("timeS"),
    ...count > 0 ? { count } : {},
    ...children.length > 0 ? { children } : {},
  };
}

function sumOf(of: Branch, key: "energyJ" | "timeS"): number {
  return [...of.inside.values()].reduce((sum, one) => sum + sumOf(one, key), of[key]);
}

function recordTable(records: readonly PlainRecord[], count: number): Table {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
    .filter((name) => !OWN.test(name));
  return {
    title: `Records: ${count}`,
    columns: names.map((name) => ({ name })),
    rows: records.map((record) => names.map((name) => cellOf(record[name]))),
  };
}

function globalTable(globals: PlainRecord): Table {
  return {
    title: "Metadata of the run",
    columns: columnsOf("attribute", "value"),
    rows: Object.entries(globals).map(([name, value]) => [name, String(cellOf(value))]),
  };
}

function cellOf(value: PlainRecord[string] | undefined): string | number {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(String).join("/");
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : String(value);
}
