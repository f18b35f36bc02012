/**
 * One context tree for many streams: each stream has its own id space, and ids are mapped by
 * structure. The same (parent, attribute, value) is the same node.
 *
 * Merged ids are new, from 12 on; `attribute.alias` (13) and `attribute.unit` (14) are made first,
 * which decides the order of automatic columns. Globals of all streams accumulate.
 * @module
 */

import { lengthened } from "../../core/grow.ts";
import { ContextTree, FIRST_FREE_ID, type Meta, NONE } from "../model/tree.ts";
import { PROPERTY } from "../model/attribute.ts";
import { bytesOfText, fieldsOf, LAYOUT, parseLayout } from "../model/blob_layout.ts";
import { Snapshot } from "../model/snapshot.ts";
import { equalValues, parseValue, TYPE, type Value } from "../model/variant.ts";
import { toByteText } from "./byte_text.ts";
import type { QuerySpec } from "./spec.ts";

/** A field of bytes whose layout is known. */
type Field = [attribute: number, type: number, value: Value];

export class MergedTree extends ContextTree {
  /** Attribute ids of `attribute.alias` and `attribute.unit`. */
  readonly aliasAttribute: number;
  readonly unitAttribute: number;
  /** Fields of the bytes that nodes hold. */
  readonly nodeFields = new Map<number, readonly Field[]>();
  /** Run metadata of all streams. */
  readonly globals = new Snapshot();

  /** Layouts of bytes, by the node that holds their text. */
  readonly #layouts = new Map<number, ReturnType<typeof parseLayout>>();
  readonly #titles: Partial<Pick<QuerySpec, "aliases" | "units">>;

  /** @param titles Titles and units that attributes made by the query carry as metadata. */
  constructor(titles: Partial<Pick<QuerySpec, "aliases" | "units">> = {}) {
    super();
    this.#titles = titles;
    this.aliasAttribute = this.createAttribute(
      "attribute.alias",
      TYPE.string,
      PROPERTY.skip_events,
    );
    this.unitAttribute = this.createAttribute("attribute.unit", TYPE.string, PROPERTY.skip_events);
  }

  /** An attribute made by the query, with the title and unit that the query gives it. */
  createResult(name: string, type: number, properties: number): number {
    const meta: Meta[] = [];
    const unit = this.#titles.units?.get(name), alias = this.#titles.aliases?.get(name);
    if (unit !== undefined) meta.push([this.unitAttribute, TYPE.string, unit]);
    if (alias !== undefined) meta.push([this.aliasAttribute, TYPE.string, alias]);
    return this.createAttribute(name, type, properties, meta);
  }

  /**
   * Fields of bytes for which the attribute's metadata have the layout; nothing for other values.
   *
   * @param text The bytes, as streams write them.
   */
  fields(attribute: number, text: string): Field[] {
    const node = this.#layoutNode(attribute);
    const bytes = node === NONE ? undefined : bytesOfText(text);
    if (bytes === undefined) return [];
    const known = this.#layouts.get(node);
    const layout = known ?? parseLayout(this.textOf(node));
    this.#layouts.set(node, layout);
    if ("wrong" in layout) return [];
    const name = this.nameOf(attribute);
    return [...fieldsOf(layout, bytes)].map(([field, type, value]) => [
      this.createAttribute(`${name}.${field}`, type, PROPERTY.asvalue),
      type,
      type === TYPE.string ? toByteText(value as string) : value,
    ]);
  }

  /** Do its metadata have the layout of its bytes? */
  hasLayout(attribute: number): boolean {
    return this.#layoutNode(attribute) !== NONE;
  }

  #layoutNode(attribute: number): number {
    if (this.valueTypeOf(attribute) !== TYPE.usr) return NONE;
    const id = this.attributeByName(LAYOUT);
    return id === NONE ? NONE : this.metadataNode(attribute, id);
  }

  /** Title of an attribute from its metadata, or null. */
  titleOf(attribute: number): string | null {
    const node = this.metadataNode(attribute, this.aliasAttribute);
    return node === NONE ? null : this.textOf(node);
  }

  /** Adds a reference to the globals, unless it is among them. */
  addGlobalReference(node: number): void {
    const { globals } = this;
    for (let i = 0; i < globals.count; i++) {
      if (globals.node[i] === node && globals.immediate[i] === 0) return;
    }
    globals.pushReference(this, node);
  }

  /** Adds an immediate to the globals: a later value of an asvalue attribute replaces it. */
  addGlobalValue(attribute: number, type: number, value: Value): void {
    if (!this.isGlobal(attribute)) return;
    const { globals } = this;
    if (this.isAsValue(attribute)) {
      for (let i = 0; i < globals.count; i++) {
        if (globals.attributeAt(this, i) !== attribute) continue;
        const entries = globals.copy();
        globals.clear();
        for (let k = 0; k < entries.count; k++) {
          if (k === i) globals.pushValue(attribute, type, value);
          else if (entries.immediate[k] === 0) globals.pushReference(this, entries.node[k]);
          else globals.pushValue(entries.node[k], entries.type[k], entries.valueAt(k));
        }
        return;
      }
      globals.pushValue(attribute, type, value);
      return;
    }
    let first = NONE;
    for (let i = 0; i < globals.count; i++) {
      for (const id of globals.chain(this, i)) {
        if (
          this.attributeOf[id] === attribute &&
          equalValues(this.typeOf[id], this.valueOf[id], type, value)
        ) return;
      }
      if (first === NONE && globals.immediate[i] === 0) first = i;
    }
    if (first === NONE) globals.pushReference(this, this.child(NONE, attribute, type, value));
    else globals.node[first] = this.child(globals.node[first], attribute, type, value);
  }
}

/**
 * Reads a value of the given type, as streams write it; null if the text holds none.
 *
 * The sign of a NaN is kept, as a text: 0/0 gives `-nan` on x86-64, so that streams hold it, and
 * what is read is to be printed the same.
 */
export function parseStreamValue(type: number, text: string): Value | null {
  const value = parseValue(type, text);
  const isSigned = type === TYPE.double && value !== value && /^\s*-/.test(text);
  return isSigned ? "-nan" : value;
}

/** Ids up to this one are mapped by a plain table, greater ones by a map. */
const TABLE_LIMIT = 1 << 22;

/** The id space of one stream. Every lookup gives a merged id or `NONE`. */
export class StreamIds {
  readonly #tree: MergedTree;
  /** Merged id by stream id, `NONE` if undefined. */
  table = new Int32Array(1024).fill(NONE);
  readonly #beyond = new Map<number, number>();
  /** Were there globals, the last record of a stream? What comes then is another one behind it. */
  isOver = false;
  /** Ids that another stream gave another meaning. */
  redefined = 0;

  constructor(tree: MergedTree) {
    this.#tree = tree;
    for (let id = 0; id < FIRST_FREE_ID; id++) this.table[id] = id;
  }

  /** Merged id of a node of this stream. */
  map(id: number): number {
    if (id < 0) return NONE;
    return id < this.table.length ? this.table[id] : this.#beyond.get(id) ?? NONE;
  }

  /**
   * Takes a node record. The first definition of an id is kept. Exception: in a stream that was
   * appended to another one, by cat for example, the ids start again.
   *
   * @param parent Id of the parent in this stream, or null for a root.
   * @returns The merged node, or `NONE` if attribute, parent or value does not exist.
   */
  define(id: number, attribute: number, parent: number | null, text: string): number {
    const tree = this.#tree;
    const mergedAttribute = this.map(attribute);
    if (!tree.isAttribute(mergedAttribute)) return NONE;
    const mergedParent = parent === null ? NONE : this.map(parent);
    if (parent !== null && mergedParent === NONE) return NONE;
    // Data of hidden nodes is not read: they show as empty.
    const type = tree.isHidden(mergedAttribute) ? TYPE.usr : tree.valueTypeOf(mergedAttribute);
    const fields = type === TYPE.usr ? tree.fields(mergedAttribute, text) : [];
    // Bytes cannot be read back, but if their layout is known they are distinguished.
    const value = fields.length > 0
      ? String.fromCharCode(...bytesOfText(text)!)
      : parseStreamValue(type, text);
    if (value === null) return NONE;
    const before = tree.size;
    const node = tree.child(mergedParent, mergedAttribute, type, value);
    if (tree.size > before && tree.isAttribute(node)) tree.registerAttribute(node);
    if (fields.length > 0) tree.nodeFields.set(node, fields);
    const known = this.map(id);
    if (known === NONE) this.#set(id, node);
    else if (this.isOver && known !== node && id >= FIRST_FREE_ID) {
      this.#set(id, node);
      this.redefined++;
    }
    return node;
  }

  #set(id: number, node: number): void {
    if (id >= TABLE_LIMIT) {
      this.#beyond.set(id, node);
      return;
    }
    if (id >= this.table.length) {
      const length = Math.min(TABLE_LIMIT, Math.max(id + 1, this.table.length * 2));
      const larger = lengthened(this.table, length, NONE);
      for (const [beyond, merged] of this.#beyond) {
        if (beyond < larger.length) larger[beyond] = merged;
      }
      this.table = larger;
    }
    this.table[id] = node;
  }
}
