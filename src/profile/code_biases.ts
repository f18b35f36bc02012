/**
 * Differences between addresses in a process and those that the linker gave, by file with code.
 * @module
 */
import type { Profile, SampleSeen } from "./profile.ts";
import { NODES_MOST, ROOT } from "./stack_trie.ts";

/** More modules than any process has. */
const MODULES_MOST = 1 << 24;

/** Biases of what was sampled. */
export class CodeBiases {
  /** All of them, in the order in which samples needed them. */
  readonly all: (readonly [process: number, module: number, bias: number])[] = [];
  readonly #known = new Map<number, number>();
  /** Stacks of processes whose modules are known. */
  readonly #stacks = new Set<number>();

  /** Takes the modules of a sample, while its process has them. */
  note(profile: Profile, { process, node }: Readonly<SampleSeen>): void {
    const { trie } = profile, space = profile.processes.known(process)?.space;
    for (let at = node; at !== ROOT; at = trie.parent(at)) {
      const stack = process * NODES_MOST + at, module = trie.module(at) >> 1;
      if (this.#stacks.has(stack)) return;
      this.#stacks.add(stack);
      if (module >= 0) this.set(process, module, space?.biasOf(module) ?? 0);
    }
  }

  /** Sets a bias; the first one of a process and module counts. */
  set(process: number, module: number, bias: number): void {
    const key = process * MODULES_MOST + module;
    if (this.#known.has(key)) return;
    this.#known.set(key, bias);
    this.all.push([process, module, bias]);
  }

  /** The bias; 0: it is not known. */
  of(process: number, module: number): number {
    return this.#known.get(process * MODULES_MOST + module) ?? 0;
  }
}
