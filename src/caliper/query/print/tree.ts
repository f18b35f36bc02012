/**
 * `tree(path-attributes, column-width=48, print-globals)`: records in the hierarchy of their path.
 *
 * The path is made of the nested attributes, or of those listed. Siblings print in the reverse
 * order of first appearance unless ORDER BY is given, which sorts them by the minimum (ascending)
 * or maximum (descending) value in the whole subtree. Several records on one node print on lines of
 * their own, labelled ` |-`. Automatic columns are in the order of attribute ids. Records without
 * path are left out.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { compareValues, EMPTY, reportText, TYPE, type Variant } from "../../model/variant.ts";
import { clamp, padLeft, padRight, splitList } from "../byte_text.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { type Cell, PathTree, type TreeNode } from "../path_tree.ts";
import { globalsBlock } from "./globals.ts";
import { columnWidth, limitedWidth } from "./table.ts";
import { extractPath } from "../spec.ts";

interface ColumnInfo {
  title: string;
  width: number;
}

export class TreeFormatter extends Formatter {
  readonly #paths: PathTree;
  readonly #columns = new Map<number, ColumnInfo>();
  readonly #pathNames: string[];
  readonly #byNesting: boolean;
  readonly #inPath = new Map<number, boolean>();
  readonly #maxWidth: number;

  constructor(context: FormatContext) {
    super(context);
    this.#paths = new PathTree(context.tree, (attribute) => this.#isPath(attribute));
    const args = context.spec.format?.args;
    const names = args?.get("path-attributes");
    this.#pathNames = names === undefined ? [] : splitList(names);
    extractPath(this.#pathNames); // `path` beside other names changes nothing
    this.#byNesting = this.#pathNames.length === 0;
    this.#maxWidth = columnWidth(args?.get("column-width"), 48);
    if (args?.has("column-width") && this.#maxWidth === -1) {
      context.complain(`invalid column width "${args.get("column-width")}"`);
    }
  }

  record(record: Snapshot): void {
    const { node, data } = this.#paths.place(record);
    if (node === this.#paths.root) return;
    node.records.push(data);
    for (const cell of data) this.#widen(cell);
  }

  flush(): void {
    const { out, tree, spec } = this.context;
    if (spec.format?.args.has("print-globals")) out.write(globalsBlock(tree));
    const columns = this.#selectColumns();
    const labels = this.#paths.root.children.reduce(
      (width, n) => Math.max(width, labelWidth(n)),
      4,
    );
    const pathWidth = this.#widthOf(labels);
    let header = padRight(clamp("Path", pathWidth), pathWidth);
    for (const attribute of columns) {
      const info = this.#infoOf(attribute), width = this.#widthOf(info.width);
      header += padRight(clamp(info.title, width), width);
    }
    out.write(header + "\n");
    // An explicit stack: paths may be deeper than the call stack.
    const stack = this.#sorted(this.#paths.root).reverse().map((node) => ({ node, level: 0 }));
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      this.#print(top.node, top.level, pathWidth, columns);
      const { level } = top;
      for (const node of this.#sorted(top.node).reverse()) stack.push({ node, level: level + 1 });
    }
  }

  #isPath(attribute: number): boolean {
    const { tree } = this.context;
    if (this.#byNesting) return tree.isNested(attribute);
    let known = this.#inPath.get(attribute);
    if (known === undefined) {
      const name = tree.nameOf(attribute);
      known = this.#pathNames.includes(name) && tree.attributeByName(name) === attribute;
      this.#inPath.set(attribute, known);
    }
    return known;
  }

  #widen(cell: Cell): void {
    const { length } = reportText(cell.type, cell.value);
    const info = this.#columns.get(cell.attribute);
    if (info !== undefined) {
      if (length > info.width) info.width = length;
      return;
    }
    const title = this.titleOf(cell.attribute, this.context.tree.nameOf(cell.attribute));
    this.#columns.set(cell.attribute, { title, width: Math.max(length, title.length) });
  }

  #infoOf(attribute: number): ColumnInfo {
    return this.#columns.get(attribute) ?? { title: "", width: 0 };
  }

  #widthOf(width: number): number {
    return limitedWidth(width, this.#maxWidth);
  }

  #selectColumns(): number[] {
    const { tree, spec, complain } = this.context;
    if (spec.selection !== "list") {
      return [...this.#columns.keys()].sort((a, b) => a - b).filter((attribute) =>
        spec.selection === "all" || !(tree.isHidden(attribute) || tree.isGlobal(attribute))
      );
    }
    const columns: number[] = [];
    for (const name of spec.select) {
      const attribute = tree.attributeByName(name);
      if (attribute === NONE) complain(`TreeFormatter: Attribute "${name}" not found.`);
      else columns.push(attribute);
    }
    return columns;
  }

  #print(node: TreeNode, level: number, pathWidth: number, columns: number[]): void {
    const indent = " ".repeat(Math.min(2 * level, pathWidth - 2));
    const tooDeep = 2 * level >= pathWidth;
    const label = tooDeep ? ".." : clamp(node.text, pathWidth - 2 * level);
    let text = padRight(indent + label, pathWidth);
    const several = node.records.length > 1;
    for (const record of node.records) {
      if (several) text += "\n" + padRight(indent + (tooDeep ? ".." : " |-"), pathWidth);
      for (const attribute of columns) text += this.#cell(record, attribute);
    }
    this.context.out.write(text + "\n");
  }

  #cell(record: Cell[], attribute: number): string {
    const width = this.#widthOf(this.#infoOf(attribute).width);
    const cell = record.find((candidate) => candidate.attribute === attribute);
    const text = cell === undefined ? "" : clamp(reportText(cell.type, cell.value), width);
    switch (this.context.tree.valueTypeOf(attribute)) {
      case TYPE.int:
      case TYPE.uint:
      case TYPE.double:
      case TYPE.addr:
        return padLeft(text, width);
      default:
        return padRight(text, width);
    }
  }

  #sorted(parent: TreeNode): TreeNode[] {
    const { tree, spec, strict } = this.context;
    // A new child goes to the front of the list of its parent.
    const nodes = parent.children.slice().reverse();
    for (const { attribute: name, descending } of spec.orderBy) {
      const attribute = tree.attributeByName(name);
      if (attribute === NONE) continue;
      const sign = descending ? -1 : 1;
      const compare = (a: Variant, b: Variant) =>
        sign * compareValues(a.type, a.value, b.type, b.value, strict);
      for (const node of nodes) sortRecords(node, attribute, compare);
      nodes.sort((a, b) =>
        compare(this.#extreme(a, attribute, sign), this.#extreme(b, attribute, sign))
      );
    }
    return nodes;
  }

  /** Minimum (sign 1) or maximum (sign -1) value in a subtree. */
  #extreme(top: TreeNode, attribute: number, sign: number): Variant {
    const key = `${attribute} ${sign}`;
    // An explicit stack: paths may be deeper than the call stack. Children come before parents.
    const stack = [top];
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (!node.extremes.has(key)) {
        const due = node.children.filter((child) => !child.extremes.has(key));
        if (due.length > 0) {
          for (const child of due) stack.push(child);
          continue;
        }
        node.extremes.set(key, this.#extremeOf(node, key, attribute, sign));
      }
      stack.pop();
    }
    return top.extremes.get(key)!;
  }

  /** Extreme of one node whose children have theirs. */
  #extremeOf(node: TreeNode, key: string, attribute: number, sign: number): Variant {
    const { strict } = this.context;
    let best: Variant = EMPTY;
    const take = (v: Variant) => {
      if (
        best.type === TYPE.inv ||
        sign * compareValues(v.type, v.value, best.type, best.value, strict) < 0
      ) best = v;
    };
    for (const record of node.records) {
      const cell = record.find((candidate) => candidate.attribute === attribute);
      if (cell !== undefined) take(cell);
    }
    for (const child of node.children.toReversed()) take(child.extremes.get(key)!);
    return best;
  }
}

/** Records without the key come last, and each sort turns their order around. */
function sortRecords(
  node: TreeNode,
  attribute: number,
  compare: (a: Variant, b: Variant) => number,
): void {
  const valueOf = (record: Cell[]) => record.find((cell) => cell.attribute === attribute);
  const keyed = node.records.filter((record) => valueOf(record) !== undefined);
  const others = node.records.filter((record) => valueOf(record) === undefined);
  keyed.sort((a, b) => compare(valueOf(a)!, valueOf(b)!));
  node.records = [...keyed, ...others.reverse()];
}

function labelWidth(top: TreeNode): number {
  let width = 0;
  const stack = [{ node: top, level: 0 }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    width = Math.max(width, 2 * item.level + item.node.text.length);
    for (const node of item.node.children) stack.push({ node, level: item.level + 1 });
  }
  return width;
}
