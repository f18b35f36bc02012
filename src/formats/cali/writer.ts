/**
 * Writes a `.cali` stream: each node once, directly before the first record that needs it, its
 * attribute first, then its parent, then itself.
 *
 * Layout and escapes: docs/formats/cali.md.
 * @module
 */

/** What the writer needs to know about nodes. */
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
  readonly #escape: (text: string) => string;
  readonly #written = new Set<number>();

  /**
   * A writer of one stream.
   *
   * @param nodes The tree that ids refer to.
   * @param emit Takes each line with its newline.
   * @param options.asciiOnly Drop characters from U+0080 on, as Caliper does where `char` is
   *   signed. @default false
   */
  constructor(
    nodes: CaliNodes,
    emit: (line: string) => void,
    options: { asciiOnly?: boolean } = {},
  ) {
    this.#nodes = nodes;
    this.#emit = emit;
    this.#escape = options.asciiOnly ? escapeAscii : escapeCali;
  }

  /** One snapshot record; references are written before immediates, else in the given order. */
  writeContext(entries: readonly CaliEntry[]): void {
    this.#record("__rec=ctx", entries);
  }

  /** The run's metadata; belongs at the end of the stream. */
  writeGlobals(entries: readonly CaliEntry[]): void {
    this.#record("__rec=globals", entries);
  }

  /** Writes a node, and what it needs, unless that was done before. */
  writeNode(id: number): void {
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
        this.#written.add(top);
        const data = this.#escape(this.#nodes.textOf(top));
        const last = parent >= 0 ? `,parent=${parent}\n` : "\n";
        this.#emit(`__rec=node,id=${top},attr=${attribute},data=${data}${last}`);
      }
    }
  }

  #isDue(id: number): boolean {
    return id >= FIRST_WRITTEN_ID && !this.#written.has(id);
  }

  #record(kind: string, entries: readonly CaliEntry[]): void {
    let refs = "", attributes = "", data = "";
    for (const { node, text } of entries) {
      if (this.#isDue(node)) this.writeNode(node);
      if (text === null) {
        refs += `=${node}`;
      } else {
        attributes += `=${node}`;
        data += "=" + this.#escape(text);
      }
    }
    this.#emit(
      kind + (refs === "" ? "" : ",ref" + refs) +
        (attributes === "" ? "" : ",attr" + attributes + ",data" + data) + "\n",
    );
  }
}

/** `\`, `,` and `=` get a backslash, a newline becomes `\n`, other control characters go. */
export function escapeCali(text: string): string {
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f\\,=]/.test(text)) return text;
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\\,=]/g, (c) => c === "\n" ? "\\n" : c < " " ? "" : "\\" + c);
}

/** As `escapeCali`, without characters from U+0080 on. */
function escapeAscii(text: string): string {
  // Most values are numbers: one look at them is enough.
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f\\,=\u0080-\uffff]/.test(text)) return text;
  return escapeCali(text.replace(/[\u0080-\uffff]/g, ""));
}
