/**
 * A node of tests/vectors/nodes as a tree in a temporary folder, read by the real host.
 *
 * @module
 */
import { MachineHost } from "../../src/os/host.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { Batch } from "../../src/sources/signals/batch.ts";
import { buildCatalogue, type Catalogue } from "../../src/sources/signals/catalogue.ts";
import type { Domain } from "../../src/core/machine/domain.ts";
import { memoryFolder } from "./register_files.ts";
import { advanceNodeTree, loadNode, type NodeFile, writeNodeTree } from "./node_tree.ts";

/** An open node. */
export interface NodeRun {
  readonly node: NodeFile;
  readonly root: string;
  readonly host: MachineHost;
  readonly catalogue: Catalogue;
  [Symbol.dispose](): void;
}

/** Writes the tree at frame 0 and opens it. */
export function openNode(name: string): NodeRun {
  const node = loadNode(name);
  const root = memoryFolder();
  writeNodeTree(root, node);
  const host = new MachineHost(root);
  const catalogue = buildCatalogue({ host, readers: READERS });
  return {
    node,
    root,
    host,
    catalogue,
    [Symbol.dispose]: () => Deno.removeSync(root, { recursive: true }),
  };
}

/** A signal at a domain instance. */
export type Wish = readonly [name: string, domain: Domain, index: number];

/** Values of the wishes at every frame, one batch over all of them. */
export function overFrames(run: NodeRun, wishes: readonly Wish[]): number[][] {
  using batch = new Batch(run.host.topology, run.catalogue);
  const handles = wishes.map(([name, domain, index]) => batch.pushSignal(name, domain, index));
  const series: number[][] = wishes.map(() => []);
  run.node.frames.forEach((frame, k) => {
    if (k > 0) advanceNodeTree(run.root, run.node, k);
    batch.read(frame.time);
    batch.settle();
    handles.forEach((handle, i) => series[i].push(batch.sample(handle)));
  });
  return series;
}

/** Differences of neighbours. */
export function deltas(values: readonly number[]): number[] {
  return values.slice(1).map((v, i) => v - values[i]);
}
