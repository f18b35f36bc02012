/**
 * `--phase REGEX`: a POSIX extended regular expression, regex(7), as client/preload/phase.c compiles it,
 * with `\d`, `\s` and `\w` as most people write them.
 * @module
 */
import { unusable } from "../../core/errors.ts";

/** Constructs of other regular expression languages that POSIX lacks. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/\(\?/, "(?"],
  [/[*+?}]\?/, "a lazy repetition"],
  [/\\[pPuxkbB]/, "an escape of other languages"],
];
const CLASSES: Readonly<Record<string, string>> = {
  d: "0-9",
  s: "[:space:]",
  w: "[:alnum:]_",
};

/**
 * The expression as POSIX has it.
 *
 * @throws {UsageError} If it is none, or of another kind.
 */
export function posixExpression(text: string): string {
  const refuse = (found: string): never => {
    const remedy =
      'for example: --phase "^Step +([0-9]+)". The text in the first parentheses is the name of the phase';
    throw unusable(`--phase ${text}`, "an extended regular expression, regex(7)", found, remedy);
  };
  if (text === "") refuse("nothing");
  try {
    new RegExp(text.replace(/\[\[:\w+:\]\]/g, "[a]").replace(/\[:\w+:\]/g, "a"));
  } catch (error) {
    refuse((error as Error).message);
  }
  for (const [pattern, name] of FOREIGN) {
    if (pattern.test(text.replace(/\\\\/g, ""))) refuse(name);
  }
  let out = "", inside = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === "\\") {
      const next = text[++i] ?? "";
      const set = CLASSES[next.toLowerCase()];
      if (set === undefined) out += inside ? next : `\\${next}`;
      else if (next !== next.toLowerCase()) {
        if (inside) refuse(`\\${next} within brackets`);
        out += `[^${set}]`;
      } else out += inside ? set : `[${set}]`;
      continue;
    }
    if (letter === "[" && !inside) inside = true;
    else if (letter === "[" && text[i + 1] === ":") {
      const end = text.indexOf(":]", i);
      if (end > 0) {
        out += text.slice(i, end + 2);
        i = end + 1;
        continue;
      }
    } else if (letter === "]" && inside) inside = false;
    out += letter;
  }
  return out;
}
