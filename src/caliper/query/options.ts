/**
 * cali-query's command line as data, and the query that its options make.
 *
 * An option that occurs twice keeps its first value; short options may be joined (`-Gj`); values
 * follow `=` or are the next argument; `--` ends the options. Truth: `cali-query --help` and the
 * Caliper manual. `--strict` and `--quiet` are ours.
 * @module
 */

import type { Option } from "../../core/option.ts";
import { splitList, toByteText } from "./byte_text.ts";
import { AGGREGATIONS, FORMATTERS, knownName } from "./functions.ts";
import { Lexer } from "./lexer.ts";
import { parseQuery } from "./parser.ts";
import { QueryError } from "./query_error.ts";
import type { Subject } from "./run.ts";
import { type Condition, emptySpec, extractPath, type Operation, type QuerySpec } from "./spec.ts";

/** Topics of `--help`. */
const HELP_TOPICS = ["calql", "let", "select", "groupby", "where", "format"];

/** Options of cali-query, then ours, in the order of the help. */
export const OPTIONS: readonly Option[] = [
  {
    name: "query",
    short: "q",
    value: "CALQL",
    help: "run a query in CalQL, Caliper's query language (see -h calql)",
  },
  { name: "query-file", short: "Q", value: "FILE", help: "read the query from a file" },
  {
    name: "output",
    short: "o",
    value: "FILE",
    help: "write to FILE instead of standard output",
  },
  { name: "expand", short: "e", help: "print records as name=value lists" },
  { name: "table", short: "t", help: "print a table" },
  { name: "tree", short: "T", help: "print a tree by region path" },
  { name: "json", short: "j", help: "print JSON" },
  {
    name: "format",
    short: "f",
    value: "TEXT",
    help: "print TEXT for each record; %NAME% is replaced by the value of the attribute NAME",
  },
  { name: "title", value: "TEXT", help: "first line of --format output" },
  {
    name: "path-attributes",
    value: "A,B",
    help: "attributes that form the path of a tree",
  },
  { name: "sort-by", short: "S", value: "A,B", help: "sort a table or tree" },
  { name: "print-attributes", value: "A,B", help: "attributes to print" },
  {
    name: "select",
    short: "s",
    value: "[-]A[=V],...",
    help: "keep only records that have the attribute A, or its value V; with - before A: only " +
      "records that do not have it",
  },
  {
    name: "aggregate",
    value: "OP(A),...",
    help: "aggregate records, as the clause AGGREGATE does, for example sum(time)",
  },
  {
    name: "aggregate-key",
    value: "A,B",
    help: "attributes that distinguish the rows of the aggregation, as in GROUP BY: their names, " +
      "the word path, or the word none",
  },
  { name: "list-globals", short: "G", help: "print the run's metadata" },
  { name: "list-attributes", help: "print all attributes" },
  {
    name: "strict",
    help:
      "correct some outputs of cali-query: UTF-8 is kept, JSON is valid, integers have 64 bits, " +
      "and numbers have all digits. The status is 1 if a record cannot be read",
  },
  { name: "verbose", short: "v", help: "print the name of each file when it is read" },
  { name: "quiet", help: "print only errors in options and in the query on stderr" },
  { name: "version", short: "V", help: "print the version on stderr" },
  { name: "caliper-config", short: "P", value: "STRING", help: "" },
  { name: "debug", help: "" },
  {
    name: "help",
    short: "h",
    value: "TOPIC",
    words: HELP_TOPICS,
    help: "this text, or help on calql, let, select, groupby, where, format",
  },
];

/** Options by long name, and the arguments that are none. */
export interface Parsed {
  options: Map<string, string>;
  files: string[];
}

/** Splits a command line; gives the text of the first unknown option instead, if there is one. */
export function parseOptions(args: readonly string[]): Parsed | { unknown: string } {
  const options = new Map<string, string>(), files: string[] = [];
  const set = (name: string, value: string) => {
    if (!options.has(name)) options.set(name, value);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "") continue;
    if (arg === "--") {
      files.push(...args.slice(i + 1));
      break;
    }
    const equals = arg.indexOf("=");
    const given = equals < 0 ? "" : arg.slice(equals + 1);
    const stop = equals < 0 ? arg.length : equals;
    if (arg.startsWith("--")) {
      const option = OPTIONS.find(({ name }) => name === arg.slice(2, stop));
      if (option === undefined) return { unknown: arg };
      const follows = option.value !== undefined && given === "" && i + 1 < args.length;
      set(option.name, follows ? args[++i] : given);
    } else if (arg.startsWith("-")) {
      for (let k = 1; k < stop; k++) {
        const option = OPTIONS.find(({ short }) => short === arg[k]);
        if (option === undefined) return { unknown: arg };
        let value = k === stop - 1 ? given : "";
        if (k === arg.length - 1 && option.value !== undefined && i + 1 < args.length) {
          value = args[++i];
        }
        set(option.name, value);
      }
    } else {
      files.push(arg);
    }
  }
  return { options, files };
}

/** Requested content of the inputs. */
export function subjectOf(options: ReadonlyMap<string, string>): Subject {
  if (options.has("list-attributes")) return "attributes";
  return options.has("list-globals") ? "globals" : "records";
}

/**
 * The query that the options make.
 *
 * @param options As from `parseOptions`.
 * @param readFile Text of the file named by `-Q`, as a byte string; null if it cannot be read.
 * @param complain Takes lines about parts that are left out.
 * @throws {QueryError} With cali-query's message.
 */
export function specFromOptions(
  options: ReadonlyMap<string, string>,
  readFile: (path: string) => string | null,
  complain: (message: string) => void,
): QuerySpec {
  const option = (name: string) => {
    const value = options.get(name);
    return value === undefined ? undefined : toByteText(value);
  };
  const spec = baseSpec(option("query"), options.get("query-file"), readFile);
  const where = option("select");
  if (where !== undefined) spec.where = parseSelectors(where, complain);
  const attributes = option("print-attributes");
  if (attributes !== undefined) {
    spec.selection = "list";
    spec.select.push(...splitList(attributes));
  }
  const aggregate = option("aggregate");
  if (aggregate !== undefined) setAggregation(spec, aggregate, option("aggregate-key"), complain);
  const sort = option("sort-by");
  if (sort !== undefined) {
    for (const attribute of splitList(sort)) spec.orderBy.push({ attribute, descending: false });
  }
  setFormat(spec, option);
  return spec;
}

function baseSpec(
  query: string | undefined,
  queryFile: string | undefined,
  readFile: (path: string) => string | null,
): QuerySpec {
  if (query !== undefined) return parseQuery(query);
  if (queryFile !== undefined) {
    const text = readFile(queryFile);
    if (text === null) throw new QueryError(`cannot open query file ${queryFile}`, -1);
    return parseQuery(text);
  }
  return { ...emptySpec(), grouping: "none" };
}

function setAggregation(
  spec: QuerySpec,
  text: string,
  key: string | undefined,
  complain: (message: string) => void,
): void {
  if (text === "") {
    spec.aggregate = [{ name: "count", args: [] }];
  } else {
    spec.aggregate = [...(spec.aggregate ?? []), ...parseAggregations(text, complain)];
  }
  spec.grouping = "default";
  if (key === undefined) return;
  if (key === "none") {
    spec.grouping = "none";
  } else {
    spec.grouping = "list";
    spec.groupBy.push(...splitList(key));
  }
  spec.groupByPath = extractPath(spec.groupBy);
}

/**
 * One `op(arg,...)` list as `--aggregate` takes it, which is read more loosely than CalQL: unknown
 * operators and wrong counts are left out, with a complaint.
 */
function parseAggregations(text: string, complain: (message: string) => void): Operation[] {
  const lexer = new Lexer(text), list: Operation[] = [];
  let c: string | null;
  do {
    const word = lexer.word(",()"), name = knownName(AGGREGATIONS, word);
    if (word !== "" && name === undefined) {
      complain(`Unknown function "${word}"`);
    } else if (name !== undefined) {
      const { arguments: names, required } = AGGREGATIONS[name];
      let args = lexer.list(",()");
      if (args === null) {
        // What broke the list off may go on with the next operator.
        lexer.back();
        args = [];
      }
      if (args.length >= required && args.length <= names.length) {
        list.push({ name, args });
      } else {
        complain(
          `Error: Expected ${required} arguments for function "${name}" but got ${args.length}`,
        );
      }
    }
    c = lexer.char();
  } while (c === ",");
  return list;
}

/** A formatter switch overrides FORMAT, but keeps arguments that were given there. */
function setFormat(spec: QuerySpec, option: (name: string) => string | undefined): void {
  for (const name of ["json", "expand", "format", "table", "tree"] as const) {
    if (option(name) === undefined) continue;
    const args = new Map(spec.format?.args);
    for (const arg of FORMATTERS[name].arguments) {
      const value = option(arg);
      if (value !== undefined) args.set(arg, value);
    }
    spec.format = { name, args };
    return;
  }
}

/** `[-]attribute[=value]` terms; `<` and `>` were never built there and test existence. */
function parseSelectors(text: string, complain: (message: string) => void): Condition[] {
  const conditions: Condition[] = [];
  for (const term of splitList(text)) {
    const negated = term.startsWith("-"), rest = negated ? term.slice(1) : term;
    const at = rest.search(/[<>=]/);
    const attribute = at < 0 ? rest : rest.slice(0, at);
    const value = at < 0 ? "" : rest.slice(at + 1);
    if (attribute === "" || (at >= 0 && value === "")) {
      complain(`malformed selector clause: "${term}"`);
      continue;
    }
    if (at >= 0 && rest[at] === "=") {
      conditions.push({ op: negated ? "not-equal" : "equal", attribute, value });
    } else {
      conditions.push({ op: negated ? "not-exist" : "exist", attribute, value: "" });
    }
  }
  return conditions;
}
