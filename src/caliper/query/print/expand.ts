/**
 * `expand`: one line per record, `name=value` joined by `,`, nothing escaped.
 *
 * In a reference, attributes are in descending order of their ids, nested values joined by `/`
 * from root to leaf. Hidden attributes are shown. A record with nothing selected prints nothing.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { Formatter, selectedNames } from "../formatter.ts";

export class ExpandFormatter extends Formatter {
  readonly #selected = selectedNames(this.context.spec);
  /** Title by attribute id; null if the attribute is not selected. */
  readonly #titles: (string | null | undefined)[] = [];
  /** Text of a reference by node id: chains are printed again and again. */
  readonly #references: (string | undefined)[] = [];

  record(record: Snapshot): void {
    const { out, strict } = this.context;
    let isEmpty = true;
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i], isImmediate = record.immediate[i] === 1;
      const text = isImmediate
        ? this.#title(node)
        : this.#references[node] ??= this.#reference(node);
      if (text === null || text === "" && !isImmediate) continue;
      if (!isEmpty) out.write(",");
      isEmpty = false;
      out.write(text);
      if (!isImmediate) continue;
      out.write("=");
      out.dataValue(record, i, strict);
    }
    if (!isEmpty) out.write("\n");
  }

  flush(): void {}

  #title(attribute: number): string | null {
    let title = this.#titles[attribute];
    if (title === undefined) {
      const name = this.context.tree.nameOf(attribute);
      title = this.#selected !== null && !this.#selected.has(name)
        ? null
        : this.context.spec.aliases.get(name) ?? name;
      this.#titles[attribute] = title;
    }
    return title;
  }

  #reference(node: number): string {
    const { tree } = this.context;
    const values = new Map<number, string>();
    for (let id = node; id !== NONE; id = tree.parentOf[id]) {
      const attribute = tree.attributeOf[id];
      if (this.#title(attribute) === null) continue;
      const inner = values.get(attribute), text = tree.textOf(id);
      values.set(attribute, inner === undefined ? text : text + "/" + inner);
    }
    return [...values.keys()].sort((a, b) => b - a)
      .map((attribute) => `${this.#title(attribute)}=${values.get(attribute)}`).join(",");
  }
}
