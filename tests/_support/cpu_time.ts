/**
 * CPU time of a command and all that it starts, by the shell that waits for it: a busy machine stretches it
 * by some tens of percent, where wall time has no bound.
 * @module
 */
import { assert } from "@std/assert";

/** What `times` of a shell prints in a line: seconds of both clocks together. */
export function timesLine(line: string): number {
  // 0m1.234s 0m0.567s
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)]
    .reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

/** What the kernel counts in `/proc/PID/stat`, its ended children included; a tick is 10 ms everywhere. */
export function statLine(line: string): number {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Runs a command, which has to succeed. @returns Its CPU time in seconds, and its output. */
export function cpuTimeOf(dir: string, command: string[]): { seconds: number; stdout: string } {
  const script = 'exec 3>&1; "$@" >cpu_time.stdout 2>cpu_time.stderr || exit 1; times >&3';
  const out = new Deno.Command("bash", {
    args: ["-c", script, "bash", ...command],
    cwd: dir,
    stdin: "null",
  }).outputSync();
  assert(out.success, `${command.join(" ")}: ${Deno.readTextFileSync(`${dir}/cpu_time.stderr`)}`);
  // The shell's own, then its children's.
  const [, children] = new TextDecoder().decode(out.stdout).trim().split("\n");
  return { seconds: timesLine(children), stdout: Deno.readTextFileSync(`${dir}/cpu_time.stdout`) };
}
