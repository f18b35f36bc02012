/** `recorder`: writes snapshots and the globals as a `.cali` stream. Doubles carry all digits. */

import { CaliWriter } from "../../stream/cali.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ContextTree } from "../tree.ts";
import { streamText } from "../variant.ts";

/** A `.cali` stream under way: each node goes out once, before the first record that needs it. */
export class CaliStream {
  /** Records written: nodes, snapshots and run metadata, a line each. */
  written = 0;
  readonly #writer: CaliWriter;

  /** @param emit Takes each line with its newline. */
  constructor(tree: ContextTree, emit: (line: string) => void) {
    this.#writer = new CaliWriter(
      {
        attributeOf: (id) => tree.attributeOf[id],
        parentOf: (id) => tree.parentOf[id],
        textOf: (id) => streamText(tree.typeOf[id], tree.valueOf[id], "all"),
      },
      (line) => {
        this.written++;
        emit(line);
      },
    );
  }

  record(record: Snapshot): void {
    this.#add(record);
    this.#writer.endContext();
  }

  /** Run metadata; the last record. A bare one is what readers report as invalid. */
  globals(globals: Snapshot): void {
    if (globals.count === 0) return;
    this.#add(globals);
    this.#writer.endGlobals();
  }

  #add(record: Snapshot): void {
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      if (record.immediate[i] === 0) {
        this.#writer.addReference(node);
        continue;
      }
      const type = record.type[i], isNumber = record.obj[i] === null;
      this.#writer.addValue(node, streamText(type, record.valueAt(i), "all"), isNumber);
    }
  }
}
