/**
 * The laws that hold whatever happens to us, tested by force: each n-th system call of the executable
 * fails (strace's injection), in the guardian, in the runtime and in each of their threads.
 *
 *     deno run -A tests/laws/laws.ts [--faults N] [--seed N] [--workers N] [--user]
 *
 * After each run: the application ran to its own end, once; its status came through; a report is there,
 * or a line that says why not; nothing is left in memory file systems. Without --faults each call of each
 * kind fails once.
 * @module
 */
import { parseReport } from "../../src/formats/report.ts";

const STATUS = 9;
/** The guardian ends a runtime that is silent for 20 s; nothing may take longer than twice that. */
const LIMIT_MS = 45_000;
/** Errors that a call gives in real life, tried in turn. */
const ERRORS: Record<string, string[]> = {
  clone: ["EAGAIN", "ENOMEM"],
  clone3: ["EAGAIN", "ENOSYS"],
  close: ["EIO"],
  mmap: ["ENOMEM"],
  mprotect: ["ENOMEM", "EACCES"],
  openat: ["EMFILE", "EACCES", "ENOENT"],
  read: ["EIO", "EINTR"],
  pread64: ["EIO", "EINTR"],
  write: ["ENOSPC", "EIO", "EDQUOT"],
  renameat: ["ENOSPC", "EROFS"],
  rename: ["ENOSPC", "EROFS"],
  mkdirat: ["ENOSPC", "EACCES"],
  socketpair: ["EMFILE", "ENFILE"],
  pipe2: ["EMFILE", "ENFILE"],
  ppoll: ["EINTR", "ENOMEM"],
  futex: ["EINTR"],
  wait4: ["EINTR"],
};
const OTHERWISE = ["EPERM", "ENOMEM"];
/** Not ours to fail: these are the application's own, or end a process for good. */
const SPARED = new Set(["execve", "symlink", "exit_group", "exit", "nanosleep", "rt_sigreturn"]);

/** One system call that is to fail. */
interface Fault {
  readonly call: string;
  readonly nth: number;
  readonly error: string;
}

/** A law that did not hold. */
export interface Breach {
  readonly fault: Fault;
  readonly law: string;
}

/** What came out of all runs. */
export interface Verdict {
  runs: number;
  /** Calls that failed: a fault hits the n-th call of every thread. */
  injected: number;
  reports: number;
  unmeasured: number;
  slowestMs: number;
  breaches: Breach[];
}

/** What to run, and how much of it. */
export interface LawOptions {
  readonly binary: string;
  /** How many faults, drawn evenly; all of them where it is left out. */
  readonly faults?: number;
  readonly seed?: number;
  readonly workers?: number;
  /** Run as nobody rather than as root. */
  readonly asUser?: boolean;
  readonly log?: (line: string) => void;
}

/** Runs the faults. */
export async function testLaws(options: LawOptions): Promise<Verdict> {
  const folder = Deno.makeTempDirSync({ prefix: "joulemark-laws-" });
  Deno.chmodSync(folder, 0o777);
  const application = `${folder}/application`;
  const source = new URL("./application.c", import.meta.url).pathname;
  const built = new Deno.Command("cc", {
    args: ["-nostdlib", "-static", "-O1", "-fno-stack-protector", source, "-o", application],
  }).outputSync();
  if (!built.success) throw new Error(new TextDecoder().decode(built.stderr));
  const run = new Runner(options, folder, application);
  try {
    const faults = draw(await run.callsOfOne(), options.faults, options.seed ?? 1);
    const verdict: Verdict = {
      runs: 0,
      injected: 0,
      reports: 0,
      unmeasured: 0,
      slowestMs: 0,
      breaches: [],
    };
    let next = 0;
    const worker = async () => {
      for (let i = next++; i < faults.length; i = next++) await run.one(faults[i], i, verdict);
    };
    await Promise.all(Array.from({ length: options.workers ?? 2 }, worker));
    return verdict;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

class Runner {
  constructor(
    readonly options: LawOptions,
    readonly folder: string,
    readonly application: string,
  ) {}

  /** How often a run makes each call, at most in one of its threads. */
  async callsOfOne(): Promise<Map<string, number>> {
    const { dir, log } = this.#place("counted");
    await this.#trace(dir, ["-f", "-qq", "-o", log]);
    const byThread = new Map<string, number>();
    for (const line of Deno.readTextFileSync(log).split("\n")) {
      const found = /^(\d+)\s+(\w+)\(/.exec(line);
      if (found === null || SPARED.has(found[2])) continue;
      const key = `${found[1]} ${found[2]}`;
      byThread.set(key, (byThread.get(key) ?? 0) + 1);
    }
    const calls = new Map<string, number>();
    for (const [key, count] of byThread) {
      const call = key.split(" ")[1];
      calls.set(call, Math.max(calls.get(call) ?? 0, count));
    }
    return calls;
  }

  async one(fault: Fault, number: number, verdict: Verdict): Promise<void> {
    const { dir, log } = this.#place(String(number));
    const rule = `${fault.call}:error=${fault.error}:when=${fault.nth}`;
    const args = ["-f", "-qq", "-o", log, "-e", `trace=${fault.call}`, "-e", `inject=${rule}`];
    const begin = performance.now();
    const { code, stderr, late } = await this.#trace(dir, args);
    const tookMs = performance.now() - begin;
    verdict.runs++;
    verdict.injected += Deno.readTextFileSync(log).split("(INJECTED)").length - 1;
    verdict.slowestMs = Math.max(verdict.slowestMs, tookMs);
    const broken = (law: string) => {
      verdict.breaches.push({ fault, law });
      this.options.log?.(`${rule}: ${law}: ${stderr.trim().slice(0, 300)}`);
    };
    if (late) broken(`the run did not end within ${LIMIT_MS / 1000} s`);
    else if (!ran(dir)) broken("the application did not run");
    else if (code !== STATUS) broken(`status ${code}, not the application's ${STATUS}`);
    // Whoever is killed while writing leaves what is written beside the name, never below it.
    const killed = /ended by signal|\(signal \d+\)/.test(stderr);
    // What cannot be removed stays.
    const report = reportIn(dir, killed || fault.call.startsWith("unlink"));
    if (report === "whole") verdict.reports++;
    else verdict.unmeasured++;
    if (report === "none" && stderr.trim() === "") broken("no report, and no line that says why");
    if (report !== "whole" && report !== "none") broken(report);
    if (/\n\s+at |Stack backtrace|panicked/.test(stderr)) broken("an inner trace on stderr");
    Deno.removeSync(dir, { recursive: true });
    Deno.removeSync(log);
  }

  #place(name: string): { dir: string; log: string } {
    const dir = `${this.folder}/${name}`;
    Deno.mkdirSync(dir);
    Deno.chmodSync(dir, 0o777);
    return { dir, log: `${this.folder}/${name}.log` };
  }

  async #trace(dir: string, args: string[]) {
    const become = this.options.asUser
      ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      : ["env"];
    const child = new Deno.Command(become[0], {
      args: [
        ...become.slice(1),
        ...["timeout", "-s", "KILL", String(LIMIT_MS / 1000)],
        ...["strace", ...args, this.options.binary],
        ...["run", "-q", "--", this.application],
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const { code, stderr } = await child.output();
    return { code, late: code === 137, stderr: new TextDecoder().decode(stderr) };
  }
}

function ran(dir: string): boolean {
  try {
    return Deno.lstatSync(`${dir}/ran`).isSymlink;
  } catch {
    return false;
  }
}

/** `whole`, `none`, or what is wrong with it. */
function reportIn(dir: string, killed: boolean): string {
  const names = [...Deno.readDirSync(dir)].map((entry) => entry.name);
  const own = String.raw`joulemark\.(report(-2)?(\.partial)?|timeline|report-2\.timeline)`;
  const known = new RegExp(`^ran$|^${own}${killed ? String.raw`(\.\w+\.new)?` : ""}$`);
  const strange = names.find((name) => !known.test(name));
  if (strange !== undefined) return `something half-written is left: ${strange}`;
  const name = names.find((name) => /^joulemark\.report(-2)?$/.test(name));
  if (name === undefined) return "none";
  try {
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/${name}`), name).hosts;
    for (const kept of names.filter((name) => name.endsWith(".timeline"))) {
      JSON.parse(Deno.readTextFileSync(`${dir}/${kept}`));
    }
    const runtime = Number(host.application["runtime (s)"]);
    // 50 ms, and what strace adds
    return runtime > 0 && runtime < 30 ? "whole" : `a runtime of ${runtime} s in the report`;
  } catch (error) {
    return `a broken report: ${(error as Error).message}`;
  }
}

/** All faults, or some of them, evenly. */
function draw(calls: Map<string, number>, count: number | undefined, seed: number): Fault[] {
  const all: Fault[] = [];
  for (const [call, times] of [...calls].sort()) {
    const errors = ERRORS[call] ?? OTHERWISE;
    for (let nth = 1; nth <= times; nth++) {
      all.push({ call, nth, error: errors[(nth + seed) % errors.length] });
    }
  }
  if (count === undefined || count >= all.length) return all;
  const step = all.length / count;
  const offset = (seed * 0.618034) % 1;
  return Array.from({ length: count }, (_, i) => all[Math.floor((i + offset) * step)]);
}

if (import.meta.main) {
  const value = (name: string) => {
    const at = Deno.args.indexOf(name);
    return at < 0 ? undefined : Number(Deno.args[at + 1]);
  };
  const root = new URL("../../", import.meta.url).pathname;
  const verdict = await testLaws({
    binary: Deno.env.get("JOULEMARK_BIN") ?? `${root}joulemark`,
    faults: value("--faults"),
    seed: value("--seed"),
    workers: value("--workers"),
    asUser: Deno.args.includes("--user"),
    log: (line) => console.log(line),
  });
  const { breaches, ...figures } = verdict;
  console.log(JSON.stringify({ ...figures, breaches: breaches.length }));
  Deno.exit(breaches.length === 0 ? 0 : 1);
}
