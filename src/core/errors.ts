/**
 * The five errors meant for people, and the one line that each prints.
 *
 * Shape: action, path or name, expected, found, remedy. Programming mistakes throw the built-in
 * classes instead; absent hardware is no error at all but an answer of a reader's `probe`.
 * @module
 */

import { printable } from "./printable.ts";

/** Parts of a message; the class puts them together, so that all messages have one form. */
export interface Complaint {
  /** Attempted action: `read`, `parse`, `push`; without it the message begins with the target. */
  action?: string;
  /** Path, name or option it was attempted on. */
  target?: string;
  /** The expected state. */
  expected?: string;
  /** State given. */
  found?: string;
  /** Advice on what to do. */
  remedy?: string;
  /** The error behind it. */
  cause?: unknown;
}

const MAX_QUOTED = 200;

/** A value in double quotes, on one line and of bounded length, for any content. */
export function quote(value: string): string {
  const short = value.length > MAX_QUOTED ? value.slice(0, MAX_QUOTED) + "…" : value;
  return `"${printable(short)}"`;
}

/** Reasons of the system, which need no "expected": they are written as words in the sentence. */
const CAUSE =
  /^(No such |Permission denied|Is a directory|Not a directory|File exists|No space|Disk quota |File too |Read-only |Operation not |Too many |Input\/output |Invalid argument|Connection |Address |Resource |Cannot a|nothing there$|errno \d)/;

/** Sentences of a message: what failed, the reason, and advice. */
function sentence({ action, target, expected, found, remedy }: Complaint): string {
  const what = action === undefined
    ? target && printable(target)
    : `cannot ${action}${target === undefined ? "" : ` ${quote(target)}`}`;
  const text = [what, reasonOf(expected, found)].filter((part) => part !== undefined).join(": ");
  return remedy === undefined ? text : `${text}. ${capital(remedy)}`;
}

function reasonOf(expected: string | undefined, found: string | undefined): string | undefined {
  if (found === "nothing there") return "no such file or directory";
  if (found !== undefined && CAUSE.test(found)) return found[0].toLowerCase() + found.slice(1);
  if (expected === undefined) return found;
  return `expected ${expected}${found === undefined ? "" : `, found ${found}`}`;
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

/** Some alternatives in a sentence: `a, b or c`. */
function anyOf(names: readonly string[]): string {
  const last = printable(names.at(-1)!);
  return names.length === 1 ? last : `${names.slice(0, -1).map(printable).join(", ")} or ${last}`;
}

/** Common part of all errors for people: a code, and the exit status that it maps to. */
export interface HumanError extends Error {
  /** Distinguishes the classes without `instanceof`. */
  readonly code: string;
}

/**
 * A wrong request: option, value, combination.
 *
 * @example
 * ```ts
 * import { UsageError } from "joulemark";
 *
 * const error = new UsageError({ action: "use", target: "--bins x", expected: "a number" });
 * if (!error.message.includes("--bins x")) throw new Error("expected the option in the message");
 * ```
 */
export class UsageError extends Error implements HumanError {
  /** Distinguishes the classes without `instanceof`. */
  readonly code = "usage";
  /** A mistake of the user: what was asked, what is expected, what was found. */
  constructor(complaint: Complaint) {
    super(sentence(complaint), { cause: complaint.cause });
    this.name = "UsageError";
  }
}

/** Names that a message lists, and the most that a list may have to be listed. */
const MAX_LISTED = 12, MAX_LIST = 40;

/**
 * A name that is in no table; the nearest known ones are offered, else the list.
 *
 * @example
 * ```ts
 * import { UnknownNameError } from "joulemark";
 *
 * const error = new UnknownNameError("signal", "CPU_ENERGIE", ["CPU_ENERGY", "TIME"]);
 * if (!error.message.includes("CPU_ENERGY")) throw new Error("expected the nearest name");
 * ```
 */
export class UnknownNameError extends Error implements HumanError {
  /** Distinguishes the classes without `instanceof`. */
  readonly code = "unknown-name";
  /** A name of a kind that is in no list; the nearest known ones are suggested. */
  constructor(kind: string, name: string, known: Iterable<string>, list?: string) {
    const all = [...new Set(known)], near = nearest(name, all);
    const more = all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : "";
    const isList = all.length > 0 && all.length <= MAX_LIST;
    const help = list === undefined ? "" : capital(list);
    const answer = near.length > 0
      ? `. Did you mean ${anyOf(near)}?${help && ` ${help}`}`
      : isList && list === undefined
      ? `; available: ${all.slice(0, MAX_LISTED).map(printable).join(", ")}${more}`
      : help && `. ${help}`;
    super(`unknown ${kind} ${quote(name)}${answer}`);
    this.name = "UnknownNameError";
  }
}

/**
 * A capability or file right is missing.
 *
 * @example
 * ```ts
 * import { AccessError } from "joulemark";
 *
 * const error = new AccessError({ action: "read", target: "/dev/cpu/0/msr", found: "mode 0600" });
 * if (error.code !== "access") throw new Error("expected the code of the class");
 * ```
 */
export class AccessError extends Error implements HumanError {
  /** Distinguishes the classes without `instanceof`. */
  readonly code = "access";
  /** A file or device that may not be used, and what would allow it. */
  constructor(complaint: Complaint) {
    super(sentence(complaint), { cause: complaint.cause });
    this.name = "AccessError";
  }
}

/**
 * A source failed while it was read.
 *
 * @example
 * ```ts
 * import { SourceError } from "joulemark";
 *
 * const error = new SourceError("gone", { action: "read", target: "GPU 1" });
 * if (error.kind !== "gone") throw new Error("expected the kind");
 * ```
 */
export class SourceError extends Error implements HumanError {
  /** Distinguishes the classes without `instanceof`. */
  readonly code = "source";
  /** `retry`: try again; `gone`: it ended; `fatal`: it will never work. */
  readonly kind: "retry" | "gone" | "fatal";
  /** A source that fails: for now, since its device is gone, or for good. */
  constructor(kind: "retry" | "gone" | "fatal", complaint: Complaint) {
    super(sentence(complaint), { cause: complaint.cause });
    this.name = "SourceError";
    this.kind = kind;
  }
}

/**
 * A file does not hold what its format demands.
 *
 * @example
 * ```ts
 * import { FormatError } from "joulemark";
 *
 * const error = new FormatError("a.trace", 7, { action: "parse", expected: "12 columns" });
 * if (error.line !== 7) throw new Error("expected the line");
 * ```
 */
export class FormatError extends SyntaxError implements HumanError {
  /** Distinguishes the classes without `instanceof`. */
  readonly code = "format";
  /** The file, as the user named it. */
  readonly path: string;
  /** 1-based line, 0 if the file as a whole is meant. */
  readonly line: number;
  /** A file that cannot be read, and the line where that shows. */
  constructor(path: string, line: number, complaint: Omit<Complaint, "target">) {
    super(sentence({ ...complaint, target: line > 0 ? `${path}:${line}` : path }), {
      cause: complaint.cause,
    });
    this.name = "FormatError";
    this.path = path;
    this.line = line;
  }
}

/** A value of an option, or of a variable, that cannot be used: `--bins x`, `NAME=x`. */
export function unusable(
  target: string,
  expected: string,
  found?: string,
  remedy?: string,
): UsageError {
  return new UsageError({ action: "use", target, expected, found, remedy });
}

/** A line of a file that is not laid out as it has to be; line 0: the whole file. */
export function unparsed(path: string, line: number, expected: string, found: string): FormatError {
  return new FormatError(path, line, { action: "parse", expected, found });
}

/** Is it one of these classes, whose message is printed without a stack? */
export function isHumanError(error: unknown): error is HumanError {
  return error instanceof UsageError || error instanceof UnknownNameError ||
    error instanceof AccessError || error instanceof SourceError || error instanceof FormatError;
}

/**
 * Text of an error for a user: its message. A defect of the program itself is printed with its
 * place in the source only with `--debug`.
 */
export function messageFor(error: unknown, debug = false): string {
  if (!(error instanceof Error)) return String(error);
  if (debug) return error.stack ?? error.message;
  if (isHumanError(error)) return error.message;
  return `${error.name}: ${error.message} (--debug shows where)`;
}

/** Up to `most` known names closest to a mistyped one, nearest first. */
export function nearest(name: string, known: Iterable<string>, most = 3): string[] {
  const wanted = name.slice(0, 80).toUpperCase();
  // Two letters of three are another word.
  const limit = wanted.length > 3 ? Math.max(2, wanted.length / 3) : 1.25;
  const scored: { name: string; score: number }[] = [];
  for (const candidate of known) {
    const upper = candidate.toUpperCase();
    const bare = upper.slice(upper.lastIndexOf("::") + 1).replace(/^:/, "");
    const score = upper.includes(wanted) && wanted.length > 2
      ? 0.5
      : Math.min(editDistance(wanted, upper), editDistance(wanted, bare) + 0.25);
    if (score <= limit) scored.push({ name: candidate, score });
  }
  return scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, most).map((entry) => entry.name);
}

/** Letters to add, remove, replace or exchange with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [], row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchanged ? before[j - 2] + 1 : Infinity;
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + cost, exchanged);
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}
