/**
 * Records that a formatter must hold until it knows its columns, as what they share and what they do
 * not: a template, which is a list of references and a shape, and the texts of its numbers.
 *
 * A trace has millions of records and some hundreds of templates, so that a row costs the copying of
 * its numbers. Records that fit no template are the matter of `RecordStore`.
 * @module
 */

import { grown } from "../../core/grow.ts";
import { type Shape, Snapshot, type SourceBytes } from "../model/snapshot.ts";
import type { ContextTree } from "../model/tree.ts";
import { MOST_VALUE_BYTES, putReportNumber } from "./value_bytes.ts";

/** More are not made: their records are kept one by one. */
const MAX_TEMPLATES = 1 << 16;
const CHUNK_BYTES = 1 << 20;

/** What records share. */
export interface Template {
  readonly number: number;
  readonly references: readonly number[];
  readonly shape: Shape;
}

/** One more reference on the way to a template. */
class Step {
  readonly next = new Map<number, Step>();
  readonly templates = new Map<Shape, Template>();
}

export class RowTemplates {
  /** Bytes of the row that `open` went to, and for each of its numbers the first and the last but one. */
  bytes: Uint8Array = new Uint8Array(0);
  starts = new Int32Array(64);
  ends = new Int32Array(64);

  readonly #start = new Step();
  readonly #templates: Template[] = [];
  readonly #chunks: Uint8Array[] = [];
  #free = CHUNK_BYTES;
  #last: Template | null = null;
  /** Where reading is. */
  #chunk = 0;
  #at = 0;

  /**
   * Keeps a record.
   *
   * @returns The number of its template, or -1 where it fits none and is not kept.
   */
  add(record: Snapshot): number {
    const template = this.of(record);
    if (template === null) return -1;
    this.addNumbers(template, record.source!);
    return template.number;
  }

  /** The template of a record, made if it is new; null where it fits none. */
  of(record: Snapshot): Template | null {
    const { shape, shapeAt, source } = record;
    if (shape === null || source === null) return null;
    if (record.count !== shapeAt + shape.places.length) return null;
    return this.#templateOf(record, shape);
  }

  /** Keeps the numbers of a record of a template. */
  addNumbers({ shape }: Template, source: SourceBytes): void {
    const { places, types } = shape, { length } = places;
    const most = length * (1 + MOST_VALUE_BYTES);
    if (this.#free + most > CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(Math.max(CHUNK_BYTES, most)));
      this.#free = 0;
    }
    const bytes = this.#chunks[this.#chunks.length - 1];
    let at = this.#free;
    for (let i = 0; i < length; i++) {
      const start = at + 1, end = putReportNumber(bytes, start, source, places[i], types[i]);
      bytes[at] = end - start;
      at = end;
    }
    this.#free = at;
  }

  template(number: number): Template {
    return this.#templates[number];
  }

  /** Goes to the next row: rows are read once, in the order in which they were kept. */
  open(template: Template): void {
    const { length } = template.shape.places;
    if (this.#chunk === 0 || this.#at + length * (1 + MOST_VALUE_BYTES) > CHUNK_BYTES) {
      this.bytes = this.#chunks[this.#chunk++];
      this.#at = 0;
    }
    while (this.starts.length < length) {
      this.starts = grown(this.starts);
      this.ends = grown(this.ends);
    }
    const { bytes, starts, ends } = this;
    let at = this.#at;
    for (let i = 0; i < length; i++) {
      starts[i] = at + 1;
      at = ends[i] = at + 1 + bytes[at];
    }
    this.#at = at;
  }

  #templateOf(record: Snapshot, shape: Shape): Template | null {
    const { node, immediate, shapeAt } = record, last = this.#last;
    if (last !== null && last.shape === shape && last.references.length === shapeAt) {
      let same = 0;
      while (same < shapeAt && node[same] === last.references[same] && immediate[same] === 0) {
        same++;
      }
      if (same === shapeAt) return last;
    }
    let step = this.#start;
    for (let i = 0; i < shapeAt; i++) {
      if (immediate[i] === 1) return null;
      let next = step.next.get(node[i]);
      if (next === undefined) {
        if (this.#templates.length === MAX_TEMPLATES) return null;
        step.next.set(node[i], next = new Step());
      }
      step = next;
    }
    let template = step.templates.get(shape);
    if (template === undefined) {
      if (this.#templates.length === MAX_TEMPLATES) return null;
      const references = [...node.subarray(0, shapeAt)];
      template = { number: this.#templates.length, references, shape };
      this.#templates.push(template);
      step.templates.set(shape, template);
    }
    return this.#last = template;
  }
}

/** A record of a template, its numbers all 0. */
export function recordOf({ references, shape }: Template, tree: ContextTree): Snapshot {
  const record = new Snapshot();
  for (const node of references) record.pushReference(tree, node);
  shape.attributes.forEach((id, i) => record.pushNumber(id, shape.types[i], 0));
  return record;
}
