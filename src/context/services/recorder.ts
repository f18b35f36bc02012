/** `recorder`: writes snapshots and the globals as a `.cali` stream. Doubles carry all digits. */

import { type CaliEntry, CaliWriter } from "../../formats/cali/cali.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ContextTree } from "../tree.ts";
import { streamText } from "../variant.ts";

/** A `.cali` stream under way: each node goes out once, before the first record that needs it. */
export class CaliStream {
  readonly #writer: CaliWriter;

  /** @param emit Takes each line with its newline. */
  constructor(tree: ContextTree, emit: (line: string) => void) {
    this.#writer = new CaliWriter(
      {
        attributeOf: (id) => tree.attributeOf[id],
        parentOf: (id) => tree.parentOf[id],
        textOf: (id) => streamText(tree.typeOf[id], tree.valueOf[id], "all"),
      },
      emit,
    );
  }

  record(record: Snapshot): void {
    this.#writer.writeContext(entriesOf(record));
  }

  /** Run metadata; the last record. A bare one is what readers report as invalid. */
  globals(globals: Snapshot): void {
    if (globals.count > 0) this.#writer.writeGlobals(entriesOf(globals));
  }
}

function entriesOf(record: Snapshot): CaliEntry[] {
  return Array.from({ length: record.count }, (_, i) => ({
    node: record.node[i],
    text: record.immediate[i] === 1 ? streamText(record.type[i], record.valueAt(i), "all") : null,
  }));
}
