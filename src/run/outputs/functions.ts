/**
 * `--functions`: functions and their stacks by CPU time, from samples. docs/how-to/find-functions.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { foldedText } from "../../formats/folded.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import type { Frame } from "../../profile/names.ts";
import { functionOptions } from "./function_options.ts";
import { FunctionSampling } from "./function_sampling.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";

/** A stack of functions, and what it took without those above it. */
interface FunctionStack {
  readonly frames: readonly Frame[];
  readonly ns: number;
  readonly samples: number;
}

/** The outputs of `--functions`. */
export function makeFunctions(values: OptionValues, site: OutputSite): Opener {
  const options = functionOptions(values);
  const folded = values.get("folded");
  const paths = { folded: folded && site.nameOf(folded) };
  return () => {
    const sampling = FunctionSampling.open(options);
    if (typeof sampling !== "string") return new FunctionOutput(sampling, paths, site);
    site.log(`no functions: ${sampling}; the command runs without them`);
  };
}

/** Where each file goes. */
interface FunctionPaths {
  readonly folded: string | undefined;
}

class FunctionOutput implements OpenOutput {
  /** Libraries may be anywhere. */
  readonly reads = ["/"];
  readonly #sampling: FunctionSampling;
  readonly #paths: FunctionPaths;
  readonly #site: OutputSite;

  constructor(sampling: FunctionSampling, paths: FunctionPaths, site: OutputSite) {
    [this.#sampling, this.#paths, this.#site] = [sampling, paths, site];
  }

  take(nowNs: number): number {
    return this.#sampling.take(nowNs);
  }

  finish(): void {
    const { names } = this.#sampling;
    const stacks = this.#sampling.finish().map(({ node, ns, samples }) => {
      return { frames: names.stack(node), ns, samples };
    });
    const texts = ({ frames, ns, samples }: FunctionStack) => {
      return { frames: frames.map(({ name, suffix }) => name + suffix), ns, samples };
    };
    this.#write(this.#paths.folded, () => foldedText(stacks.map(texts)));
    this.#sampling[Symbol.dispose]();
  }

  #write(path: string | undefined, make: () => string): void {
    if (path === undefined) return;
    try {
      writeDocument(path, make());
    } catch (error) {
      this.#site.log((error as Error).message);
    }
  }
}
