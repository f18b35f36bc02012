/**
 * Runs a query: per record LET terms in order, then WHERE, then aggregation or output.
 *
 * WHERE sees the input and the results of LET, never those of aggregation. Records stream through;
 * what is held is the merged tree, one row per group, and what a formatter must hold to print.
 * @module
 */

import { printableBytes } from "../../core/printable.ts";
import { Snapshot } from "../model/snapshot.ts";
import { NAME_ID, NONE } from "../model/tree.ts";
import { TYPE } from "../model/variant.ts";
import { PROPERTY } from "../model/attribute.ts";
import { Aggregator } from "./aggregate.ts";
import { Filter } from "./filter.ts";
import { type FormatContext, type Formatter, Output } from "./formatter.ts";
import { FORMATTERS, LET_OPERATORS, resultName } from "./functions.ts";
import { conditional, type LetTerm } from "./let.ts";
import { MergedTree } from "./merged_tree.ts";
import type { RecordSink, RecordSource } from "./sources/source.ts";
import type { Let, QuerySpec } from "./spec.ts";

/** Requested content of the inputs: their records, their attributes, or their globals. */
export type Subject = "records" | "attributes" | "globals";

export interface QueryOptions {
  /** @default "records" */
  subject?: Subject;
  /** Right instead of like cali-query, see `FormatContext`. @default false */
  strict?: boolean;
  output: (bytes: Uint8Array) => void;
  /** Takes lines for people. @default none */
  complain?: (message: string) => void;
}

/** A query that is being run over one or several sources. */
export class QueryRun {
  readonly tree: MergedTree;
  readonly #spec: QuerySpec;
  readonly #subject: Subject;
  readonly #out: Output;
  readonly #lets: LetTerm[];
  readonly #filter: Filter | null;
  #aggregator: Aggregator | null;
  #formatter: Formatter;
  readonly #context: FormatContext;
  readonly #names: Set<string>;
  #attributeId = NONE;
  /** Is it too late for further columns? */
  #isStarted = false;

  /** @throws {QueryError} If a number among the arguments of an operator is none. */
  constructor(spec: QuerySpec, options: QueryOptions) {
    const strict = options.strict ?? false;
    this.tree = new MergedTree(spec);
    this.#spec = spec;
    this.#subject = options.subject ?? "records";
    this.#out = new Output(shownAs(spec.format?.name, options.output));
    this.#context = {
      spec,
      tree: this.tree,
      out: this.#out,
      results: (spec.aggregate ?? []).map(resultName),
      strict,
      complain: options.complain ?? (() => {}),
    };
    this.#lets = spec.lets.map((term) => compileLet(term, strict));
    this.#filter = spec.where.length > 0 ? new Filter(spec.where, strict) : null;
    this.#aggregator = spec.aggregate === null ? null : new Aggregator(spec, this.tree);
    this.#formatter = makeFormatter(this.#context);
    this.#names = new Set([
      ...this.#lets.flatMap((term) => term.names),
      ...(this.#filter?.names ?? []),
    ]);
  }

  /**
   * Reads a source.
   *
   * @param problem Takes what could not be read, with its line; reading goes on.
   */
  read(source: RecordSource, problem: (message: string, line: number) => void = () => {}): void {
    const sink: RecordSink = {
      wants: (attribute) => this.#wants(attribute),
      aggregates: this.#aggregator !== null,
      record: this.#subject === "records" ? (record) => this.#process(record) : () => {},
      node: this.#subject === "attributes" ? (id) => this.#listAttribute(id) : () => {},
      hasPathColumn: () => this.#addPathColumn(),
      problem,
    };
    source(this.tree, sink);
    this.#isStarted = true;
  }

  /** Prints what is left. To be called once, after all sources. */
  finish(): void {
    if (this.#subject === "globals") {
      this.#printGlobals();
    } else {
      this.#aggregator?.flush((record) => this.#formatter.record(record));
      this.#formatter.flush();
    }
    this.#out.flush();
  }

  #wants(attribute: number): boolean {
    if (this.#subject !== "records") return false;
    if (this.#aggregator === null) return true;
    return this.#names.has(this.tree.nameOf(attribute)) || this.#aggregator.wants(attribute);
  }

  /** In SELECT and GROUP BY, `path` stands for nested regions, and for an attribute of this name. */
  #addPathColumn(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const spec = this.#spec;
    if (PATH_FORMATS.includes(spec.format?.name ?? "cali")) return;
    if (spec.selectPath) spec.select.splice(spec.selectPathAt, 0, "path");
    if (spec.groupByPath) spec.groupBy.push("path");
    this.#aggregator = spec.aggregate === null ? null : new Aggregator(spec, this.tree);
    this.#formatter = makeFormatter(this.#context);
  }

  #process(record: Snapshot): void {
    for (let i = 0; i < this.#lets.length; i++) this.#lets[i].apply(this.tree, record);
    if (this.#filter !== null && !this.#filter.pass(this.tree, record)) return;
    if (this.#aggregator !== null) this.#aggregator.add(record);
    else this.#formatter.record(record);
  }

  /** One record per attribute definition: its id, name, properties, type and metadata. */
  #listAttribute(id: number): void {
    const { tree } = this;
    if (tree.attributeOf[id] !== NAME_ID) return;
    if (this.#attributeId === NONE) {
      this.#attributeId = tree.createResult("attribute.id", TYPE.uint, PROPERTY.asvalue);
    }
    const record = new Snapshot();
    record.pushNumber(this.#attributeId, TYPE.uint, id);
    for (let node = id; node !== NONE; node = tree.parentOf[node]) {
      record.pushValue(tree.attributeOf[node], tree.typeOf[node], tree.valueOf[node]);
    }
    this.#process(record);
  }

  /** One record of all globals; without a selection, all of them are selected. */
  #printGlobals(): void {
    const { tree } = this, spec = { ...this.#spec };
    if (spec.selection !== "list") {
      spec.selection = "list";
      spec.select = [
        ...spec.select,
        ...tree.attributes().filter(({ id }) => tree.isGlobal(id)).map(({ name }) => name),
      ];
    }
    const formatter = makeFormatter({ ...this.#context, spec });
    formatter.record(tree.globals);
    formatter.flush();
  }
}

/** Makes a LET term runnable. @throws {QueryError} If a number among the arguments is none. */
function compileLet({ target, operation: { name, args }, condition }: Let, wide: boolean): LetTerm {
  const term = LET_OPERATORS[name].make(target, args);
  return condition === null ? term : conditional(term, new Filter([condition], wide));
}

/** Formats that have a place of their own for the path. */
const PATH_FORMATS: readonly string[] = ["tree", "json-split", "folded"];

/** Formats whose strings have JSON's escapes. */
const JSON_FORMATS = ["json", "json-split", "trace-events"];

function shownAs(format = "cali", output: QueryOptions["output"]): QueryOptions["output"] {
  // A stream is read again by programs that know no escapes.
  if (format === "cali") return output;
  return printableBytes(JSON_FORMATS.includes(format) ? "json" : "text", output);
}

/** The formatter that a query names; `cali` if it names none. */
function makeFormatter(context: FormatContext): Formatter {
  return new FORMATTERS[context.spec.format?.name ?? "cali"].make(context);
}
