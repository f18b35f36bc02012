/**
 * Samples of functions for Caliper's channels, from a live run or a recording.
 * @module
 */
import { type FrameSource, FunctionSamples } from "../../caliper/channels/function_samples.ts";
import type { CodePlace } from "../../caliper/model/service.ts";
import type { CodeBiases } from "../../profile/code_biases.ts";
import { type FunctionData, KERNEL } from "../../profile/function_data.ts";
import { FRAME, type SampleSeen } from "../../profile/profile.ts";
import { kernelAddress } from "../../profile/records.ts";
import type { StackTrie } from "../../profile/stack_trie.ts";

/** Samples of functions that another output may take. */
export interface SampledFunctions {
  /** Samples per second and CPU. */
  readonly hz: number;
  /** Samples from here on, each until the output drops it. */
  take(): FunctionSamples;
}

/** Code that was sampled. */
export interface Sampled {
  readonly hz: number;
  readonly trie: StackTrie;
  readonly biases: CodeBiases;
  /** Names and modules, at the end of the run. */
  data(): Pick<FunctionData, "frames" | "modules">;
}

/** Name of a file or module that is not known. */
const UNKNOWN = "UNKNOWN";
const KERNEL_MODULE = "[kernel.kallsyms]";
const MADE = "[made by the process]";

/** Makes the samples' own side: stacks and names of what was sampled. */
export function functionSamples({ hz, trie, biases, data }: Sampled): FunctionSamples {
  const source: FrameSource = {
    callerOf: (frame) => trie.parent(frame),
    addressOf(process, frame) {
      const module = trie.module(frame), address = trie.address(frame);
      if (module === FRAME.kernel) return kernelAddress(address);
      if (module === FRAME.unknown) return 0;
      return module < 0 ? undefined : address + biases.of(process, module >> 1);
    },
    placeOf(frame): CodePlace {
      const key = trie.module(frame), { frames, modules } = data();
      const all = frames(key, trie.address(frame));
      const { name, suffix, module } = all[0] ?? { name: UNKNOWN, suffix: "", module: -1 };
      // A function that was put into another one has the line, but no address.
      const { file = UNKNOWN, line = 0 } = all.at(-1) ?? {};
      const path = module < 0 ? UNKNOWN : modules[module]?.path || MADE;
      return {
        name: key === FRAME.unknown ? UNKNOWN : name + suffix,
        file,
        line,
        module: suffix === KERNEL ? KERNEL_MODULE : path,
      };
    },
  };
  return new FunctionSamples(hz, source);
}

/** Adds a sample. @param zeroNs Time of the run's zero by the samples' clock. */
export function addSample(
  samples: FunctionSamples,
  { timeNs, cpu, process, thread, node }: Readonly<SampleSeen>,
  zeroNs: number,
): void {
  samples.add((timeNs - zeroNs) / 1e9, cpu, process, thread, node);
}
