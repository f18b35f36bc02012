/**
 * `--probe FILE:FUNCTION,...`: functions of programs and libraries whose calls become regions.
 * @module
 */
import { listOf } from "../core/names.ts";
import { nearest, UsageError } from "../core/errors.ts";
import { closeFile, O, openFile } from "../os/files.ts";
import { libc } from "../os/libc.ts";
import { findCommand } from "../os/process.ts";
import { elfFunctions, type ReadAt } from "./elf_functions.ts";
import type { ElfFunction } from "./elf_functions.ts";
import { type Exits, functionExits } from "./function_exits.ts";

/** A function whose calls are regions. */
export interface Probe {
  /** As the file names it, which is the region's name. */
  readonly name: string;
  readonly path: string;
  /** Its first instruction, in the file. */
  readonly entry: number;
  /** Those that leave it. */
  readonly exits: readonly number[];
}

/** Each takes descriptors of every CPU. */
const PROBES_MOST = 32;
/** Nobody's function is longer; a table that says so is broken. */
const CODE_MOST = 1 << 24;
const EXAMPLE = "for example: --probe ./app:solve,libm.so.6:exp (nm -D FILE lists names)";

/**
 * The functions of the list; `*` in a name stands for any letters.
 *
 * @param searchPath Where programs without a `/` are looked for.
 * @throws {UsageError} On a file or a function that is not there, or that cannot be probed.
 */
export function parseProbes(list: string, searchPath: string | undefined): Probe[] {
  const probes: Probe[] = [];
  for (const word of listOf(list)) {
    const colon = word.lastIndexOf(":");
    const [file, pattern] = [word.slice(0, colon), word.slice(colon + 1)];
    const refuse = (expected: string, found: string, remedy = EXAMPLE): never => {
      throw new UsageError({ action: "use", target: `--probe ${word}`, expected, found, remedy });
    };
    if (colon <= 0 || pattern === "") refuse("FILE:FUNCTION", "no colon between the two");
    const path = pathOf(file, searchPath);
    const fd = path === undefined ? -1 : openFile(path, O.RDONLY);
    if (path === undefined || fd < 0) return refuse("a program or library", "no such file");
    try {
      probes.push(...probesOf(path, pattern, readerOf(fd), refuse));
    } finally {
      closeFile(fd);
    }
    if (probes.length > PROBES_MOST) refuse(`at most ${PROBES_MOST} functions`, "more of them");
  }
  return probes;
}

function probesOf(
  path: string,
  pattern: string,
  read: ReadAt,
  refuse: (expected: string, found: string) => never,
): Probe[] {
  const functions = elfFunctions(read);
  if ("refused" in functions) return refuse("a program or library", functions.refused);
  const fits = pattern.includes("*") ? matcher(pattern) : (name: string) => name === pattern;
  const wanted = functions.filter(({ name }) => fits(name) && !PART.test(name));
  if (wanted.length === 0) {
    const near = nearest(pattern, functions.map(({ name }) => name), 1);
    refuse("a function of the file", near.length > 0 ? `none; did you mean ${near[0]}?` : "none");
  }
  const probes: Probe[] = [];
  let reason = "";
  for (const one of wanted) {
    const exits = exitsOf(one, functions, read);
    if ("refused" in exits) reason = `${one.name}: ${exits.refused}`;
    else if (!probes.some(({ entry }) => entry === one.offset)) {
      probes.push({ name: one.name, path, entry: one.offset, exits });
    }
  }
  // Of a pattern those that can be are taken.
  return probes.length > 0 ? probes : refuse("a function whose ends can be told", reason);
}

/** What the compiler split off a function: `solve.cold`. */
const PART = /\.(cold|part)(\.\d+)*$/;

function exitsOf(one: ElfFunction, functions: readonly ElfFunction[], read: ReadAt): Exits {
  if (one.size === 0 || one.size > CODE_MOST) return { refused: "its length is not said" };
  const cold = functions.filter(({ name, size }) =>
    name.startsWith(`${one.name}.cold`) && size > 0 && size <= CODE_MOST
  );
  return functionExits([one, ...cold].map(({ offset, size }) => ({
    offset,
    code: read(offset, size),
  })));
}

function matcher(pattern: string): (name: string) => boolean {
  const text = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${text.join(".*")}$`);
  return (name) => expression.test(name);
}

/** Where libraries that are named alone lie mostly. */
const LIBRARY_FOLDERS = [
  ...["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"],
];

function pathOf(file: string, searchPath: string | undefined): string | undefined {
  if (file.includes("/")) return file;
  if (!/\.so(\.|$)/.test(file)) {
    const found = findCommand(file, searchPath);
    return "path" in found ? found.path : undefined;
  }
  return LIBRARY_FOLDERS.map((folder) => `${folder}/${file}`).find((path) => {
    const fd = openFile(path, O.RDONLY);
    closeFile(fd);
    return fd >= 0;
  });
}

function readerOf(fd: number): ReadAt {
  return (offset, length) => {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const n = libc().preadAt(
        fd,
        bytes.subarray(done),
        BigInt(length - done),
        BigInt(offset + done),
      );
      if (n <= 0n) break;
      done += Number(n);
    }
    return bytes.subarray(0, done);
  };
}
