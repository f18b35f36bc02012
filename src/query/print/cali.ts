/** `cali`: the records as a stream, then the globals. */

import type { Snapshot } from "../../context/snapshot.ts";
import { streamText, TYPE } from "../../context/variant.ts";
import { type CaliEntry, CaliWriter } from "../../formats/cali/cali.ts";
import type { FormatContext, Formatter } from "../formatter.ts";

export class CaliFormatter implements Formatter {
  readonly #context: FormatContext;
  readonly #writer: CaliWriter;

  constructor(context: FormatContext) {
    const { tree, out, strict } = context;
    const digits = strict ? "all" : "six";
    this.#context = context;
    this.#writer = new CaliWriter(
      {
        attributeOf: (id) => tree.attributeOf[id],
        parentOf: (id) => tree.parentOf[id],
        textOf: (id) => streamText(tree.typeOf[id], tree.valueOf[id], digits),
      },
      (line) => out.write(line),
      { asciiOnly: !strict },
    );
  }

  record(record: Snapshot): void {
    const entries = this.#entries(record);
    // A bare record is one that readers report as invalid.
    if (entries.length > 0 || !this.#context.strict) this.#writer.writeContext(entries);
  }

  flush(): void {
    const entries = this.#entries(this.#context.tree.globals);
    if (entries.length > 0 || !this.#context.strict) this.#writer.writeGlobals(entries);
  }

  /** Strictly, without values that are none: their empty text is no number, and so an error. */
  #entries(record: Snapshot): CaliEntry[] {
    const { strict } = this.#context, digits = strict ? "all" : "six", entries: CaliEntry[] = [];
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i], type = record.type[i];
      if (record.immediate[i] === 0) entries.push({ node, text: null });
      else if (!strict || type !== TYPE.inv) {
        entries.push({ node, text: streamText(type, record.valueAt(i), digits) });
      }
    }
    return entries;
  }
}
