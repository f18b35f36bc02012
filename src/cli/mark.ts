/**
 * `joulemark mark`: marks in the raw stats of the running monitor, for prologs and epilogs.
 * @module
 */
import { AccessError, UsageError } from "../core/errors.ts";
import { isJobId } from "../rawstats/daemon/loop.ts";
import { MAX_MARK_BYTES, monitorSocketPath, sendMark } from "../rawstats/daemon/socket.ts";
import { EXIT } from "./exit_codes.ts";
import { quietOption } from "./command_line/common_options.ts";
import { say } from "./io.ts";
import type { Verb } from "./command_line/verb.ts";

/** Marks in the raw stats of the running monitor. */
export const mark: Verb = {
  name: "mark",
  usage: ["begin JOBID", "end JOBID", "TEXT"],
  about: `Writes a mark into the raw stats of the running monitor.

A mark is a line for an event, such as the begin of a job. Raw stats are text files with the
counters of a node. The monitor at once writes a record with the mark. The command returns when the
record is written. "begin" and "end" also set the job ID of the records between them. Only root and
the monitor's own user may write marks.

The socket of the monitor is $JOULEMARK_MONITOR_SOCKET. If this variable is not set, the
socket is /run/joulemark/monitor.sock for root. For other users it is
$XDG_RUNTIME_DIR/joulemark/monitor.sock.`,
  options: [quietOption("print nothing if no monitor is running (the exit status is still 1)")],
  examples: [
    "joulemark mark begin $SLURM_JOB_ID",
    'joulemark mark "exec solver"',
    "joulemark mark end $SLURM_JOB_ID",
  ],
  words: ["begin", "end"],
  run(options) {
    const text = textOf(options.words);
    const path = monitorSocketPath();
    const answer = sendMark(path, text);
    if (answer.ok) return EXIT.done;
    if (answer.isListening) {
      const expected = "a mark that the monitor accepts";
      throw new AccessError({ action: "mark", target: text, expected, found: answer.reason });
    }
    if (!options.flags.has("quiet")) {
      say(`no monitor is running at ${path}. See joulemark monitor --help`);
    }
    return EXIT.failed;
  },
};

/** @throws {UsageError} If it is no mark. */
function textOf(words: readonly string[]): string {
  const text = words.join(" ").trim();
  const [word, id, ...rest] = words;
  const wrong = (expected: string, found: string) =>
    new UsageError({ action: "mark", target: text, expected, found });
  if (text === "") throw wrong("begin JOBID, end JOBID or a text", "nothing");
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw wrong("one line of text", "a control character");
  if (new TextEncoder().encode(text).length > MAX_MARK_BYTES) {
    throw wrong(`at most ${MAX_MARK_BYTES} bytes`, `${text.length} characters`);
  }
  if (
    (word === "begin" || word === "end") && (id === undefined || rest.length > 0 || !isJobId(id))
  ) {
    throw wrong(
      `${word} and one job id of at most 79 characters, without blanks and commas`,
      id === undefined ? "none" : words.slice(1).join(" "),
    );
  }
  return text;
}
