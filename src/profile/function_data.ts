/**
 * What outputs of functions are made from: of a live run, or of a recording.
 * @module
 */
import type { ProfileFacts, StackCost } from "./profile.ts";
import type { StackTrie } from "./stack_trie.ts";

/** A frame as outputs show it. */
export interface Frame {
  readonly name: string;
  /** What follows the name where it is not a called function of a file: `_[k]`, `_[g]`, `_[i]`. */
  readonly suffix: string;
  /** The module's number; −1: it has none. */
  readonly module: number;
  /** As the linker placed it; 0: it has none. */
  readonly address: number;
  /** Where the function begins, likewise. */
  readonly start: number;
  /** Where in the source the address is; absent: it is not known. */
  readonly file?: string;
  readonly line?: number;
}

/** A file with code, or the code that a process made. */
export interface FunctionModule {
  /** Empty: a process made it. */
  readonly path: string;
  readonly buildId: string;
  /** It has no unwind table that could be read. */
  readonly isWithoutTable: boolean;
}

/** All that was sampled. */
export interface FunctionData {
  readonly hz: number;
  readonly periodNs: number;
  readonly durationNs: number;
  readonly trie: StackTrie;
  readonly costs: readonly StackCost[];
  readonly modules: readonly FunctionModule[];
  readonly facts: ProfileFacts;
  /** The frames of a node, by what the tree has for it: a function, and those that were put into it. */
  frames(module: number, address: number): readonly Frame[];
}

/** The name of frames that stand for missing outer ones. */
export const CUT = "[…]";
/** Functions that nothing calls: a stack that ends there is complete. */
const OUTERMOST = new Set([
  ...["_start", "start_thread", "clone", "__clone", "clone3", "__clone3", "thread_start"],
  ...["runtime.goexit", "runtime.goexit.abi0", "runtime.mstart", "runtime.rt0_go"],
  "runtime.rt0_go.abi0",
]);

/** Frames from the outermost to that of a node. */
export function stackOf(
  { trie, frames: framesOf }: Pick<FunctionData, "trie" | "frames">,
  node: number,
): Frame[] {
  const frames = trie.path(node).flatMap((at) => framesOf(trie.module(at), trie.address(at)));
  const at = frames.findIndex(({ name }) => name === CUT);
  if (at >= 0 && OUTERMOST.has(frames[at + 1]?.name)) frames.splice(at, 1);
  return frames;
}
