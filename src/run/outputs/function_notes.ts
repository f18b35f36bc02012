/**
 * Notes on functions: what their times leave out, and what helps.
 * @module
 */
import type { Finding } from "../../core/finding.ts";
import type { FunctionData } from "../../profile/function_data.ts";
import type { Module } from "../../profile/modules.ts";
import { BRIEF_PERIODS } from "../../profile/profile.ts";
import type { ProfileFacts } from "../../profile/profile_facts.ts";
import { DEPTH_MOST, END, type End } from "../../profile/unwind.ts";
import { timeText } from "../../show/analysis/quantity_text.ts";
import type { NoteSources, TimerFacts, UnreadFile } from "../recordings/function_rows.ts";
import { STACK_MOST } from "./function_options.ts";

/** More lost samples are a finding. */
const LOST_SHARE = 0.01;
/** More CPU time in threads with few samples, or none, is a finding. */
const BRIEF_SHARE = 0.1;
/** More stacks that go on above their copy, or end in code without tables, are a finding. */
const DEEP_SHARE = 0.05;
/** More CPU time on CPUs without samples is a finding; two counters differ by some ms. */
const ELSEWHERE_SHARE = 0.02, MIN_ELSEWHERE_NS = 50e6;
/** A file with code that cannot be read is a finding from this share of the samples on. */
const UNREAD_SHARE = 0.01;

/** Files of sampled code that could not be read, those with most samples first. */
export function unreadFiles(
  { trie, costs }: Pick<FunctionData, "trie" | "costs">,
  modules: readonly Module[],
): UnreadFile[] {
  const counts = new Map<Module, number>();
  for (const { node, samples } of costs) {
    const module = modules[Math.floor(trie.module(node) / 2)];
    if (module?.refused === undefined) continue;
    counts.set(module, (counts.get(module) ?? 0) + samples);
  }
  return [...counts].map(([{ path, refused = "" }, samples]) => ({
    path,
    reason: refused,
    samples,
  }))
    .sort((a, b) => b.samples - a.samples);
}

/** A command without any sample by a timer, and its length from which on a line says so. */
const NONE_SAMPLED =
  "timers do not sample static programs, set-user-ID programs, Go programs and programs without " +
  "glibc, and a command that only waits has no samples";
const MIN_SAMPLED_NS = 1e8;

/** Why a command that sampled itself has no functions; `undefined`: it has some, or was short. */
export function whyNoTimers(
  timers: TimerFacts | undefined,
  durationNs: number,
): string | undefined {
  return timers?.found === 0 && durationNs > MIN_SAMPLED_NS ? NONE_SAMPLED : undefined;
}

/** Rates that notes advise, Hz. */
const LOWER_HZ = 99, HIGHER_HZ = 997;

/** The notes. @param periodNs Time between two samples. @param hasWaits Were waits recorded, too? */
export function functionNotes(
  { samples, lost, deep, torn, ends, unseen, cpuNs, briefNs, shortNs }: ProfileFacts,
  { stackBytes, elsewhereNs, missedNs = 0, others, unread, withoutLines = [], timers, wasFull }:
    NoteSources,
  periodNs: number,
  hasWaits = false,
): Finding[] {
  const notes: Finding[] = [];
  const add = (code: string, text: string, remedy: string | undefined) => {
    notes.push({ code: `functions-${code}`, severity: "warning", text, remedy });
  };
  const rateHz = 1e9 / periodNs;
  if (lost > LOST_SHARE * samples) {
    // The kernel counts both together.
    const what = hasWaits ? "samples of functions and records of waits" : "samples of functions";
    const lower = rateHz > LOWER_HZ ? `, or give a lower rate: --functions=${LOWER_HZ}` : "";
    const [why, first] = wasFull
      ? ["too many waited for the annotations of their time", "Give a shorter --period"]
      : ["the monitor had too little CPU time", "Leave a CPU free"];
    add(
      "lost",
      `${lost} ${what} were lost: ${why}`,
      first + (hasWaits ? ", or run without --off-cpu" : lower),
    );
  }
  const brief = (briefNs + shortNs) / cpuNs;
  if (brief > BRIEF_SHARE) {
    const least = timeText(BRIEF_PERIODS * periodNs / 1e9);
    const text = `${Math.round(100 * brief)} % of the CPU time is in threads that used less ` +
      `than ${least} each (${BRIEF_PERIODS} sampling periods). Times of their functions are ` +
      "inaccurate";
    const remedy = rateHz < HIGHER_HZ
      ? `Sample more often: --functions=${HIGHER_HZ}`
      : timers === undefined
      ? "Sample by timers instead of the kernel: --preload timer"
      : undefined;
    add("of-brief-threads", text, remedy);
  }
  if (deep > DEEP_SHARE * samples) {
    const text =
      `${Math.round(100 * deep / samples)} % of the stacks are larger than the copied part. ` +
      "Their outer functions are missing";
    const more = Math.min(2 * stackBytes, STACK_MOST);
    const remedy = more > stackBytes ? `Copy more of each stack: --stack-bytes=${more}` : undefined;
    add("of-deep-stacks", text, remedy);
  }
  if (torn > DEEP_SHARE * samples && timers === undefined) {
    const text = `${Math.round(100 * torn / samples)} % of the stacks lack outer functions: the ` +
      "kernel copies a stack only up to a page that the program never used";
    const remedy = "Sample by timers instead of the kernel: --preload timer";
    add("of-torn-stacks", text, `${remedy} --stack-bytes=${STACK_MOST}`);
  }
  const part = (end: End) => Math.round(100 * ends[end] / samples);
  if (ends[END.depth] > DEEP_SHARE * samples) {
    const text = `${part(END.depth)} % of the stacks have more than ${DEPTH_MOST} frames. ` +
      "Their outer functions are missing";
    add("of-long-stacks", text, undefined);
  }
  if (ends[END.switched] > DEEP_SHARE * samples) {
    const text = `${part(END.switched)} % of the stacks lack outer functions: these are on ` +
      "another stack, as those of signal handlers and of Go's runtime";
    add("of-other-stacks", text, undefined);
  }
  const bare = ends[END.noTable] + ends[END.bad];
  if (bare > DEEP_SHARE * samples) {
    const text = `${Math.round(100 * bare / samples)} % of the stacks lack outer functions: ` +
      "JIT code or assembly has no unwind tables";
    const remedy = "Use frame pointers (Java: -XX:+PreserveFramePointer)";
    add("of-bare-code", text, remedy);
  }
  if (unseen.length > 0) {
    const text =
      "the kernel does not sample programs with set-user-ID, with file capabilities or " +
      `without read permission: ${andMore(unseen[0], unseen.length)}. Their CPU time is not ` +
      "included";
    add("of-other-rights", text, "Run joulemark as root");
  }
  const [first] = unread, all = unread.reduce((sum, file) => sum + file.samples, 0);
  if (all > UNREAD_SHARE * samples) {
    const text = `functions of ${andMore(first.path, unread.length)} have no names, because the ` +
      `file cannot be read: ${first.reason}`;
    add("of-unread-files", text, "Keep the file in its place until the run ends");
  }
  if (missedNs > 0) {
    const text =
      `the command began ${(missedNs / 1e9).toPrecision(2)} s before the monitor was ready. ` +
      "Functions of this time are missing, and all functions of processes and threads that began in it";
    add("after-begin", text, "Leave a CPU free when the command starts");
  }
  if (withoutLines.length > 0) {
    const [{ path, reason }] = withoutLines;
    const text = `lines and inlined functions of ${andMore(path, withoutLines.length)} are ` +
      `missing: section ${reason}`;
    add("without-lines", text, "Compile the program again with -g1 -gz=none");
  }
  if (elsewhereNs > Math.max(MIN_ELSEWHERE_NS, ELSEWHERE_SHARE * (elsewhereNs + cpuNs))) {
    const text =
      `${(elsewhereNs / 1e9).toPrecision(3)} s of CPU time were not sampled: the command used ` +
      "CPUs that it was not allowed to use at its start";
    add("on-other-cpus", text, "Start joulemark with all CPUs that the command uses");
  }
  if (timers !== undefined) {
    const text = "functions were sampled by timers, not by the kernel";
    const remedy =
      "The kernel samples without --preload timer, if kernel.perf_event_paranoid is 2 or less, and if other " +
      "programs of this user have not used up the memory for perf (kernel.perf_event_mlock_kb)";
    notes.push({ code: "functions-by-timer", severity: "info", text, remedy });
  }
  if (timers !== undefined && timers.unread > 0) {
    const text = `functions of ${timers.unread} threads are missing: too few file descriptors`;
    add("of-threads", text, "Raise ulimit -n");
  }
  if (timers?.isStopped === true) {
    const text =
      "a program set its own handler for the signal of the timers, or restricted its own rights (no_new_privs, " +
      "seccomp). Its functions after this time are missing";
    add("without-signal", text, "Let the kernel sample: sysctl kernel.perf_event_paranoid=2");
  }
  if (others > 0) {
    const count = others === 1 ? "1 other process" : `${others} other processes`;
    const text = `functions of ${count} of this launch were not sampled`;
    add("of-others", text, "Start the launcher inside: joulemark run --functions -- mpirun ./app");
  }
  return notes;
}

/** The first of several names. */
function andMore(name: string, count: number): string {
  return count > 1 ? `${name} and ${count - 1} more` : name;
}
