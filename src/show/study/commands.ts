/**
 * The commands of a benchmark: their words, letters and names.
 * @module
 */
import { baseName } from "../../core/names.ts";

/** One command. */
export interface BenchCommand {
  /** `A` for the first one, then `B`, …, `Z`, `AA`. */
  readonly set: string;
  /** Text as the user wrote it. */
  readonly text: string;
  /** Words to execute. */
  readonly words: readonly string[];
  /** Name of its program, without directories. */
  readonly name: string;
}

/** A word of a command that stands for this program's `run`. */
export const RUN = "{run}";

/** Characters that only a shell understands, and an assignment before a command. */
const SHELL = /[|&;<>()$`\\"'*?[\]#~!\n]|^\s*[A-Za-z_][A-Za-z0-9_]*=/;

/** Each argument is a command line; a shell reads it if it has characters of a shell. */
export function commandLines(lines: readonly string[]): BenchCommand[] {
  return lines.map((text, i) => {
    const words = text.trim().split(/\s+/);
    const isShell = SHELL.test(text);
    return command(i, text.trim(), isShell ? ["/bin/sh", "-c", text] : words, words);
  });
}

/** One command by its words, whatever they are. */
export function oneCommand(words: readonly string[]): BenchCommand {
  return command(0, words.join(" "), words, words);
}

/** Commands by words, with `--` between them. */
export function commandWords(words: readonly string[]): BenchCommand[] {
  const lists: string[][] = [[]];
  for (const word of words) {
    if (word === "--") lists.push([]);
    else lists.at(-1)!.push(word);
  }
  return lists.map((list, i) => command(i, list.join(" "), list, list));
}

function command(
  i: number,
  text: string,
  words: readonly string[],
  plain: readonly string[],
): BenchCommand {
  // Words before {run} are those of a launcher.
  const own = plain.slice(plain.indexOf(RUN) + 1);
  const program = own.find((word) => word !== "" && !/^[A-Za-z_]\w*=/.test(word)) ?? "";
  const name = baseName(program).replace(/[^A-Za-z0-9._-]/g, "");
  return { set: letters(i), text, words, name: name === "" ? "command" : name };
}

function letters(i: number): string {
  const last = String.fromCharCode(65 + i % 26);
  return i < 26 ? last : letters(Math.floor(i / 26) - 1) + last;
}
