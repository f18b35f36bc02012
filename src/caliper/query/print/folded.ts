/**
 * `folded(metric)`: folded stacks, one line per record, as flame graph tools read them. Ours.
 *
 *     main;timestep loop;kernel.3 21632273
 *
 * The stack is the region path from root to leaf; `;` and line ends in names become `_`. The
 * metric is the first operator's result unless an attribute is named; without either each record
 * counts 1. Values are exclusive metrics, rounded to whole numbers, equal stacks are added up;
 * records without path or with a value of 0 are left out.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { toDouble } from "../../model/variant.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { findValue, NamedAttribute } from "../lookup.ts";

export class FoldedFormatter extends Formatter {
  readonly #metric: NamedAttribute | null;
  readonly #totals = new Map<string, number>();

  constructor(context: FormatContext) {
    super(context);
    const name = context.spec.format?.args.get("metric") ?? context.results[0];
    this.#metric = name === undefined ? null : new NamedAttribute(name);
  }

  record(record: Snapshot): void {
    const { tree } = this.context;
    const frames: string[] = [];
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) continue;
      for (const id of record.chain(tree, i)) {
        if (tree.isNested(tree.attributeOf[id])) frames.push(frameName(tree.textOf(id)));
      }
    }
    if (frames.length === 0) return;
    let value = 1;
    if (this.#metric !== null) {
      const id = this.#metric.resolve(tree);
      const found = id === NONE ? null : findValue(tree, record, id);
      if (found === null) return;
      value = toDouble(found.type, found.value);
    }
    const stack = frames.reverse().join(";");
    this.#totals.set(stack, (this.#totals.get(stack) ?? 0) + value);
  }

  flush(): void {
    for (const [stack, total] of this.#totals) {
      const rounded = Math.round(total);
      if (rounded !== 0) this.context.out.write(`${stack} ${rounded}\n`);
    }
  }
}

function frameName(text: string): string {
  return text.replace(/[;\r\n]/g, "_");
}
