/** Both ways to sample functions: the kernel does it, or threads by a timer where the kernel refuses. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "./compiled.ts";
import { type FoldedLine, readFolded, shareOf } from "./folded.ts";
import { type User, userIn } from "./plain_user.ts";
import { endToEnd, joulemark, type Outcome } from "./programs.ts";

export const PROGRAMS: string = new URL("../e2e/programs/functions/", import.meta.url).pathname;
/** Three sampling errors of some 200 samples. */
export const ERROR = 0.1;
const LIMIT_S = 90;
const HIDDEN = "[kernel, not visible]";
export const EACCES = "13";

/** A way to sample. */
export interface Way {
  readonly event: "cpu-clock" | "timer";
  /** Highest rate that it has here, at least, Hz. */
  readonly mostHz: number;
  /** Runs joulemark in a user's folder. */
  run(dir: string, user: User, args: string[]): Outcome;
}

/** Runs joulemark where the kernel refuses perf_event_open(2), with an error. */
export function refused(
  dir: string,
  user: User,
  args: string[],
  { errno = EACCES, env = {} }: { errno?: string; env?: Record<string, string> } = {},
): Outcome {
  const [program, ...words] = [...user.become, "./without_perf", errno, user.binary, ...args];
  const out = new Deno.Command(program, { args: words, cwd: dir, env, stdin: "null" }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
}

export const BY_KERNEL: Way = {
  event: "cpu-clock",
  mostHz: 4999,
  run: (_dir, user, args) => user.joulemark(args),
};
export const BY_TIMER: Way = {
  event: "timer",
  mostHz: 100,
  run(dir, user, args) {
    compile("e2e/programs/without_perf.c", `${dir}/without_perf`, []);
    return refused(dir, user, args);
  },
};

/** Builds a program as ./app, runs it, and checks that nothing of it was touched. */
export function functionsOf(
  dir: string,
  {
    way,
    build,
    user = userIn(dir),
    args = [],
    options = [],
    hz = 199,
    printed = "done\n",
    folded = "f",
  }: {
    way: Way;
    build: string;
    user?: User;
    args?: string[];
    options?: string[];
    hz?: number;
    printed?: string;
    folded?: string;
  },
): FoldedLine[] {
  if (build.includes("-I.")) joulemark(dir, ["client", "c"]);
  const script = build.replaceAll("PROGRAMS/", PROGRAMS);
  const made = new Deno.Command("sh", { args: ["-c", script], cwd: dir }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  const run = ["run", `--functions=${hz}`, "--folded", folded, ...options, "--", "./app", ...args];
  const out = way.run(dir, user, run);
  assertEquals([out.code, out.stdout], [3, printed], out.stderr);
  const report = options[options.indexOf("--report") + 1];
  const path = options.includes("--report") ? report : undefined;
  assertEquals(functionsIn(dir, path).event, way.event);
  // How long the kernel interrupts a program depends on the machine.
  const lines = readFolded(`${dir}/${folded}`).filter(({ frames }) => frames.at(-1) !== HIDDEN);
  // A program of a few ms may have no sample at all.
  assert(!(shareOf(lines, "[unknown]") > 0.05), "[unknown]");
  return lines;
}

// deno-lint-ignore no-explicit-any
export function reportOf(dir: string, path = "joulemark.report"): any {
  return parseReport(Deno.readTextFileSync(`${dir}/${path}`), path).hosts[0].joulemark;
}

// deno-lint-ignore no-explicit-any
export function functionsIn(dir: string, path?: string): any {
  return reportOf(dir, path).functions;
}

/** A test of both ways. */
export function byEachWay(
  name: string,
  body: (dir: string, way: Way) => void,
  missing?: string,
): void {
  for (const way of [BY_KERNEL, BY_TIMER]) {
    endToEnd(`${name} (${way.event})`, (dir) => body(dir, way), LIMIT_S, missing);
  }
}
