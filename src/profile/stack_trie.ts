/**
 * Stacks as a tree of frames: each node is a frame below its caller's.
 * @module
 */
import { grown } from "../core/grow.ts";

/** More stacks are not kept apart: deeper frames are left out. */
export const NODES_MOST: number = 1 << 22;
/** The node that all begin with. */
export const ROOT = 0;

/** The tree. A frame is a number of its module, and an address there. */
export class StackTrie {
  /** Nodes are numbers below it. */
  count = 1;
  #parents = new Int32Array(1024);
  #modules = new Int32Array(1024);
  #addresses = new Float64Array(1024);
  #table = new Int32Array(4096);

  parent(node: number): number {
    return this.#parents[node];
  }

  module(node: number): number {
    return this.#modules[node];
  }

  address(node: number): number {
    return this.#addresses[node];
  }

  /** The node of a frame below another one. */
  child(parent: number, module: number, address: number): number {
    let at = this.#placeOf(parent, module, address);
    for (;; at = (at + 1) & (this.#table.length - 1)) {
      const node = this.#table[at];
      if (node === 0) break;
      const isSame = this.#parents[node] === parent && this.#modules[node] === module &&
        this.#addresses[node] === address;
      if (isSame) return node;
    }
    if (this.count === NODES_MOST) return parent;
    const node = this.count++;
    if (node >= this.#parents.length) this.#grow();
    this.#parents[node] = parent;
    this.#modules[node] = module;
    this.#addresses[node] = address;
    this.#table[at] = node;
    if (this.count * 2 > this.#table.length) this.#rehash();
    return node;
  }

  /** Nodes from the outermost frame to this one. */
  path(node: number): number[] {
    const nodes: number[] = [];
    for (let at = node; at !== ROOT; at = this.#parents[at]) nodes.push(at);
    return nodes.reverse();
  }

  #placeOf(parent: number, module: number, address: number): number {
    const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(module + 7, 0x85ebca6b) ^
      Math.imul(address | 0, 0xc2b2ae35) ^ ((address / 4294967296) | 0);
    return (mixed ^ mixed >>> 15) & (this.#table.length - 1);
  }

  #grow(): void {
    this.#parents = grown(this.#parents);
    this.#modules = grown(this.#modules);
    this.#addresses = grown(this.#addresses);
  }

  #rehash(): void {
    const table = this.#table = new Int32Array(this.#table.length * 2);
    for (let node = 1; node < this.count; node++) {
      let at = this.#placeOf(this.#parents[node], this.#modules[node], this.#addresses[node]);
      while (table[at] !== 0) at = (at + 1) & (table.length - 1);
      table[at] = node;
    }
  }
}
