/** The kept corpus of the guided fuzzer: each input gives a result or an error that is meant for people. */
import { assert } from "@std/assert";
import { encodeBase64, readCorpus } from "./guided/corpus.ts";
import { FUZZED, isMeant } from "./guided/parsers.ts";

for (const { name, read } of FUZZED) {
  Deno.test(`the kept corpus of ${name}: a result, or an error for people`, () => {
    const kept = readCorpus(name);
    assert(kept.length > 0, "there is a corpus");
    for (const input of [...kept, ...readCorpus(name, "found")]) {
      try {
        read(input);
      } catch (error) {
        if (!isMeant(error)) throw new Error(`${name}: ${encodeBase64(input)}`, { cause: error });
      }
    }
  });
}
