/**
 * Regions around sampled functions whose energy their marks say: the energies of their functions add up to it.
 * docs/explanation/energy-of-functions.md.
 * @module
 */
import { ROOT } from "../../core/path_stats.ts";
import type { EnergyKind, RunTree } from "../../core/region_tree.ts";
import type { RegionSums, SampledEnergy } from "../../energy/attribution/sampled_sum.ts";
import { PathFamilies } from "../../energy/totals/build_tree.ts";
import { type FunctionStack, isRegion } from "../../profile/function_data.ts";
import type { RunView } from "./run_view.ts";

/** Regions at most: each takes the place of a function among the classes. */
const REGIONS_MOST = 16;
/** Part of the CPU time: with more than that outside of the samples, a region's functions are not all of it. */
const MISSING_MOST = 0.02;

/** CPU time whose region is not known. */
export interface Unsampled {
  /** Part of the CPU time without samples. */
  readonly missing: number;
  /**
   * Part of it that threads without annotations used: a region has the CPUs that its threads may use, and those
   * threads run on them too.
   */
  readonly unmarked: number;
  /** Processes that other runs sample. */
  readonly others: number;
}

interface HeldRegion {
  readonly paths: number[];
  sampledNs: number;
}

/** The regions, by number; 0 is all that is outside of them. */
export class HeldRegions {
  readonly #run: RunView;
  /** All regions whose time the samples have, by their frames. */
  readonly #found = new Map<string, HeldRegion>();
  /** `undefined`: the samples have no region. */
  #families: PathFamilies | undefined;
  readonly #regions: readonly HeldRegion[];
  readonly #number: Map<string, number>;
  #tree: Partial<RunTree> | undefined;

  constructor(run: RunView, stacks: readonly FunctionStack[], unsampled: Unsampled) {
    this.#run = run;
    const { missing, unmarked, others } = unsampled;
    if (others === 0 && missing + unmarked <= MISSING_MOST) this.#find(stacks);
    const shown = this.#known().sort(([, a], [, b]) => b.sampledNs - a.sampledNs).slice(
      0,
      REGIONS_MOST,
    );
    this.#regions = shown.map(([, region]) => region);
    this.#number = new Map(shown.map(([key], i) => [key, i + 1]));
  }

  #find(stacks: readonly FunctionStack[]): void {
    const found = this.#found;
    for (const stack of stacks) {
      const names = regionsOf(stack);
      // All of a region is in those around it, too, which may have no sample of their own.
      names.forEach((_, i) => {
        const key = names.slice(0, i + 1).join("\0");
        const region = found.getOrInsertComputed(key, () => ({ paths: [], sampledNs: 0 }));
        region.sampledNs += stack.ns;
      });
    }
    if (found.size === 0) return;
    const { paths, regionPaths: { stats } } = this.#run.tracker;
    this.#families = new PathFamilies(paths);
    for (let path = ROOT + 1; path < paths.length; path++) {
      if (!(stats.selfNs[path] > 0)) continue;
      found.get(paths.names(path).map(regionFrame).join("\0"))?.paths.push(path);
    }
  }

  /** Regions whose time and energy alone are known. */
  #known(): (readonly [string, HeldRegion])[] {
    const { energies } = this.#run, families = this.#families;
    if (energies === undefined || families === undefined) return [];
    return [...this.#found].filter(([, { paths: of }]) =>
      of.length > 0 &&
      !this.#areFolded(of.flatMap((path) => [path, ...families.children(path)])) &&
      energies.kinds.some((kind) => energies.of(kind, of).fitJ > 0)
    );
  }

  #areFolded(paths: readonly number[]): boolean {
    return paths.some((path) => this.#run.tracker.regionPaths.isFolded(path));
  }

  /**
   * Energy of a region with all inside it, as in the report; `undefined`: not determined.
   *
   * @param frames The outermost region first.
   */
  whole(frames: readonly string[], kind: EnergyKind): SampledEnergy | undefined {
    const [path] = this.#found.get(frames.join("\0"))?.paths ?? [], families = this.#families;
    if (path === undefined || families === undefined) return undefined;
    if (this.#areFolded(families.family(path))) return undefined;
    const { pathOf = [], rows = [] } = this.#tree ??= this.#run.tree() ?? {};
    const { joules = NaN, seJ = NaN } = rows[pathOf.indexOf(path)]?.energies.get(kind) ?? {};
    return joules > 0 ? { energyJ: joules, seJ, why: undefined } : undefined;
  }

  /** Number of regions, with what is outside of them. */
  get count(): number {
    return this.#regions.length + 1;
  }

  /** The region of a stack. */
  of(stack: FunctionStack): number {
    return this.named(regionsOf(stack)) ?? 0;
  }

  /** Number of a region by its frames, the outermost first; `undefined`: it is none of these. */
  named(frames: readonly string[]): number | undefined {
    return this.#number.get(frames.join("\0"));
  }

  /** Time of threads in a region, without those in it, s. */
  threadS(region: number): number {
    const { stats } = this.#run.tracker.regionPaths;
    return this.#regions[region - 1].paths.reduce((sum, path) => sum + stats.selfNs[path], 0) / 1e9;
  }

  /** Energies of the regions by one counter. */
  sums(kind: EnergyKind): RegionSums {
    const energies = this.#run.energies!, count = this.#regions.length;
    const energyJ = new Float64Array(count), covarianceJ2 = new Float64Array(count * count);
    const variance = (of: readonly number[]) => {
      const { fitJ, seJ } = energies.of(kind, of);
      return Number.isNaN(fitJ) ? NaN : seJ ** 2;
    };
    this.#regions.forEach(({ paths }, i) => {
      energyJ[i] = energies.of(kind, paths).fitJ;
      covarianceJ2[i * count + i] = variance(paths);
    });
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < i; j++) {
        const both = variance([...this.#regions[i].paths, ...this.#regions[j].paths]);
        const own = covarianceJ2[i * count + i] + covarianceJ2[j * count + j];
        const covariance = (both - own) / 2;
        covarianceJ2[i * count + j] = covarianceJ2[j * count + i] = covariance || 0;
      }
    }
    return { energyJ, covarianceJ2 };
  }
}

function regionFrame(name: string): string {
  return `{${name}}`;
}

/** Frames of the regions of a stack. */
function regionsOf({ frames }: FunctionStack): string[] {
  return frames.filter(isRegion).map(({ name }) => name);
}
