/**
 * `csv`: a header and a row per record, RFC 4180. Ours; not in Caliper.
 *
 * Columns as in `table`: those selected, else in order of first appearance. Nested values are
 * joined by `/`. Doubles carry all their digits, absent values are empty cells, lines end in a
 * newline alone.
 * @module
 */

import type { Snapshot } from "../context/snapshot.ts";
import { NONE } from "../context/tree.ts";
import { streamText } from "../context/variant.ts";
import { pathText } from "./chain_text.ts";
import type { FormatContext, Formatter } from "./formatter.ts";

export class CsvFormatter implements Formatter {
  readonly #context: FormatContext;
  /** All records are held: a later one may bring a column of its own. */
  readonly #records: Snapshot[] = [];
  readonly #seen = new Set<number>();

  constructor(context: FormatContext) {
    this.#context = context;
  }

  record(record: Snapshot): void {
    const { tree } = this.#context;
    this.#records.push(record.copy());
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) this.#seen.add(record.node[i]);
      else for (const id of record.chain(tree, i)) this.#seen.add(tree.attributeOf[id]);
    }
  }

  flush(): void {
    const { out, tree, spec } = this.#context;
    const columns = spec.selection === "list"
      ? spec.select.map((name) => ({ name, attribute: tree.attributeByName(name) }))
      : [...this.#seen].filter((id) => !tree.isHidden(id) && !tree.isGlobal(id))
        .map((attribute) => ({ name: tree.nameOf(attribute), attribute }));
    const header = columns.map(({ name, attribute }) =>
      spec.aliases.get(name) ?? tree.titleOf(attribute) ?? name
    );
    out.write(header.map(quoteCell).join(",") + "\n");
    for (const record of this.#records) {
      const cells = columns.map(({ attribute }) => this.#cell(record, attribute));
      if (cells.some((cell) => cell !== "")) out.write(cells.map(quoteCell).join(",") + "\n");
    }
  }

  #cell(record: Snapshot, attribute: number): string {
    if (attribute === NONE) return "";
    for (let i = 0; i < record.count; i++) {
      let text = "";
      if (record.immediate[i] === 0) {
        text = pathText(this.#context.tree, record.node[i], attribute);
      } else if (record.node[i] === attribute) {
        text = streamText(record.type[i], record.valueAt(i), "all");
      }
      if (text !== "") return text;
    }
    return "";
  }
}

function quoteCell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
