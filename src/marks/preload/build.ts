/**
 * Builds the interposition library into this user's private cache, once for each set of dialects,
 * compiler and version of the sources; the MPI does not matter, see client/preload/mpi/mpi.c.
 *
 * ```
 * $XDG_CACHE_HOME/joulemark/          else ~/.cache/joulemark, else /tmp/joulemark-cache-UID
 *   preload-SOURCES-COMPILER.so       renamed to its name when it is whole
 *   preload-SOURCES-COMPILER.lock     flock(2): many processes of a job come here at once
 *   build-PID/                        gone afterwards
 * ```
 *
 * The directory must be ours and closed to everybody else: what lies in it is loaded into programs.
 * @module
 */
import { preloadFiles } from "../client/preload.ts";
import { AccessError } from "../../core/errors.ts";
import { regionHash } from "../../core/hash.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import {
  closeFile,
  listDirectory,
  O,
  openFile,
  readText,
  statPath,
  writeNew,
} from "../../os/files.ts";
import { cString, ERRNO, errno, errorText, libc } from "../../os/libc.ts";
import { isWithoutPrograms } from "../../os/file_system.ts";
import { isPrivate, safeDirectory } from "../../os/trusted_file.ts";
import { environment, findCommand, reap, sendSignal, spawn } from "../../os/process.ts";
import type { Environment } from "../../core/environment.ts";

const COMPILERS = ["cc", "gcc", "clang"];
const FLAGS = ["-O2", "-std=gnu99", "-fPIC", "-shared", "-w"];
const LOCK_EX_NB = 6;
const SIGKILL = 9;
/** The longest wait for a compiler that hangs. */
const PATIENCE_NS = 120e9;
/** Between names in LD_PRELOAD. */
const SEPARATORS = /[:\s]/;
const encoder = new TextEncoder();

/**
 * Path of the library, built if it has to be.
 *
 * @throws {AccessError} If there is no compiler, it fails, or there is no private place.
 */
export function builtLibrary(dialects: readonly string[], env: Environment): string {
  const files = preloadFiles(dialects);
  const text = files.map(({ name, text }) => `${name}\n${text}`).join("\n");
  const sources = `preload-${hash(text)}-${text.length.toString(16)}`;
  const compiler = findCompiler(env);
  if (compiler === undefined) return anyBuilt(sources, env);
  const key = `${sources}-${hash(`${compiler} ${statPath(compiler)?.size} ${FLAGS.join(" ")}`)}`;
  const cache = privateCache(env);
  const library = `${cache}/${key}.so`;
  if (isOurFile(library)) return library;
  const lock = lockFile(`${cache}/${key}.lock`, () => isOurFile(library));
  try {
    if (!isOurFile(library)) build({ compiler, files, cache, library, key });
  } finally {
    if (lock >= 0) closeFile(lock);
  }
  return library;
}

interface Build {
  readonly compiler: string;
  readonly files: readonly { name: string; text: string }[];
  readonly cache: string;
  readonly library: string;
  readonly key: string;
}

function build({ compiler, files, cache, library, key }: Build): void {
  const dir = `${cache}/build-${libc().getpid()}`;
  removeAll(dir);
  if (libc().mkdir(cString(dir), 0o700) !== 0) {
    throw noLibrary(`${dir}: ${errorText(errno())}`);
  }
  try {
    for (const { name, text } of files) writeNew(`${dir}/${name}`, encoder.encode(text));
    const sources = files.filter(({ name }) => name.endsWith(".c")).map(({ name }) => name);
    const made = `${dir}/${key}.so`;
    // The compiler sees none of our own variables, and what it says goes to a file.
    const script = 'cd "$0" && exec "$@" >log 2>&1 </dev/null';
    const args = ["sh", "-c", script, dir, compiler, ...FLAGS, "-o", made, ...sources, "-ldl"];
    const pid = spawn({
      path: "/bin/sh",
      args,
      env: environment({
        LD_PRELOAD: undefined,
        LD_AUDIT: undefined,
        LD_DEBUG: undefined,
        LC_ALL: "C",
      }),
    });
    const ended = statusOf(pid);
    if (ended !== 0 || !isOurFile(made)) {
      const lines = (readText(`${dir}/log`) ?? "").split("\n").filter((line) => line !== "");
      const message = lines.find((line) => /error|cannot|not found/i.test(line)) ?? lines[0];
      throw noLibrary(
        `${compiler} ended with status ${ended}` + (message === undefined ? "" : `: ${message}`),
      );
    }
    libc().rename(cString(made), cString(library));
  } finally {
    removeAll(dir);
  }
}

function statusOf(pid: number): number {
  const deadline = monotonicNanoseconds() + PATIENCE_NS;
  for (;;) {
    const ended = reap(pid);
    if (ended !== undefined) return ended.code;
    const now = monotonicNanoseconds();
    if (now > deadline) sendSignal(pid, SIGKILL);
    sleepUntil(now + 2e6);
  }
}

/**
 * Library built earlier from the same sources, perhaps on another node with this home directory;
 * used when no compiler exists.
 */
function anyBuilt(sources: string, env: Environment): string {
  const none = `none of ${COMPILERS.join(", ")} in PATH`;
  const cache = privateCache(env);
  const name = listDirectory(cache).find((n) => n.startsWith(`${sources}-`) && n.endsWith(".so"));
  if (name === undefined || !isOurFile(`${cache}/${name}`)) throw noLibrary(none);
  return `${cache}/${name}`;
}

/** A text's number, for names of files. */
export function hash(text: string): string {
  return regionHash(text).toString(16).padStart(8, "0");
}

function findCompiler(env: Environment): string | undefined {
  const wanted = env("CC");
  // CC may hold options, which are not ours to part.
  for (const name of wanted && !/\s/.test(wanted) ? [wanted, ...COMPILERS] : COMPILERS) {
    const found = findCommand(name, env("PATH"));
    if ("path" in found) return found.path;
  }
}

/** A directory of ours that nobody else can enter. LD_PRELOAD parts its list at blanks and colons. */
export function privateCache(env: Environment): string {
  const uid = libc().getuid();
  const places: [parent: string | undefined, name: string][] = [
    [env("XDG_CACHE_HOME"), "joulemark"],
    [env("HOME") === undefined ? undefined : `${env("HOME")}/.cache`, "joulemark"],
    ["/tmp", `joulemark-cache-${uid}`],
  ];
  const reasons: string[] = [];
  for (const [parent, name] of places) {
    if (parent === undefined || !parent.startsWith("/") || SEPARATORS.test(parent)) continue;
    const cache = makeInside(parent, name);
    if ("path" in cache) return cache.path;
    reasons.push(cache.why);
  }
  throw noLibrary(reasons.join("; "));
}

/** Makes it where nobody else can exchange it, now or later: what is loaded is named by its path. */
function makeInside(parent: string, name: string): ReturnType<typeof safeDirectory> {
  const above = safeDirectory(parent.slice(0, parent.lastIndexOf("/")) || "/");
  if ("why" in above) return above;
  libc().mkdir(cString(parent), 0o700);
  const safe = safeDirectory(parent);
  if ("why" in safe) return safe;
  const path = `${safe.path}/${name}`;
  if (libc().mkdir(cString(path), 0o700) !== 0 && errno() !== ERRNO.EEXIST) {
    return { why: `${path}: ${errorText(errno())}` };
  }
  if (SEPARATORS.test(path)) return { why: `${path} contains a blank or a colon` };
  if (isWithoutPrograms(path)) return { why: `${path} is on a file system mounted with noexec` };
  return isPrivate(path)
    ? { path }
    : { why: `${path} is not a directory that only this user can access` };
}

/** A regular file of ours; its directory keeps everybody else away. */
function isOurFile(path: string): boolean {
  const facts = statPath(path, false);
  return facts !== undefined && (facts.mode & 0o170000) === 0o100000 &&
    facts.uid === libc().geteuid();
}

/** Waits for the lock, or until somebody else has done the work; −1 without a lock. */
function lockFile(path: string, done: () => boolean): number {
  const fd = openFile(path, O.RDWR | O.CREAT | O.NOFOLLOW, 0o600);
  if (fd < 0) return -1;
  const deadline = monotonicNanoseconds() + PATIENCE_NS;
  while (libc().flock(fd, LOCK_EX_NB) !== 0 && !done()) {
    const now = monotonicNanoseconds();
    if (now > deadline) break;
    sleepUntil(now + 5e6);
  }
  return fd;
}

function removeAll(dir: string): void {
  for (const name of listDirectory(dir)) libc().unlink(cString(`${dir}/${name}`));
  libc().rmdir(cString(dir));
}

function noLibrary(found: string): AccessError {
  return new AccessError({
    action: "build",
    target: "the preload library",
    expected: "a C compiler, and a directory that only you may access",
    found,
    remedy: "build the library on another machine (joulemark client preload), and give it with " +
      "--preload-lib FILE",
  });
}
