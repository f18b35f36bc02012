/**
 * CalQL text to a query specification.
 *
 * The language on one page:
 *
 *     query  := { clause }                                    in any order, repeated clauses append
 *     clause := SELECT sel {, sel} | AGGREGATE agg {, agg} | GROUP BY name {, name}
 *             | WHERE cond {, cond} | LET name = op(...) [IF cond] {, ...}
 *             | FORMAT name [( arg {, arg} )] | ORDER BY name [ASC|DESC] {, ...}
 *     sel    := * | name [AS word] [UNIT word] | agg [AS word] [UNIT word]
 *     agg    := op ( [arg {, arg}] )
 *     cond   := [NOT] name [ (= | < | >) word ]
 *     arg    := word | key=word
 *
 * Truth: the CalQL page of the Caliper manual; the texts of errors are cali-query's.
 * @module
 */

import { nearest } from "../../core/errors.ts";
import {
  AGGREGATIONS,
  FORMATTERS,
  knownName,
  LET_OPERATORS,
  resultName,
  type Signature,
} from "./functions.ts";
import { Lexer } from "./lexer.ts";
import { QueryError } from "./query_error.ts";
import { type Condition, emptySpec, extractPath, type Operation, type QuerySpec } from "./spec.ts";

const CLAUSES = ["SELECT", "AGGREGATE", "GROUP BY", "WHERE", "LET", "FORMAT", "ORDER BY"];

/**
 * Parses a query.
 *
 * @param text CalQL as a byte string (one character per UTF-8 byte).
 * @throws {QueryError} With cali-query's message and the offset where reading stopped.
 */
export function parseQuery(text: string): QuerySpec {
  return new Parser(text).parse();
}

class Parser {
  readonly #lexer: Lexer;
  readonly #spec = emptySpec();

  constructor(text: string) {
    this.#lexer = new Lexer(text);
  }

  parse(): QuerySpec {
    const lexer = this.#lexer;
    while (lexer.good) {
      let keyword = lexer.word();
      if (keyword === "") break;
      // A clause may have read the keyword of the one that follows.
      while (keyword !== "") keyword = this.#clause(keyword);
    }
    if (lexer.good) {
      const c = lexer.char();
      if (c !== null && c !== "\0") this.#fail(`Expected clause, got ${c}`);
    }
    this.#spec.selectPathAt = Math.max(0, this.#spec.select.indexOf("path"));
    this.#spec.selectPath = extractPath(this.#spec.select);
    this.#spec.groupByPath = extractPath(this.#spec.groupBy);
    return this.#spec;
  }

  #fail(message: string, word = "", known: readonly string[] = []): never {
    const near = word === "" ? [] : nearest(word, known);
    throw new QueryError(message, this.#lexer.last, near);
  }

  /** Reads one clause; returns the next keyword if that was read too, else an empty string. */
  #clause(keyword: string): string {
    switch (keyword.toLowerCase()) {
      case "aggregate":
        return this.#aggregate();
      case "format":
        return this.#format();
      case "group":
        this.#expectBy();
        return this.#groupBy();
      case "select":
        return this.#select();
      case "order":
        this.#expectBy();
        return this.#orderBy();
      case "where":
        return this.#where();
      case "let":
        return this.#let();
      default:
        this.#fail(`Expected clause keyword, got ${keyword}`, keyword, CLAUSES);
    }
  }

  #expectBy(): void {
    if (this.#lexer.word().toLowerCase() !== "by") {
      this.#fail('Expected clause keyword. Did you mean "GROUP BY"?');
    }
  }

  /** Is the list continued? Leaves what is no comma. */
  #comma(): boolean {
    const c = this.#lexer.char();
    if (c === ",") return true;
    if (c !== null) this.#lexer.back();
    return false;
  }

  /** The arguments of a function; a broken list counts as an empty one, which may be refused. */
  #argumentsOf({ arguments: names, required }: Signature, what: string): string[] {
    const args = this.#lexer.list(",;()\n"), count = args?.length ?? 0;
    if (count < required || count > names.length) {
      this.#fail(`Invalid number of arguments for ${what}`);
    }
    return args ?? this.#fail("Expected ')'");
  }

  #operation<Name extends string>(
    table: Readonly<Record<Name, Signature>>,
    text: string,
    unknown: string,
    countOf: string,
  ): Operation<Name> {
    const name = knownName(table, text.toLowerCase());
    if (name === undefined) this.#fail(`${unknown} ${text}`, text, Object.keys(table));
    return { name, args: this.#argumentsOf(table[name], countOf + name) };
  }

  #aggregation(name: string): Operation {
    const operation = this.#operation(AGGREGATIONS, name, "Unknown aggregation function", "");
    (this.#spec.aggregate ??= []).push(operation);
    return operation;
  }

  #aggregate(): string {
    do this.#aggregation(this.#lexer.word()); while (this.#comma());
    return "";
  }

  #select(): string {
    const lexer = this.#lexer, spec = this.#spec;
    do {
      let name = "";
      if (lexer.char() === "*") {
        spec.selection = "all";
      } else {
        lexer.back();
        name = this.#selected();
      }
      let keyword = lexer.word().toLowerCase();
      if (keyword === "as") {
        const alias = lexer.word();
        if (alias === "") this.#fail("Expected alias at SELECT ... AS ");
        spec.aliases.set(name, alias);
        keyword = lexer.word().toLowerCase();
      }
      if (keyword === "unit") {
        const unit = lexer.word(",;=()\n");
        if (unit === "") this.#fail("Expected unit at SELECT ... UNIT ");
        spec.units.set(name, unit);
        keyword = lexer.word().toLowerCase();
      }
      if (keyword !== "") return keyword;
    } while (this.#comma());
    return "";
  }

  #selected(): string {
    const lexer = this.#lexer, spec = this.#spec;
    const word = lexer.word();
    const following = lexer.char();
    lexer.back();
    if (following === "(") {
      const name = resultName(this.#aggregation(word));
      // After `*` the result is in the output anyway.
      if (spec.selection !== "all") {
        spec.selection = "list";
        spec.select.push(name);
      }
      return name;
    }
    if (word === "") this.#fail("Expected argument for SELECT");
    spec.selection = "list";
    spec.select.push(word);
    return word;
  }

  #groupBy(): string {
    do {
      const name = this.#lexer.word();
      if (name !== "") {
        this.#spec.grouping = "list";
        this.#spec.groupBy.push(name);
      }
    } while (this.#comma());
    return "";
  }

  #where(): string {
    do this.#spec.where.push(this.#condition()); while (this.#comma());
    return "";
  }

  #condition(): Condition {
    const lexer = this.#lexer;
    let name = lexer.word();
    const negated = name.toLowerCase() === "not";
    if (negated) name = lexer.word();
    if (name === "") this.#fail("Condition term expected");
    const operator = lexer.char();
    if (operator !== "=" && operator !== "<" && operator !== ">") {
      if (operator !== null) lexer.back();
      return { op: negated ? "not-exist" : "exist", attribute: name, value: "" };
    }
    const value = lexer.word();
    if (value === "") {
      // Two complaints are made about it; the later one is the one that is printed.
      this.#fail("Condition term expected");
    }
    const op = {
      "=": negated ? "not-equal" : "equal",
      "<": negated ? "greater-equal" : "less",
      ">": negated ? "less-equal" : "greater",
    }[operator] as Condition["op"];
    return { op, attribute: name, value };
  }

  #let(): string {
    const lexer = this.#lexer, spec = this.#spec;
    do {
      const target = lexer.word();
      if (lexer.char() !== "=") this.#fail(`Expected "=" after ${target}`);
      const operation = this.#operation(
        LET_OPERATORS,
        lexer.word().toLowerCase(),
        "Unknown operator",
        "operator ",
      );
      if (spec.lets.some((term) => term.target === target)) this.#fail(`${target} defined twice`);
      let keyword = lexer.word().toLowerCase();
      let condition: Condition | null = null;
      if (keyword === "if") {
        condition = this.#condition();
        keyword = "";
      }
      spec.lets.push({ target, operation, condition });
      if (keyword !== "") return keyword;
    } while (this.#comma());
    return "";
  }

  #orderBy(): string {
    const lexer = this.#lexer;
    do {
      const attribute = lexer.word();
      if (attribute === "") this.#fail("Sort attribute expected");
      const keyword = lexer.word().toLowerCase();
      this.#spec.orderBy.push({ attribute, descending: keyword === "desc" });
      if (keyword !== "" && keyword !== "asc" && keyword !== "desc") return keyword;
    } while (this.#comma());
    return "";
  }

  #format(): string {
    const word = this.#lexer.word().toLowerCase();
    const { name, args } = this.#operation(FORMATTERS, word, "Unknown formatter", "formatter ");
    const names = FORMATTERS[name].arguments;
    this.#spec.format = { name, args: this.#namedArguments(name, names, args) };
    return "";
  }

  /** Positional arguments get their names; a lone argument name is a flag. */
  #namedArguments(name: string, names: readonly string[], args: string[]): Map<string, string> {
    const named = new Map<string, string>();
    args.forEach((arg, i) => {
      const lexer = new Lexer(arg);
      const first = lexer.word("=");
      if (lexer.char() === "=") {
        if (first === "") named.set(names[i], lexer.word(","));
        else if (names.includes(first)) named.set(first, lexer.word(","));
        else this.#fail(`Unknown argument ${first} for ${name}`);
      } else if (names.includes(first)) {
        named.set(first, "true");
      } else {
        named.set(names[i], first);
      }
    });
    return named;
  }
}
