/**
 * The functions of CalQL: operators of SELECT and AGGREGATE, operators of LET, and formatters, each with
 * its arguments, the name of what it makes, and how it is made.
 *
 * Truth: the CalQL page of the Caliper manual. Formatters after `json-split` are ours.
 * @module
 */

import type { FormatContext, Formatter } from "./formatter.ts";
import { AnyKernel } from "./kernels/any.ts";
import { AvgKernel } from "./kernels/avg.ts";
import { CombineKernel, ScaleKernel } from "./kernels/combine.ts";
import { CountKernel } from "./kernels/count.ts";
import { Derived, type Kernel } from "./kernels/kernel.ts";
import { PercentTotalKernel } from "./kernels/percent_total.ts";
import { RatioKernel } from "./kernels/ratio.ts";
import type { Combine } from "./kernels/sums.ts";
import { VarianceKernel } from "./kernels/variance.ts";
import { first, leaf, type LetTerm, ratio, scale, sum, truncate } from "./let.ts";
import { CaliFormatter } from "./print/cali.ts";
import { CsvFormatter } from "./print/csv.ts";
import { ExpandFormatter } from "./print/expand.ts";
import { FoldedFormatter } from "./print/folded.ts";
import { UserFormatter } from "./print/format.ts";
import { JsonFormatter } from "./print/json.ts";
import { JsonSplitFormatter } from "./print/json_split.ts";
import { TableFormatter } from "./print/table.ts";
import { TraceEventsFormatter } from "./print/trace_events.ts";
import { TreeFormatter } from "./print/tree.ts";
import type { AggregationName, FormatName, LetName, Operation } from "./spec.ts";

/** Arguments of a function. */
export interface Signature {
  /** Names of the arguments. */
  readonly arguments: readonly string[];
  /** Number of arguments that have to be given. */
  readonly required: number;
}

/** An operator of SELECT and AGGREGATE. */
interface Aggregation extends Signature {
  /** Name of the attribute that it makes. */
  readonly result: (args: readonly string[]) => string;
  /** @throws {QueryError} If a number among the arguments is none. */
  readonly make: (args: readonly string[], result: string) => Kernel;
}

/** An operator of LET. */
interface LetOperator extends Signature {
  /** @throws {QueryError} If a number among the arguments is none. */
  readonly make: (target: string, args: readonly string[]) => LetTerm;
}

/** A formatter. */
interface Format extends Signature {
  readonly make: new (context: FormatContext) => Formatter;
}

const RATIO = { arguments: ["numerator", "denominator", "scale"], required: 2 };
const SCALE = { arguments: ["attribute", "scale"], required: 2 };
const LIST = { arguments: Array.from({ length: 8 }, (_, i) => `attribute${i}`), required: 1 };

/** Aggregation of one attribute. */
function one(prefix: string, make: (target: string, result: string) => Kernel): Aggregation {
  return {
    arguments: ["attribute"],
    required: 1,
    result: ([target]) => prefix + target,
    make: ([target], result) => make(target, result),
  };
}

function combined(prefix: string, isInclusive: boolean, combine: Combine): Aggregation {
  return one(
    prefix,
    (target, result) => new CombineKernel(new Derived(target, result), isInclusive, combine),
  );
}

function scaled(prefix: string, sums: string, isInclusive: boolean): Aggregation {
  return {
    ...SCALE,
    result: ([target]) => prefix + target,
    make: (args, result) => new ScaleKernel(args, result, sums, isInclusive),
  };
}

function quotient(prefix: string, sums: string, isInclusive: boolean): Aggregation {
  return {
    ...RATIO,
    result: ([over, under]) => `${prefix}${over}/${under}`,
    make: (args, result) => new RatioKernel(args, result, sums, isInclusive),
  };
}

function percent(prefix: string, sums: string, isInclusive: boolean): Aggregation {
  return one(prefix, (target, result) => {
    return new PercentTotalKernel(target, result, sums, isInclusive);
  });
}

/** Operators of SELECT and AGGREGATE. */
export const AGGREGATIONS: Readonly<Record<AggregationName, Aggregation>> = {
  count: {
    arguments: [],
    required: 0,
    result: () => "count",
    make: (_, result) => new CountKernel(result, null),
  },
  sum: combined("sum#", false, "add"),
  ratio: quotient("ratio#", "sr.sum#", false),
  percent_total: percent("percent_total#", "pct.sum#", false),
  inclusive_sum: combined("inclusive#", true, "add"),
  min: combined("min#", false, "min"),
  max: combined("max#", false, "max"),
  avg: one("avg#", (target, result) => new AvgKernel(target, result)),
  scale: scaled("scale#", "scsum#", false),
  inclusive_scale: scaled("iscale#", "iscsum#", true),
  inclusive_percent_total: percent("ipercent_total#", "ipct.sum#", true),
  any: one("any#", (target, result) => new AnyKernel(target, result)),
  scale_count: {
    arguments: ["scale"],
    required: 1,
    result: () => "scount",
    make: ([factor], result) => new CountKernel(result, factor),
  },
  inclusive_ratio: quotient("iratio#", "isr.sum#", true),
  inclusive_min: combined("imin#", true, "min"),
  inclusive_max: combined("imax#", true, "max"),
  variance: one("variance#", (target, result) => new VarianceKernel(target, result)),
};

/** Operators of LET. */
export const LET_OPERATORS: Readonly<Record<LetName, LetOperator>> = {
  ratio: { ...RATIO, make: ratio },
  scale: { ...SCALE, make: scale },
  truncate: { arguments: SCALE.arguments, required: 1, make: truncate },
  first: { ...LIST, make: first },
  sum: { ...LIST, make: sum },
  leaf: { arguments: ["attribute"], required: 0, make: leaf },
};

/** Formatters; the order decides which of several command line switches wins. */
export const FORMATTERS: Readonly<Record<FormatName, Format>> = {
  cali: { arguments: [], required: 0, make: CaliFormatter },
  json: {
    arguments: ["object", "pretty", "quote-all", "separate-nested", "records", "split"],
    required: 0,
    make: JsonFormatter,
  },
  expand: { arguments: [], required: 0, make: ExpandFormatter },
  format: { arguments: ["format", "title"], required: 1, make: UserFormatter },
  table: { arguments: ["column-width", "print-globals"], required: 0, make: TableFormatter },
  tree: {
    arguments: ["path-attributes", "column-width", "print-globals"],
    required: 0,
    make: TreeFormatter,
  },
  "json-split": { arguments: [], required: 0, make: JsonSplitFormatter },
  csv: { arguments: [], required: 0, make: CsvFormatter },
  folded: { arguments: ["metric"], required: 0, make: FoldedFormatter },
  "trace-events": { arguments: [], required: 0, make: TraceEventsFormatter },
};

/** The name of a row of a table, if the text is one. */
export function knownName<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  text: string,
): Name | undefined {
  return Object.hasOwn(table, text) ? text as Name : undefined;
}

/** Name of the attribute that an aggregation operator makes. */
export function resultName({ name, args }: Operation): string {
  return AGGREGATIONS[name].result(args);
}

/** @throws {QueryError} If a number among the arguments is none. */
export function makeKernel({ name, args }: Operation): Kernel {
  const { result, make } = AGGREGATIONS[name];
  return make(args, result(args));
}
