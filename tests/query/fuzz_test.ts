/**
 * Seeded noise: streams and queries that were damaged in many ways give a result or the clear
 * error, never a crash, a hang or an endless output. The seed is printed when a run fails.
 */

import { assertEquals } from "@std/assert";
import { parseQuery } from "../../src/query/parser.ts";
import { QueryError } from "../../src/query/query_error.ts";
import { runQuery } from "./_support/run_query.ts";

const VECTORS = new URL("../vectors/caliper/", import.meta.url);
const FILES = ["agg_regions", "escape_strings", "mixed_props", "threads_trace", "edge_malformed"];
const STREAMS = FILES.map((name) => Deno.readFileSync(new URL(`${name}.cali`, VECTORS)));
const QUERIES = [
  "format expand",
  "format json(object,separate-nested)",
  "format json-split",
  "format cali",
  "select *,count(),sum(joule),avg(sum#time.duration.ns),variance(delta) group by path format tree",
  "let a=truncate(delta,3),b=leaf(),c=first(joule,delta) select *,inclusive_sum(a) where b " +
  "group by device,region format table order by count desc",
  "format tree(print-globals) order by delta",
  "format csv",
  "select count() group by path format folded",
  "format trace-events",
];
/** What is put into texts: all that means something there. */
const SPICE = [...'\\,=\n\r"();<>*-.0189eE% x\0', "__rec=", "parent=", "data=", "path", "as"];

/** JOULEMARK_FUZZ_ROUNDS makes it longer; the tests run a short one. */
const ROUNDS = Number(Deno.env.get("JOULEMARK_FUZZ_ROUNDS") ?? 150);
const SEED = Number(Deno.env.get("JOULEMARK_FUZZ_SEED") ?? 20150803);

function generator(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
  };
}

function damage(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  let out = bytes;
  for (let n = random(6); n >= 0; n--) {
    const at = random(out.length + 1);
    switch (random(5)) {
      case 0:
        out = out.slice(0, at);
        break;
      case 1: {
        const extra = new TextEncoder().encode(SPICE[random(SPICE.length)]);
        out = Uint8Array.from([...out.subarray(0, at), ...extra, ...out.subarray(at)]);
        break;
      }
      case 2:
        out = out.slice();
        if (at < out.length) out[at] = random(256);
        break;
      case 3: {
        const end = Math.min(out.length, at + random(200));
        out = Uint8Array.from([...out.subarray(0, at), ...out.subarray(end)]);
        break;
      }
      default: {
        const end = Math.min(out.length, at + random(200));
        out = Uint8Array.from([...out, ...out.subarray(at, end)]);
      }
    }
  }
  return out;
}

Deno.test("a query over damaged streams never throws and stays small", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const seed = SEED + round, random = generator(seed);
    const streams = [damage(STREAMS[random(STREAMS.length)], random)];
    if (random(4) === 0) streams.push(damage(STREAMS[random(STREAMS.length)], random));
    const query = QUERIES[random(QUERIES.length)], strict = random(2) === 0;
    try {
      const { text } = runQuery(query, streams, { strict, piece: 1 + random(4000) });
      assertEquals(text.length < 10_000_000, true);
    } catch (error) {
      throw new Error(`seed ${seed}, ${query}`, { cause: error });
    }
  }
});

Deno.test("strict JSON output over damaged streams is always valid JSON", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const seed = SEED + round, random = generator(seed);
    const stream = damage(STREAMS[random(STREAMS.length)], random);
    const query = ["format json", "format json(object)", "format json-split"][random(3)];
    const { text } = runQuery(query, [stream], { strict: true });
    try {
      JSON.parse(text);
    } catch (error) {
      throw new Error(`seed ${seed}, ${query}: ${error}`, { cause: error });
    }
  }
});

Deno.test("parseQuery() gives a specification or a QueryError for any text", () => {
  for (let round = 0; round < ROUNDS * 20; round++) {
    const random = generator(SEED + round);
    let text = QUERIES[random(QUERIES.length)];
    for (let n = random(5); n >= 0; n--) {
      const at = random(text.length + 1);
      text = text.slice(0, at) + SPICE[random(SPICE.length)] + text.slice(at + random(3));
    }
    try {
      parseQuery(text);
    } catch (error) {
      if (!(error instanceof QueryError)) throw new Error(JSON.stringify(text), { cause: error });
      assertEquals(error.offset >= 0 && error.offset <= text.length, true);
    }
  }
});
