/**
 * A batch of records on their way into the aggregation kernels: which group each row belongs to,
 * and for each attribute that some kernel looks at, a column of (row, value).
 *
 * Kernels then run one after the other over a column, in tight loops over typed arrays, instead of
 * being called once per record.
 * @module
 */

import { grown } from "../../core/grow.ts";
import { TYPE, type Value } from "../model/variant.ts";

/** Rows per batch: small enough that the columns stay in the cache. */
export const BATCH_ROWS = 2048;

/** Values of one attribute in the rows of a batch, in row order; a row may have several. */
export class Column {
  count = 0;
  rows = new Int32Array(BATCH_ROWS);
  num = new Float64Array(BATCH_ROWS);
  type = new Uint8Array(BATCH_ROWS);
  /** Values that are no plain number, else null. */
  obj: (string | bigint | null)[] = new Array(BATCH_ROWS).fill(null);
  /** Type of the first value. */
  uniform: number = TYPE.inv;
  /** Are all values plain numbers of the type `uniform`? */
  plain = true;

  push(row: number, type: number, num: number, obj: string | bigint | null): void {
    const at = this.count++;
    if (at === this.rows.length) this.#grow();
    this.rows[at] = row;
    this.num[at] = num;
    this.type[at] = type;
    if (type === this.uniform && obj === null) return;
    if (at === 0) this.uniform = type; // stays from batch to batch until another type comes first
    else this.plain = false;
    if (obj === null) return;
    this.plain = false;
    this.obj[at] = obj;
  }

  valueAt(at: number): Value {
    return this.obj[at] ?? this.num[at];
  }

  clear(): void {
    if (!this.plain) this.obj.fill(null);
    this.count = 0;
    this.plain = true;
  }

  #grow(): void {
    this.rows = grown(this.rows);
    this.num = grown(this.num);
    this.type = grown(this.type);
    while (this.obj.length < this.rows.length) this.obj.push(null);
  }
}

export class Batch {
  /** Number of rows. */
  rows = 0;
  /** Group per row. */
  readonly groups = new Int32Array(BATCH_ROWS);
  /** Columns of immediates, and of references whose innermost node has the attribute. */
  readonly immediates = new Map<number, Column>();
  readonly references = new Map<number, Column>();

  /** Number of columns. */
  get columns(): number {
    return this.immediates.size + this.references.size;
  }

  /** The column of immediates of an attribute, made if it is new. */
  immediate(attribute: number): Column {
    return this.immediates.getOrInsertComputed(attribute, () => new Column());
  }

  /** The column of references that end in an attribute, made if it is new. */
  reference(attribute: number): Column {
    return this.references.getOrInsertComputed(attribute, () => new Column());
  }

  clear(): void {
    this.rows = 0;
    for (const column of this.immediates.values()) column.clear();
    for (const column of this.references.values()) column.clear();
  }
}
