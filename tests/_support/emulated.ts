/** Programs of aarch64 under an emulator: their stacks as gdb has them, and as we walk them. */
import { assert } from "@std/assert";
import { AddressSpace } from "../../src/profile/address_space.ts";
import { mappingsOf } from "../../src/profile/maps_text.ts";
import { AARCH64 } from "../../src/profile/machine.ts";
import { memoryReader, Modules, VDSO } from "../../src/profile/modules.ts";
import { type CodeTables, type End, Unwinder } from "../../src/profile/unwind.ts";
import { succeeds, unless } from "./skipped.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
export const ARM_VECTORS = `${ROOT}tests/vectors/aarch64`;
export const ARM_COMPILER = "aarch64-linux-gnu-gcc", EMULATOR = "qemu-aarch64";
/** Libraries of the emulated programs. */
export const SYSROOT = "/usr/aarch64-linux-gnu";
export const NO_EMULATOR = unless(succeeds(EMULATOR, "--version"), "no qemu-user");
export const NO_ARM_COMPILER = unless(
  succeeds(ARM_COMPILER, "--version"),
  "no gcc-aarch64-linux-gnu",
);
export const NO_ARM_DEBUGGER = unless(
  succeeds("gdb-multiarch", "-nx", "-batch", "-ex", "python import json"),
  "no gdb-multiarch",
);

/** Compiles a file of the tests for aarch64. @param source Below tests/. */
export function compileForArm(source: string, out: string, flags: readonly string[]): string {
  const args = [`${ROOT}tests/${source}`, "-o", out, "-pthread", ...flags];
  const made = new Deno.Command(ARM_COMPILER, { args }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  return out;
}

/** A moment of a program: registers by the numbers of DWARF, the stack from sp on, gdb's backtrace. */
export interface EmulatedSample {
  readonly registers: readonly string[];
  readonly stack: string;
  readonly frames: readonly (readonly [pc: number, name: string, isSignal: boolean])[];
}
/** What gdb found. */
export interface EmulatedRun {
  readonly samples: readonly EmulatedSample[];
  readonly maps: string;
}

/** Stops a program at functions, and takes samples from there on, one an instruction. */
export async function stacksOf(
  program: string,
  { cpu, stops, steps }: { readonly cpu: string; readonly stops: string; readonly steps: number },
): Promise<EmulatedRun> {
  const port = freePort(), out = Deno.makeTempFileSync(), nothing = "null" as const;
  const emulator = new Deno.Command("timeout", {
    args: [
      "60",
      EMULATOR,
      "-cpu",
      cpu,
      "-L",
      SYSROOT,
      "-E",
      "LD_BIND_NOW=1",
      "-g",
      String(port),
      program,
    ],
    stdin: nothing,
    stdout: nothing,
    stderr: nothing,
  }).spawn();
  try {
    await listening(port);
    const child = Deno.readTextFileSync(`/proc/${emulator.pid}/task/${emulator.pid}/children`);
    const debugger_ = await new Deno.Command("timeout", {
      args: [
        ...["50", "gdb-multiarch", "-nx", "-batch", "-ex", `set sysroot ${SYSROOT}`],
        ...["-x", `${ARM_VECTORS}/stacks.py`, program],
      ],
      env: {
        STACKS_PORT: String(port),
        STACKS_PID: child.trim(),
        STACKS_STOPS: stops,
        STACKS_STEPS: String(steps),
        STACKS_OUT: out,
      },
      stdin: nothing,
    }).output();
    const text = new TextDecoder().decode(debugger_.stderr);
    if (!succeeds("test", "-s", out)) throw new Error(`gdb: ${text}`);
    return JSON.parse(Deno.readTextFileSync(out));
  } finally {
    try {
      emulator.kill();
    } catch {
      // It has ended.
    }
    await emulator.status;
    Deno.removeSync(out);
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Waits for a port without a connection: the emulator takes one only. */
async function listening(port: number): Promise<void> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const wanted = new RegExp(`:${hex} 0+:0000 0A`);
  for (let tries = 0; tries < 200; tries++) {
    if (wanted.test(Deno.readTextFileSync("/proc/net/tcp"))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the emulator does not listen");
}

/** What a walk found: addresses of frames, innermost first, and how many of them are guesses. */
export interface Walked {
  readonly addresses: readonly number[];
  readonly guessed: number;
  readonly end: End;
}

/** Walks samples of a run with the files that it had mapped. */
export class EmulatedWalker {
  readonly modules: Modules;
  readonly space: AddressSpace = new AddressSpace(1);
  readonly #unwinder: Unwinder;

  /** @param withoutTable Functions whose call frame information is hidden. */
  constructor(
    maps: string,
    open: (path: string) => Uint8Array,
    withoutTable: readonly string[] = [],
  ) {
    const modules = new Modules(AARCH64, (path) => {
      return { read: memoryReader(open(path)), inode: 0, close: () => {} };
    }, SIGNAL_PAGE);
    this.modules = modules;
    const hidden: CodeTables["fde"] = (module, address) => {
      const name = modules.symbols(module)?.find(address)?.name ?? "";
      return withoutTable.includes(name) ? undefined : modules.fde(module, address);
    };
    const tables: CodeTables = {
      fde: hidden,
      callBefore: (...args) => modules.callBefore(...args),
      entryRow: (...args) => modules.entryRow(...args),
      hasFrame: (...args) => modules.hasFrame(...args),
      isSameFunction: (...args) => modules.isSameFunction(...args),
      isOutermost: (...args) => modules.isOutermost(...args),
      leavesStack: (...args) => modules.leavesStack(...args),
    };
    this.#unwinder = new Unwinder(AARCH64, tables);
    // The emulator maps code without the right to execute it.
    for (const { start, end, file } of mappingsOf(maps.replace(/ r--p /g, " r-xp "))) {
      const isSignals = file.path === "//anon";
      if (isSignals && end - start !== SIGNAL_BYTES) continue;
      if (!isSignals && !isCodeOfArm(file.path, open)) continue;
      const path = isSignals ? VDSO : file.path;
      const module = modules.ofFile(Object.assign({}, file, { path, inode: 0 }), 1);
      const from = isSignals ? start - BEFORE_BYTES : start;
      const bias = isSignals ? from : modules.bias(module, start, file.offset);
      this.space.add({ start: from, end, module, bias, isMade: false });
    }
  }

  walk({ registers, stack }: EmulatedSample): Walked {
    const unwinder = this.#unwinder, bytes = Uint8Array.fromHex(stack);
    const record = { words: new Uint32Array(bytes.buffer), view: new DataView(bytes.buffer) };
    const all = Float64Array.from(registers, (text) => Number(BigInt(`0x${text}`)));
    const depth = unwinder.walk(this.space, all, record, 0, bytes.length);
    const guessed = unwinder.isGuessed.subarray(0, depth).reduce((sum, one) => sum + one, 0);
    const addresses = [...unwinder.addresses.subarray(0, depth)];
    return { addresses, guessed, end: unwinder.end };
  }
}

/** A stack as a text: its words, `N*0` for N zeros. */
export function packedStack(hex: string): string {
  const words = new BigUint64Array(Uint8Array.fromHex(hex).buffer);
  return [...words].map((word) => word.toString(16)).join(" ")
    .replace(/\b0( 0)+\b/g, (zeros) => `${(zeros.length + 1) / 2}*0`);
}

/** The bytes of such a text, in hex. */
export function unpackedStack(text: string): string {
  const words = text.replace(
    /(\d+)\*0/g,
    (_, count) => new Array(Number(count)).fill("0").join(" "),
  );
  const bytes = BigUint64Array.from(words.split(" "), (word) => BigInt(`0x${word}`)).buffer;
  return new Uint8Array(bytes).toHex();
}

/** gdb's frames as we write them: those of callers point into the call. */
export function expectedAddresses({ frames }: EmulatedSample): number[] {
  return frames.map(([pc, , isSignal], i) => i === 0 || isSignal || frames[i - 1][2] ? pc : pc - 1);
}

function isCodeOfArm(path: string, open: (path: string) => Uint8Array): boolean {
  if (path[0] !== "/") return false;
  try {
    return new DataView(open(path).buffer).getUint16(18, true) === AARCH64.elf;
  } catch {
    return false;
  }
}

const SIGNAL_BYTES = 4096;
/** The kernel has an instruction before those to which handlers return, so that callers are found there. */
const BEFORE_BYTES = 4;
/** The page to which handlers return under the emulator, as a file: nop; mov x8, #139; svc #0. */
const SIGNAL_PAGE = pageFile(Uint32Array.of(0xd503201f, 0xd2801168, 0xd4000001));

/** An ELF file with one segment of code at address 0. */
function pageFile(code: Uint32Array): Uint8Array {
  const at = 128, bytes = new Uint8Array(at + code.byteLength), view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(18, AARCH64.elf, true);
  view.setUint32(32, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 1, true);
  view.setUint32(64, 1, true);
  view.setUint32(68, 5, true);
  view.setUint32(72, at, true);
  view.setUint32(96, code.byteLength, true);
  view.setUint32(104, code.byteLength, true);
  bytes.set(new Uint8Array(code.buffer), at);
  return bytes;
}
