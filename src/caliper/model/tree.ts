/**
 * The context tree: one forest of nodes (attribute, value, parent) in which every node stands for
 * the whole chain up to its root, so that one id encodes all open regions.
 *
 * Attributes are nodes too (`cali.attribute.name`, id 8); their chain upward holds metadata, the
 * property bits (10) and ends in a type node. Nodes 0 to 11 exist in every tree and are never
 * written to a stream. Children of a node are unique by (attribute, value), so equal chains share
 * nodes. Truth: the Caliper manual, "Data model".
 *
 * Columns instead of objects: a stream may hold millions of nodes.
 * @module
 */

import { lengthened } from "../../core/grow.ts";
import { type Attribute, PROPERTY } from "./attribute.ts";
import { equalValues, reportText, TYPE, type Value } from "./variant.ts";

/** Attribute id of attribute names: a node with it is an attribute. */
export const NAME_ID = 8;
/** Attribute id of type nodes. */
const TYPE_ID = 9;
/** Attribute id of property nodes. */
const PROP_ID = 10;
/** Parent of root nodes, and the answer "no such node". */
export const NONE = -1;
/** Ids below this one exist in every tree. */
export const FIRST_FREE_ID = 12;

/** A metadata entry of an attribute: attribute id, type code, value. */
export type Meta = readonly [attribute: number, type: number, value: Value];

const TYPE_NODES: readonly [id: number, type: number][] = [
  [0, TYPE.usr],
  [1, TYPE.int],
  [2, TYPE.uint],
  [3, TYPE.string],
  [4, TYPE.addr],
  [5, TYPE.double],
  [6, TYPE.bool],
  [7, TYPE.type],
  [11, TYPE.ptr],
];

/** Node id of a type. */
const NODE_OF_TYPE: readonly number[] = TYPE_NODES.reduce((list, [id, type]) => {
  list[type] = id;
  return list;
}, [] as number[]);

/**
 * Caliper's context tree: attributes, and the values that records refer to, as nodes with a parent.
 *
 * @example
 * ```ts
 * import { ContextTree, PROPERTY, TYPE } from "joulemark";
 *
 * const tree = new ContextTree();
 * const region = tree.createAttribute("region", TYPE.string, PROPERTY.nested);
 * if (!tree.isNested(region)) throw new Error("expected a nested attribute");
 * ```
 */
export class ContextTree {
  /** Number of nodes; ids run from 0 to `size - 1`. */
  size: number = FIRST_FREE_ID;
  /** Attribute id per node. */
  attributeOf = new Int32Array(256);
  /** Parent id per node, `NONE` for roots. */
  parentOf = new Int32Array(256);
  /** Type code of the value per node. */
  typeOf = new Uint8Array(256);
  /** Value per node. */
  readonly valueOf: Value[] = [];

  #byName = new Map<string, number>();
  /** Open addressing over (parent, attribute, value); -1 is a free slot. */
  #slots = new Int32Array(1024).fill(NONE);
  /** Property bits per node, for attributes only; -1 not yet looked up. */
  #properties = new Int32Array(256).fill(-1);
  /** 1 for the attributes that some node has. */
  #inTree = new Uint8Array(256);
  /** Value type per attribute node; 255 not yet looked up. */
  #types = new Uint8Array(256).fill(255);

  constructor() {
    for (const [id, type] of TYPE_NODES) this.#put(id, TYPE_ID, TYPE.type, type, NONE);
    this.#put(8, NAME_ID, TYPE.string, "cali.attribute.name", 3);
    this.#put(9, NAME_ID, TYPE.string, "cali.attribute.type", 7);
    this.#put(10, NAME_ID, TYPE.string, "cali.attribute.prop", 1);
    // The other two are found by id alone, as Caliper has it.
    this.#byName.set("cali.attribute.name", NAME_ID);
  }

  /** The child of `parent` with this attribute and value, or `NONE`. */
  find(parent: number, attribute: number, type: number, value: Value): number {
    const slots = this.#slots, mask = slots.length - 1;
    let at = hash(parent, attribute, value) & mask;
    for (let id = slots[at]; id !== NONE; id = slots[at = (at + 1) & mask]) {
      if (
        this.parentOf[id] === parent && this.attributeOf[id] === attribute &&
        equalValues(this.typeOf[id], this.valueOf[id], type, value)
      ) return id;
    }
    return NONE;
  }

  /** The child of `parent` with this attribute and value, made if it is new. */
  child(parent: number, attribute: number, type: number, value: Value): number {
    const found = this.find(parent, attribute, type, value);
    if (found !== NONE) return found;
    const id = this.size++;
    if (id >= this.attributeOf.length) this.#grow();
    this.#put(id, attribute, type, value, parent);
    return id;
  }

  /** The child of `parent` that repeats attribute and value of `node`, made if it is new. */
  childLike(parent: number, node: number): number {
    return this.child(parent, this.attributeOf[node], this.typeOf[node], this.valueOf[node]);
  }

  /** Makes an attribute findable by name, unless another of that name came first. */
  registerAttribute(id: number): void {
    const name = String(this.valueOf[id]);
    if (!this.#byName.has(name)) this.#byName.set(name, id);
  }

  /**
   * The attribute of this name, made if there is none. An existing one is returned unchanged,
   * for any requested type or properties.
   */
  createAttribute(
    name: string,
    type: number,
    properties: number,
    meta: Iterable<Meta> = [],
  ): number {
    const existing = this.#byName.get(name);
    if (existing !== undefined) return existing;
    let parent = NODE_OF_TYPE[type] ?? NODE_OF_TYPE[TYPE.usr];
    for (const [attribute, metaType, value] of meta) {
      parent = this.child(parent, attribute, metaType, value);
    }
    parent = this.child(parent, PROP_ID, TYPE.int, properties);
    const id = this.child(parent, NAME_ID, TYPE.string, name);
    this.#byName.set(name, id);
    return id;
  }

  /** Id of the attribute of this name, or `NONE`. */
  attributeByName(name: string): number {
    return this.#byName.get(name) ?? NONE;
  }

  /** All attributes that can be found by name, sorted by name. */
  attributes(): Attribute[] {
    return [...this.#byName.keys()].sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
      .map((name) => this.attribute(this.#byName.get(name)!));
  }

  /** Is the node an attribute? */
  isAttribute(id: number): boolean {
    return id >= 0 && id < this.size && this.attributeOf[id] === NAME_ID;
  }

  /** Name, type and properties of an attribute. */
  attribute(id: number): Attribute {
    return {
      id,
      name: this.nameOf(id),
      type: this.valueTypeOf(id),
      properties: this.propertiesOf(id),
    };
  }

  /** Name of an attribute; empty for `NONE`. */
  nameOf(attribute: number): string {
    return attribute === NONE ? "" : String(this.valueOf[attribute]);
  }

  /** Type code of the values of an attribute; `inv` for `NONE`. */
  valueTypeOf(attribute: number): number {
    if (attribute === NONE) return TYPE.inv;
    if (this.#types[attribute] === 255) {
      const node = this.metadataNode(attribute, TYPE_ID);
      this.#types[attribute] = node === NONE ? TYPE.inv : Number(this.valueOf[node]);
    }
    return this.#types[attribute];
  }

  /** Property bits of an attribute; 0 for `NONE` and if the chain names none. */
  propertiesOf(attribute: number): number {
    if (attribute === NONE) return 0;
    if (this.#properties[attribute] === -1) {
      const node = this.metadataNode(attribute, PROP_ID);
      this.#properties[attribute] = node === NONE ? 0 : Number(this.valueOf[node]) & 0x7fffffff;
    }
    return this.#properties[attribute];
  }

  /** Values of the attribute are regions, which nest. */
  isNested(attribute: number): boolean {
    return (this.propertiesOf(attribute) & PROPERTY.nested) !== 0;
  }

  /** The attribute is left out of what is printed. */
  isHidden(attribute: number): boolean {
    return (this.propertiesOf(attribute) & PROPERTY.hidden) !== 0;
  }

  /** The attribute describes the whole run. */
  isGlobal(attribute: number): boolean {
    return (this.propertiesOf(attribute) & PROPERTY.global) !== 0;
  }

  /** Values of the attribute are kept in records, not as nodes. */
  isAsValue(attribute: number): boolean {
    return (this.propertiesOf(attribute) & PROPERTY.asvalue) !== 0;
  }

  /** The first node of this attribute in the chain of `node`, itself included, or `NONE`. */
  metadataNode(node: number, attribute: number): number {
    while (node !== NONE && this.attributeOf[node] !== attribute) node = this.parentOf[node];
    return node;
  }

  /** Does any node have this attribute? Of most `asvalue` attributes there is none. */
  hasNodes(attribute: number): boolean {
    return attribute >= 0 && this.#inTree[attribute] === 1;
  }

  /** Text of a node's value in reports. */
  textOf(id: number): string {
    return reportText(this.typeOf[id], this.valueOf[id]);
  }

  #put(id: number, attribute: number, type: number, value: Value, parent: number): void {
    this.attributeOf[id] = attribute;
    this.parentOf[id] = parent;
    this.typeOf[id] = type;
    this.valueOf[id] = value;
    this.#inTree[attribute] = 1;
    const slots = this.#slots, mask = slots.length - 1;
    let at = hash(parent, attribute, value) & mask;
    while (slots[at] !== NONE) at = (at + 1) & mask;
    slots[at] = id;
    if (this.size * 2 > slots.length) this.#rehash();
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(NONE), mask = slots.length - 1;
    for (const id of this.#slots) {
      if (id === NONE) continue;
      let at = hash(this.parentOf[id], this.attributeOf[id], this.valueOf[id]) & mask;
      while (slots[at] !== NONE) at = (at + 1) & mask;
      slots[at] = id;
    }
    this.#slots = slots;
  }

  #grow(): void {
    const length = this.attributeOf.length * 2;
    this.attributeOf = lengthened(this.attributeOf, length, NONE);
    this.parentOf = lengthened(this.parentOf, length, NONE);
    this.typeOf = lengthened(this.typeOf, length, 0);
    this.#properties = lengthened(this.#properties, length, -1);
    this.#inTree = lengthened(this.#inTree, length, 0);
    this.#types = lengthened(this.#types, length, 255);
  }
}

const doubleView = new Float64Array(1);
const wordView = new Uint32Array(doubleView.buffer);

function hash(parent: number, attribute: number, value: Value): number {
  let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(attribute, 0x85ebca6b);
  if (typeof value === "number") {
    doubleView[0] = value;
    h = Math.imul(h ^ wordView[0], 0xc2b2ae35) ^ Math.imul(wordView[1], 0x27d4eb2f);
  } else {
    const text = typeof value === "string" ? value : value.toString(16);
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  }
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ h >>> 13) & 0x7fffffff;
}
