/**
 * Undamaged streams and queries of the fuzzer through a real cali-query beside us, compared by bytes.
 *
 *     JOULEMARK_TEST_CALI_QUERY=/path/to/cali-query deno run -A tests/fuzz/against.ts --seed 1 --cases 1000
 *
 * Left out is what is known to differ: formatters of our own, texts in which bytes from 0x80 on
 * would be cut, properties that no bits are, and streams on which that program dies.
 */

import { QueryError } from "../../src/caliper/query/query_error.ts";
import { answer } from "../caliper/query/_support/interchange.ts";
import { makeQuery } from "./queries.ts";
import { Random } from "./random.ts";
import { makeStream } from "./streams.ts";

const OURS = /csv|folded|trace-events/i;
/** Beyond 64 bits: as a truth value it is empty there and true here. */
const GREAT = /9{20,}/g;
const ODD_PROPERTY =
  /(attr=10,data=|data=(?=[^\n]*\battr=10\b))(9223372036854775807|4294967295|-1|x)/g;
/** It ends in 254 after a query that it does not understand. */
const INVALID_QUERY = 254;

const options = new Map<string, string>();
for (let i = 0; i < Deno.args.length; i += 2) options.set(Deno.args[i], Deno.args[i + 1]);
const seed = Number(options.get("--seed") ?? 1), cases = Number(options.get("--cases") ?? 1000);
const program = Deno.env.get("JOULEMARK_TEST_CALI_QUERY");
if (program === undefined) {
  console.error("JOULEMARK_TEST_CALI_QUERY names no program: set it to the path of a cali-query");
  Deno.exit(2);
}

const counts = { same: 0, different: 0, refusedByBoth: 0, died: 0, leftOut: 0 };
const file = Deno.makeTempFileSync({ suffix: ".cali" });
for (let number = 0; number < cases; number++) {
  const random = new Random(seed, number);
  const stream = makeStream(random).join("\n").replace(ODD_PROPERTY, "$1276")
    .replace(GREAT, "7") + "\n";
  const query = makeQuery(random);
  if (OURS.test(query) || !isPlain(query)) counts.leftOut++;
  else counts[compare(program, query, stream, number)]++;
}
Deno.removeSync(file);
console.log(`seed ${seed}`, counts);
Deno.exit(counts.different > 0 ? 1 : 0);

function isPlain(text: string): boolean {
  return [...text].every((c) => c > "\0" && c < "\x80");
}

function compare(
  program: string,
  query: string,
  stream: string,
  number: number,
): keyof typeof counts {
  const bytes = Uint8Array.from(stream, (c) => c.charCodeAt(0));
  Deno.writeFileSync(file, bytes);
  const { code, stdout } = new Deno.Command(program, { args: ["-q", query, file], stderr: "null" })
    .outputSync();
  const ours = answerOrNull(query, bytes);
  if (ours === null && code === INVALID_QUERY) return "refusedByBoth";
  if (code !== 0 && code !== INVALID_QUERY) return "died";
  const theirs = new TextDecoder("latin1").decode(stdout);
  if (ours === theirs && code === 0) return "same";
  const left = (ours ?? "an invalid query").split("\n");
  const right = (code === 0 ? theirs : "an invalid query").split("\n");
  const at = left.findIndex((line, i) => line !== right[i]);
  console.log(`case ${number}: ${JSON.stringify(query)}: line ${at + 1}`);
  console.log(`  ours   ${left[at]?.slice(0, 300)}\n  theirs ${right[at]?.slice(0, 300)}`);
  return "different";
}

function answerOrNull(query: string, bytes: Uint8Array): string | null {
  try {
    return answer(["-q", query], bytes);
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}
