/** Runs queries over streams in memory. */

import { caliSource } from "../../../../src/caliper/query/sources/cali.ts";
import { toByteText } from "../../../../src/caliper/query/byte_text.ts";
import { parseQuery } from "../../../../src/caliper/query/parser.ts";
import { QueryRun } from "../../../../src/caliper/query/run.ts";
import type { QuerySpec } from "../../../../src/caliper/query/spec.ts";

export interface Result {
  text: string;
  problems: string[];
  complaints: string[];
}

/** Gives the bytes in pieces of at most `piece` bytes. */
export function reader(bytes: Uint8Array, piece = 1 << 16): (into: Uint8Array) => number | null {
  let at = 0;
  return (into) => {
    if (at >= bytes.length) return null;
    const count = Math.min(piece, into.length, bytes.length - at);
    into.set(bytes.subarray(at, at + count));
    at += count;
    return count;
  };
}

/** Runs a query, or a specification, over streams. */
export function runQuery(
  query: string | QuerySpec,
  streams: (string | Uint8Array)[],
  options: { strict?: boolean; piece?: number } = {},
): Result {
  const spec = typeof query === "string" ? parseQuery(toByteText(query)) : query;
  const chunks: Uint8Array[] = [], problems: string[] = [], complaints: string[] = [];
  const run = new QueryRun(spec, {
    strict: options.strict,
    output: (bytes) => chunks.push(bytes.slice()),
    complain: (message) => complaints.push(message),
  });
  for (const stream of streams) {
    const bytes = typeof stream === "string" ? new TextEncoder().encode(stream) : stream;
    const source = caliSource(reader(bytes, options.piece), { strict: options.strict });
    run.read(source, (message, line) => problems.push(`${line}: ${message}`));
  }
  run.finish();
  return {
    text: chunks.map((chunk) => new TextDecoder().decode(chunk)).join(""),
    problems,
    complaints,
  };
}

/** The `expand` form of a stream, with UTF-8 kept. */
export function expandText(stream: string): string {
  return runQuery("format expand", [stream]).text;
}
