/**
 * Groups of processes that means are over: processes belong together if they had started by the first step, as in
 * GEOPM, or if they have a region in common, directly or through other processes. The ranks of a job are one group,
 * so that a rank that never enters a region counts in its means. A script and its helpers with regions of their own
 * are groups of their own.
 * @module
 */
import { markingOf } from "./process_list.ts";
import type { TrackedProcess } from "./process.ts";
import type { RegionTable } from "./region_table.ts";

/** The groups of the processes of a run so far. */
export class ProcessGroups {
  /** Processes that marked anything, or had started by the first step. */
  readonly marking: readonly TrackedProcess[];
  readonly #table: RegionTable;
  /** By region: another one of its group, or itself. */
  readonly #parent: Int32Array;
  /** By first region of a group: its processes. */
  readonly #sizes: Int32Array;
  /** By process: the first of its regions; −1: it has none. */
  readonly #firsts = new Map<TrackedProcess, number>();

  constructor(processes: readonly TrackedProcess[], table: RegionTable) {
    this.marking = markingOf(processes);
    this.#table = table;
    this.#parent = Int32Array.from({ length: table.length }, (_, region) => table.first(region));
    this.#sizes = new Int32Array(table.length);
    let fromStart = -1;
    for (const process of this.marking) {
      let root = process.isFromStart ? fromStart : -1;
      process.forRegistered((region) => {
        const other = this.#rootOf(region);
        if (root < 0) root = other;
        else if (other !== root) this.#parent[other] = root;
      });
      this.#firsts.set(process, root);
      if (process.isFromStart) fromStart = root;
    }
    let everywhere = 0;
    for (const first of this.#firsts.values()) {
      if (first >= 0) this.#sizes[this.#rootOf(first)]++;
      else everywhere++;
    }
    // A process without a region counts as in GEOPM.
    for (let region = 0; region < this.#sizes.length; region++) this.#sizes[region] += everywhere;
  }

  /** Number of processes that the means of a region are over; at least 1. */
  sizeOf(region: number): number {
    return region < 0 ? Math.max(1, this.marking.length) : this.#sizes[this.#rootOf(region)] || 1;
  }

  /** Number of processes that the means of a region with a name are over. */
  sizeOfName(name: string): number {
    return this.sizeOf(this.#table.find(name));
  }

  /** Do the means of a region include the process? */
  includes(region: number, process: TrackedProcess): boolean {
    const first = this.#firsts.get(process) ?? -1;
    return first < 0 || this.#rootOf(first) === this.#rootOf(region);
  }

  #rootOf(region: number): number {
    const parent = this.#parent;
    let root = region;
    while (parent[root] !== root) root = parent[root] = parent[parent[root]];
    return root;
  }
}
