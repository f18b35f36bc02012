/**
 * `format("text %attr% %[width]attr% ...", title)`: one line per record, empty ones too.
 *
 * Literal text alternates with attribute names between `%`. A value is padded to its width on the
 * right, by at most 80 blanks; a letter after the width is read and has no effect. Values of a
 * path are joined by `/`.
 * @module
 */

import { scanInt64 } from "../../model/c_number.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { pathText } from "../chain_text.ts";
import { exactText, type FormatContext, Formatter } from "../formatter.ts";
import { NamedAttribute } from "../lookup.ts";

interface Field {
  prefix: string;
  attribute: NamedAttribute;
  width: number;
}

const MAX_BLANKS = 80;

export class UserFormatter extends Formatter {
  readonly #fields: Field[];

  constructor(context: FormatContext) {
    super(context);
    const args = context.spec.format?.args;
    const title = args?.get("title");
    this.#fields = parseFields(args?.get("format") ?? "");
    if (title !== undefined) context.out.write(title + "\n");
  }

  record(record: Snapshot): void {
    let line = "";
    for (const { prefix, attribute, width } of this.#fields) {
      const text = this.#text(record, attribute.resolve(this.context.tree));
      line += prefix + text + " ".repeat(Math.min(Math.max(width - text.length, 0), MAX_BLANKS));
    }
    this.context.out.write(line + "\n");
  }

  flush(): void {}

  #text(record: Snapshot, attribute: number): string {
    if (attribute === NONE) return "";
    for (let i = 0; i < record.count; i++) {
      let text = "";
      if (record.immediate[i] === 0) {
        text = pathText(this.context.tree, record.node[i], attribute);
      } else if (record.node[i] === attribute) {
        text = this.context.strict ? exactText(record, i) : record.textAt(i);
      }
      if (text !== "") return text;
    }
    return "";
  }
}

/** Fields of a format text: literal text, then the text between two `%`. */
function parseFields(text: string): Field[] {
  const parts = text.split("%");
  if (parts[parts.length - 1] === "") parts.pop();
  const fields: Field[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const { name, width } = parseField(parts[i + 1] ?? "");
    fields.push({ prefix: parts[i], attribute: new NamedAttribute(name), width });
  }
  return fields;
}

/** `[width]name` or `name[width]`. */
function parseField(text: string): { name: string; width: number } {
  const tokens = text.split(/([[\]])/).filter((token) => token !== "");
  const open = tokens.lastIndexOf("["), close = tokens.lastIndexOf("]");
  if (open < 0 || close <= open + 1) return { name: tokens[0] ?? "", width: 0 };
  const width = Number(scanInt64(tokens[open + 1]) ?? 0);
  return { name: (open > 0 ? tokens[0] : tokens[close + 1]) ?? "", width };
}
