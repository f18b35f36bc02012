/**
 * The functions of CalQL: names and argument counts of aggregation operators, LET operators and
 * formatters, and the attribute that each operator makes.
 *
 * Truth: the CalQL page of the Caliper manual. Formatters after `json-split` are ours.
 * @module
 */

import type { Operation } from "./spec.ts";

/** Name, least and greatest number of arguments, and their names. */
export interface Signature {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly args: readonly string[];
}

const RATIO_ARGS = ["numerator", "denominator", "scale"];
const SCALE_ARGS = ["attribute", "scale"];
const LIST_ARGS = Array.from({ length: 9 }, (_, i) => `attribute${i}`);

function one(name: string): Signature {
  return { name, min: 1, max: 1, args: ["attribute"] };
}

/** Operators of SELECT and AGGREGATE. */
export const AGGREGATIONS: readonly Signature[] = [
  { name: "count", min: 0, max: 0, args: [] },
  one("sum"),
  { name: "ratio", min: 2, max: 3, args: RATIO_ARGS },
  one("percent_total"),
  one("inclusive_sum"),
  one("min"),
  one("max"),
  one("avg"),
  { name: "scale", min: 2, max: 2, args: SCALE_ARGS },
  { name: "inclusive_scale", min: 2, max: 2, args: SCALE_ARGS },
  one("inclusive_percent_total"),
  one("any"),
  { name: "scale_count", min: 1, max: 1, args: ["scale"] },
  { name: "inclusive_ratio", min: 2, max: 3, args: RATIO_ARGS },
  one("inclusive_min"),
  one("inclusive_max"),
  one("variance"),
];

/** Operators of LET. */
export const LET_OPERATORS: readonly Signature[] = [
  { name: "ratio", min: 2, max: 3, args: RATIO_ARGS },
  { name: "scale", min: 2, max: 2, args: SCALE_ARGS },
  { name: "truncate", min: 1, max: 2, args: SCALE_ARGS },
  { name: "first", min: 1, max: 8, args: LIST_ARGS },
  { name: "sum", min: 1, max: 8, args: LIST_ARGS },
  { name: "leaf", min: 0, max: 1, args: SCALE_ARGS },
];

/** Formatters; the order decides which of several command line switches wins. */
export const FORMATTERS: readonly Signature[] = [
  { name: "cali", min: 0, max: 0, args: [] },
  {
    name: "json",
    min: 0,
    max: 6,
    args: ["object", "pretty", "quote-all", "separate-nested", "records", "split"],
  },
  { name: "expand", min: 0, max: 0, args: [] },
  { name: "format", min: 1, max: 2, args: ["format", "title"] },
  { name: "table", min: 0, max: 2, args: ["column-width", "print-globals"] },
  { name: "tree", min: 0, max: 3, args: ["path-attributes", "column-width", "print-globals"] },
  { name: "json-split", min: 0, max: 0, args: [] },
  { name: "csv", min: 0, max: 0, args: [] },
  { name: "folded", min: 0, max: 1, args: ["metric"] },
  { name: "trace-events", min: 0, max: 0, args: [] },
];

/** The signature of a function, by its name in lower case. */
export function findSignature(
  table: readonly Signature[],
  name: string,
): Signature | undefined {
  return table.find((signature) => signature.name === name);
}

const RESULT_PREFIX: Record<string, string> = {
  sum: "sum#",
  min: "min#",
  max: "max#",
  avg: "avg#",
  any: "any#",
  scale: "scale#",
  variance: "variance#",
  percent_total: "percent_total#",
  inclusive_sum: "inclusive#",
  inclusive_min: "imin#",
  inclusive_max: "imax#",
  inclusive_scale: "iscale#",
  inclusive_percent_total: "ipercent_total#",
};

/** Name of the attribute that an aggregation operator makes. */
export function resultName(operation: Operation): string {
  const [first, second] = operation.args;
  switch (operation.name) {
    case "count":
      return "count";
    case "scale_count":
      return "scount";
    case "ratio":
      return `ratio#${first}/${second}`;
    case "inclusive_ratio":
      return `iratio#${first}/${second}`;
    default:
      return RESULT_PREFIX[operation.name] + first;
  }
}
