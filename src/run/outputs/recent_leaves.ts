/**
 * Samples by innermost frame, for views of a run that goes on: each view gets those since its last question.
 * @module
 */
import type { FunctionsNow } from "../../marks/rings/answers.ts";
import type { Module } from "../../profile/modules.ts";
import type { SampleSeen } from "../../profile/profile.ts";
import type { StackTrie } from "../../profile/stack_trie.ts";

/** A view that asks no more within this time has ended, ns. */
const PATIENCE_NS = 60e9;
/** More addresses are one sum. */
const LEAVES_MOST = 2000;

/** Samples for one view. */
interface View {
  /** Time of the first sample after its last question; NaN: none came. */
  sinceNs: number;
  samples: number;
  /** By node of the tree. */
  readonly counts: Map<number, number>;
}

/** Counts samples while a view asks for them. */
export class RecentLeaves {
  readonly #trie: StackTrie;
  readonly #views = new Map<string, View>();
  /** A process of each module. */
  readonly #processes = new Map<number, number>();

  constructor(trie: StackTrie) {
    this.#trie = trie;
  }

  add({ node, process, timeNs }: Readonly<SampleSeen>): void {
    if (this.#views.size === 0) return;
    const module = this.#trie.module(node) >> 1;
    if (module >= 0 && !this.#processes.has(module)) this.#processes.set(module, process);
    for (const [name, view] of this.#views) {
      if (Number.isNaN(view.sinceNs)) view.sinceNs = timeNs;
      if (timeNs - view.sinceNs > PATIENCE_NS) this.#views.delete(name);
      view.samples++;
      view.counts.set(node, (view.counts.get(node) ?? 0) + 1);
    }
  }

  /** Samples since the last question of a view; its first question gets none. */
  take(view: string, hz: number, modules: readonly Module[]): FunctionsNow {
    const { samples, counts } = this.#views.get(view) ?? { samples: 0, counts: new Map() };
    this.#views.set(view, { sinceNs: NaN, samples: 0, counts: new Map() });
    const trie = this.#trie, byAddress = new Map<string, [number, number, number]>();
    for (const [node, count] of counts) {
      const module = trie.module(node), address = trie.address(node);
      const leaf = byAddress.getOrInsertComputed(
        `${module} ${address}`,
        () => [module, address, 0],
      );
      leaf[2] += count;
    }
    const leaves = [...byAddress.values()].sort(([, , a], [, , b]) => b - a).slice(0, LEAVES_MOST);
    const used = [...new Set(leaves.map(([module]) => module >> 1))].filter((module) =>
      module >= 0
    );
    return {
      hz,
      samples,
      modules: used.map((i) => {
        const { path, buildId, inode = 0, process } = modules[i];
        return [path, buildId, inode, process >= 0 ? process : this.#processes.get(i) ?? 0];
      }),
      leaves: leaves.map(([module, address, count]) => {
        const at = used.indexOf(module >> 1);
        return [at < 0 ? module : at * 2 + module % 2, address, count];
      }),
    };
  }
}
