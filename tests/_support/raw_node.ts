/**
 * Nodes of tests/vectors/nodes as trees for the raw stats types: PCI configuration space included.
 *
 * @module
 */
import { loadNode, type NodeFile, writeNodeTree } from "./node_tree.ts";

/** A node description, with what only raw stats read. */
interface RawNodeFile extends NodeFile {
  pci_config: Record<string, { vendor: string; device: string; regs32: Record<string, string> }>;
}

const CONFIG_BYTES = 4096;

/** Loads a node by name. */
export function loadRawNode(name: string): RawNodeFile {
  return loadNode(name) as RawNodeFile;
}

/** Writes the whole tree at a frame. */
export function writeRawTree(root: string, node: RawNodeFile, frame: number): void {
  writeNodeTree(root, node, { frame });
  for (const [name, { vendor, device, regs32 }] of Object.entries(node.pci_config ?? {})) {
    const view = new DataView(new ArrayBuffer(CONFIG_BYTES));
    view.setUint16(0, Number(vendor), true);
    view.setUint16(2, Number(device), true);
    for (const [at, value] of Object.entries(regs32)) {
      view.setUint32(Number(at), Number(value), true);
    }
    const path = `${root}/proc/bus/pci/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(path, new Uint8Array(view.buffer));
  }
}
