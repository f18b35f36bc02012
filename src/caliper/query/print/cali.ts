/** `cali`: the records as a stream, then the globals. */

import type { Snapshot } from "../../model/snapshot.ts";
import { type DoubleDigits, streamText, TYPE } from "../../model/variant.ts";
import { CaliWriter } from "../../stream/cali.ts";
import { type FormatContext, Formatter } from "../formatter.ts";

export class CaliFormatter extends Formatter {
  readonly #writer: CaliWriter;
  readonly #digits: DoubleDigits;
  /** By node id: how records name it. */
  readonly #names: string[] = [];

  constructor(context: FormatContext) {
    super(context);
    const { tree, out, strict } = context, digits = strict ? "all" : "six";
    this.#digits = digits;
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
    this.#write("__rec=ctx", record);
  }

  flush(): void {
    this.#write("__rec=globals", this.context.tree.globals);
  }

  #write(kind: string, record: Snapshot): void {
    const { out, strict } = this.context, { count, node, immediate } = record;
    let isBare = true;
    // First what the record needs: nodes are lines of their own.
    for (let i = 0; i < count; i++) {
      if (this.#isLeftOut(record, i)) continue;
      isBare = false;
      if (this.#names[node[i]] !== undefined) continue;
      this.#writer.writeNode(node[i]);
      this.#names[node[i]] = `=${node[i]}`;
    }
    // A bare record is one that readers report as invalid.
    if (isBare && strict) return;
    out.write(kind);
    let before = ",ref";
    for (let i = 0; i < count; i++) {
      if (immediate[i] === 1) continue;
      out.write(before);
      out.write(this.#names[node[i]]);
      before = "";
    }
    before = ",attr";
    for (let i = 0; i < count; i++) {
      if (immediate[i] === 0 || this.#isLeftOut(record, i)) continue;
      out.write(before);
      out.write(this.#names[node[i]]);
      before = "";
    }
    before = ",data=";
    for (let i = 0; i < count; i++) {
      if (immediate[i] === 0 || this.#isLeftOut(record, i)) continue;
      out.write(before);
      this.#writeValue(record, i);
      before = "=";
    }
    out.write("\n");
  }

  /** Strictly, values that are none are left out: their empty text is no number, and so an error. */
  #isLeftOut({ immediate, type }: Snapshot, i: number): boolean {
    return this.context.strict && immediate[i] === 1 && type[i] === TYPE.inv;
  }

  #writeValue(record: Snapshot, i: number): void {
    const { out } = this.context, type = record.type[i], isNumber = record.isFinite(i);
    if (isNumber && type !== TYPE.double) return out.value(record, i);
    const text = streamText(type, record.valueAt(i), this.#digits);
    out.write(isNumber ? text : this.#writer.escape(text));
  }
}
