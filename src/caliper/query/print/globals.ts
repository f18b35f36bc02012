/** The `name : value` block that `print-globals` puts before a table or tree. */

import { TYPE } from "../../model/variant.ts";
import { clamp, padLeft, padRight } from "../byte_text.ts";
import type { MergedTree } from "../merged_tree.ts";

const MAX_NAME_WIDTH = 24;
const MAX_VALUE_WIDTH = 52;

/** The block, one empty line if there are no globals. */
export function globalsBlock(tree: MergedTree): string {
  const { globals } = tree;
  const rows: { name: string; text: string; number: boolean }[] = [];
  const add = (attribute: number, text: string) => {
    const type = tree.valueTypeOf(attribute);
    const number = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
    rows.push({ name: tree.nameOf(attribute), text, number });
  };
  for (let i = 0; i < globals.count; i++) {
    if (globals.immediate[i] === 1) add(globals.node[i], globals.textAt(i));
    else for (const id of globals.chain(tree, i)) add(tree.attributeOf[id], tree.textOf(id));
  }
  const widest = (texts: string[]) => texts.reduce((width, t) => Math.max(width, t.length), 0);
  const nameWidth = Math.min(MAX_NAME_WIDTH, widest(rows.map((row) => row.name)));
  const numberWidth = widest(rows.filter((row) => row.number).map((row) => row.text));
  return rows.map(({ name, text, number }) =>
    padRight(clamp(name, nameWidth), nameWidth) + ": " +
    (number ? padLeft(text, numberWidth) : clamp(text, MAX_VALUE_WIDTH))
  ).join("\n") + "\n";
}
