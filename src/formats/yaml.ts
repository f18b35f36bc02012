/**
 * General YAML: reports that another program rewrote, and the description of a recording.
 *
 * The parser is loaded by the subcommands that read such files, since every start would pay for it.
 * @module
 */

/** Parsers call themselves for every level, and of a few thousand they end by an error of the runtime. */
const MAX_LEVELS = 200;
const BLANK = 32, HASH = 35, DOUBLE = 34, ANCHOR = 38, SINGLE = 39, COMMA = 44, DASH = 45;
const COLON = 58, QUESTION = 63, TAG = 33, BACKSLASH = 92;
const OPEN = new Set(["[", "{"].map((c) => c.charCodeAt(0)));
const CLOSE = new Set(["]", "}"].map((c) => c.charCodeAt(0)));

let parser: ((text: string) => unknown) | undefined;

/** Loads the parser. */
export async function loadYaml(): Promise<void> {
  parser ??= (await import("@std/yaml/parse")).parse;
}

/** Is the parser loaded? */
export function isYamlLoaded(): boolean {
  return parser !== undefined;
}

/**
 * Data of a text; {@linkcode loadYaml} must have ended before.
 *
 * @throws {Error} If the text is no YAML, or nests deeper than a parser can follow.
 */
export function parseYaml(text: string): unknown {
  const line = findDeepLine(text);
  if (line > 0) throw new Error(`more than ${MAX_LEVELS} levels in line ${line}`);
  try {
    return parser!(text);
  } catch (error) {
    // Brackets are not counted after a quote that is none, in a text over several lines.
    if (error instanceof RangeError) throw new Error(`more than ${MAX_LEVELS} levels`);
    throw error;
  }
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
