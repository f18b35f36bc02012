/**
 * Puts a guardian above a run that was started without one: from source, or by an executable that
 * was made of this program by hand. This process becomes the guardian, and that one starts the
 * runtime again.
 * @module
 */
import { readWhole } from "../../os/files.ts";
import { guessInherited } from "../../os/inherited.ts";
import { cString, libc, SYSCALLS } from "../../os/libc.ts";
import { handOver } from "../../os/process.ts";
import { type Machine, MACHINES, makeBlock, makeExecutable, MODE, readCode } from "./image.ts";

const MFD_CLOEXEC = 1;
const MFD_EXEC = 0x10;

/**
 * Becomes the guardian; returns only if that cannot be, with the reason.
 *
 * @param args The program's arguments, the last ones of its command line.
 * @param withValue How options of `run` are written whose value is the next word.
 */
export async function startGuardian(
  args: readonly string[],
  withValue: readonly string[],
): Promise<string> {
  const machine = Deno.build.arch as Machine;
  if (!(machine in MACHINES)) return `no guardian for ${machine}`;
  const line = readWhole("/proc/self/cmdline");
  if (line === undefined) return "no /proc; mount it";
  const words = new TextDecoder().decode(line).split("\0").slice(0, -1);
  const argumentsFrom = words.length - args.length;
  if (argumentsFrom < 1) return "the command line is not as expected";
  const hex = machine === "x86_64"
    ? (await import("./guardian_x86_64.hex", { with: { type: "text" } })).default
    : (await import("./guardian_aarch64.hex", { with: { type: "text" } })).default;
  const block = makeBlock({
    code: await readCode(hex),
    mode: MODE.execute,
    linker: MACHINES[machine].linker,
    runtime: Deno.execPath(),
    argumentsFrom,
    withValue,
  });
  const fd = memoryFile(makeExecutable(machine, block));
  if (fd < 0) return "no memory file; expected memfd_create (Linux 3.17 or newer)";
  try {
    handOver({ path: `/proc/self/fd/${fd}`, args: words, inherited: guessInherited() });
  } catch (error) {
    return (error as Error).message;
  }
}

function memoryFile(bytes: Uint8Array<ArrayBuffer>): number {
  const name = cString("joulemark");
  let fd = Number(libc().memfdCreate(SYSCALLS.memfdCreate, name, MFD_CLOEXEC | MFD_EXEC));
  // Before Linux 6.3 memory files can be executed unasked, and the flag is unknown.
  if (fd < 0) fd = Number(libc().memfdCreate(SYSCALLS.memfdCreate, name, MFD_CLOEXEC));
  if (fd < 0) return fd;
  return Number(libc().write(fd, bytes, BigInt(bytes.length))) === bytes.length ? fd : -1;
}
