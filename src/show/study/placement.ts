/**
 * Places of nodes in a machine, and the placements of a job that M. Bareford (2015), section 5,
 * would compare: all nodes in one chassis (the network of rank 1), halves in two chassis of a group
 * (rank 2), halves in two groups (rank 3).
 *
 * Places come from names: a Cray XC's cnames `c0-0c1s7n3` (cabinet 0-0, chassis 1), whose groups
 * are pairs of cabinets in a row; an EX's xnames `x1000c3s4b0n1` (cabinet 1000, chassis 3), whose
 * groups are taken to be cabinets. Or from a file: a table with a node's name and its cname or
 * xname in each line, or Slurm's topology (`scontrol show topology`, topology.conf), whose lowest
 * switches stand for chassis and those above them for groups.
 * @module
 */
import { expandHosts } from "../../core/host_list.ts";
import { UsageError } from "../../core/errors.ts";

/** Place of a node. */
export interface Place {
  readonly group: string;
  /** Within all, not within its group. */
  readonly chassis: string;
}

/** Nodes for one run. */
export interface Scenario {
  readonly name: string;
  readonly nodes: readonly string[];
  /** Chassis or groups that they are in. */
  readonly where: string;
}

/** Scenarios that can be compared, and the reasons against the others. */
export interface Placements {
  readonly scenarios: readonly Scenario[];
  readonly missing: readonly string[];
}

const CNAME = /^c([0-9]+)-([0-9]+)c([0-9]+)s[0-9]+(?:n[0-9]+)?$/;
const XNAME = /^x([0-9]+)c([0-9]+)s[0-9]+b[0-9]+(?:n[0-9]+)?$/;
/** Cabinets of a row that make a group of an XC. */
const XC_CABINETS = 2;

/** The place in a name; `undefined`: none. */
export function placeOf(name: string): Place | undefined {
  const xc = CNAME.exec(name);
  if (xc !== null) {
    const [, cabinet, row, chassis] = xc;
    const group = `${Math.floor(Number(cabinet) / XC_CABINETS)}-${row}`;
    return { group, chassis: `c${cabinet}-${row}c${chassis}` };
  }
  const ex = XNAME.exec(name);
  if (ex === null) return undefined;
  return { group: `x${ex[1]}`, chassis: `x${ex[1]}c${ex[2]}` };
}

/**
 * Places by node out of a table or Slurm's topology.
 *
 * @throws {UsageError} If nothing in it is either.
 */
export function parseTopology(text: string, path: string): Map<string, Place> {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  const switches = lines.map(parseSwitch).filter((one) => one !== undefined);
  const places = switches.length > 0 ? placesOfSwitches(switches) : placesOfTable(lines);
  if (places.size > 0) return places;
  throw new UsageError({
    action: "read the location of nodes from",
    target: path,
    expected: 'lines with a node and its cname or xname, or the output of "scontrol show topology"',
    found: "none",
  });
}

interface Switch {
  readonly name: string;
  readonly nodes: readonly string[];
  readonly below: readonly string[];
}

function parseSwitch(line: string): Switch | undefined {
  const value = (key: string) => new RegExp(`(?:^|\\s)${key}=(\\S+)`, "i").exec(line)?.[1];
  const name = value("SwitchName");
  if (name === undefined) return undefined;
  const [nodes, below] = [value("Nodes"), value("Switches")];
  const list = (text: string | undefined) => {
    return text === undefined || text === "(null)" ? [] : expandHosts(text);
  };
  return { name, nodes: list(nodes), below: list(below) };
}

function placesOfSwitches(switches: readonly Switch[]): Map<string, Place> {
  const groups = new Map<string, string>();
  for (const { name, below } of switches) {
    for (const child of below) groups.set(child, groups.get(child) ?? name);
  }
  const places = new Map<string, Place>();
  for (const { name, nodes, below } of switches) {
    // `scontrol show topology` lists a switch's nodes for those above it too.
    if (below.length > 0) continue;
    for (const node of nodes) places.set(node, { group: groups.get(name) ?? name, chassis: name });
  }
  return places;
}

function placesOfTable(lines: readonly string[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const line of lines) {
    const words = line.split(/[\s,|]+/);
    const at = words.findIndex((word) => placeOf(word) !== undefined);
    if (at < 0) continue;
    const place = placeOf(words[at])!;
    places.set(words[at], place);
    const name = words.find((word, i) => i !== at && /^[A-Za-z]/.test(word)) ??
      words.find((word, i) => i !== at && /^[0-9]+$/.test(word));
    if (name === undefined) continue;
    // Tables of an XC number nodes; its hosts are called nid00012.
    places.set(/^[0-9]+$/.test(name) ? `nid${name.padStart(5, "0")}` : name, place);
  }
  return places;
}

/**
 * The three placements of so many nodes.
 *
 * @param nodes That may be used.
 * @param count Even where it is more than 1, for the halves.
 */
export function placementsOf(
  nodes: readonly string[],
  places: ReadonlyMap<string, Place>,
  count: number,
): Placements {
  const known = nodes.flatMap((node) => {
    const place = places.get(node) ?? placeOf(node);
    return place === undefined ? [] : [{ node, ...place }];
  });
  const byChassis = [...Map.groupBy(known, ({ chassis }) => chassis)].map(([chassis, list]) => ({
    chassis,
    group: list[0].group,
    nodes: list.map(({ node }) => node),
  }));
  const half = count / 2;
  const scenarios: Scenario[] = [];
  const missing: string[] = [];
  const one = byChassis.find((chassis) => chassis.nodes.length >= count);
  if (one === undefined) missing.push(`one chassis: no chassis has ${count} of the nodes`);
  else {
    const nodes = one.nodes.slice(0, count);
    scenarios.push({ name: "one chassis", nodes, where: one.chassis });
  }
  const halves = byChassis.filter((chassis) => chassis.nodes.length >= half);
  for (const [name, isOneGroup] of [["two chassis", true], ["two groups", false]] as const) {
    const pair = halves.flatMap((a, i) => {
      const b = halves.slice(i + 1).find(({ group }) => (a.group === group) === isOneGroup);
      return b === undefined ? [] : [[a, b]];
    })[0];
    if (pair === undefined) {
      const where = isOneGroup ? "a group" : "two groups";
      missing.push(`${name}: no two chassis of ${where} have ${half} of the nodes each`);
      continue;
    }
    const nodes = pair.flatMap((chassis) => chassis.nodes.slice(0, half));
    scenarios.push({ name, nodes, where: pair.map(({ chassis }) => chassis).join(" + ") });
  }
  return { scenarios, missing };
}
