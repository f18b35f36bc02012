/**
 * A time limit for tests that start programs: whatever hangs, the suite goes on and says what hung.
 *
 * A test may wait for a program without an event loop, so the clock is a process of its own. It finds
 * what the test started by a variable in the environment, whatever process group, session or parent
 * a program has by then.
 *
 * @module
 */
const VARIABLE = "E2E_TEST";
/** For tests that name no other: the longest take 20 s on two busy cores. */
const LIMIT_S = 120;
/** From the kill to the test's own end. */
const AFTER_KILL_S = 10;

/** Waits for the time or the end of its input, then kills all that has the mark. */
const WATCHDOG = `
timeout "$1" cat >/dev/null
status=$?
for file in $(grep -lsxzF "$2" /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  pid=\${pid%/environ}
  [ "$status" != 124 ] || { printf '%s ' "$pid"; tr '\\0' ' ' <"/proc/$pid/cmdline"; echo; }
  kill -KILL "$pid"
done 2>/dev/null
exit $status
`;
const TIMED_OUT = 124;

let tests = 0;

/**
 * Runs the body of a test; what it started and left is killed at its end.
 *
 * @throws {Error} If it takes longer: the message names the processes that were killed.
 */
export async function withTimeLimit(
  body: () => void | Promise<void>,
  seconds = LIMIT_S,
): Promise<void> {
  resetSignals();
  const mark = `${VARIABLE}=${Deno.pid}-${++tests}`;
  const watchdog = new Deno.Command("sh", {
    args: ["-c", WATCHDOG, "watchdog", String(seconds), mark],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  Deno.env.set(VARIABLE, mark.slice(VARIABLE.length + 1));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const outcome = await Promise.race([
    Promise.resolve().then(body).then(() => undefined, (error) => ({ error })),
    new Promise<{ error: Error }>((end) => {
      const late = () => end({ error: new Error("the test itself waits for ever") });
      timer = setTimeout(late, (seconds + AFTER_KILL_S) * 1000);
    }),
  ]);
  clearTimeout(timer);
  Deno.env.delete(VARIABLE);
  await watchdog.stdin.close().catch(() => {});
  const { code, stdout } = await watchdog.output();
  if (code === TIMED_OUT) {
    const killed = new TextDecoder().decode(stdout).trim() || "no process was left";
    throw new Error(`no end within ${seconds} s; killed:\n${killed}`, { cause: outcome?.error });
  }
  if (outcome !== undefined) throw outcome.error;
}

/** SIGINT and SIGQUIT: signal(7). */
const RESET = [2, 3] as const;

/**
 * A shell starts its background jobs with SIGINT and SIGQUIT ignored, and a program inherits that;
 * what tests start shall not depend on how the tests were started.
 */
export function resetSignals(): void {
  const status = Deno.readTextFileSync("/proc/self/status");
  const ignored = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const wrong = RESET.filter((signal) => (ignored >> BigInt(signal - 1) & 1n) !== 0n);
  if (wrong.length === 0) return;
  const libc = Deno.dlopen("libc.so.6", {
    signal: { parameters: ["i32", "pointer"], result: "pointer" },
  });
  for (const signal of wrong) libc.symbols.signal(signal, null);
  libc.close();
}

/** A test with a time limit, of files that start programs. */
export function timed(name: string, body: () => void | Promise<void>, seconds?: number): void {
  Deno.test(name, () => withTimeLimit(body, seconds));
}
