/**
 * `joulemark top`: what the node draws and what its processes are doing, now.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import { SESSION_VARIABLE } from "../core/ring_layout.ts";
import { monotonicNanoseconds, sleepUntil } from "../os/clock.ts";
import { readText } from "../os/files.ts";
import { ask, type ProcessContextNow, sessionsUnder } from "../events/answers.ts";
import { privateBase } from "../job/session.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStderr, writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { ROOT, WITHOUT } from "./command_line/common_options.ts";
import { parseSeconds } from "./command_line/options.ts";
import { Draw, page } from "./top_page.ts";
import type { Verb } from "./command_line/verb.ts";

/** Power over less than this says little. */
const SHORTEST_S = 0.1;

/** Shows what the node draws. */
export const top: Verb = {
  name: "top",
  summary: "what the node draws and what its processes do, now",
  usage: ["[options]", "--context PID"],
  about: `What the node draws and what its processes are doing, now.

On a terminal a page that is drawn anew until Ctrl-C; otherwise one page. Processes are those that run
under "joulemark run" of this user.`,
  options: [
    {
      ...{ name: "context", value: "PID" },
      help: "only this process, once: regions and attributes of each of its threads, outermost " +
        "first",
    },
    { name: "interval", value: "S", default: "1", help: "time between two pages" },
    { name: "once", help: "one page" },
    ROOT,
    WITHOUT,
    { name: "json", help: "what is shown as JSON, once" },
  ],
  examples: ["joulemark top", "joulemark top --context 4711", "joulemark top --json"],
  run({ text, flags, words }) {
    if (words.length > 0) {
      throw new UsageError({
        action: 'run "joulemark top"',
        expected: "options only",
        found: words[0],
        remedy: "a process goes behind --context",
      });
    }
    if (text.context !== undefined) return context(text.context, flags.has("json"));
    const intervalS = Math.max(SHORTEST_S, parseSeconds("interval", text.interval ?? "1"));
    const once = flags.has("once") || flags.has("json") || !Deno.stdout.isTerminal();
    return live(text, { intervalS, once, json: flags.has("json") });
  },
};

function live(
  node: { root?: string; without?: string },
  options: { intervalS: number; once: boolean; json: boolean },
): number {
  const { host, catalogue } = openCatalogue(node);
  using draw = new Draw(host, catalogue);
  for (let nextNs = monotonicNanoseconds();;) {
    draw.read();
    nextNs += options.intervalS * 1e9;
    sleepUntil(nextNs);
    draw.read();
    const processes = everybody();
    if (options.json) {
      writeStdout(JSON.stringify({ node: draw.values(), processes }, null, 2) + "\n");
    } else {
      const { columns, rows } = size(options.once);
      const lines = page(draw, processes, columns).slice(0, rows);
      // Home, each line cleared to its end, then whatever an earlier page had below.
      const text = options.once
        ? lines.join("\n") + "\n"
        : `\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\n")}\x1b[J`;
      writeStdout(text);
    }
    if (options.once) return EXIT.done;
  }
}

/** Room on the terminal; a page that goes elsewhere is as long as it is. */
function size(once: boolean): { columns: number; rows: number } {
  if (once || !Deno.stdout.isTerminal()) return { columns: 80, rows: Infinity };
  const { columns, rows } = Deno.consoleSize();
  return { columns, rows };
}

/** Processes of all monitors of this user. */
function everybody(): ProcessContextNow[] {
  return sessionsUnder(privateBase()).flatMap((directory) => ask(directory) ?? []);
}

function context(text: string, json: boolean): number {
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid < 1) {
    throw new UsageError({
      action: "use",
      target: `--context ${text}`,
      expected: "the number of a process",
      found: text,
    });
  }
  const found = contextOf(pid);
  if (typeof found === "string") {
    writeStderr(`joulemark: ${found}\n`);
    return EXIT.failed;
  }
  if (json) writeStdout(JSON.stringify(found, null, 2) + "\n");
  else {
    for (const { thread, regions, attributes } of found.threads) {
      const values = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
      const path = regions.length === 0 ? "-" : regions.join(" > ");
      writeStdout([`${thread}`, path, ...values].join("\t") + "\n");
    }
  }
  return EXIT.done;
}

/** The process's context, or why it cannot be told. */
function contextOf(pid: number): ProcessContextNow | string {
  const environ = readText(`/proc/${pid}/environ`);
  if (environ === undefined) return `process ${pid}: not there, or of another user`;
  const entry = environ.split("\0").find((line) => line.startsWith(`${SESSION_VARIABLE}=`));
  if (entry === undefined) {
    return `process ${pid} does not run under joulemark: start it by joulemark run -- COMMAND`;
  }
  const processes = ask(entry.slice(SESSION_VARIABLE.length + 1));
  if (processes === undefined) return `process ${pid}: its monitor does not answer any more`;
  return processes.find((process) => process.pid === pid) ??
    `process ${pid} has marked nothing so far: see docs/mark-regions.md`;
}
