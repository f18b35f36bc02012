/**
 * Functions of running commands: their monitors count samples by address, and the names are found here.
 * @module
 */
import { O, openFile, readText } from "../../os/files.ts";
import { codeFileOf, openCodeFile, ownText } from "../../os/files/code_files.ts";
import { ownVdso } from "../../os/memory/vdso.ts";
import type { FunctionsNow } from "../../marks/rings/answers.ts";
import { fileName } from "../../profile/function_data.ts";
import { OWN_MACHINE } from "../../profile/machine.ts";
import { Modules } from "../../profile/modules.ts";
import { FrameNames, stem } from "../../profile/names.ts";
import { FRAME } from "../../profile/profile.ts";

/** Functions on a page. */
const ROWS_MOST = 10;

/** A function with its part of the samples since the last page. */
export interface FunctionNow {
  readonly name: string;
  /** File with its code; empty: it has none. */
  readonly module: string;
  readonly share: number;
  /** CPU time, s. */
  readonly seconds: number;
}

/** Functions with most time, or a reason why there are none. */
export type FunctionsShown = readonly FunctionNow[] | { readonly absent: string };

/** Finds names, and keeps them from page to page. */
export class FunctionNames implements Disposable {
  readonly #modules = new Modules(OWN_MACHINE, openCodeFile, ownVdso(), (process, name) => {
    return codeFileOf(openFile(`/proc/${process}/${name}`, O.RDONLY));
  });
  readonly #names = new FrameNames({ modules: this.#modules, processes: { names: [] } }, {
    open: openCodeFile,
    debugDirectories: [],
    mayReadLines: () => false,
    kernelSymbols: () => readText("/proc/kallsyms") ?? "",
    jitMap: (process) => ownText(`/tmp/perf-${process}.map`),
  });

  /** The functions of all commands of this user. */
  shown(answers: readonly (FunctionsNow | { readonly absent: string })[]): FunctionsShown {
    const sampled = answers.filter((answer) => "leaves" in answer);
    if (sampled.length === 0) return answers[0] as FunctionsShown ?? { absent: "no command runs" };
    const samples = sampled.reduce((sum, answer) => sum + answer.samples, 0);
    if (samples === 0) return { absent: "no samples since the last page" };
    const rows = new Map<
      string,
      { name: string; module: string; count: number; seconds: number }
    >();
    for (const { hz, modules, leaves } of sampled) {
      const numbers = modules.map(([path, buildId, inode, process]) => {
        const file = { path, buildId, inode, offset: 0 };
        return path === "" ? this.#modules.ofProcess(process) : this.#modules.ofFile(file, process);
      });
      for (const [key, address, count] of leaves) {
        const own = key >= 0
          ? numbers[key >> 1] * 2 + key % 2
          : key === FRAME.kernel || key === FRAME.marker
          ? key
          : FRAME.unknown;
        const [{ name, suffix }] = this.#names.frames(own, address);
        const module = key < 0 ? "" : fileName(this.#modules.all[own >> 1]);
        const shown = stem(name) + suffix;
        const row = rows.getOrInsertComputed(`${module} ${shown}`, () => {
          return { name: shown, module, count: 0, seconds: 0 };
        });
        row.count += count;
        row.seconds += count / hz;
      }
    }
    return [...rows.values()].sort((a, b) => b.count - a.count).slice(0, ROWS_MOST)
      .map(({ name, module, count, seconds }) => {
        return { name, module, share: count / samples, seconds };
      });
  }

  [Symbol.dispose](): void {
    this.#modules[Symbol.dispose]();
  }
}
