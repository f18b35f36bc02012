/** Help of `joulemark query` on its language, clause by clause. */

import {
  AGGREGATIONS,
  FORMATTERS,
  LET_OPERATORS,
  type Signature,
} from "../caliper/query/functions.ts";

const CALQL = `A query is a list of clauses, in any order. Every clause may be left out.

  LET      name = op(...) [IF condition], ...    add attributes to records
  SELECT   name | op(...) [AS title] [UNIT unit], ...    what to print
  GROUP BY path | name, ...                      key of the aggregation
  WHERE    [NOT] condition, ...                  records to keep
  FORMAT   formatter(...)                        how to print
  ORDER BY name [ASC | DESC], ...                order of a table or tree
  AGGREGATE op(...), ...                         aggregate values without SELECT

Keywords and operators may be in upper or lower case. In attribute names the
case matters.

Examples:
  SELECT *,count() GROUP BY path FORMAT tree
  LET ms=scale(time.duration.ns,1e-6) SELECT sum(ms) GROUP BY region
  SELECT region,time.duration.ns WHERE time.duration.ns>1000 FORMAT table
`;

const GROUP_BY = `GROUP BY names the attributes that make the key of an aggregation:

  GROUP BY path | name [, ...]

path stands for all region attributes. Records with equal keys become one.
`;

const WHERE = `WHERE keeps the records that satisfy all conditions:

  WHERE [NOT] condition [, ...]

  name            the record has the attribute
  name = value    a value of the attribute is equal to value
  name > value    a value of the attribute is greater than value
  name < value    a value of the attribute is less than value
`;

function signature([name, { arguments: all, required }]: [string, Signature]): string {
  const args = all.map((arg, i) => i < required ? arg : `[${arg}]`);
  const shown = args.length > 3 ? [args[0], `... up to ${args.length} arguments`] : args;
  return `  ${name}(${shown.join(", ")})`;
}

function list(table: Readonly<Record<string, Signature>>): string {
  return Object.entries(table).map(signature).join("\n") + "\n";
}

/** The text of a topic; undefined for an unknown one. */
export function queryHelp(topic: string): string | undefined {
  switch (topic) {
    case "calql":
      return CALQL;
    case "groupby":
      return GROUP_BY;
    case "where":
      return WHERE;
    case "let":
      return "LET adds attributes to records. WHERE can use these attributes.\n\n" +
        "  LET name = operator(...) [IF condition] [, ...]\n\nOperators:\n" + list(LET_OPERATORS);
    case "select":
      return "SELECT lists the attributes to print, and aggregates values.\n\n" +
        "  SELECT name | operator(...) [AS title] [UNIT unit] [, ...]\n\nOperators, with the " +
        "attribute that each one makes:\n" +
        Object.entries(AGGREGATIONS).map(([name, row]) =>
          `${signature([name, row])}\n      -> ${row.result(row.arguments)}`
        ).join("\n") + "\n";
    case "format":
      return "FORMAT selects the form of the output.\n\n" +
        "  FORMAT formatter[(argument, ...)]\n\nFormatters:\n" + list(FORMATTERS);
    default:
      return undefined;
  }
}
