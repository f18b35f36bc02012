/**
 * Words of CalQL: blanks and newlines separate, double quotes make separators ordinary, `\` takes
 * the next character literally.
 *
 * Quotes may be anywhere in a word and are removed. Which characters end a word depends on the
 * place: in argument lists `=`, `<` and `>` are ordinary. Reading past the end ends the query for
 * good, also for a look-ahead of one character: a clause that ran into the end is not continued.
 * @module
 */

/** Characters that end a word outside of argument lists. */
const WORD_ENDS = ",;=<>()\n";

const BLANKS = " \t\n\v\f\r";

export class Lexer {
  /** Position of the next character. */
  at = 0;
  /** Offset where the last word or character began that was not empty. */
  last = 0;
  #before = 0;
  #ended = false;

  constructor(readonly text: string) {}

  /** False once something was read beyond the last character. */
  get good(): boolean {
    return !this.#ended;
  }

  /** The next word, possibly empty. */
  word(ends = WORD_ENDS): string {
    this.#skipBlanks();
    const start = this.at;
    let word = "", quoted = false;
    while (!this.#ended) {
      const c = this.#next();
      if (c === null) break;
      if (c === "\\") {
        word += this.#next() ?? "";
      } else if (c === '"') {
        quoted = !quoted;
      } else if (!quoted && (BLANKS.includes(c) || ends.includes(c))) {
        this.at--;
        break;
      } else {
        word += c;
      }
    }
    if (this.at > start) this.last = start;
    return word;
  }

  /** The next character that is no blank, or null at the end. */
  char(): string | null {
    this.#skipBlanks();
    if (this.#ended) return null;
    this.#before = this.last;
    this.last = this.at;
    return this.#next();
  }

  /** Takes back the character that `char` gave. */
  back(): void {
    if (this.#ended) return;
    this.at--;
    this.last = this.#before;
  }

  /**
   * A `(word, ...)` list, empty if there is none; null if the closing `)` is missing.
   *
   * @param ends Characters that end a word of it.
   */
  list(ends: string): string[] | null {
    const words: string[] = [], open = this.char();
    if (open === null) return words;
    if (open !== "(") {
      this.back();
      return words;
    }
    for (;;) {
      const word = this.word(ends), c = this.char();
      if (word !== "" && (c === "," || c === ")")) words.push(word);
      if (c !== ",") return c === ")" ? words : null;
    }
  }

  #next(): string | null {
    if (this.at >= this.text.length) {
      this.#ended = true;
      return null;
    }
    return this.text[this.at++];
  }

  #skipBlanks(): void {
    while (this.at < this.text.length && BLANKS.includes(this.text[this.at])) this.at++;
    if (this.at >= this.text.length) this.#ended = true;
  }
}
