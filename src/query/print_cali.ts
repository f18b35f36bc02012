/** `cali`: the records as a stream, then the globals. */

import type { Snapshot } from "../context/snapshot.ts";
import { streamText } from "../context/variant.ts";
import { type CaliEntry, CaliWriter } from "../formats/cali.ts";
import type { FormatContext, Formatter } from "./formatter.ts";

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
    this.#writer.writeContext(this.#entries(record));
  }

  flush(): void {
    const { globals } = this.#context.tree;
    // A bare globals record is one that readers report as invalid.
    if (globals.count > 0 || !this.#context.strict) {
      this.#writer.writeGlobals(this.#entries(globals));
    }
  }

  #entries(record: Snapshot): CaliEntry[] {
    const digits = this.#context.strict ? "all" : "six";
    return Array.from({ length: record.count }, (_, i) => ({
      node: record.node[i],
      text: record.immediate[i] === 1
        ? streamText(record.type[i], record.valueAt(i), digits)
        : null,
    }));
  }
}
