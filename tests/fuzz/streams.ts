/**
 * `.cali` streams from nothing: attributes of all types and properties, nodes, snapshots, globals.
 *
 * What comes out is right by the grammar, with values that their types read in odd ways; damage.ts
 * makes it wrong. Lines are byte strings without their newline.
 */

import type { Random } from "./random.ts";
import { NAMES, PROPERTIES, TYPES, VALUES } from "./words.ts";

/** Node ids of the types, which exist in every stream. */
const TYPE_IDS: Record<string, number> = {
  usr: 0,
  int: 1,
  uint: 2,
  string: 3,
  addr: 4,
  double: 5,
  bool: 6,
  type: 7,
  ptr: 11,
};
const NESTED = 256;

/** Metadata that means something to formatters, and such that does not. */
const META = ["attribute.alias", "attribute.unit", "time.unit", "class.aggregatable"];

/** The escapes of a stream. */
export function escaped(text: string): string {
  return text.replace(/[\\,=]/g, (c) => "\\" + c).replaceAll("\n", "\\n");
}

class Stream {
  readonly lines: string[] = [];
  readonly attributes: number[] = [];
  /** Attributes whose values stand in the tree, and those kept as pairs. */
  readonly inTree: number[] = [];
  readonly values: number[] = [];
  readonly nodes: number[] = [];
  readonly #random: Random;
  #id = 12;

  constructor(random: Random) {
    this.#random = random;
  }

  node(attribute: number, data: string, parent: number | null): number {
    const id = this.#id;
    this.#id += this.#random.once(8) ? 1 + this.#random.below(50) : 1;
    const fields = [`id=${id}`, `attr=${attribute}`, `data=${data}`];
    if (parent !== null) fields.push(`parent=${parent}`);
    // The order of fields is free.
    if (this.#random.once(4)) fields.push(...fields.splice(0, this.#random.below(4)));
    this.lines.push(`__rec=node,${fields.join(",")}`);
    return id;
  }

  attribute(): void {
    const random = this.#random;
    const type = random.once(20) ? "usr" : random.pick(TYPES);
    let parent = TYPE_IDS[type] ?? 3;
    if (this.attributes.length > 0 && random.once(6)) {
      parent = this.node(random.pick(this.attributes), random.pick(VALUES), parent);
    }
    if (random.once(6)) {
      const meta = this.node(10, "64", 3), name = this.node(8, random.pick(META), meta);
      parent = this.node(name, random.pick(["Time", "W", "", "a b"]), parent);
    }
    const property = random.once(3) ? random.pick(PROPERTIES) : random.pick(["276", "2133", "1"]);
    if (!random.once(12)) parent = this.node(10, property, parent);
    const id = this.node(8, escaped(random.pick(NAMES)), parent);
    this.attributes.push(id);
    (Number(property) & 1 ? this.values : this.inTree).push(id);
  }

  branch(): void {
    const random = this.#random;
    const attribute = random.pick(this.inTree.length > 0 ? this.inTree : this.attributes);
    const parent = this.nodes.length > 0 && !random.once(5) ? random.pick(this.nodes) : null;
    this.nodes.push(this.node(attribute, random.pick(VALUES), parent));
  }

  snapshot(kind: "ctx" | "globals"): void {
    const random = this.#random, fields: string[] = [];
    const refs = Array.from(
      { length: this.nodes.length > 0 ? random.below(4) : 0 },
      () => random.pick(this.nodes),
    );
    const pool = this.values.length > 0 && !random.once(8) ? this.values : this.attributes;
    const attributes = Array.from({ length: random.below(5) }, () => random.pick(pool));
    if (refs.length > 0) fields.push(`ref=${refs.join("=")}`);
    if (attributes.length > 0) {
      fields.push(`attr=${attributes.join("=")}`);
      fields.push(`data=${attributes.map(() => random.pick(VALUES)).join("=")}`);
    }
    this.lines.push([`__rec=${kind}`, ...fields].join(","));
  }
}

/** Lines of a stream that no writer would write and every reader should understand. */
export function makeStream(random: Random): string[] {
  const stream = new Stream(random);
  for (let n = 1 + random.below(8); n > 0; n--) stream.attribute();
  // The usual names in their usual types, so that operators and formatters find them.
  if (random.once(2)) addUsual(stream);
  for (let n = random.size(60); n > 0; n--) {
    if (random.once(3)) stream.branch();
    else if (random.once(10)) stream.attribute();
    else stream.snapshot("ctx");
  }
  if (!random.once(4)) stream.snapshot("globals");
  return stream.lines;
}

function addUsual(stream: Stream): void {
  const define = (name: string, type: string, property: number): number => {
    const above = stream.node(10, String(property), TYPE_IDS[type]);
    const id = stream.node(8, name, above);
    stream.attributes.push(id);
    (property & 1 ? stream.values : stream.inTree).push(id);
    return id;
  };
  const region = define("region", "string", 20 + NESTED);
  const time = define("time.offset.ns", "uint", 85), x = define("x", "double", 2133);
  const begin = define("event.begin#region", "string", 84);
  const end = define("event.end#region", "string", 84);
  const main = stream.node(region, "main", null), inner = stream.node(region, "inner", main);
  stream.nodes.push(main, inner);
  [[begin, "main", ""], [begin, "inner", `${main}`], [end, "inner", `${inner}`], [
    end,
    "main",
    `${main}`,
  ]].forEach(([attribute, name, below], i) => {
    const id = stream.node(Number(attribute), String(name), below === "" ? null : Number(below));
    stream.lines.push(`__rec=ctx,ref=${id},attr=${time}=${x},data=${i * 1000}=${i / 4}`);
  });
}
