/**
 * Records out of files that know no context tree: attributes by name, values by type.
 *
 * An attribute is what the first file of a query made it. If a later one has the name with
 * another unit, its values would be taken for the first one's, so that they get a name of their own.
 * @module
 */

import type { FormatError } from "../../core/errors.ts";
import { PROPERTY } from "../model/attribute.ts";
import { Snapshot } from "../model/snapshot.ts";
import { NONE } from "../model/tree.ts";
import { TYPE, type Value } from "../model/variant.ts";
import { toByteText } from "./byte_text.ts";
import type { MergedTree } from "./merged_tree.ts";
import type { ReadBytes, RecordSink } from "./sources/source.ts";

/** Stands for the file in errors of parsers; the caller that reports a problem names the file. */
export const INPUT = "input";

const BLOCK_BYTES = 1 << 16;

export class RecordMaker {
  readonly #tree: MergedTree;
  readonly #sink: RecordSink;
  readonly #record = new Snapshot();

  constructor(tree: MergedTree, sink: RecordSink) {
    this.#tree = tree;
    this.#sink = sink;
  }

  /**
   * The attribute of a name, made if there is none.
   *
   * @param how.unit Its unit. @default none
   * @param how.other The name to use if `name` exists with another unit. @default name
   * @param how.properties @default asvalue
   */
  attribute(
    name: string,
    type: number,
    how: { unit?: string; other?: string; properties?: number } = {},
  ): number {
    const tree = this.#tree, unit = toByteText(how.unit ?? "");
    const known = tree.attributeByName(toByteText(name));
    if (known !== NONE && how.other !== undefined && this.#unitOf(known) !== unit) {
      return this.attribute(how.other, type, { ...how, other: undefined });
    }
    const before = tree.size;
    const id = tree.createAttribute(
      toByteText(name),
      type,
      how.properties ?? PROPERTY.asvalue,
      unit === "" ? [] : [[tree.unitAttribute, TYPE.string, unit]],
    );
    if (tree.size > before) this.#sink.node(id);
    return id;
  }

  /** Is the attribute's value needed in records? */
  wants(attribute: number): boolean {
    return !this.#tree.isAsValue(attribute) || this.#sink.wants(attribute);
  }

  push(attribute: number, type: number, value: Value): void {
    if (this.#sink.aggregates === true && value !== value) return;
    const tree = this.#tree;
    if (tree.isAsValue(attribute)) this.#record.pushValue(attribute, type, value);
    else this.#record.pushReference(tree, tree.child(NONE, attribute, type, value));
  }

  text(attribute: number, text: string): void {
    this.push(attribute, TYPE.string, toByteText(text));
  }

  /** Adds a node, and with it its ancestors. */
  reference(node: number): void {
    if (node !== NONE) this.#record.pushReference(this.#tree, node);
  }

  /** Hands the record over and begins the next. */
  emit(): void {
    this.#sink.record(this.#record);
    this.#record.clear();
  }

  /** Metadata of the run. */
  global(name: string, value: number | string): void {
    const type = typeof value === "number" ? TYPE.double : TYPE.string;
    const id = this.attribute(name, type, { properties: PROPERTY.asvalue | PROPERTY.global });
    const plain = typeof value === "number" ? value : toByteText(value);
    this.#tree.addGlobalValue(id, type, plain);
  }

  /** Reports what a parser found wrong. */
  problem(error: FormatError): void {
    const place = error.line > 0 ? `${INPUT}:${error.line}` : INPUT;
    const message = error.message.replace(new RegExp(`^cannot (\\w+) "${place}": `), "");
    this.#sink.problem(toByteText(message), error.line);
  }

  #unitOf(attribute: number): string {
    const node = this.#tree.metadataNode(attribute, this.#tree.unitAttribute);
    return node === NONE ? "" : this.#tree.textOf(node);
  }
}

/** All pieces of an input; each is valid until the next. */
export function* pieces(read: ReadBytes): Generator<Uint8Array> {
  const buffer = new Uint8Array(BLOCK_BYTES);
  for (;;) {
    const count = read(buffer);
    if (count === null) return;
    yield buffer.subarray(0, count);
  }
}
