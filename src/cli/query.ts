/**
 * `joulemark query`: CalQL over `.cali` streams, with cali-query's options, output and exit status,
 * and over reports, traces and raw stats, which are known by their first bytes.
 *
 * 254: the query is not understood; 255: unknown option; 0 also after unreadable records, as there;
 * but 2 when a file cannot be opened, or a report cannot be read. With `--strict` unreadable records end in 1.
 * @module
 */
import { refuseOutputAmongInputs } from "../job/place/part_files.ts";
import { FormatError, isHumanError } from "../core/errors.ts";
import { byteText, NO_END } from "../caliper/stream/cali.ts";
import { loadYaml } from "../formats/yaml.ts";
import { OsError, UserFile } from "../os/user_file.ts";
import { fromByteText } from "../caliper/query/byte_text.ts";
import { caliSource } from "../caliper/query/sources/cali.ts";
import { PackedInput, recognised } from "../caliper/query/sources/kind.ts";
import { OPTIONS, parseOptions, specFromOptions, subjectOf } from "../caliper/query/options.ts";
import { QueryError } from "../caliper/query/query_error.ts";
import { QueryRun } from "../caliper/query/run.ts";
import type { ReadBytes } from "../caliper/query/sources/source.ts";
import { WholeFile } from "../os/files/whole_file.ts";
import { printableBytes } from "../core/printable.ts";
import { EXIT } from "./exit_codes.ts";
import { say, writeStderr, writeStdout } from "./io.ts";
import { helpText } from "./command_line/help.ts";
import { queryHelp } from "./query_help.ts";
import type { Verb } from "./command_line/verb.ts";
import { VERSION } from "../core/version.ts";

/** cali-query's own exit statuses: -1 and -2 in eight bits. */
const UNKNOWN_OPTION = 255, INVALID_QUERY = 254;

/** Runs queries over files. */
export const query: Verb = {
  name: "query",
  usage: ["[options] [FILE...]"],
  about:
    `Reads, filters, aggregates and prints .cali streams, as cali-query does. Also reads reports, traces
and raw stats; the file type is detected from the first bytes.

Without a file, standard input is read. Several files are read as one input.`,
  options: OPTIONS,
  notes: "Exit status: 0 success; 2 a file cannot be opened, or a report cannot be read; 254 the " +
    "query is not valid; 255 unknown option.",
  examples: [
    "joulemark query -t run.cali",
    "joulemark query -q 'select count() group by path format tree' run.cali",
    "joulemark query -G -j run.cali",
  ],
  // The command line is cali-query's, with its own rules for values and repeated options.
  runArgs: runQuery,
  run: () => EXIT.usage,
};

async function runQuery(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if ("unknown" in parsed) {
    const known = OPTIONS.map(({ name }) => `--${name}`).join(" ");
    say(`error: unknown option: ${parsed.unknown}\n  Available options: ${known}`);
    return UNKNOWN_OPTION;
  }
  const { options, files } = parsed;
  const help = options.get("help");
  if (help !== undefined) {
    const text = help === "" ? helpText(query) : queryHelp(help);
    if (text === undefined) say(`Unknown help option "${help}"`);
    else writeStdout(text);
    return EXIT.done;
  }
  if (options.has("version")) {
    say(VERSION);
    return EXIT.done;
  }
  const log = options.has("quiet") ? () => {} : say;
  if (files.length === 0 && Deno.stdin.isTerminal()) {
    writeStderr(helpText(query));
    return EXIT.usage;
  }
  refuseOutputAmongInputs(files, options.get("output"), "write");
  if (options.has("caliper-config")) log("--caliper-config has no effect here");
  try {
    const spec = specFromOptions(options, readQueryFile, log);
    using output = openOutput(options.get("output"));
    const run = new QueryRun(spec, {
      subject: subjectOf(options),
      strict: options.has("strict"),
      output: output.write,
      complain: (message) => log(fromByteText(message)),
    });
    const { status, hasRead } = await readFiles(run, files, {
      strict: options.has("strict"),
      verbose: options.has("verbose"),
      log,
    });
    run.finish();
    // Without any input the output of an earlier query stays.
    if (hasRead) output.keep();
    return status;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    say(`Invalid query: ${fromByteText(error.message)}${explain(error, options)}`);
    return INVALID_QUERY;
  }
}

/** Reads all inputs; standard input if no file is named. hasRead: one of them could be read. */
async function readFiles(
  run: QueryRun,
  files: string[],
  how: { strict: boolean; verbose: boolean; log: (text: string) => void },
): Promise<{ status: number; hasRead: boolean }> {
  let status: number = EXIT.done, hasRead = false;
  const seen = new Map();
  let number = 0;
  for (const file of files.length > 0 ? files : [""]) {
    if (how.verbose) how.log(`Reading ${file}`);
    const path = file === "" ? "standard input" : file;
    let last = "", lastLine = -1, isCali = true;
    const problem = (message: string, line: number) => {
      const text = fromByteText(message);
      if (how.strict) {
        status ||= EXIT.failed;
        how.log(`Error reading ${file}:${line}: ${text}`);
      } else if (line > lastLine || (message !== NO_END && line === lastLine)) {
        // cali-query names no line, and says nothing of a cut that leaves a record.
        lastLine = line;
        last = isCali || line === 0 ? text : `line ${line}: ${text}`;
      }
    };
    const input = openInput(file);
    if (input === null) {
      status = EXIT.usage;
      last = `Cannot open file ${file}`;
    } else {
      try {
        const { kind, read } = recognised(input.read);
        isCali = kind === "cali";
        if (kind === "report") {
          await loadYaml();
          number++;
        }
        const source = isCali
          ? caliSource(read, { strict: how.strict, wholeLines: true })
          : (await import("../caliper/query/sources/open.ts")).sourceOf(kind, read, {
            path,
            seen,
            number,
          });
        run.read(source, problem);
        hasRead = true;
      } catch (error) {
        const isPacked = error instanceof PackedInput;
        if (error instanceof FormatError) {
          status = EXIT.usage;
          how.log(error.message);
          continue;
        }
        if (!isPacked && !(error instanceof UnreadableInput)) throw error;
        status = EXIT.usage;
        last = isPacked
          ? "expected text, found gzip data; unpack it first, by gzip -d"
          : `Cannot read file ${file}`;
      } finally {
        input.close();
      }
    }
    // Like cali-query, one line per file: that of the last problem.
    if (last !== "") how.log(`Error reading ${file}: ${last}`);
  }
  return { status, hasRead };
}

/** Reading failed; errors of writing are other matters. */
class UnreadableInput extends Error {}

function openInput(path: string): { read: ReadBytes; close(): void } | null {
  if (path === "") return { read: (into) => Deno.stdin.readSync(into), close() {} };
  try {
    const file = UserFile.read(path);
    const read: ReadBytes = (into) => {
      try {
        return file.readSync(into);
      } catch (error) {
        throw new UnreadableInput("", { cause: error });
      }
    };
    return { read, close: () => file.close() };
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** A missing file, a directory, a missing right: the system's message about it. */
function isUnreadable(error: unknown): boolean {
  return error instanceof OsError || isHumanError(error);
}

/** Place where rows go; a file has its name once it is kept. */
interface Output extends Disposable {
  write(bytes: Uint8Array): void;
  keep(): void;
}

/** @throws {AccessError} If the file cannot be made; its methods throw it too. */
function openOutput(path: string | undefined): Output {
  if (path === undefined || path === "stdout") {
    // A stream for other programs has names as they are; a terminal reads none.
    const isShown = Deno.stdout.isTerminal();
    return stream(isShown ? printableBytes("text", writeStdout) : writeStdout);
  }
  if (path === "stderr") return stream((bytes) => writeStderr(new TextDecoder().decode(bytes)));
  const file = new WholeFile(path);
  return {
    write: (bytes) => file.write(bytes),
    keep: () => file.keep(),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function stream(write: (bytes: Uint8Array) => void): Output {
  return { write, keep() {}, [Symbol.dispose]() {} };
}

function readQueryFile(path: string): string | null {
  try {
    using file = UserFile.read(path);
    const bytes = file.readAll();
    return byteText(bytes, 0, bytes.length);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** The line of the query that is not understood, a caret below the place, and near words. */
function explain(error: QueryError, options: ReadonlyMap<string, string>): string {
  const text = options.get("query") ?? "";
  let explanation = "";
  if (text.trim() !== "" && error.offset >= 0) {
    const start = text.lastIndexOf("\n", error.offset - 1) + 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    explanation = `\n  ${line}\n  ${" ".repeat(Math.max(error.offset - start, 0))}^`;
  }
  if (error.near.length > 0) explanation += `\n  Did you mean ${error.near.join(" or ")}?`;
  return explanation;
}
