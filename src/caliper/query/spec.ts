/**
 * A query as plain data: what the parser makes of CalQL text and all other parts work from.
 *
 * Strings here are byte strings: one character per UTF-8 byte, as in the streams.
 * @module
 */

/** Operators of SELECT and AGGREGATE. */
export type AggregationName =
  | "count"
  | "sum"
  | "ratio"
  | "percent_total"
  | "inclusive_sum"
  | "min"
  | "max"
  | "avg"
  | "scale"
  | "inclusive_scale"
  | "inclusive_percent_total"
  | "any"
  | "scale_count"
  | "inclusive_ratio"
  | "inclusive_min"
  | "inclusive_max"
  | "variance";

/** Operators of LET. */
export type LetName = "ratio" | "scale" | "truncate" | "first" | "sum" | "leaf";

/** Formatters. */
export type FormatName =
  | "cali"
  | "json"
  | "expand"
  | "format"
  | "table"
  | "tree"
  | "json-split"
  | "csv"
  | "folded"
  | "trace-events";

/** An operator with its arguments: `sum(time.duration.ns)`. */
export interface Operation<Name extends string = AggregationName> {
  name: Name;
  args: string[];
}

/** One condition of WHERE, IF or `-s`. */
export interface Condition {
  op:
    | "exist"
    | "not-exist"
    | "equal"
    | "not-equal"
    | "less"
    | "greater"
    | "less-equal"
    | "greater-equal";
  attribute: string;
  /** Compared with values of the attribute, in its type; empty for the existence tests. */
  value: string;
}

/** One term of LET. */
export interface Let {
  target: string;
  operation: Operation<LetName>;
  condition: Condition | null;
}

/** One key of ORDER BY. */
export interface SortKey {
  attribute: string;
  descending: boolean;
}

/** A formatter with its named arguments. */
export interface Format {
  name: FormatName;
  args: Map<string, string>;
}

export interface QuerySpec {
  lets: Let[];
  /** `default`: nothing selected; `all`: `*`; `list`: the names below. */
  selection: "default" | "all" | "list";
  select: string[];
  /** Was `path` among the selected names? */
  selectPath: boolean;
  /** Index of the path among the names of SELECT. */
  selectPathAt: number;
  /** Null: no aggregation at all. */
  aggregate: Operation[] | null;
  /** `default`: all tree attributes are key; `list`: the names below; `none`: no key. */
  grouping: "default" | "list" | "none";
  groupBy: string[];
  /** Was `path` among the names of GROUP BY? */
  groupByPath: boolean;
  where: Condition[];
  orderBy: SortKey[];
  /** Null: no formatter was named, which means `cali`. */
  format: Format | null;
  /** Column titles by attribute name (AS). */
  aliases: Map<string, string>;
  /** Units by attribute name (UNIT). */
  units: Map<string, string>;
}

/** A query that passes all records through. */
export function emptySpec(): QuerySpec {
  return {
    lets: [],
    selection: "default",
    select: [],
    selectPath: false,
    selectPathAt: 0,
    aggregate: null,
    grouping: "default",
    groupBy: [],
    groupByPath: false,
    where: [],
    orderBy: [],
    format: null,
    aliases: new Map(),
    units: new Map(),
  };
}

/** Takes `path` and its old spelling out of a list of names; returns whether it was in the list. */
export function extractPath(names: string[]): boolean {
  let found = false;
  for (const word of ["path", "prop:nested"]) {
    const at = names.indexOf(word);
    if (at >= 0) {
      names.splice(at, 1);
      found = true;
    }
  }
  return found;
}
