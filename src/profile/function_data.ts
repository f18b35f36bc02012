/**
 * Data of a profile for outputs, from a live run or a recording.
 * @module
 */
import { baseName } from "../core/names.ts";
import type { StackCost } from "./profile.ts";
import type { ProfileFacts } from "./profile_facts.ts";
import type { SamplingEvent } from "./records.ts";
import type { StackTrie } from "./stack_trie.ts";
import { OUTERMOST } from "./unwind.ts";

/** A frame as outputs show it. */
export interface Frame {
  readonly name: string;
  /** Suffix of frames that are not called functions of a file: `_[k]`, `_[g]`, `_[i]`. */
  readonly suffix: string;
  /** The module's number; −1: it has none. */
  readonly module: number;
  /** Address that the linker gave, in the kernel less its base; 0: none. */
  readonly address: number;
  /** Start of the function, likewise. */
  readonly start: number;
  /** File of the source; absent: not known. */
  readonly file?: string;
  readonly line?: number;
}

/** A file with code, or the code that a process made. */
export interface FunctionModule {
  /** Empty: a process made it. */
  readonly path: string;
  readonly buildId: string;
  /** True if no unwind table could be read. */
  readonly isWithoutTable: boolean;
}

/** The last part of a module's path. */
export function fileName({ path }: Pick<FunctionModule, "path">): string {
  return baseName(path.replace(/ \(deleted\)$/, ""));
}

/** All that was sampled. */
export interface FunctionData {
  readonly event: SamplingEvent;
  readonly hz: number;
  readonly periodNs: number;
  readonly durationNs: number;
  readonly trie: StackTrie;
  readonly costs: readonly StackCost[];
  /** Time off the CPU by stack; samples are the times that a thread left there. */
  readonly off: readonly StackCost[];
  readonly modules: readonly FunctionModule[];
  readonly facts: ProfileFacts;
  /** The frames of a node, by what the tree has for it: a function, and those that were put into it. */
  frames(module: number, address: number): readonly Frame[];
}

/** A stack of functions, and what it took without those above it. */
export interface FunctionStack {
  /** The process first, the innermost function last. */
  readonly frames: readonly Frame[];
  readonly ns: number;
  readonly samples: number;
  /** Part of the time that is of brief threads, ns. */
  readonly briefNs: number;
  /** Node of the tree. */
  readonly node: number;
}

/** Classes of leaves. */
export interface LeafClasses {
  readonly count: number;
  /** Classes of one function each come first; the others have the rest of a region. */
  readonly separate: number;
  /** CPU time, s, and the part of it that is of brief threads. */
  readonly timeS: Float64Array;
  readonly briefS: Float64Array;
  /** The class of a node of the tree; −1: its time has no sample. */
  of(node: number): number;
  /** The region of a class; 0: outside of those whose energy is known. */
  regionOf(leaf: number): number;
}

/** The names of frames that stand for missing outer ones, and for waiting. */
export const CUT = "[…]", OFF_CPU = "[off CPU]";
/** Suffixes of frames that were found by a guess, are of the kernel, or were put into their caller. */
export const GUESSED = "_[g]", KERNEL = "_[k]", INLINED = "_[i]";

/** Is it a region that the program marked, and no function? */
export function isRegion({ module, name }: Frame): boolean {
  return module < 0 && name.startsWith("{");
}

/** Is a stack with this frame incomplete, or a guess? */
export function isIncomplete({ name, suffix }: Frame): boolean {
  return name === CUT || suffix === GUESSED;
}

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

/** Modules whose own code has at least this share of the time. */
export function busyModules(
  trie: StackTrie,
  costs: readonly StackCost[],
  share: number,
): Set<number> {
  const ownNs = new Map<number, number>();
  let leastNs = 0;
  for (const { node, ns } of costs) {
    const module = Math.floor(trie.module(node) / 2);
    ownNs.set(module, (ownNs.get(module) ?? 0) + ns);
    leastNs += ns * share;
  }
  return new Set([...ownNs.keys()].filter((module) => ownNs.get(module)! >= leastNs));
}
