/**
 * Words of configuration strings: blanks separate, double quotes protect, `\` takes the next
 * character as it is. Quotes may open and close within a word.
 * @module
 */

const BLANK = /[ \t\n\v\f\r]/;

export class WordReader {
  #at = 0;

  constructor(readonly text: string) {}

  /** Offset at which reading goes on. */
  get offset(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** Skips blanks; returns the offset of the next word or character. */
  skipBlanks(): number {
    while (!this.atEnd && BLANK.test(this.text[this.#at])) this.#at++;
    return this.#at;
  }

  /** The next character that is no blank, taken away; empty at the end. */
  char(): string {
    this.skipBlanks();
    return this.text[this.#at++] ?? "";
  }

  /** Puts the character read last back. */
  unread(): void {
    this.#at = Math.min(this.#at, this.text.length + 1) - 1;
  }

  /** A word, up to a blank or one of the separators; quotes are taken off. */
  word(separators: string): string {
    this.skipBlanks();
    let word = "", quoted = false;
    for (; !this.atEnd; this.#at++) {
      const c = this.text[this.#at];
      if (c === "\\") {
        word += this.text[++this.#at] ?? "";
      } else if (c === '"') {
        quoted = !quoted;
      } else if (!quoted && (BLANK.test(c) || separators.includes(c))) {
        break;
      } else {
        word += c;
      }
    }
    // a backslash at the very end leads past it
    this.#at = Math.min(this.#at, this.text.length);
    return word;
  }

  /** Text up to the parenthesis that closes the one read before, unchanged. */
  nested(): string {
    const begin = this.#at;
    let depth = 1, quoted = false;
    for (; !this.atEnd; this.#at++) {
      const c = this.text[this.#at];
      if (c === "\\") this.#at++;
      else if (c === '"') quoted = !quoted;
      else if (!quoted && c === "(") depth++;
      else if (!quoted && c === ")" && --depth === 0) break;
    }
    this.#at = Math.min(this.#at, this.text.length);
    return this.text.slice(begin, this.#at);
  }
}

/** A list of words, as variables hold it. */
export function wordList(text: string, separators = ","): string[] {
  const reader = new WordReader(text), words: string[] = [];
  do {
    const word = reader.word(separators);
    if (word !== "") words.push(word);
  } while (separators.includes(reader.char() || "\0"));
  return words;
}

/** Reads a bool as Caliper does: true, t, false, f in any case, or a number; null if it is none. */
export function readBool(text: string): boolean | null {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "t") return true;
  if (lower === "false" || lower === "f") return false;
  const number = /^[ \t]*[-+]?\d+/.exec(text);
  return number === null ? null : Number(number[0]) !== 0;
}
