/**
 * Damaged files of every format, the same ones each time: a parser gives a result or one of the errors
 * meant for people, and ends. `FUZZ_CASES=100000 deno test -A … tests/fuzz/parsers_test.ts` goes on
 * longer, and `FUZZ_SEED` elsewhere.
 */
import { assert } from "@std/assert";
import { FormatError } from "../../src/core/errors.ts";
import { parsePmc } from "../../src/formats/pmc/pmc.ts";
import { parseRawStats } from "../../src/rawstats/format/rawstats.ts";
import { parseReport } from "../../src/formats/report.ts";
import { parseTrace } from "../../src/formats/trace/trace.ts";
import { readCali } from "../../src/caliper/query/library.ts";
import { Random } from "./random.ts";

const ROOT = new URL("../", import.meta.url);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 20260314);
const CASES = Number(Deno.env.get("FUZZ_CASES") ?? 400);

/** Files of a format: those below a folder whose names fit, none of them large. */
function corpus(folder: string, name: RegExp): Uint8Array[] {
  const found: Uint8Array[] = [];
  const visit = (at: URL) => {
    for (const entry of [...Deno.readDirSync(at)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), at);
      if (entry.isDirectory) visit(url);
      else if (name.test(entry.name) && Deno.statSync(url).size < 40_000) {
        found.push(Deno.readFileSync(url));
      }
    }
  };
  visit(new URL(folder, ROOT));
  return found;
}

const BYTES = [0, 9, 10, 13, 27, 32, 34, 37, 44, 45, 46, 48, 57, 58, 61, 92, 124, 127, 128, 255];

/** A file with some bytes changed, a stretch taken out or doubled, or its end cut off. */
function damaged(random: Random, sound: Uint8Array): Uint8Array {
  let bytes = sound.slice();
  for (let n = 1 + random.below(4); n > 0 && bytes.length > 0; n--) {
    const at = random.below(bytes.length);
    const length = Math.min(1 + random.size(200), bytes.length - at);
    const stretch = bytes.slice(at, at + length);
    switch (random.below(4)) {
      case 0:
        bytes[at] = random.pick(BYTES);
        break;
      case 1:
        bytes = new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + length)]);
        break;
      case 2:
        bytes = new Uint8Array([...bytes.subarray(0, at), ...stretch, ...bytes.subarray(at)]);
        break;
      default:
        if (random.once(3)) bytes = bytes.slice(0, at);
        else bytes[at] ^= 1 << random.below(8);
    }
  }
  return bytes;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const PARSERS: readonly [string, Uint8Array[], (bytes: Uint8Array) => unknown][] = [
  ["report", corpus("golden/", /\.report$/), (bytes) => parseReport(text(bytes))],
  ["trace", corpus("golden/", /trace/), (bytes) => parseTrace(text(bytes))],
  ["rawstats", corpus("vectors/rawstats/", /\.raw$/), (bytes) => parseRawStats(bytes)],
  ["pmc", corpus("vectors/pmc/", /\.pmc$/), (bytes) => parsePmc(bytes)],
  ["cali", corpus("vectors/caliper/", /\.cali$/), (bytes) => readCali(bytes)],
];

for (const [name, files, parse] of PARSERS) {
  Deno.test(`${CASES} damaged files of the format ${name} give a result or a clear error`, () => {
    assert(files.length > 0, "there are files to damage");
    let refused = 0;
    for (let number = 0; number < CASES; number++) {
      const random = new Random(SEED, number);
      const bytes = damaged(random, random.pick(files));
      try {
        parse(bytes);
      } catch (error) {
        refused++;
        if (error instanceof FormatError && !error.message.includes("\n")) continue;
        throw new Error(`seed ${SEED}, case ${number}: ${(error as Error).stack}`);
      }
    }
    // A raw stats file is read around its damage; of the others some must have been refused.
    if (name !== "rawstats") assert(refused > 0);
  });
}
