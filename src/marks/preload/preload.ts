/**
 * `run --preload`: what has to be in the environment of the command, so that calls of other tools
 * that it already has are answered by our library.
 *
 * Most calls are met by LD_PRELOAD, ld.so(8); interfaces that load tools by themselves name the
 * variable. Nothing here stops the command: without a library it runs unmarked.
 * @module
 */
import { listOf } from "../../core/names.ts";
import { ALL_DIALECTS, DIALECTS } from "../client/dialects.ts";
import { isHumanError, UnknownNameError, unusable } from "../../core/errors.ts";
import { readLinkTarget, readWhole, statPath } from "../../os/files.ts";
import { isPlainFile } from "../../os/user_file.ts";
import type { Environment } from "../../core/environment.ts";

/** Content of the `--preload` request. */
export interface PreloadRequest {
  /** Words of `--preload`; none if nothing is to be answered. */
  readonly dialects: readonly string[];
  /** A library that the user built; `undefined`: it is built here. */
  readonly library?: string;
}

/** First bytes of an ELF file; where the low byte of its type is, and that of a shared object. */
const ELF_MAGIC = [0x7f, 0x45, 0x4c, 0x46], TYPE_AT = 16, ET_DYN = 3;

/** Changes of the command's environment. */
export type EnvironmentChanges = Readonly<Record<string, string>>;

/** Variables that are lists, with what separates their items: ours goes first. */
export const LIST_VARIABLES: Readonly<Record<string, string>> = {
  LD_PRELOAD: ":",
  PYTHONPATH: ":",
  OMP_TOOL_LIBRARIES: ":",
  KOKKOS_TOOLS_LIBS: ";",
  ASAN_OPTIONS: ":",
};

/** Otherwise a program with AddressSanitizer ends at once if its own library is not the first one. */
const ANY_ORDER = "verify_asan_link_order=0";

/** Variables that keep what they have. */
export const OPTIONAL_VARIABLES: ReadonlySet<string> = new Set([
  "NVTX_INJECTION64_PATH",
  "INTEL_LIBITTNOTIFY64",
  "INTEL_ITTNOTIFY_GROUPS",
]);

/** Interfaces that load what a variable names; the others are met by LD_PRELOAD. */
const BY_VARIABLE = new Set(["nvtx", "itt", "kokkos"]);

/**
 * The dialects in a list with commas; `all` is those of them that need not be named.
 *
 * @throws {UnknownNameError} On a word that is none.
 */
export function parseDialects(list: string): string[] {
  const known = Object.keys(DIALECTS);
  const words = listOf(list);
  for (const word of words) {
    if (word !== "all" && !known.includes(word)) {
      // --phase adds its own word.
      const listed = [...known.filter((name) => name !== "phase"), "all"];
      throw new UnknownNameError(
        "API of --preload",
        word,
        listed,
        `available: ${listed.join(", ")}`,
      );
    }
  }
  const all = words.includes("all") ? ALL_DIALECTS : [];
  return known.filter((word) => words.includes(word) || all.includes(word));
}

/**
 * The request of the two options.
 *
 * @throws {UsageError} If the library is no file.
 */
export function preloadRequest(list: string | undefined, library: string | undefined) {
  const dialects = list === undefined
    ? library === undefined ? [] : [...ALL_DIALECTS]
    : parseDialects(list);
  if (library === undefined || library === "") return { dialects };
  const path = library.startsWith("/") ? library : `${readLinkTarget("/proc/self/cwd")}/${library}`;
  const facts = statPath(path);
  if (facts === undefined || !isSharedObject(path) || /[:\s]/.test(path)) {
    throw unusable(
      `--preload-lib ${library}`,
      "a shared library whose path has no blanks and colons",
      facts === undefined ? "no such file" : "something else",
      "to build one: joulemark client preload writes the sources and prints the cc command",
    );
  }
  return { dialects, library: path };
}

/** Is it a file of ELF's type ET_DYN? elf(5). */
function isSharedObject(path: string): boolean {
  const head = isPlainFile(path) ? readWhole(path, TYPE_AT + 1) : undefined;
  return head !== undefined && ELF_MAGIC.every((byte, i) => head[i] === byte) &&
    head[TYPE_AT] === ET_DYN;
}

/**
 * Environment changes that the command needs. Never throws: without a library, one line says why
 * and the command runs without it.
 */
export async function preloadChanges(
  request: PreloadRequest,
  env: Environment,
  log: (line: string) => void,
): Promise<EnvironmentChanges> {
  if (request.dialects.length === 0) return {};
  let library: string;
  try {
    library = request.library ??
      (await import("./build.ts")).builtLibrary(request.dialects, env);
  } catch (error) {
    log(
      `${
        isHumanError(error) ? error.message : error
      }. The command runs without the preload library`,
    );
    return {};
  }
  return changesFor(library, request.dialects, env, log);
}

/** The variables, for an existing library. */
export function changesFor(
  library: string,
  dialects: readonly string[],
  env: Environment,
  log: (line: string) => void,
): EnvironmentChanges {
  const changes: Record<string, string> = { JOULEMARK_PRELOAD: dialects.join(",") };
  const first = (name: string, ours = library) => {
    const separator = LIST_VARIABLES[name];
    const others = (env(name) ?? "").split(separator).filter((p) => p !== "" && p !== ours);
    changes[name] = [ours, ...others].join(separator);
  };
  const alone = (name: string) => {
    const other = env(name);
    if (other === undefined || other === "" || other === library) changes[name] = library;
    else {log(
        `${name} already names another tool, ${other}. joulemark does not change this variable and does not record these annotations`,
      );}
  };
  if (dialects.some((dialect) => !BY_VARIABLE.has(dialect))) {
    first("LD_PRELOAD");
    first("ASAN_OPTIONS", ANY_ORDER);
  }
  if (dialects.includes("ompt")) first("OMP_TOOL_LIBRARIES");
  if (dialects.includes("kokkos")) first("KOKKOS_TOOLS_LIBS");
  if (dialects.includes("nvtx")) alone("NVTX_INJECTION64_PATH");
  if (dialects.includes("itt")) {
    alone("INTEL_LIBITTNOTIFY64");
    // Programs look functions up by name only for groups that are asked for.
    if (!env("INTEL_ITTNOTIFY_GROUPS")) changes.INTEL_ITTNOTIFY_GROUPS = "all";
  }
  return changes;
}
