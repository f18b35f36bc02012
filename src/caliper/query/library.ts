/**
 * The query engine for programs: streams in memory in, text or records out.
 *
 * Text is UTF-8 at this edge, as everywhere in TypeScript; inside the engine it is bytes.
 * @module
 */

import { type PlainRecord, plainRecord, type PlainValue } from "../model/plain_record.ts";
import { TYPE_NAMES, type TypeName } from "../model/variant.ts";
import { FormatError } from "../../core/errors.ts";
import { fromByteText, toByteText } from "./byte_text.ts";
import { caliSource } from "./sources/cali.ts";
import { MergedTree } from "./merged_tree.ts";
import { openSource } from "./sources/open.ts";
import { parseQuery } from "./parser.ts";
import { QueryRun } from "./run.ts";

/** A `.cali` stream: text or its bytes. */
export type CaliInput = string | Uint8Array;

/**
 * Runs a CalQL query.
 *
 * @param calql The query; without FORMAT the result is a `.cali` stream.
 * @param inputs `.cali` streams, reports, traces or raw stats, recognized by their first bytes and merged.
 * @param options.strict UTF-8, valid JSON and all digits instead of cali-query's output.
 *   @default true
 * @param options.asStream The result is a `.cali` stream for any FORMAT in the query.
 *   @default false
 * @param options.otherwise The format if the query names none. @default "cali"
 * @returns The output.
 * @throws {QueryError} If the query is not understood.
 */
export function query(
  calql: string,
  inputs: Iterable<CaliInput>,
  options: { strict?: boolean; asStream?: boolean; otherwise?: "table" } = {},
): string {
  const strict = options.strict ?? true, decoder = new TextDecoder();
  const spec = parseQuery(toByteText(calql));
  if (options.asStream === true) spec.format = null;
  else if (options.otherwise !== undefined) {
    spec.format ??= { name: options.otherwise, args: new Map() };
  }
  let text = "";
  const run = new QueryRun(spec, {
    strict,
    output: (bytes) => text += decoder.decode(bytes, { stream: true }),
  });
  const seen = new Map();
  for (const input of inputs) run.read(openSource(bytesOf(input), { strict, seen }).source);
  run.finish();
  return text + decoder.decode();
}

/** One snapshot: values by attribute name; of a nested attribute, a list from root to leaf. */
export type CaliRecord = PlainRecord;

/** A value in it. */
export type CaliValue = PlainValue;

/** Content of a stream. */
export interface CaliContent {
  /** In the order of the stream. */
  records: CaliRecord[];
  /** Run metadata. */
  globals: CaliRecord;
  /** All attributes by name. */
  attributes: Record<string, { type: TypeName; properties: number }>;
}

/**
 * Reads a `.cali` stream as a whole.
 *
 * @param path Named in errors. @default "stream.cali"
 * @throws {FormatError} With the line of the first record that cannot be read.
 */
export function readCali(input: CaliInput, path = "stream.cali"): CaliContent {
  const tree = new MergedTree(), records: CaliRecord[] = [];
  caliSource(bytesOf(input), { strict: true })(tree, {
    wants: () => true,
    node() {},
    record: (record) => void records.push(plainRecord(tree, record, fromByteText)),
    problem(message, line) {
      throw new FormatError(path, line, {
        action: "read",
        expected: "a record of kind node, ctx or globals",
        found: fromByteText(message),
      });
    },
  });
  const attributes: CaliContent["attributes"] = {};
  for (const { name, type, properties } of tree.attributes()) {
    attributes[fromByteText(name)] = { type: TYPE_NAMES[type], properties };
  }
  return { records, globals: plainRecord(tree, tree.globals, fromByteText), attributes };
}

function bytesOf(input: CaliInput): (into: Uint8Array) => number | null {
  let rest = typeof input === "string" ? new TextEncoder().encode(input) : input;
  return (into) => {
    if (rest.length === 0) return null;
    const count = Math.min(into.length, rest.length);
    into.set(rest.subarray(0, count));
    rest = rest.subarray(count);
    return count;
  };
}
