/** `recorder`: writes kept snapshots and the globals as a `.cali` stream. */

import { type CaliEntry, CaliWriter } from "../../formats/cali.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ContextTree } from "../tree.ts";
import { streamText } from "../variant.ts";

/**
 * The `.cali` text of records and globals. Doubles carry all their digits.
 *
 * @param flush Hands over the records, one after the other.
 */
export function recordStream(
  tree: ContextTree,
  flush: (emit: (record: Snapshot) => void) => void,
  globals: Snapshot,
): string {
  const lines: string[] = [];
  const writer = new CaliWriter(
    {
      attributeOf: (id) => tree.attributeOf[id],
      parentOf: (id) => tree.parentOf[id],
      textOf: (id) => streamText(tree.typeOf[id], tree.valueOf[id], "all"),
    },
    (line) => lines.push(line),
  );
  flush((record) => writer.writeContext(entriesOf(record)));
  // A bare globals record is one that readers report as invalid.
  if (globals.count > 0) writer.writeGlobals(entriesOf(globals));
  return lines.join("");
}

function entriesOf(record: Snapshot): CaliEntry[] {
  return Array.from({ length: record.count }, (_, i) => ({
    node: record.node[i],
    text: record.immediate[i] === 1 ? streamText(record.type[i], record.valueAt(i), "all") : null,
  }));
}
