/** The list of operators that `--aggregate` takes, which is read more loosely than CalQL. */

import { AGGREGATIONS, findSignature } from "./functions.ts";
import { Lexer } from "./lexer.ts";
import type { Operation } from "./spec.ts";

/**
 * One `op(arg,...)` list as `--aggregate` takes it: unknown operators and wrong counts are left
 * out and returned as complaints.
 */
export function parseAggregations(text: string): { list: Operation[]; complaints: string[] } {
  const lexer = new Lexer(text), list: Operation[] = [], complaints: string[] = [];
  let c: string | null;
  do {
    const name = lexer.word(",()");
    const signature = findSignature(AGGREGATIONS, name);
    if (name !== "" && signature === undefined) {
      complaints.push(`Unknown function "${name}"`);
    } else if (signature !== undefined) {
      const args = looseArguments(lexer);
      if (args.length >= signature.min && args.length <= signature.max) {
        list.push({ name, args });
      } else {
        complaints.push(
          `Error: Expected ${signature.min} arguments for function "${name}" but got ${args.length}`,
        );
      }
    }
    c = lexer.char();
  } while (c === ",");
  return { list, complaints };
}

function looseArguments(lexer: Lexer): string[] {
  const args: string[] = [];
  const open = lexer.char();
  if (open === null) return args;
  if (open !== "(") {
    lexer.back();
    return args;
  }
  for (;;) {
    const word = lexer.word(",()");
    const c = lexer.char();
    if (word !== "" && (c === "," || c === ")")) args.push(word);
    if (c === ",") continue;
    if (c === ")") return args;
    lexer.back();
    return [];
  }
}
