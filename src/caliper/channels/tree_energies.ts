/**
 * Energies of aggregated rows as the report's tree has them.
 *
 * A channel measures at every mark and shares a counter's growth out evenly over time, which mixes
 * short regions. If the run has a fit, the rows of a path get its energy instead, each in
 * proportion to what was measured: what processes and other keys of the rows differ by stays. A row
 * without a measurement (a thread beside the one that reads the counters) gets its part by time.
 * What a channel does not see (calls of libraries) counts with the region around it, and what the tree
 * cannot show (nested visits that came folded beside others in order) counts with it as measured.
 * @module
 */
import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";
import { TYPE } from "../model/variant.ts";
import { ENERGY_SIGNALS } from "../../core/job_totals.ts";
import { type PathTable, ROOT } from "../../core/path_stats.ts";
import {
  ENERGY_KINDS,
  type EnergyKind,
  type PathEnergies,
  reportedJoules,
  type RunTree,
} from "../../core/region_tree.ts";

/** A run's energies of its paths at its end. */
export interface TreeSource {
  readonly paths: PathTable;
  readonly energies: PathEnergies;
  /** The report's tree; `undefined`: no region was marked. */
  readonly tree: RunTree | undefined;
  /** Came a path's visits folded, so that the tree has no energy of them alone? */
  isFolded(path: number): boolean;
}

/** Rows that the tree has one energy of. */
interface Group {
  /** Measured energy of the group's rows, J, and the number of these rows. */
  joules: number;
  rows: number;
  /** Time of those without a measurement, ns. */
  silentNs: number;
  silent: number;
  /** Energy that the rows should have, J; `undefined`: the tree has none for them. */
  wanted: number | undefined;
}

const KEY_SEPARATOR = "\0";
/** Time of a row, for rows without a measurement. */
const TIME = "sum#time.duration.ns";

/** The rows of one channel: first all are gathered, then each is set right. */
export class TreeEnergies {
  readonly #tree: ContextTree;
  readonly #time: number;
  readonly #kinds: readonly (readonly [attribute: number, kind: EnergyKind])[];
  /** By kind and by the regions of a row. */
  readonly #groups = new Map<EnergyKind, Map<string, Group>>();
  /** The rows whose energies go together have one key. */
  #grouped: ReadonlyMap<string, string> = new Map();
  readonly #keys = new Map<number, string>();

  constructor(tree: ContextTree, source: TreeSource, rows: readonly Snapshot[]) {
    this.#tree = tree;
    this.#time = tree.attributeByName(TIME);
    this.#kinds = ENERGY_KINDS.flatMap((kind) => {
      const id = tree.attributeByName(`sum#${ENERGY_SIGNALS[kind]}`);
      return id === NONE || !source.energies.kinds.includes(kind) ? [] : [[id, kind] as const];
    });
    if (this.#kinds.length === 0) return;
    const seen = new Set(rows.map((row) => this.#keyOf(row)));
    // Rows without a path as key are the whole run's.
    if (seen.size < 2) return;
    const family = new Families(source, seen);
    this.#grouped = family.grouped;
    for (const [attribute, kind] of this.#kinds) {
      const groups = new Map<string, Group>();
      for (const row of rows) this.#gather(row, attribute, groups);
      for (const [key, joules] of family.wanted(kind)) {
        const group = groups.get(key);
        if (group !== undefined) group.wanted = joules;
      }
      this.#groups.set(kind, groups);
    }
  }

  /** Sets the energies of a row. */
  apply(row: Snapshot): void {
    const key = this.#groupOf(row);
    for (const [attribute, kind] of this.#kinds) {
      const group = this.#groups.get(kind)?.get(key);
      if (group?.wanted === undefined) continue;
      const { wanted, joules, rows, silent, silentNs } = group;
      const at = row.indexOf(attribute);
      if (at >= 0) {
        row.num[at] = joules > 0 ? row.num[at] * (wanted / joules) : wanted / rows;
        row.type[at] = TYPE.double;
      } else if (rows === 0 && key !== "") {
        const part = silentNs > 0 ? this.#timeOf(row) / silentNs : 1 / silent;
        row.pushNumber(attribute, TYPE.double, wanted * part);
      }
    }
  }

  #gather(row: Snapshot, attribute: number, groups: Map<string, Group>): void {
    const key = this.#groupOf(row), at = row.indexOf(attribute);
    const group = groups.getOrInsertComputed(key, () => {
      return { joules: 0, rows: 0, silent: 0, silentNs: 0, wanted: undefined };
    });
    if (at >= 0 && Number.isFinite(row.num[at])) {
      group.joules += row.num[at];
      group.rows++;
    } else {
      group.silent++;
      group.silentNs += this.#timeOf(row);
    }
  }

  #timeOf(row: Snapshot): number {
    const at = this.#time === NONE ? -1 : row.indexOf(this.#time);
    return at >= 0 && row.num[at] > 0 ? row.num[at] : 0;
  }

  #groupOf(row: Snapshot): string {
    const key = this.#keyOf(row);
    return this.#grouped.get(key) ?? key;
  }

  /** The regions that a row stands for, the outermost first. */
  #keyOf(row: Snapshot): string {
    for (let i = 0; i < row.count; i++) {
      if (row.immediate[i] === 1) continue;
      const key = this.#pathOf(row.node[i]);
      if (key !== "") return key;
    }
    return "";
  }

  #pathOf(node: number): string {
    const known = this.#keys.get(node);
    if (known !== undefined) return known;
    const names: string[] = [];
    for (let id = node; id !== NONE; id = this.#tree.parentOf[id]) {
      const attribute = this.#tree.attributeOf[id];
      if (attribute !== NONE && this.#tree.isNested(attribute)) names.push(this.#tree.textOf(id));
    }
    const key = names.reverse().join(KEY_SEPARATOR);
    this.#keys.set(node, key);
    return key;
  }
}

/** The paths for which a channel has rows, and those of them that the tree distinguishes. */
class Families {
  readonly #source: TreeSource;
  /** By path: the one whose energy is in the tree, itself or a parent. */
  readonly #shownBy: number[] = [];
  /** By path: the rows that its energy goes to. */
  readonly #key: string[] = [];
  /** Rows of paths without an energy of their own, by the path that they count with. */
  readonly grouped = new Map<string, string>();

  constructor(source: TreeSource, seen: ReadonlySet<string>) {
    this.#source = source;
    const { paths } = source;
    for (let path = 0; path < paths.length; path++) {
      const parent = paths.parent(path);
      // The outermost regions are always recorded in order.
      const isShown = parent <= ROOT || !source.isFolded(path);
      this.#shownBy.push(isShown ? path : this.#shownBy[parent]);
      const names = paths.names(this.#shownBy[path]);
      while (names.length > 0 && !seen.has(names.join(KEY_SEPARATOR))) names.pop();
      this.#key.push(names.join(KEY_SEPARATOR));
      const own = paths.names(path).join(KEY_SEPARATOR);
      if (own !== this.#key[path] && seen.has(own)) this.grouped.set(own, this.#key[path]);
    }
  }

  /**
   * Energy by rows, with unseen paths inside them. A path's own is what the tree
   * shows of it with all inside it, less what it shows of each of those: so the rows below a path add
   * up to what the tree shows.
   */
  wanted(kind: EnergyKind): Map<string, number> {
    const { paths, energies, tree } = this.#source;
    const rows = new Map(tree?.pathOf.map((path, at) => [path, tree.rows[at].energies]));
    if (tree !== undefined) rows.set(ROOT, tree.unmarked);
    const families: number[][] = Array.from({ length: paths.length }, (_, path) => [path]);
    // A parent has a smaller number than its children.
    for (let path = paths.length - 1; path > ROOT; path--) {
      const parent = paths.parent(path);
      if (parent > ROOT) families[parent].push(...families[path]);
    }
    const wanted = new Map<string, number>();
    const add = (path: number, joules: number) => {
      const key = this.#key[path];
      wanted.set(key, (wanted.get(key) ?? 0) + joules);
    };
    for (let path = 0; path < paths.length; path++) {
      if (this.#shownBy[path] !== path) continue;
      const { fitJ, exactJ } = energies.of(kind, families[path]);
      const row = rows.get(path)?.get(kind);
      // Paths with little time have no row.
      const shown = row !== undefined ? reportedJoules(row) : Number.isNaN(fitJ) ? exactJ : fitJ;
      add(path, shown);
      if (paths.parent(path) > ROOT) add(this.#shownBy[paths.parent(path)], -shown);
    }
    // If one of two cannot be determined, the difference may be below 0 by its error.
    for (const [key, joules] of wanted) if (joules < 0) wanted.set(key, 0);
    return wanted;
  }
}
