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
      let args = lexer.list(",()");
      if (args === null) {
        // What broke the list off may go on with the next operator.
        lexer.back();
        args = [];
      }
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
