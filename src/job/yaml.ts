/**
 * General YAML, which others may have written: reports that the reader of the fixed layout refuses, and the
 * description of a recording.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { OtherReader } from "../merge/read_report.ts";
import { reportFromYaml } from "../merge/yaml_report.ts";

/** Parsers call themselves for every level, and of a few thousand they end by an error of the runtime. */
const MAX_LEVELS = 200;
const BLANK = 32, HASH = 35, DOUBLE = 34, ANCHOR = 38, SINGLE = 39, COMMA = 44, DASH = 45;
const COLON = 58, QUESTION = 63, TAG = 33, BACKSLASH = 92;
const OPEN = new Set(["[", "{"].map((c) => c.charCodeAt(0)));
const CLOSE = new Set(["]", "}"].map((c) => c.charCodeAt(0)));

/**
 * Loads the parser.
 *
 * @returns Data of a text. @throws {Error} Also where it nests deeper than a parser can follow.
 */
export async function yamlParser(): Promise<(text: string) => unknown> {
  const { parse } = await import("@std/yaml/parse");
  return (text) => {
    const line = findDeepLine(text);
    if (line > 0) throw new Error(`more than ${MAX_LEVELS} levels in line ${line}`);
    try {
      return parse(text);
    } catch (error) {
      // Behind a quote that is none, in a text over several lines, brackets are not counted.
      if (error instanceof RangeError) throw new Error(`more than ${MAX_LEVELS} levels`);
      throw error;
    }
  };
}

/** The first line with too many levels, 0: none. */
function findDeepLine(text: string): number {
  const indents: number[] = [];
  const flow = new Flow();
  for (let at = 0, line = 1; at < text.length; line++) {
    let first = at, inside = 0;
    for (; first < text.length; first++) {
      const code = text.charCodeAt(first), next = text.charCodeAt(first + 1);
      const isItem = (code === DASH || code === QUESTION) && next === BLANK;
      if (isItem) inside++;
      else if (code !== BLANK) break;
    }
    while (indents.length > 0 && indents[indents.length - 1] >= first - at) indents.pop();
    indents.push(first - at);
    const end = text.indexOf("\n", first);
    at = end < 0 ? text.length : end;
    if (indents.length + inside + flow.follow(text, first, at) > MAX_LEVELS) return line;
    at++;
  }
  return 0;
}

/** Brackets of collections that are open: not those in texts, with quotes or without. */
class Flow {
  #open = 0;
  /** The quote whose text goes on. */
  #quote = 0;

  /** @returns How many are open at most in a line. */
  follow(text: string, from: number, to: number): number {
    let most = this.#open, begins = true;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (this.#quote !== 0) {
        if (code === BACKSLASH && this.#quote === DOUBLE) at++;
        else if (code === this.#quote) this.#quote = 0;
      } else if (begins && (code === DOUBLE || code === SINGLE)) {
        [this.#quote, begins] = [code, false];
      } else if (begins && OPEN.has(code)) {
        most = Math.max(most, ++this.#open);
      } else if (begins && (code === TAG || code === ANCHOR)) {
        while (at + 1 < to && text.charCodeAt(at + 1) !== BLANK) at++;
      } else if (code === HASH && (at === from || text.charCodeAt(at - 1) === BLANK)) {
        break;
      } else if (this.#open > 0 && CLOSE.has(code)) {
        [this.#open, begins] = [this.#open - 1, false];
      } else if (code !== BLANK) {
        begins = this.#open > 0 && (code === COMMA || code === COLON) ||
          code === COLON && text.charCodeAt(at + 1) === BLANK;
      }
    }
    return most;
  }
}

/** The parser is loaded here: whether it is needed is known only in the midst of the files. */
export async function yamlReader(): Promise<OtherReader> {
  const parse = await yamlParser();
  return (text, path) => {
    let data: unknown;
    try {
      data = parse(text);
    } catch (cause) {
      throw new FormatError(path, 0, {
        action: "merge",
        expected: "a report",
        found: (cause as Error).message.split("\n")[0],
        remedy: "it is left out",
        cause,
      });
    }
    return reportFromYaml(data, path);
  };
}
