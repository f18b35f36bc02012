/**
 * Writes a `.cali` stream: each node once, directly before the first record that needs it, its
 * attribute first, then its parent, then itself.
 *
 * Layout and escapes: docs/reference/formats/cali.md.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Facts about nodes that the writer needs. */
export interface CaliNodes {
  /** Attribute id of a node. */
  attributeOf(id: number): number;
  /** Parent id, negative for roots. */
  parentOf(id: number): number;
  /** The node's value as text, not escaped. */
  textOf(id: number): string;
}

/** An entry of a record: a reference to a node, or an immediate of an attribute node. */
export interface CaliEntry {
  /** Node of the value, or of the attribute of an immediate. */
  node: number;
  /** Text of the immediate's value, not escaped; null for a reference. */
  text: string | null;
}

/** Nodes 0 to 10 exist in every stream and are suppressed; 11 may appear. */
const FIRST_WRITTEN_ID = 11;
/** Ids below are looked up in an array. */
const DENSE_IDS = 1 << 20;

/**
 * Writes a `.cali` stream: nodes before the first record that refers to them, a record a line.
 *
 * @example
 * ```ts
 * import { CaliWriter } from "joulemark";
 *
 * const nodes = { attributeOf: () => 8, parentOf: () => -1, textOf: () => "region" };
 * const lines: string[] = [];
 * const writer = new CaliWriter(nodes, (line) => lines.push(line));
 * writer.writeContext([{ node: 20, text: null }]);
 * if (!lines.at(-1)!.startsWith("__rec=ctx")) throw new Error("expected a record");
 * ```
 */
export class CaliWriter {
  readonly #nodes: CaliNodes;
  readonly #emit: (line: string) => void;
  /** Makes a text what stands for it in the stream. */
  readonly escape: (text: string) => string;
  /** By id, 1: it was written. */
  #written = new Uint8Array(256);
  readonly #writtenAbove = new Set<number>();
  /** By id: how records name it. */
  readonly #names: string[] = [];
  /** The record under way. */
  #refs = "";
  #attributes = "";
  #data = "";

  /**
   * A writer of one stream.
   *
   * @param nodes The tree that ids refer to.
   * @param emit Takes each line with its newline.
   * @param options.asciiOnly Drop characters from U+0080 on, as Caliper does if `char` is
   *   signed. @default false
   */
  constructor(
    nodes: CaliNodes,
    emit: (line: string) => void,
    options: { asciiOnly?: boolean } = {},
  ) {
    this.#nodes = nodes;
    this.#emit = emit;
    this.escape = options.asciiOnly ? escapeAscii : escapeCali;
  }

  /** One snapshot record; references are written before immediates, else in the given order. */
  writeContext(entries: readonly CaliEntry[]): void {
    this.#add(entries);
    this.endContext();
  }

  /** The run's metadata; belongs at the end of the stream. */
  writeGlobals(entries: readonly CaliEntry[]): void {
    this.#add(entries);
    this.endGlobals();
  }

  /** Adds a reference to the record that `endContext` or `endGlobals` writes. */
  addReference(node: number): void {
    this.#refs += this.#named(node);
  }

  /**
   * Adds an immediate to that record.
   *
   * @param isPlain The text has nothing to escape: a number.
   */
  addValue(attribute: number, text: string, isPlain = false): void {
    this.#attributes += this.#named(attribute);
    this.#data += "=" + (isPlain ? text : this.escape(text));
  }

  /** Writes what was added as a snapshot record. */
  endContext(): void {
    this.#end("__rec=ctx");
  }

  /** Writes what was added as the run's metadata. */
  endGlobals(): void {
    this.#end("__rec=globals");
  }

  /** Writes a node, and what it needs, unless that was done before. */
  writeNode(id: number): void {
    if (!this.#isDue(id)) return;
    // An explicit stack: chains may be deeper than the call stack.
    const stack = [id];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (!this.#isDue(top)) {
        stack.pop();
        continue;
      }
      const attribute = this.#nodes.attributeOf(top), parent = this.#nodes.parentOf(top);
      if (this.#isDue(attribute)) stack.push(attribute);
      else if (this.#isDue(parent)) stack.push(parent);
      else {
        stack.pop();
        this.#setWritten(top);
        const data = this.escape(this.#nodes.textOf(top));
        const last = parent >= 0 ? `,parent=${parent}\n` : "\n";
        this.#emit(`__rec=node,id=${top},attr=${attribute},data=${data}${last}`);
      }
    }
  }

  #isDue(id: number): boolean {
    if (id >= DENSE_IDS) return !this.#writtenAbove.has(id);
    return id >= FIRST_WRITTEN_ID && this.#written[id] !== 1;
  }

  #setWritten(id: number): void {
    if (id >= DENSE_IDS) {
      this.#writtenAbove.add(id);
      return;
    }
    if (id >= this.#written.length) this.#written = grown(this.#written, id + 1);
    this.#written[id] = 1;
  }

  #named(id: number): string {
    if (this.#isDue(id)) this.writeNode(id);
    return id < DENSE_IDS ? this.#names[id] ??= `=${id}` : `=${id}`;
  }

  #add(entries: readonly CaliEntry[]): void {
    for (const { node, text } of entries) {
      if (text === null) this.addReference(node);
      else this.addValue(node, text);
    }
  }

  #end(kind: string): void {
    const refs = this.#refs === "" ? "" : ",ref" + this.#refs;
    const values = this.#attributes === "" ? "" : ",attr" + this.#attributes + ",data" + this.#data;
    this.#refs = this.#attributes = this.#data = "";
    this.#emit(kind + refs + values + "\n");
  }
}

/** `\`, `,` and `=` get a backslash, a newline becomes `\n`, other control characters go. */
export function escapeCali(text: string): string {
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f\\,=]/.test(text)) return text;
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\\,=]/g, (c) => c === "\n" ? "\\n" : c < " " ? "" : "\\" + c);
}

/** Text escaped as by `escapeCali`, without characters from U+0080 on. */
function escapeAscii(text: string): string {
  // Most values are numbers: one look at them is enough.
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f\\,=\u0080-\uffff]/.test(text)) return text;
  return escapeCali(text.replace(/[\u0080-\uffff]/g, ""));
}
