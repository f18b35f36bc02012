/**
 * Writes a frame of a node description in tests/vectors/nodes as a tree for `--root`.
 *
 * @module
 */

/** Shape of tests/vectors/nodes/*.json. */
export interface NodeFile {
  name: string;
  hostname: string;
  kernel: { release: string; version: string; machine: string };
  topology: { sockets: number; cores_per_socket: number; cpus: number };
  cpuid?: {
    leaves: Record<string, number[]>;
    per_cpu_leaves?: Record<string, Record<string, number[]>>;
  };
  tree: Record<string, string>;
  modes: Record<string, string>;
  owners: Record<string, number>;
  symlinks: Record<string, string>;
  statfs: Record<string, Record<string, number>>;
  msr?: { per_cpu: Record<string, Record<string, string>> };
  frames: {
    time: number;
    tree: Record<string, string>;
    msr: Record<string, Record<string, string>>;
  }[];
  // deno-lint-ignore no-explicit-any
  truth: any;
}

/** Names of the six nodes. */
export const NODES = [
  "amd-epyc-rome-2s",
  "cray-ex-trento-4gpu",
  "cray-xc30-ivb",
  "intel-skx-2s",
  "nvidia-grace-2s",
  "vm-no-energy",
] as const;

/** Loads a node description. */
export function loadNode(name: string): NodeFile {
  const url = new URL(`../vectors/nodes/${name}.json`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url)) as NodeFile;
}

/** Files and registers of a node at a frame: the base and all changes up to it. */
export function frameOf(node: NodeFile, frame: number): {
  tree: Record<string, string>;
  msr: Record<string, Record<string, string>>;
} {
  const tree = { ...node.tree };
  const msr: Record<string, Record<string, string>> = {};
  for (const [cpu, values] of Object.entries(node.msr?.per_cpu ?? {})) msr[cpu] = { ...values };
  for (const change of node.frames.slice(1, frame + 1)) {
    Object.assign(tree, change.tree);
    for (const [cpu, values] of Object.entries(change.msr)) Object.assign(msr[cpu], values);
  }
  return { tree, msr };
}

function write(path: string, content: string | Uint8Array): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  // Beside and renamed, as whoever keeps a tree alive should do it.
  const beside = `${path}.new`;
  if (typeof content === "string") Deno.writeTextFileSync(beside, content);
  else Deno.writeFileSync(beside, content);
  Deno.renameSync(beside, path);
}

/**
 * Writes the whole tree at a frame.
 *
 * @param only Writes paths that this accepts alone. @default all
 */
export function writeNodeTree(
  root: string,
  node: NodeFile,
  { frame = 0, only = () => true }: { frame?: number; only?: (path: string) => boolean } = {},
): void {
  const { tree, msr } = frameOf(node, frame);
  for (const [path, content] of Object.entries(tree)) {
    if (only(path)) write(root + path, content);
  }
  for (const [path, target] of Object.entries(node.symlinks)) {
    if (!only(path)) continue;
    Deno.mkdirSync((root + path).slice(0, (root + path).lastIndexOf("/")), { recursive: true });
    try {
      Deno.symlinkSync(target, root + path);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  for (const [cpu, values] of Object.entries(msr)) {
    write(`${root}/dev/cpu/${cpu}/msr.json`, JSON.stringify(values));
  }
  writeCpuid(root, node);
  const kernel: Record<string, string> = {
    hostname: node.hostname,
    ostype: "Linux",
    osrelease: node.kernel.release,
    version: node.kernel.version,
    arch: node.kernel.machine,
  };
  for (const [name, value] of Object.entries(kernel)) {
    write(`${root}/proc/sys/kernel/${name}`, value + "\n");
  }
  const { statfs, modes } = node;
  // Files that are not for everybody belong to whoever runs the test, who then reads them all.
  const closed = Object.keys(modes).map((path) => [path, Deno.uid()]);
  const owners = { ...node.owners, ...Object.fromEntries(closed) };
  const time = node.frames[frame].time;
  write(`${root}/.root.json`, JSON.stringify({ statfs, owners, modes, time }));
}

function writeCpuid(root: string, node: NodeFile): void {
  if (node.cpuid === undefined) return;
  for (let cpu = 0; cpu < node.topology.cpus; cpu++) {
    const leaves: Record<string, number[]> = {};
    for (const [leaf, value] of Object.entries(node.cpuid.leaves)) {
      leaves[leaf.includes(".") ? leaf : `${leaf}.0`] = value;
    }
    Object.assign(leaves, node.cpuid.per_cpu_leaves?.[String(cpu)] ?? {});
    write(`${root}/dev/cpu/${cpu}/cpuid.json`, JSON.stringify(leaves));
  }
}

/** Writes what changes from the frame before to this one, and nothing else. */
export function advanceNodeTree(root: string, node: NodeFile, frame: number): void {
  const change = node.frames[frame];
  for (const [path, content] of Object.entries(change.tree)) write(root + path, content);
  const { msr } = frameOf(node, frame);
  for (const cpu of Object.keys(change.msr)) {
    write(`${root}/dev/cpu/${cpu}/msr.json`, JSON.stringify(msr[cpu]));
  }
}
