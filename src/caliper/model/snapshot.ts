/**
 * A snapshot record: an ordered list of entries, each a reference into the context tree (it stands
 * for the node and all its ancestors) or an immediate (attribute, value).
 *
 * The columns are reused from record to record; nothing is allocated per entry. A number is in
 * `num`, anything else (text, integers beyond 2^53) in `obj`, which is null for numbers.
 * @module
 */

import { lengthened } from "../../core/grow.ts";
import { type ContextTree, NAME_ID, NONE } from "./tree.ts";
import { reportText, TYPE, type Value } from "./variant.ts";

/**
 * A record under way: references to nodes, and immediate values. Reused.
 *
 * @example
 * ```ts
 * import { Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "trace" });
 * const metadata = channel.globals();
 * console.log(metadata.copy());
 * ```
 */
export class Snapshot {
  /** Number of entries. */
  count = 0;
  /** Node id of a reference, attribute id of an immediate. */
  node = new Int32Array(32);
  /** 1 for an immediate, 0 for a reference. */
  immediate = new Uint8Array(32);
  /** Type code of an immediate's value. */
  type = new Uint8Array(32);
  /** Numeric value of an immediate; `bool` as 0 or 1. */
  num = new Float64Array(32);
  /** Value of an immediate that is no plain number, else null. */
  obj: (string | bigint | null)[] = new Array(32).fill(null);

  /** Makes it empty, for the next one. */
  clear(): void {
    this.count = 0;
  }

  /** Adds a reference. A reference to an attribute node is an immediate holding its name. */
  pushReference(tree: ContextTree, node: number): void {
    if (tree.attributeOf[node] === NAME_ID) {
      this.pushValue(node, TYPE.string, tree.valueOf[node]);
      return;
    }
    this.pushNode(node);
  }

  /** Adds a reference to a node that is no attribute. */
  pushNode(node: number): void {
    const at = this.#next();
    this.node[at] = node;
    this.immediate[at] = 0;
  }

  /** Adds an immediate that is a plain number. */
  pushNumber(attribute: number, type: number, num: number): void {
    const at = this.#next();
    this.node[at] = attribute;
    this.immediate[at] = 1;
    this.type[at] = type;
    this.num[at] = num;
    if (this.obj[at] !== null) this.obj[at] = null;
  }

  /** Adds an immediate of any kind. */
  pushValue(attribute: number, type: number, value: Value): void {
    if (typeof value === "number") return this.pushNumber(attribute, type, value);
    const at = this.#next();
    this.node[at] = attribute;
    this.immediate[at] = 1;
    this.type[at] = type;
    this.num[at] = 0;
    this.obj[at] = value;
  }

  /** Index of the first immediate of an attribute; -1: none. */
  indexOf(attribute: number): number {
    for (let i = 0; i < this.count; i++) {
      if (this.immediate[i] === 1 && this.node[i] === attribute) return i;
    }
    return -1;
  }

  /** Takes an entry out. */
  remove(at: number): void {
    for (let i = at + 1; i < this.count; i++) {
      this.node[i - 1] = this.node[i];
      this.immediate[i - 1] = this.immediate[i];
      this.type[i - 1] = this.type[i];
      this.num[i - 1] = this.num[i];
      this.obj[i - 1] = this.obj[i];
    }
    this.count--;
  }

  /** Adds the entries of another one. @param without A reference that stays out, or `NONE`. */
  append(tree: ContextTree, from: Snapshot, without: number): void {
    for (let i = 0; i < from.count; i++) {
      if (from.immediate[i] === 1) this.pushValue(from.node[i], from.type[i], from.valueAt(i));
      else if (from.node[i] !== without) this.pushReference(tree, from.node[i]);
    }
  }

  /** Value of the immediate at an index. */
  valueAt(at: number): Value {
    return this.obj[at] ?? this.num[at];
  }

  /** Text of the immediate at an index, as reports print it. */
  textAt(at: number): string {
    return reportText(this.type[at], this.valueAt(at));
  }

  /** Is the immediate at an index a whole number or a double that is finite? */
  isFinite(at: number): boolean {
    const type = this.type[at];
    if (this.obj[at] !== null) return false;
    return type === TYPE.int || type === TYPE.uint ||
      type === TYPE.double && Number.isFinite(this.num[at]);
  }

  /** Attribute of the entry: that of the immediate, or of the innermost node of a reference. */
  attributeAt(tree: ContextTree, at: number): number {
    return this.immediate[at] === 1 ? this.node[at] : tree.attributeOf[this.node[at]];
  }

  /** Nodes of a reference from the innermost to the root. */
  *chain(tree: ContextTree, at: number): Generator<number> {
    for (let id = this.node[at]; id !== NONE; id = tree.parentOf[id]) yield id;
  }

  /** A copy that no later record overwrites. */
  copy(): Snapshot {
    const other = new Snapshot();
    const length = Math.max(this.count, 1);
    other.count = this.count;
    other.node = this.node.slice(0, length);
    other.immediate = this.immediate.slice(0, length);
    other.type = this.type.slice(0, length);
    other.num = this.num.slice(0, length);
    other.obj = this.obj.slice(0, length);
    return other;
  }

  #next(): number {
    const at = this.count++;
    if (at >= this.node.length) this.#grow();
    return at;
  }

  #grow(): void {
    const length = this.node.length * 2;
    this.node = lengthened(this.node, length);
    this.immediate = lengthened(this.immediate, length);
    this.type = lengthened(this.type, length);
    this.num = lengthened(this.num, length);
    for (let i = this.obj.length; i < length; i++) this.obj.push(null);
  }
}
