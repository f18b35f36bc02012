/**
 * A node's registers as the register files that a tree may hold instead of JSON.
 *
 * @module
 */
import { frameOf, type NodeFile, writeNodeTree } from "./node_tree.ts";

/** Registers above this would make a sparse file of gigabytes. */
const HIGHEST = 0x2000;

/** Writes the tree with `dev/cpu/N/msr`, 8-byte words at 8 × register, in place of JSON. */
export function writeRegisterTree(root: string, node: NodeFile): void {
  writeNodeTree(root, node);
  for (const [cpu, values] of Object.entries(frameOf(node, 0).msr)) {
    const words = new BigUint64Array(HIGHEST);
    for (const [register, value] of Object.entries(values)) {
      if (Number(register) < HIGHEST) words[Number(register)] = BigInt(value);
    }
    Deno.removeSync(`${root}/dev/cpu/${cpu}/msr.json`);
    Deno.writeFileSync(`${root}/dev/cpu/${cpu}/msr`, new Uint8Array(words.buffer));
  }
}

/** A folder in memory, where there is one. */
export function memoryFolder(): string {
  try {
    return Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "joulemark-" });
  } catch {
    return Deno.makeTempDirSync({ prefix: "joulemark-" });
  }
}
