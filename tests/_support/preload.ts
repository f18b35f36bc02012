/** Programs with calls of other tools, run under `joulemark run --preload`. */
import { assert, assertEquals } from "@std/assert";
import type { ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark, NO_BINARY, type Outcome } from "./programs.ts";
import { succeeds, unless } from "./skipped.ts";

const PROGRAMS = new URL("../e2e/programs/preload/", import.meta.url).pathname;

const shared = Deno.env.get("JOULEMARK_TEST_CACHE");
/** One cache for all tests, else for those of a file: each set of dialects is built once. */
export const CACHE = shared ??
  (NO_BINARY === undefined ? Deno.makeTempDirSync({ prefix: "joulemark-cache-" }) : "");
if (NO_BINARY === undefined && shared === undefined) {
  addEventListener("unload", () => Deno.removeSync(CACHE, { recursive: true }));
}

/** Does a shell command succeed? */
export function works(command: string): boolean {
  return succeeds("sh", "-c", command);
}

/** An end-to-end test that needs something more: skipped, and saying what, without it. */
export function needing(
  what: string,
  isThere: boolean,
  name: string,
  body: (dir: string) => void | Promise<void>,
  limitS?: number,
): void {
  endToEnd(name, body, limitS, unless(isThere, `no ${what}`));
}

/** Compiles one of the programs with any compiler. */
export function compile(dir: string, line: string): void {
  const out = new Deno.Command("sh", {
    args: ["-c", line.replaceAll("PROGRAMS/", PROGRAMS)],
    cwd: dir,
  }).outputSync();
  assert(out.success, `${line}\n${new TextDecoder().decode(out.stderr)}`);
}

/** What a run with `--preload` left. */
export interface Preloaded extends Outcome {
  host: ReportHost;
  /** The whole report. */
  report: string;
  /** Visits by region. */
  counts: Record<string, number>;
}

/** Runs a command with dialects; the status must be 0. */
export function preloaded(
  dir: string,
  dialects: string,
  command: string[],
  { options = [], env = {} }: { options?: string[]; env?: Record<string, string> } = {},
): Preloaded {
  return preloadedOptions(dir, ["--preload", dialects, ...options], command, env);
}

/** Runs a command with options that make marks; the status must be 0. */
export function preloadedOptions(
  dir: string,
  options: readonly string[],
  command: readonly string[],
  env: Record<string, string> = {},
): Preloaded {
  const args = ["run", ...options, "--", ...command];
  const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...env });
  assertEquals(out.code, 0, out.stderr);
  // Where it is true there are no regions either.
  assert(!out.stderr.includes("took more than a second"), out.stderr);
  const path = `${dir}/joulemark.report`;
  const report = Deno.readTextFileSync(path);
  const host = parseReport(report, path).hosts[0];
  const counts = Object.fromEntries(
    (host.regions ?? []).map((r) => [r.region, Number(r.fields.count)]),
  );
  return { ...out, host, report, counts };
}

/** What a report says of a kind of spans. */
export interface SpanFact {
  span: string;
  track?: string;
  count: number;
  "time (s)": number;
}

/** Spans of a report's host. */
export function spansOf({ host }: { host: ReportHost }): SpanFact[] {
  return (host.joulemark?.spans ?? []) as unknown as SpanFact[];
}

/** Events of a recording: event, region and value of every row. */
export function eventsOf(dir: string): string[] {
  return Deno.readTextFileSync(`${dir}/recording/events.csv`).trimEnd().split("\n").slice(1)
    .map((line) => line.split(",").slice(2, 5).join(",").replace(/,+$/, ""));
}
