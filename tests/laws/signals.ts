/**
 * The laws under signals at random moments: to the guardian, as a user, a launcher or a scheduler sends
 * them, and to the runtime, which dies or is stopped.
 *
 *     deno run -A tests/laws/signals.ts [--runs N] [--seed N]
 *
 * The application ends as it would have without us: by the signal where that ends a program, else with
 * its own status. It always runs, unless the signal came before it.
 * @module
 */

const STATUS = 9;
const LIMIT_MS = 60_000;
/** Signals, and whether they end a program that does nothing about them: signal(7). */
const TO_GUARDIAN: [signal: number, ends: boolean][] = [
  ...[1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30].map((
    n,
  ): [number, boolean] => [n, true]),
  ...[17, 18, 23, 28].map((n): [number, boolean] => [n, false]),
];
const TO_RUNTIME = [6, 9, 11, 19];

/** What came out of all runs. */
export interface SignalVerdict {
  runs: number;
  ended: number;
  breaches: string[];
}

/** Runs so many signals, drawn by the seed. */
export async function testSignals(
  binary: string,
  runs: number,
  seed: number,
): Promise<SignalVerdict> {
  let state = seed * 2654435761 >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const verdict: SignalVerdict = { runs: 0, ended: 0, breaches: [] };
  for (let i = 0; i < runs; i++) {
    const toRuntime = random() < 0.25;
    const [signal, ends] = toRuntime
      ? [TO_RUNTIME[Math.floor(random() * TO_RUNTIME.length)], false]
      : TO_GUARDIAN[Math.floor(random() * TO_GUARDIAN.length)];
    await one(binary, { signal, ends, toRuntime, delayMs: random() * 400 }, verdict);
  }
  return verdict;
}

interface Shot {
  readonly signal: number;
  readonly ends: boolean;
  readonly toRuntime: boolean;
  readonly delayMs: number;
}

async function one(binary: string, shot: Shot, verdict: SignalVerdict): Promise<void> {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-signal-" });
  const child = new Deno.Command("env", {
    args: [
      ...["--default-signal", "--", binary, "run", "-q", "--checkpoint", "0.1", "--"],
      ...["sh", "-c", `: >ran; sleep 0.25; exit ${STATUS}`],
    ],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  await new Promise((go) => setTimeout(go, shot.delayMs));
  const target = shot.toRuntime ? runtimeOf(child.pid) : child.pid;
  if (target !== undefined) {
    new Deno.Command("kill", { args: ["-s", String(shot.signal), String(target)], stderr: "null" })
      .outputSync();
  }
  // What a guardian leaves that is killed would hold our end of its pipe.
  const timer = setTimeout(() => {
    const own = childrenOf(child.pid);
    child.kill("SIGKILL");
    for (const pid of own) Deno.kill(pid, "SIGKILL");
  }, LIMIT_MS);
  const begin = performance.now();
  const { code, stderr } = await output;
  clearTimeout(timer);
  const text = new TextDecoder().decode(stderr);
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
  const died = shot.ends && code === 128 + shot.signal;
  const broken = (law: string) =>
    verdict.breaches.push(`${JSON.stringify(shot)}: ${law}: ${text.trim().slice(0, 300)}`);
  verdict.runs++;
  if (died) verdict.ended++;
  if (performance.now() - begin > LIMIT_MS) broken("the run did not end");
  else if (!died && code !== STATUS) broken(`status ${code}`);
  if (!died && !names.includes("ran")) broken("the application did not run");
  const report = names.some((name) => /^joulemark\.report(\.partial)?$/.test(name));
  // What ended before it began has nothing to report.
  if (!report && text === "" && !(died && !names.includes("ran"))) {
    broken("no report, and no reason");
  }
  Deno.removeSync(dir, { recursive: true });
}

function childrenOf(pid: number): number[] {
  try {
    const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`);
    return children.trim().split(" ").filter((word) => word !== "").map(Number);
  } catch {
    return [];
  }
}

/** The child that is the same program as the guardian. */
function runtimeOf(guardian: number): number | undefined {
  try {
    const own = Deno.readLinkSync(`/proc/${guardian}/exe`);
    const pids = childrenOf(guardian);
    // The parked application is the same program too, until it is let go; it came first, alone.
    return pids.length < 2
      ? undefined
      : pids.filter((pid) => Deno.readLinkSync(`/proc/${pid}/exe`) === own).at(-1);
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const value = (name: string, otherwise: number) => {
    const at = Deno.args.indexOf(name);
    return at < 0 ? otherwise : Number(Deno.args[at + 1]);
  };
  const root = new URL("../../", import.meta.url).pathname;
  const binary = Deno.env.get("JOULEMARK_BIN") ?? `${root}joulemark`;
  const verdict = await testSignals(binary, value("--runs", 300), value("--seed", 1));
  for (const breach of verdict.breaches) console.log(breach);
  console.log(JSON.stringify({ ...verdict, breaches: verdict.breaches.length }));
  Deno.exit(verdict.breaches.length === 0 ? 0 : 1);
}
