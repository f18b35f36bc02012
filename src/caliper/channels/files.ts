/**
 * Output files of a run's channels, their streams and reports: Caliper's names of outputs, with
 * `%attribute%` replaced, and its `stdout` and `stderr`.
 *
 * A stream grows by whole records. One whose name holds `%` is a process's own and is named when
 * the run is over; until then its name in the same folder ends in `-PID.partial`.
 * @module
 */
import { makeDirectories, renameOutput } from "../../os/output_place.ts";
import { isDirectory, readUserText } from "../../os/user_file.ts";
import { LineFile } from "../../os/files/line_file.ts";
import { unwritable, writeDocument } from "../../os/files/whole_file.ts";

/** Writes a text whole. */
export interface Printer {
  /** Logs one line for the user. */
  log(line: string): void;
  stdout(text: string): void;
  stderr(text: string): void;
  /** A file of this name will be written: other places are closed when the run goes on. */
  willWrite?(path: string): void;
  /** A text will go to standard output. */
  willPrint?(): void;
  /** Returns the path, or another one if another run writes that path at this moment. */
  claim?(path: string): string;
}

/** A stream under way. */
export interface StreamFile {
  write(text: string): void;
  flush(): void;
  /** Gives it its name. */
  close(name: string): void;
}

const STANDARD = { stdout: "stdout", stderr: "stderr" } as const;

/** Returns the path of a file. @param name A template: what `%` begins is known at the run's end. */
export function announce(name: string, printer: Printer): void {
  if (name === "stdout") printer.willPrint?.();
  if (name in STANDARD || printer.willWrite === undefined) return;
  const open = name.indexOf("%");
  const known = open < 0 ? name : `${name.slice(0, name.lastIndexOf("/", open) + 1)}any`;
  // Directories are made with the file: by then in the one that exists.
  for (let at = known;;) {
    const slash = at.lastIndexOf("/"), isIn = slash < 0 || isDirectory(at.slice(0, slash) || "/");
    // The root with all that is in it only for a file directly in it.
    if (isIn && (slash !== 0 || at === known)) return printer.willWrite(at);
    if (slash <= 0) return;
    at = at.slice(0, slash);
  }
}

/** Opens a stream. @returns `undefined`, with the reason logged, if it cannot be made. */
export function openStream(
  name: string,
  provisional: string | undefined,
  printer: Printer,
): StreamFile | undefined {
  if (name in STANDARD) {
    let text = "";
    return {
      write: (line) => void (text += line),
      flush: () => {},
      close: () => printer[name as keyof typeof STANDARD](text),
    };
  }
  const path = provisional ?? name;
  try {
    makeFolder(path);
    const file = new LineFile(path, printer.log);
    return {
      write: (line) => file.write(line),
      flush: () => file.flush(),
      close(final) {
        file[Symbol.dispose]();
        if (final !== path) attempt(printer, () => moved(path, final));
      },
    };
  } catch (error) {
    printer.log(`${(error as Error).message}. The command runs, but this file is not written`);
    return undefined;
  }
}

/** Writes a report whole, or appends it to an existing file. */
export function writeText(name: string, text: string, append: boolean, printer: Printer): void {
  if (name in STANDARD) return printer[name as keyof typeof STANDARD](text);
  attempt(printer, () => {
    makeFolder(name);
    const before = append ? readIfThere(name) : "";
    writeDocument(name, before + text);
  });
}

function moved(from: string, to: string): void {
  try {
    makeFolder(to);
    renameOutput(from, to);
  } catch (error) {
    throw unwritable(to, error, `the stream is ${from}`);
  }
}

function attempt(printer: Printer, action: () => void): void {
  try {
    action();
  } catch (error) {
    printer.log((error as Error).message);
  }
}

function makeFolder(path: string): void {
  const at = path.lastIndexOf("/");
  if (at <= 0) return;
  try {
    makeDirectories(path.slice(0, at));
  } catch (error) {
    throw unwritable(path, error);
  }
}

function readIfThere(path: string): string {
  try {
    return readUserText(path);
  } catch {
    return "";
  }
}
