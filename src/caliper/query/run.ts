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
import type { AggregatedRow } from "./aggregated_row.ts";
import { Filter } from "./filter.ts";
import { type FormatContext, type Formatter, Output } from "./formatter.ts";
import { compileLet, type LetTerm, type RowTerm } from "./let.ts";
import { MergedTree } from "./merged_tree.ts";
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
import type { RecordSink, RecordSource } from "./sources/source.ts";
import type { QuerySpec } from "./spec.ts";

/** What is asked of the inputs: their records, their attributes, or their globals. */
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

/** By the names in FORMAT. */
const FORMATTERS: Record<string, new (context: FormatContext) => Formatter> = {
  cali: CaliFormatter,
  json: JsonFormatter,
  expand: ExpandFormatter,
  format: UserFormatter,
  table: TableFormatter,
  tree: TreeFormatter,
  "json-split": JsonSplitFormatter,
  csv: CsvFormatter,
  folded: FoldedFormatter,
  "trace-events": TraceEventsFormatter,
};

/** A query that is being run over one or several sources. */
export class QueryRun {
  readonly tree: MergedTree;
  readonly #spec: QuerySpec;
  readonly #subject: Subject;
  readonly #out: Output;
  readonly #lets: LetTerm[];
  readonly #filter: Filter | null;
  readonly #aggregator: Aggregator | null;
  readonly #formatter: Formatter;
  readonly #context: FormatContext;
  readonly #names: Set<string>;
  #attributeId = NONE;

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
      problem,
      ...this.#rows(),
    };
    source(this.tree, sink);
  }

  /** Records can pass by where only the aggregation looks at them, or only the formatter. */
  #rows(): Pick<RecordSink, "row" | "rowOf" | "rowHasBytes"> {
    const aggregator = this.#aggregator, formatter = this.#formatter;
    if (this.#subject !== "records" || this.#filter !== null) return {};
    if (aggregator !== null && this.#lets.length > 0) {
      if (this.#lets.some(({ rowTerm }) => rowTerm === undefined)) return {};
      return {
        rowOf: (record) => this.#letRow(record, aggregator),
        row: (row, { numbers }) => addLetRow(row as LetRow, numbers, aggregator),
      };
    }
    if (aggregator !== null) {
      return {
        rowOf: ({ shape }) => aggregator.rowOf(shape === null ? null : shape.places),
        row: (row, { numbers }) => aggregator.addRow(row as AggregatedRow, numbers),
      };
    }
    if (this.#lets.length > 0 || formatter.rowOf === undefined) return {};
    return {
      rowOf: (record) => formatter.rowOf!(record),
      row: (row, source) => formatter.row!(row, source),
      rowHasBytes: true,
    };
  }

  #letRow(record: Snapshot, aggregator: Aggregator): LetRow | null {
    const { shape, shapeAt: from, count } = record, lets = this.#lets;
    if (shape === null || count !== from + shape.places.length + lets.length) return null;
    const terms: RowTerm[] = [];
    for (let i = 0; i < lets.length; i++) {
      const term = lets[i].rowTerm?.(this.tree, record, from, count - lets.length + i) ?? null;
      if (term === null) return null;
      terms.push(term);
    }
    const row = aggregator.rowOf(null);
    return row && { row, terms, places: shape.places, numbers: new Float64Array(count - from) };
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

/** A row of an aggregation, with what terms of LET add to its numbers. */
interface LetRow {
  readonly row: AggregatedRow;
  readonly terms: readonly RowTerm[];
  /** Of the numbers that are read. */
  readonly places: Int32Array;
  /** These and the results of the last record. */
  readonly numbers: Float64Array;
}

function addLetRow(
  { row, terms, places, numbers }: LetRow,
  read: Float64Array,
  aggregator: Aggregator,
): boolean {
  const { length } = places;
  for (let i = 0; i < length; i++) numbers[i] = read[places[i]];
  for (let i = 0; i < terms.length; i++) {
    const result = terms[i](numbers);
    if (result === null) return false;
    numbers[length + i] = result;
  }
  return aggregator.addRow(row, numbers);
}

/** Formats whose strings have JSON's escapes. */
const JSON_FORMATS = ["json", "json-split", "trace-events"];

function shownAs(format = "cali", output: QueryOptions["output"]): QueryOptions["output"] {
  // A stream is read again by programs that know no escapes.
  if (format === "cali") return output;
  return printableBytes(JSON_FORMATS.includes(format) ? "json" : "text", output);
}

/** The formatter that a query names; `cali` if it names none. */
function makeFormatter(context: FormatContext): Formatter {
  return new FORMATTERS[context.spec.format?.name ?? "cali"](context);
}
