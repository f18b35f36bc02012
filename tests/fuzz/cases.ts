/** The case that a seed and a number name. */

import { damage } from "./damage.ts";
import type { Case } from "./oracle.ts";
import { makeArguments, makeQuery } from "./queries.ts";
import { Random } from "./random.ts";
import { makeStream } from "./streams.ts";

const VECTORS = new URL("../vectors/caliper/", import.meta.url);

/** Lines of our vectors and of kept findings, as byte strings. */
const corpus: string[][] = [VECTORS, new URL("fuzz/", VECTORS)].flatMap((folder) =>
  [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".cali"))
    .map(({ name }) => name).sort()
    .map((name) => {
      const bytes = Deno.readFileSync(new URL(name, folder));
      return new TextDecoder("latin1").decode(bytes).replace(/\n$/, "").split("\n");
    })
);

const SUBJECTS = ["records", "records", "records", "records", "attributes", "globals"] as const;

export function makeCase(seed: number, number: number): Case {
  const random = new Random(seed, number);
  const query = random.once(10) ? makeArguments(random) : makeQuery(random);
  // Half of the cases are about the query: most of these go no further than the parser.
  const streams = Array.from({ length: random.once(6) ? 2 : 1 }, () => streamText(random));
  return {
    query,
    streams,
    strict: random.once(2),
    subject: random.pick(SUBJECTS),
    pieces: Array.from({ length: 1 + random.below(6) }, () => 1 + random.size(3000)),
  };
}

function streamText(random: Random): string {
  let lines = random.once(3) ? excerpt(random) : makeStream(random);
  if (!random.once(5)) lines = damage(random, lines);
  return lines.join("\n") + (random.once(5) ? "" : "\n");
}

/** A vector, or part of a long one: half a file is a stream with holes. */
function excerpt(random: Random): string[] {
  const lines = random.pick(corpus);
  if (lines.length <= 120 && !random.once(3)) return lines;
  const from = random.once(2) ? 0 : random.below(lines.length);
  return lines.slice(from, from + 20 + random.below(200));
}
