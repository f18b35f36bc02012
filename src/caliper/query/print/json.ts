/**
 * `json(records|split|object, pretty, quote-all, separate-nested)`: one object per record.
 *
 * Members: first all quoted ones by key, then unquoted by key. Values from the tree are always
 * quoted and joined by `/`; nested attributes are under `path` unless `separate-nested`. Of
 * immediates text is quoted, all else bare. With `object`, globals and attributes follow.
 * Like cali-query, bare addresses, types and empty values make invalid JSON; `strict` quotes them.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { TYPE } from "../../model/variant.ts";
import { escapeJson, isJsonNumber, joinedText } from "../byte_text.ts";
import { textsByAttribute } from "../chain_text.ts";
import { Formatter, selectedNames } from "../formatter.ts";

export class JsonFormatter extends Formatter {
  readonly #selected = selectedNames(this.context.spec);
  readonly #args = this.context.spec.format?.args ?? new Map<string, string>();
  // In the order of their names, the last one wins.
  readonly #layout = (["object", "records", "split"] as const)
    .findLast((layout) => this.#args.has(layout)) ?? "records";
  readonly #pretty = this.#args.has("pretty");
  readonly #quoteAll = this.#args.has("quote-all");
  readonly #separate = this.#args.has("separate-nested");
  #count = 0;
  readonly #quoted = new Members();
  readonly #bare = new Members();
  /** Key by attribute id; null if it is left out. */
  readonly #keys: (Key | null | undefined)[] = [];
  /** Keys and texts of references by node id. */
  readonly #references: ([Key, string][] | undefined)[] = [];

  record(record: Snapshot): void {
    if (!this.#collect(record)) return;
    this.context.out.write(this.#count++ === 0 ? this.#opening() : ",\n");
    this.#writeObject(record);
  }

  /** Makes the members of a record; false: it has none. */
  #collect(record: Snapshot): boolean {
    const quoted = this.#quoted, bare = this.#bare, { strict } = this.context;
    quoted.count = bare.count = 0;
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      if (record.immediate[i] === 0) {
        const members = this.#references[node] ??= this.#reference(node);
        // A later reference is before an earlier one: chains grow towards the root.
        for (const [key, text] of members) quoted.putInFront(key, text, record);
        continue;
      }
      const key = this.#key(node);
      if (key === null) continue;
      if (record.isFinite(i)) {
        (this.#isText(node) ? quoted : bare).put(key, i);
        continue;
      }
      const text = escapeJson(record.textAt(i), strict);
      if (this.#isQuoted(node, record.type[i], text)) quoted.put(key, text);
      else bare.put(key, strict && text === "" ? "null" : text);
    }
    return quoted.count + bare.count > 0;
  }

  flush(): void {
    const { out } = this.context;
    if (this.#count === 0) out.write(this.#opening());
    if (this.#layout !== "split") out.write("\n]");
    if (this.#layout === "object") {
      out.write(`,\n"globals": {\n${this.#globals()}\n}`);
      out.write(`,\n"attributes": {${this.#attributes()}\n}\n}`);
    }
    out.write("\n");
  }

  #opening(): string {
    return { records: "[\n", object: '{\n"records": [\n', split: "" }[this.#layout];
  }

  #writeObject(record: Snapshot): void {
    const { out, strict } = this.context, gap = this.#pretty ? "\n\t" : "";
    let before = "{" + gap;
    for (const members of [this.#quoted, this.#bare]) {
      const isQuoted = members === this.#quoted;
      for (let i = 0; i < members.count; i++) {
        out.write(before);
        out.write(members.keys[i].member);
        if (isQuoted) out.write('"');
        const value = members.values[i];
        if (typeof value === "number") out.dataValue(record, value, strict);
        else out.write(value);
        if (isQuoted) out.write('"');
        before = "," + gap;
      }
    }
    out.write(this.#pretty ? "\n}" : "}");
  }

  /** Are values of the attribute text? */
  #isText(attribute: number): boolean {
    const type = this.context.tree.valueTypeOf(attribute);
    return this.#quoteAll || type === TYPE.string || type === TYPE.usr;
  }

  /** Quoted: values of attributes with text; with `strict`, every value without a literal in JSON. */
  #isQuoted(attribute: number, valueType: number, text: string): boolean {
    if (this.#isText(attribute)) return true;
    if (!this.context.strict || text === "") return false;
    return valueType !== TYPE.bool && !isJsonNumber(text) ||
      valueType === TYPE.addr || valueType === TYPE.string || valueType === TYPE.type;
  }

  #key(attribute: number): Key | null {
    const known = this.#keys[attribute];
    if (known !== undefined) return known;
    const { tree, spec, strict } = this.context, name = tree.nameOf(attribute);
    const isLeftOut = this.#selected !== null
      ? !this.#selected.has(name)
      : tree.isHidden(attribute) || tree.isGlobal(attribute);
    const isPath = tree.isNested(attribute) && !this.#separate;
    const text = isPath ? "path" : escapeJson(spec.aliases.get(name) ?? name, strict);
    const key = isLeftOut || text === "" ? null : { name: text, member: joinedText(`"${text}":`) };
    return this.#keys[attribute] = key;
  }

  #reference(node: number): [Key, string][] {
    const { tree } = this.context, texts = new Map<string, [Key, string]>();
    for (let id = node; id !== NONE; id = tree.parentOf[id]) {
      const key = this.#key(tree.attributeOf[id]);
      if (key === null) continue;
      const inner = texts.get(key.name), text = escapeJson(tree.textOf(id), this.context.strict);
      texts.set(key.name, [key, inner === undefined ? text : text + "/" + inner[1]]);
    }
    return [...texts.values()].map(([key, text]) => [key, joinedText(text)]);
  }

  #globals(): string {
    const { tree, strict } = this.context;
    const texts = [...textsByAttribute(tree, tree.globals)].sort(([a], [b]) => a - b);
    return texts.map(([attribute, text]) =>
      (this.#pretty ? "\t" : "") +
      `"${escapeJson(tree.nameOf(attribute), strict)}": "${escapeJson(text, strict)}"`
    ).join(",\n");
  }

  #attributes(): string {
    const { tree, strict } = this.context;
    const ids = this.#selected === null
      ? tree.attributes().map((attribute) => attribute.id)
      : [...this.#selected].sort().map((name) => tree.attributeByName(name));
    return ids
      .filter((id) => (this.#separate || !tree.isNested(id)) && !tree.isHidden(id))
      .filter((id) => !strict || id !== NONE)
      .map((id) => {
        const name = strict ? escapeJson(tree.nameOf(id), strict) : tree.nameOf(id);
        let text = `\n${this.#pretty ? "\t" : ""}"${name}": {"is_global": ${tree.isGlobal(id)}` +
          `,"is_nested": ${tree.isNested(id)}`;
        for (let node = id; node !== NONE; node = tree.parentOf[node]) {
          const key = escapeJson(tree.nameOf(tree.attributeOf[node]), strict);
          text += `,"${key}": "${escapeJson(tree.textOf(node), strict)}"`;
        }
        return text + "}";
      }).join(",");
  }
}

/** A key, escaped, and as it begins a member. */
interface Key {
  readonly name: string;
  readonly member: string;
}

/** Members of one object, kept sorted by key; reused from record to record. */
class Members {
  count = 0;
  readonly keys: Key[] = [];
  /** Texts, and indices of immediates. */
  readonly values: (string | number)[] = [];

  /** Puts a member; an existing one is replaced. */
  put(key: Key, value: string | number): void {
    this.values[this.#place(key)] = value;
  }

  /** Puts a member; an existing one gets the text with a `/` in front. */
  putInFront(key: Key, text: string, record: Snapshot): void {
    const { count } = this, at = this.#place(key), value = this.values[at];
    const inner = typeof value === "number" ? record.textAt(value) : value;
    this.values[at] = this.count > count ? text : text + "/" + inner;
  }

  /** Index of a key's member, made if it does not exist. */
  #place(key: Key): number {
    const { keys, values } = this;
    let at = this.count;
    while (at > 0 && keys[at - 1].name > key.name) at--;
    if (at > 0 && keys[at - 1].name === key.name) return at - 1;
    for (let i = this.count++; i > at; i--) {
      keys[i] = keys[i - 1];
      values[i] = values[i - 1];
    }
    keys[at] = key;
    return at;
  }
}
