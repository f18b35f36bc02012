/**
 * A trace or an event log as a source of records: one per row, attributes named like the columns,
 * and `host` from the header. Rows stream through.
 *
 * A column holds numbers if its first cell is one. Hashes, hints and registers stay the text that they
 * are: as numbers they could not be recognized. Among numbers, as in an event log, they are integers.
 * @module
 */

import { unparsed } from "../../../core/errors.ts";
import { TYPE } from "../../model/variant.ts";
import { parseCell } from "../../../formats/trace/trace.ts";
import type { TraceHeader } from "../../../formats/trace/header.ts";
import { TraceScanner } from "../../../formats/trace/scanner.ts";
import { INPUT, pieces, RecordMaker } from "../record_maker.ts";
import type { ReadBytes, RecordSource } from "./source.ts";

/** Columns of hashes, hints and whole registers, whose first cell may be NAN. */
const IS_TEXT = /^REGION_(HASH|HINT)(-|$)|#(-|$)/;
const HEX = /^0x[0-9a-f]{1,16}$/i;

interface Column {
  readonly attribute: number;
  readonly type: number;
  readonly wanted: boolean;
}

/** @param read Gives the bytes of the trace. */
export function traceSource(read: ReadBytes): RecordSource {
  return (tree, sink) => {
    const maker = new RecordMaker(tree, sink);
    const rows = new Rows(maker);
    const scanner = new TraceScanner(INPUT, {
      header: (header, names) => rows.open(header, names),
      row: (cells, line) => rows.row(cells, line),
      error: (error) => maker.problem(error),
    });
    for (const piece of pieces(read)) scanner.push(piece);
    scanner.end();
  };
}

class Rows {
  readonly #maker: RecordMaker;
  #names: readonly string[] = [];
  #columns: Column[] | null = null;
  #host = "";
  #hostAttribute = 0;
  #hostWanted = false;

  constructor(maker: RecordMaker) {
    this.#maker = maker;
  }

  open(header: TraceHeader, names: readonly string[]): void {
    const maker = this.#maker;
    maker.global("geopm_version", header.version);
    maker.global("start_time", header.startTime);
    maker.global("profile_name", header.profile);
    maker.global("agent", header.agent);
    this.#host = header.host;
    this.#hostAttribute = maker.attribute("host", TYPE.string);
    this.#hostWanted = maker.wants(this.#hostAttribute);
    this.#names = names;
  }

  row(cells: readonly string[], line: number): void {
    const maker = this.#maker, columns = this.#columns ??= this.#plan(cells);
    const numbers: number[] = [];
    // All cells first: of a row with a bad one nothing is taken.
    for (let i = 0; i < columns.length; i++) {
      const { type, wanted } = columns[i];
      if (!wanted || type === TYPE.string) continue;
      const number = HEX.test(cells[i]) ? Number(cells[i]) : parseCell(cells[i]);
      if (number === undefined) {
        const found = `"${cells[i].slice(0, 80)}" in column ${this.#names[i]}`;
        maker.problem(unparsed(INPUT, line, "a number", found));
        return;
      }
      numbers[i] = number;
    }
    if (this.#hostWanted) maker.text(this.#hostAttribute, this.#host);
    for (let i = 0; i < columns.length; i++) {
      const { attribute, type, wanted } = columns[i];
      if (!wanted) continue;
      if (type === TYPE.string) maker.text(attribute, cells[i]);
      else maker.push(attribute, type, numbers[i]);
    }
    maker.emit();
  }

  #plan(cells: readonly string[]): Column[] {
    return this.#names.map((name, i) => {
      const isText = IS_TEXT.test(name) || HEX.test(cells[i]) ||
        parseCell(cells[i]) === undefined;
      const type = isText ? TYPE.string : TYPE.double;
      const attribute = this.#maker.attribute(name, type);
      return { attribute, type, wanted: this.#maker.wants(attribute) };
    });
  }
}
