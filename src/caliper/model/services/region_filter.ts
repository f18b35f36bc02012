/**
 * Region filters: `match(a,b)`, `startswith(x)`, `regex(...)` on the whole name, a bare word is a
 * match; several are joined by commas, one that fits is enough. They apply to text values alone.
 * @module
 */

/** Does a region name pass? */
export type RegionFilter = (name: string) => boolean;

/**
 * Reads a filter.
 *
 * @returns The filter, or null if the text names no condition.
 * @throws {SyntaxError} With one line about what is wrong.
 */
export function parseRegionFilter(text: string): RegionFilter | null {
  const tests: RegionFilter[] = [];
  const item =
    /\s*(?:(match|startswith|regex)\s*\(((?:"[^"]*"|\\.|[^")\\])*)\)|((?:"[^"]*"|\\.|[^",()\s\\])+))\s*(,|$)/y;
  if (text.trim() === "") return null;
  while (item.lastIndex < text.length) {
    const at = item.lastIndex, found = item.exec(text);
    if (found === null) throw new SyntaxError(`cannot read a filter at "${text.slice(at)}"`);
    const [, kind, list, word] = found;
    const words = word !== undefined ? [unquote(word)] : splitArguments(list);
    for (const w of words) {
      if (kind === "startswith") tests.push((name) => name.startsWith(w));
      else if (kind === "regex") {
        const pattern = new RegExp(`^(?:${w})$`);
        tests.push((name) => pattern.test(name));
      } else tests.push((name) => name === w);
    }
  }
  return tests.length === 0 ? null : (name) => tests.some((test) => test(name));
}

function splitArguments(list: string): string[] {
  return (list.match(/(?:"[^"]*"|\\.|[^",\\])+/g) ?? []).map((arg) => unquote(arg.trim()))
    .filter((arg) => arg !== "");
}

function unquote(word: string): string {
  return word.replace(/"([^"]*)"/g, "$1");
}
