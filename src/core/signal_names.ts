/**
 * Names of signals.
 * @module
 */

/** Signals 1 to 31 of x86-64 and aarch64: signal(7). */
const NAMES: readonly string[] = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
];

/** Name of a signal; `SIG 40` of one that has none. */
export function signalName(signal: number): string {
  return NAMES[signal - 1] ?? `SIG ${signal}`;
}

/** Number of a signal by its name, as {@linkcode signalName} has it; NaN: unknown. */
export function signalNumber(name: string): number {
  const number = NAMES.indexOf(name) + 1;
  return number > 0 ? number : Number(name.replace(/^SIG /, "") || NaN);
}
