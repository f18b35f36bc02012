/** The kernel of each aggregation operator, by name. */

import type { Operation } from "../spec.ts";
import { AnyKernel } from "./any.ts";
import { AvgKernel } from "./avg.ts";
import { CombineKernel, ScaleKernel } from "./combine.ts";
import { CountKernel } from "./count.ts";
import { Derived, type Kernel } from "./kernel.ts";
import { PercentTotalKernel } from "./percent_total.ts";
import { RatioKernel } from "./ratio.ts";
import { VarianceKernel } from "./variance.ts";

const KERNELS: Record<string, (args: string[]) => Kernel> = {
  count: () => new CountKernel(null),
  scale_count: ([scale]) => new CountKernel(scale),
  sum: ([a]) => new CombineKernel(new Derived(a, "sum#"), false),
  min: ([a]) => new CombineKernel(new Derived(a, "min#"), false, "min"),
  max: ([a]) => new CombineKernel(new Derived(a, "max#"), false, "max"),
  inclusive_sum: ([a]) => new CombineKernel(new Derived(a, "inclusive#"), true),
  inclusive_min: ([a]) => new CombineKernel(new Derived(a, "imin#"), true, "min"),
  inclusive_max: ([a]) => new CombineKernel(new Derived(a, "imax#"), true, "max"),
  avg: ([a]) => new AvgKernel(a),
  any: ([a]) => new AnyKernel(a),
  variance: ([a]) => new VarianceKernel(a),
  scale: (args) => new ScaleKernel(args, false),
  inclusive_scale: (args) => new ScaleKernel(args, true),
  ratio: (args) => new RatioKernel(args, false),
  inclusive_ratio: (args) => new RatioKernel(args, true),
  percent_total: ([a]) => new PercentTotalKernel(a, false),
  inclusive_percent_total: ([a]) => new PercentTotalKernel(a, true),
};

/** @throws {QueryError} If a number among the arguments is none. */
export function makeKernel(operation: Operation): Kernel {
  return KERNELS[operation.name](operation.args);
}
