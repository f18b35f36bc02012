/**
 * Runs cases in a process of its own and prints a line of JSON for each finding, then one with the
 * number of cases. Its place is in a file all the while, so that whoever started it knows which
 * case it was when it died or never ended.
 *
 *     deno run -A tests/fuzz/run.ts SEED FIRST CASES SECONDS PLACE_FILE
 */

import { makeCase } from "./cases.ts";
import { judge } from "./oracle.ts";

const [seed, first, cases, seconds] = Deno.args.slice(0, 4).map(Number);
const place = Deno.openSync(Deno.args[4], { write: true, create: true });
const bytes = new Float64Array(1), end = performance.now() + seconds * 1000;

let number = first;
for (; number < first + cases && performance.now() < end; number++) {
  bytes[0] = number;
  place.seekSync(0, Deno.SeekMode.Start);
  place.writeSync(new Uint8Array(bytes.buffer));
  for (const finding of judge(makeCase(seed, number))) {
    console.log(JSON.stringify({ number, ...finding }));
  }
}
console.log(JSON.stringify({ done: number - first }));
