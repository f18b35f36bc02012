/**
 * `csv`: a header and a row per record, RFC 4180. Ours; not in Caliper.
 *
 * Columns as in `table`: those selected, else in order of first appearance. Nested values are
 * joined by `/`. Doubles carry all their digits, absent values are empty cells, lines end in a
 * newline alone.
 * @module
 */

import { csvField } from "../../../formats/csv_row.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { streamText } from "../../model/variant.ts";
import { pathText } from "../chain_text.ts";
import { Formatter } from "../formatter.ts";
import { RecordStore } from "../record_store.ts";

interface Column {
  name: string;
  attribute: number;
  /** Text by node id of references. */
  texts: Map<number, string>;
}

export class CsvFormatter extends Formatter {
  /** All records are held: a later one may bring a column of its own. */
  readonly #records = new RecordStore();
  readonly #seen = new Set<number>();
  readonly #seenNodes = new Set<number>();

  record(record: Snapshot): void {
    this.#records.add(record);
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) this.#seen.add(record.node[i]);
      else this.#learn(record.node[i]);
    }
  }

  /** Takes the attributes of a chain, up to a node whose attributes are known. */
  #learn(node: number): void {
    const { tree } = this.context;
    for (let id = node; id !== NONE && !this.#seenNodes.has(id); id = tree.parentOf[id]) {
      this.#seenNodes.add(id);
      this.#seen.add(tree.attributeOf[id]);
    }
  }

  flush(): void {
    const { out, tree, spec } = this.context;
    const column = (name: string, attribute: number): Column => {
      return { name, attribute, texts: new Map() };
    };
    const columns = spec.selection === "list"
      ? spec.select.map((name) => column(name, tree.attributeByName(name)))
      : [...this.#seen].filter((id) => !tree.isHidden(id) && !tree.isGlobal(id))
        .map((attribute) => column(tree.nameOf(attribute), attribute));
    const header = columns.map(({ name, attribute }) => this.titleOf(attribute, name));
    out.write(header.map(csvField).join(",") + "\n");
    for (let r = 0; r < this.#records.count; r++) {
      const record = this.#records.record(r);
      let line = "", isEmpty = true;
      for (let c = 0; c < columns.length; c++) {
        const cell = this.#cell(record, columns[c]);
        if (cell !== "") isEmpty = false;
        line += (c > 0 ? "," : "") + csvField(cell);
      }
      if (!isEmpty) out.write(line + "\n");
    }
  }

  #cell(record: Snapshot, { attribute, texts }: Column): string {
    if (attribute === NONE) return "";
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      let text: string | undefined = "";
      if (record.immediate[i] === 0) {
        text = texts.get(node);
        if (text === undefined) {
          texts.set(node, text = pathText(this.context.tree, node, attribute));
        }
      } else if (node === attribute) {
        text = streamText(record.type[i], record.valueAt(i), "all");
      }
      if (text !== "") return text;
    }
    return "";
  }
}
