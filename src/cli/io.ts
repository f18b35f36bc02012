/**
 * Standard output and error, whole, synchronously.
 *
 * The runtime's own `console` would buffer nothing but also hide short writes; pipes that are
 * closed early end the program quietly, as for any Unix tool.
 * @module
 */

import { AccessError, UnknownNameError } from "../core/errors.ts";
import { COLOR } from "../core/option.ts";
import { printableLines } from "../core/printable.ts";
import { libc } from "../os/libc.ts";
import { type Look, lookOf, shownLines } from "../show/analysis/text_layout.ts";
import { EXIT } from "./exit_codes.ts";

const encoder = new TextEncoder();

let messages: number | undefined;

/** Talk goes to this descriptor from now on: what the runtime prints in distress does not. */
export function setMessages(fd: number): void {
  messages = fd;
}

function writeAll(to: { writeSync(bytes: Uint8Array): number }, data: string | Uint8Array): void {
  let bytes = typeof data === "string" ? encoder.encode(data) : data;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(to.writeSync(bytes));
    } catch (error) {
      // A terminal or pipe that another process made non-blocking: try again.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    }
  }
}

/** Columns of the terminal that data goes to; of a file or a pipe there is no limit. */
export function terminalWidth(): number {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : Infinity;
}

/** Style of text on standard error. @param color `auto`, `always` or `never`. */
export function stderrLook(color: string | undefined): Look {
  return streamLook(Deno.stderr, color);
}

/** Style of text on standard output. @param color `auto`, `always` or `never`. */
export function stdoutLook(color: string | undefined): Look {
  return streamLook(Deno.stdout, color);
}

function streamLook(stream: { isTerminal(): boolean }, color: string | undefined): Look {
  if (color !== undefined && !COLOR.words!.includes(color)) {
    throw new UnknownNameError("value of --color", color, COLOR.words!);
  }
  const isTerminal = stream.isTerminal();
  return lookOf({
    env: (name) => Deno.env.get(name),
    columns: isTerminal ? terminalColumns() : undefined,
    isTerminal,
    color,
  });
}

function terminalColumns(): number | undefined {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return undefined;
  }
}

/** Data: bytes as they are, a text without control sequences of terminals. */
export function writeStdout(data: string | Uint8Array): void {
  writeOut(typeof data === "string" ? printableLines(data) : data);
}

/** A document: a text for people is in ASCII where the locale has no more. */
export function writeFormat(format: string, document: string): void {
  writeStdout(format === "text" ? shownLines(stdoutLook("never"), document) : document);
}

/** @throws {AccessError} If it cannot be written, for another reason than that nobody reads it. */
function writeOut(data: string | Uint8Array): void {
  try {
    writeAll(Deno.stdout, data);
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) throw error;
    throw new AccessError({
      action: "write",
      target: "standard output",
      found: (error as Error).message.replace(/ \(os error \d+\)$/, ""),
      remedy: "give another file",
      cause: error,
    });
  }
}

/** Writes all output of a verb. @returns The exit status of a finished verb. */
export function finished(data: string | Uint8Array): number {
  writeStdout(data);
  return EXIT.done;
}

/** A page that moves the cursor: nothing that others named may be in it. */
export function writeControls(text: string): void {
  writeOut(text);
}

/** Messages, without control sequences of terminals. A closed stream is no error. */
export function writeStderr(text: string): void {
  writeTerminal(printableLines(text));
}

/** Writes text that moves the cursor: it must not hold names that others gave. */
export function writeTerminal(text: string): void {
  try {
    const to = messages === undefined ? Deno.stderr : { writeSync: writeMessage };
    writeAll(to, text);
  } catch {
    // Standard error is closed: no message is possible.
  }
}

/** One line of the program for its user. */
export function say(line: string): void {
  writeStderr(`joulemark: ${line}\n`);
}

function writeMessage(bytes: Uint8Array): number {
  const written = Number(libc().write(messages!, new Uint8Array(bytes), BigInt(bytes.length)));
  if (written < 0) throw new Error("standard error is closed");
  return written;
}
