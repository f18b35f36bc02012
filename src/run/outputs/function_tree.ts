/**
 * Stacks of functions as a tree for the page: times with all that a function calls, and energies where they are known.
 * @module
 */
import type { Column, PageFunctions } from "../../show/page/data.ts";
import { rowsWithMostTime } from "../../show/page/functions.ts";
import { ERROR_MOST, type SampledEnergy } from "../../energy/attribution/sampled_sum.ts";
import { type FunctionStack, isRegion, type LeafClasses } from "../../profile/function_data.ts";
import type { ComponentEnergies, LeafTimes } from "./function_energies.ts";
import type { HeldRegions } from "./held_regions.ts";

/** Nodes with less time are left out. Where there are more nodes, or longer names, those with most time stay. */
const SHARE_LEAST = 0.001, MAX_ROWS = 20_000, MAX_LETTERS = 4_000_000;
const DIGITS = 5;
const WAITING = "[not running]", OTHER_CPUS = "[other CPUs]";
const UNKNOWN: SampledEnergy = { energyJ: NaN, seJ: NaN, why: "a part of its time has no samples" };

/** Sources of the energies. */
interface TreeSources {
  readonly leaves: LeafClasses;
  readonly components: readonly ComponentEnergies[];
  readonly regions: HeldRegions;
}

interface Node {
  readonly name: string;
  readonly children: Map<string, Node>;
  ns: number;
  ownNs: number;
  /** By class of the leaf: all time, and own time, s. */
  readonly leafS: Map<number, number>;
  readonly ownS: Map<number, number>;
  /** By region that is here: the share of its time. */
  readonly waits: Map<number, number>;
  /** A region with others inside whose waiting time has no energy. */
  isPartial: boolean;
  /** All regions around, and this one last, if it is one. */
  readonly regions: readonly string[];
}

/** The tree, each node behind its caller; siblings by time. */
export function functionTree(
  stacks: readonly FunctionStack[],
  { leaves, components, regions }: TreeSources,
): PageFunctions {
  const root = nodeOf(""), shares = regionShares(stacks, regions);
  /** Number of nodes that a region has. */
  const nodesOf = new Map<string, number>();
  for (const { frames, ns, node } of stacks) {
    const leaf = leaves.of(node), around: string[] = [], above: Node[] = [];
    let at = root;
    add(root, leaf, ns);
    for (const frame of frames) {
      const full = frame.name + frame.suffix, isHere = isRegion(frame);
      if (isHere) around.push(frame.name);
      at = at.children.getOrInsertComputed(full, () => {
        const made = nodeOf(full, isHere ? [...around] : []), key = made.regions.join("\0");
        nodesOf.set(key, (nodesOf.get(key) ?? 0) + 1);
        return made;
      });
      add(at, leaf, ns);
      if (isHere || around.length === 0) above.push(at);
      if (!isHere) continue;
      const region = regions.named(around);
      if (region === undefined) {
        // Its energy is not known with the time that its threads waited.
        for (const one of above.slice(-around.length)) one.isPartial = true;
        continue;
      }
      // Threads that wait in a region are in the regions and processes around it, and in no function.
      const waiting = at.children.getOrInsertComputed(WAITING, () => nodeOf(WAITING));
      for (const { waits } of [...above, waiting]) {
        waits.set(region, (waits.get(region) ?? 0) + ns / shares[region]);
      }
    }
    at.ownNs += ns;
    if (leaf >= 0) at.ownS.set(leaf, (at.ownS.get(leaf) ?? 0) + ns / 1e9);
  }
  const all: Node[] = [], callers: number[] = [];
  const visit = (above: Node, place: number) => {
    for (const child of childrenByTime(above)) {
      if (child.ns < SHARE_LEAST * root.ns && child.waits.size === 0) continue;
      callers.push(place);
      visit(child, all.push(child) - 1);
    }
  };
  visit(root, -1);
  const kept = rowsWithMostTime(all.map(({ ns }) => ns), all.map(({ name }) => name), {
    rows: MAX_ROWS,
    letters: MAX_LETTERS,
  });
  const places = new Map(kept.map((row, i) => [row, i]));
  const nodes = kept.map((row) => all[row]);
  const parent = kept.map((row) => places.get(callers[row]) ?? -1);
  const energies = (of: (component: ComponentEnergies, node: Node) => SampledEnergy) =>
    components.map((component) => nodes.map((node) => of(component, node)));
  /** Energy of a region by its annotations. This is also known where the energy of a part is not. */
  const markedOf = (component: ComponentEnergies, { regions: names }: Node) => {
    const isWhole = names.length > 0 && nodesOf.get(names.join("\0")) === 1;
    return isWhole ? regions.whole(names, component.kind) : undefined;
  };
  /** Regions right inside a process with waiting time that has no energy of its own, by their annotations. */
  const partialIn = (component: ComponentEnergies, { children }: Node) =>
    children.values().filter(({ isPartial }) => isPartial).flatMap((child) => {
      const marked = markedOf(component, child);
      return marked === undefined ? [] : [{ child, marked }];
    }).toArray();
  const totals = energies((component, node) => {
    const { leafS, waits, isPartial } = node, marked = markedOf(component, node);
    if (marked !== undefined) return marked;
    const isKnown = !isPartial && leafS.size + waits.size > 0;
    if (!isKnown) return UNKNOWN;
    const inside = partialIn(component, node);
    if (inside.length === 0) return component.sum([...leafS], [...waits]);
    const beside = new Map(leafS), waiting = new Map(waits);
    for (const { child } of inside) {
      take(beside, child.leafS);
      take(waiting, child.waits);
    }
    const rest = component.sum([...beside], [...waiting]);
    return determined(inside.reduce((sum, { marked }) => plus(sum, marked), rest));
  });
  const own = energies((component, node) =>
    node.name === WAITING ? component.sum([], [...node.waits]) : ownEnergy(component, node, leaves)
  );
  const hasOthers = components.some(({ otherCpusJ }) => otherCpusJ > 0);
  const rests = components.map((component) => {
    const others = { energyJ: component.otherCpusJ, seJ: 0, why: undefined };
    const inside = [...root.children.values()].flatMap((process) => partialIn(component, process));
    const all = component.sum([], [[0, 1]]);
    const waiting = inside.length === 0 ? all : determined(
      inside.reduce((sum, { child, marked }) => {
        const { energyJ } = component.sum([...child.leafS], [...child.waits]);
        return plus(sum, { ...marked, energyJ: energyJ - marked.energyJ });
      }, all),
    );
    return hasOthers ? [waiting, others] : [waiting];
  });
  const restNames = components.length === 0 ? [] : hasOthers ? [WAITING, OTHER_CPUS] : [WAITING];
  const columns = (rows: SampledEnergy[][], of: (energy: SampledEnergy) => number): Column[] =>
    rows.map((column, i) => {
      return column.concat(rests[i]).map((energy) =>
        energy.why === undefined ? short(of(energy)) : null
      );
    });
  return {
    components: components.map(({ kind }) => kind),
    name: nodes.map(({ name }) => name).concat(restNames),
    parent: parent.concat(restNames.map(() => -1)),
    rest: nodes.length,
    time_s: times(nodes.map(({ ns }) => ns), restNames.length),
    own_time_s: times(nodes.map(({ ownNs }) => ownNs), restNames.length),
    energy_j: columns(totals, ({ energyJ }) => energyJ),
    se_j: columns(totals, ({ seJ }) => seJ),
    own_energy_j: columns(own, ({ energyJ }) => energyJ),
  };
}

function childrenByTime({ children }: Node): Node[] {
  return [...children.values()].sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1));
}

function nodeOf(name: string, regions: readonly string[] = []): Node {
  return {
    name,
    regions,
    children: new Map(),
    ns: 0,
    ownNs: 0,
    leafS: new Map(),
    ownS: new Map(),
    waits: new Map(),
    isPartial: false,
  };
}

function add(node: Node, leaf: number, ns: number): void {
  node.ns += ns;
  if (leaf >= 0) node.leafS.set(leaf, (node.leafS.get(leaf) ?? 0) + ns / 1e9);
}

/** Takes a part of times, or of shares, away. */
function take(from: Map<number, number>, part: ReadonlyMap<number, number>): void {
  for (const [key, value] of part) from.set(key, Math.max(0, from.get(key)! - value));
}

function plus(a: SampledEnergy, b: SampledEnergy): SampledEnergy {
  return { ...a, energyJ: a.energyJ + b.energyJ, seJ: Math.hypot(a.seJ, b.seJ) };
}

/** A sum, if its error is small enough. */
function determined(sum: SampledEnergy): SampledEnergy {
  return sum.seJ <= ERROR_MOST * sum.energyJ ? { ...sum, why: undefined } : UNKNOWN;
}

/** Energy of a node without its callees: known where that of its function is. */
function ownEnergy(
  component: ComponentEnergies,
  { ownS, ownNs }: Node,
  leaves: LeafClasses,
): SampledEnergy {
  const parts: LeafTimes = [...ownS];
  if (ownS.size === 0 && ownNs > 0) return UNKNOWN;
  const unknown = parts.map(([leaf]) => component.own([[leaf, leaves.timeS[leaf]]]).why)
    .find((why) => why !== undefined);
  return Object.assign(component.sum(parts), { why: unknown });
}

/** By region: time of all stacks in it and in those inside it, ns. */
function regionShares(stacks: readonly FunctionStack[], regions: HeldRegions): Float64Array {
  const out = new Float64Array(regions.count);
  for (const { frames, ns } of stacks) {
    const around: string[] = [];
    for (const { name } of frames.filter(isRegion)) {
      around.push(name);
      const region = regions.named(around);
      if (region !== undefined) out[region] += ns;
    }
  }
  return out;
}

/** Seconds, and null for rows that are no functions. */
function times(ns: number[], rests: number): Column {
  const seconds: Column = ns.map((value) => short(value / 1e9));
  return seconds.concat(new Array(rests).fill(null));
}

function short(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
