/**
 * Groups of lanes: lanes whose CPUs overlap, directly or through others, share the CPUs of their group.
 * @module
 */

/** A group of lanes: its CPUs, and its living lanes. */
export interface Group {
  readonly cpus: Int32Array;
  readonly lanes: readonly number[];
}

/** The living lanes of a node, by their CPUs. */
export class Groups {
  /** By lane: its CPUs. */
  readonly #cpus = new Map<number, Int32Array>();
  readonly #root: Int32Array;

  constructor(cpuCount: number) {
    this.#root = new Int32Array(cpuCount);
  }

  /** A lane lives, and may use these CPUs; those that the node does not have do not count. */
  set(lane: number, cpus: Int32Array): void {
    const count = this.#root.length, isKnown = cpus.every((cpu) => cpu >= 0 && cpu < count);
    this.#cpus.set(lane, isKnown ? cpus : cpus.filter((cpu) => cpu >= 0 && cpu < count));
  }

  /** @returns Did it live? */
  delete(lane: number): boolean {
    return this.#cpus.delete(lane);
  }

  /** The groups now. */
  list(): Group[] {
    const root = this.#root.fill(-1);
    const find = (cpu: number): number => {
      while (root[cpu] !== cpu) cpu = root[cpu] = root[root[cpu]];
      return cpu;
    };
    for (const cpus of new Set(this.#cpus.values())) {
      for (let i = 0; i < cpus.length; i++) {
        if (root[cpus[i]] < 0) root[cpus[i]] = cpus[i];
        if (i > 0) root[find(cpus[i])] = find(cpus[0]);
      }
    }
    const groups = new Map<number, { cpus: number[]; lanes: number[] }>();
    for (let cpu = 0; cpu < root.length; cpu++) {
      if (root[cpu] < 0) continue;
      groups.getOrInsertComputed(find(cpu), () => ({ cpus: [], lanes: [] })).cpus.push(cpu);
    }
    for (const [lane, cpus] of this.#cpus) {
      if (cpus.length > 0) groups.get(find(cpus[0]))!.lanes.push(lane);
    }
    return [...groups.values()].map(({ cpus, lanes }) => ({ cpus: Int32Array.from(cpus), lanes }));
  }
}
