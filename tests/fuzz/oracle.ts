/**
 * What must hold for any input: the result or the clear error and nothing else; the same result
 * again, and however the bytes come in; output that its own readers take; little time and memory.
 */

import { parseOptions, specFromOptions } from "../../src/caliper/query/options.ts";
import { openSource } from "../../src/caliper/query/sources/open.ts";
import { parseQuery } from "../../src/caliper/query/parser.ts";
import { QueryError } from "../../src/caliper/query/query_error.ts";
import { QueryRun, type Subject } from "../../src/caliper/query/run.ts";
import type { QuerySpec } from "../../src/caliper/query/spec.ts";
import { brokenSplitRules } from "../caliper/query/_support/split_rules.ts";
import { brokenTraceRules } from "../caliper/query/_support/trace_event_rules.ts";

/** One input of the query engine. */
export interface Case {
  /** CalQL, or the arguments of the verb. */
  query: string | string[];
  /** Byte strings. */
  streams: string[];
  strict: boolean;
  subject: Subject;
  /** Lengths of the pieces in which the second run gets its bytes, again and again. */
  pieces: number[];
}

/** Something that must not be. */
export interface Finding {
  what: string;
  detail: string;
}

/** A case may take so long; what takes longer is tried again, for the machine has other work. */
export const LIMIT_MS = 1000;
/** Resident bytes after a case. The program itself needs 80 MB, the output below twice its size. */
export const LIMIT_RSS = 600 << 20;
/** Chains are printed whole for each record, so that output may be much longer than input. */
const MAX_OUTPUT = 16 << 20;

/** All that the engine may say of a stream. */
const COMPLAINTS = [
  /^Unknown\/invalid record: /,
  /^attr \/ data size mismatch$/,
  /^Node or attribute ID missing in node record$/,
  /^Invalid node record$/,
  /^Line longer than \d+ bytes$/,
  /^reference to an undefined node$/,
  /^undefined attribute$/,
  /^value that its type cannot hold: /,
];

/** The output is longer than what is looked at. */
class TooLong extends Error {}

/** Runs a case; with `pieces`, gives the bytes in pieces of these lengths, again and again. */
export type Engine = (input: Case, spec: QuerySpec, pieces: number[] | null) => Result;

/** What is wrong about a case; nothing, as a rule. */
export function judge(input: Case, engine: Engine = runCase): Finding[] {
  const found: Finding[] = [];
  const report = (what: string, detail: string) => void found.push({ what, detail });
  try {
    const spec = specOf(input.query);
    if (spec === null) return found;
    const first = timed(() => engine(input, spec, null), report);
    const second = engine(input, spec, input.pieces);
    for (const part of ["output", "said"] as const) {
      if (first[part] === second[part]) continue;
      report(`pieces change the ${part}`, firstDifference(first[part], second[part]));
    }
    judgeOutput(input, spec, first.output, report);
  } catch (error) {
    if (!(error instanceof QueryError) && !(error instanceof TooLong)) {
      const { name, message, stack } = error as Error;
      report(`${name}: ${message}`.slice(0, 200), (stack ?? "").slice(0, 2000));
    } else if (error instanceof QueryError) {
      const length = typeof input.query === "string" ? input.query.length : Infinity;
      if (error.message === "" || error.offset < -1 || error.offset > length) {
        report("an error without place", `${error.message} at ${error.offset}`);
      }
    }
  }
  const { rss } = Deno.memoryUsage();
  if (rss > LIMIT_RSS) report("memory", `${rss >> 20} MB resident`);
  return found;
}

/** The specification, null for an unknown option; @throws {QueryError} */
function specOf(query: string | string[]): QuerySpec | null {
  if (typeof query === "string") return parseQuery(query);
  const parsed = parseOptions(query);
  return "unknown" in parsed ? null : specFromOptions(parsed.options, () => null, () => {});
}

/** All of it as byte strings. */
export interface Result {
  output: string;
  /** Complaints and problems. */
  said: string;
}

function runCase(input: Case, spec: QuerySpec, pieces: number[] | null): Result {
  const output: string[] = [], said: string[] = [];
  let length = 0;
  const run = new QueryRun(spec, {
    subject: input.subject,
    strict: input.strict,
    output(bytes) {
      length += bytes.length;
      if (length > MAX_OUTPUT) throw new TooLong();
      output.push(latin1.decode(bytes));
    },
    complain: (message) => said.push(`complaint: ${message}`),
  });
  for (const stream of input.streams) {
    const { kind, source } = openSource(bytesOf(stream, pieces), { strict: input.strict });
    const lines = stream.split("\n").length;
    run.read(source, (message, line) => {
      // Other kinds of files have readers, and complaints, of their own.
      const known = kind !== "cali" || COMPLAINTS.some((complaint) => complaint.test(message));
      if (!known || line < 0 || line > lines) throw new Error(`said of line ${line}: ${message}`);
      said.push(`${line}: ${message}`);
    });
  }
  run.finish();
  return { output: output.join(""), said: said.join("\n") };
}

const latin1 = new TextDecoder("latin1");

function bytesOf(stream: string, pieces: number[] | null): (into: Uint8Array) => number | null {
  const bytes = Uint8Array.from(stream, (c) => c.charCodeAt(0));
  let at = 0, next = 0;
  return (into) => {
    if (at >= bytes.length) return null;
    const piece = pieces === null ? into.length : pieces[next++ % pieces.length];
    const count = Math.min(piece, into.length, bytes.length - at);
    into.set(bytes.subarray(at, at + count));
    at += count;
    return count;
  };
}

function timed<T>(run: () => T, report: (what: string, detail: string) => void): T {
  let least = Infinity, result!: T;
  for (let n = 0; n < 3 && least > LIMIT_MS; n++) {
    const start = performance.now();
    result = run();
    least = Math.min(least, performance.now() - start);
  }
  if (least > LIMIT_MS) report("slow", `${Math.round(least)} ms`);
  return result;
}

function judgeOutput(
  input: Case,
  spec: QuerySpec,
  text: string,
  report: (what: string, detail: string) => void,
): void {
  const name = spec.format?.name ?? "cali";
  if (name === "trace-events" && input.subject === "records") {
    const broken = brokenTraceRules(text);
    if (broken.length > 0) report("trace events against the rules", broken[0]);
  }
  if (!input.strict) return;
  try {
    if (name === "json-split") {
      const broken = brokenSplitRules(text);
      if (broken.length > 0) report("json-split against the rules", broken[0]);
    } else if (name === "json" && !spec.format?.args.has("split")) JSON.parse(text);
  } catch (error) {
    report("invalid JSON", `${error}\n${text.slice(0, 1000)}`);
  }
  if (name === "cali") judgeStream(text, report);
}

/**
 * A stream of ours is read without complaint, and copies of copies become equal. The first few may
 * lose what stood there without meaning: a reference to an attribute stands for its name, whatever
 * the type of the attribute, and so may be a value that the type cannot hold.
 */
function judgeStream(text: string, report: (what: string, detail: string) => void): void {
  let stream = text;
  for (let copies = 0; copies < 5; copies++) {
    const { output, said } = runCase(
      { query: "", streams: [stream], strict: true, subject: "records", pieces: [] },
      parseQuery("format cali"),
      null,
    );
    const bad = said.split("\n").find((line) => !/^(\d+: value that its .*)?$/.test(line));
    if (bad !== undefined) {
      return report("a stream of ours is not understood", `${bad}\n${stream.slice(0, 2000)}`);
    }
    if (output === stream) return;
    stream = output;
  }
  report("a stream changes with each copy", stream.slice(0, 2000));
}

function firstDifference(a: string, b: string): string {
  const left = a.split("\n"), right = b.split("\n");
  const at = left.findIndex((line, i) => line !== right[i]);
  const shown = (line: string | undefined) => JSON.stringify(line?.slice(0, 300) ?? null);
  return `line ${at + 1} of ${left.length} and ${right.length}: ` +
    `${shown(left[at])} ${shown(right[at])}`;
}
