/**
 * Counters named after their events, as the job assembler of 2012–2020 names them.
 *
 * The columns of control registers go, and those of the counters take the names of what was
 * counted. That holds for a whole job only where every device of every host was programmed alike
 * from its first to its last sample: else the column is called ERROR. Mistakes of the assembler
 * that a migration would meet are kept, and documented where they are made.
 * @module
 */
import type { RawSchema } from "../../../../src/rawstats/format/schema.ts";
import { CONTROL_NAMES, type ControlNames, KNL_CONTROL_NAMES } from "./control_names.ts";

/** Counters per device and key on the common axis. */
export type JobTables = Record<string, Record<string, Record<string, bigint[]>>>;

const ERROR = "ERROR";
type Columns = Record<string, bigint[]>;

/** Renames in place. `schemas`: of the first host that has the type. */
export function nameControls2018(
  hosts: ReadonlyMap<string, JobTables>,
  schemas: ReadonlyMap<string, RawSchema>,
): void {
  for (const [type, names] of CONTROL_NAMES) {
    const schema = schemas.get(type);
    if (schema !== undefined) renameType(hosts, schema, names);
  }
  for (const type of KNL_CONTROL_NAMES.keys()) {
    const schema = schemas.get(type);
    if (schema !== undefined) splitKnl(hosts, schema);
  }
}

function renameType(
  hosts: ReadonlyMap<string, JobTables>,
  { type, keys }: RawSchema,
  names: ControlNames,
): void {
  const [first] = hosts.values();
  if (first === undefined) return;
  const controls: string[] = [], counters: string[] = [], fixed: string[] = [];
  for (const { name, kind } of keys) {
    if (kind !== "control") (name.includes("FIXED") ? fixed : counters).push(name);
    else if (!/GLOBAL|FIXED|OPCODE_MATCH/.test(name)) controls.push(name);
  }
  // a first host without the type: the assembler gives up, and leaves the others' devices empty
  const columns = type in first ? [...counters, ...fixed] : [];
  const events = controls.map((control) => eventOfJob(hosts, type, control, names.words));
  const titles = [...events, ...fixed.map((name, i) => names.fixed[i] ?? name)];
  for (const tables of hosts.values()) {
    if (!(type in tables)) continue;
    // titles and columns are paired by place alone, and of two with one title the last is seen
    const renamed = Object.entries(tables[type]).map(([name, device]) => {
      return [name, Object.fromEntries(columns.map((column, i) => [titles[i], device[column]]))];
    });
    tables[type] = Object.fromEntries(renamed);
  }
}

/** The event that one control register selects in the whole job. */
function eventOfJob(
  hosts: ReadonlyMap<string, JobTables>,
  type: string,
  control: string,
  words: ReadonlyMap<number, string>,
): string {
  let title: string | undefined;
  for (const tables of hosts.values()) {
    for (const device of Object.values(tables[type] ?? {})) {
      const [word] = device[control];
      const name = words.get(Number(word)) ?? String(word);
      title ??= name;
      // two words of one event are equal here, as long as each device keeps its own
      if (title !== name || device[control].some((w) => w !== word)) return ERROR;
    }
  }
  return title ?? ERROR;
}

/** Knights Landing: the PCI function of a device selects which unit counts, and with which events. */
function splitKnl(hosts: ReadonlyMap<string, JobTables>, { type, keys }: RawSchema): void {
  const units = KNL_CONTROL_NAMES.get(type)!;
  const controls = keys.filter((key) => key.kind === "control").map((key) => key.name);
  /** By the first device of each unit, for any programming of the others. */
  const titles = new Map<string, string[]>();
  for (const tables of hosts.values()) {
    if (!(type in tables)) return;
    const derived = new Map<string, [device: string, Columns][]>();
    for (const [device, columns] of Object.entries(tables[type])) {
      const unit = units.get(device.slice(device.lastIndexOf(".") + 1));
      if (unit === undefined) continue;
      // words of no event leave no column, and the next one takes the place
      const named: [title: string, counts: bigint[]][] = [];
      for (const control of controls) {
        const [word] = columns[control];
        const steady = columns[control].every((w) => w === word);
        const title = steady ? unit.words.get(Number(word)) : ERROR;
        const counts = columns[control.replace("CTL", "CTR")];
        if (title !== undefined && counts !== undefined) named.push([title, counts]);
      }
      const places = titles.getOrInsertComputed(unit.type, () => named.map(([title]) => title));
      const counts = named.slice(0, places.length).map(([, counts]) => counts);
      const columnsOf = Object.fromEntries(counts.map((c, i) => [places[i], c]));
      derived.getOrInsertComputed(unit.type, () => []).push([device, columnsOf]);
    }
    delete tables[type];
    for (const [name, devices] of derived) tables[name] = Object.fromEntries(devices);
  }
}
