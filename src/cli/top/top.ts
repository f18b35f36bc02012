/**
 * `joulemark top`: what the node draws and what its processes are doing, now.
 * @module
 */
import { jsonText, printable } from "../../core/printable.ts";
import { AccessError, unusable } from "../../core/errors.ts";
import { SESSION_VARIABLE } from "../../core/events/ring_layout.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import { listDirectory, readText } from "../../os/files.ts";
import { hostName, MachineHost } from "../../os/host.ts";
import { Keyboard } from "../../os/devices/keyboard.ts";
import { simulationFor } from "../../run/session/simulation.ts";
import { ask, type ProcessContextNow, sessionsUnder } from "../../marks/rings/answers.ts";
import { privateBase, privateBases } from "../../job/place/private_base.ts";
import { EXIT } from "../exit_codes.ts";
import { say, writeControls, writeStdout } from "../io.ts";
import { openCatalogue } from "../open_catalogue.ts";
import { NODE_OPTIONS } from "../command_line/common_options.ts";
import { misused, parseSeconds } from "../command_line/options.ts";
import { FunctionNames, type FunctionsShown } from "./functions_now.ts";
import { Courses, Draw, page, press, type Quantity, type View } from "./top_page.ts";
import type { Verb } from "../command_line/verb.ts";

/** Power over less than this is not accurate. */
const SHORTEST_S = 0.1;
/** The delay of the first page, for any interval. */
const FIRST_MS = 300;
/** The longest delay until a signal is seen. */
const KEYS_MS = 200;
const PLAIN_COLUMNS = 80;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Shows what the node draws. */
export const top: Verb = {
  name: "top",
  usage: ["[options]", "--context PID"],
  about: `Live view of node power and of the running regions.

On a terminal the page is updated after each interval. If the output is not a terminal, one page is
printed as plain text. The page shows the processes of this user under "joulemark run". "throttled"
is the share of time in which power limits made the CPUs slower. Bars show the recent history of
each quantity. The range of the values is next to the bars.`,
  options: [
    {
      name: "context",
      value: "PID",
      help: "print one page about this process. For each thread it has the open regions (the " +
        "outermost first), the values that the program has set (attributes), and time and energy " +
        "since the last begin or end call",
    },
    { name: "interval", value: "S", default: "1", help: "seconds between two updates" },
    { name: "once", help: "show one page and exit" },
    ...NODE_OPTIONS,
    {
      name: "simulate",
      help: 'show simulated counters: those of the "joulemark run --simulate" that runs when ' +
        "top starts. If there is none, an idle simulated node is shown",
    },
    {
      name: "functions",
      help: "show the functions with most CPU time since the last update instead of processes; " +
        'for commands under "joulemark run --functions"',
    },
    { name: "json", help: "print one page as JSON" },
  ],
  notes:
    `Keys: q quits; p or blank pauses; s sorts by process, rank or region; f or / filters. Type a part of
a line for the filter; Enter keeps the filter, Esc removes it. t shows functions or processes. h or
? explains the lines.`,
  examples: ["joulemark top", "joulemark top --context 4711", "joulemark top --json"],
  async run({ text, flags, words }) {
    if (words.length > 0) {
      throw misused("top", "options only", words[0], "give a process after --context");
    }
    if (text.context !== undefined) return context(text.context, flags.has("json"));
    const intervalS = Math.max(SHORTEST_S, parseSeconds("--interval", text.interval ?? "1"));
    const once = flags.has("once") || flags.has("json") || !Deno.stdout.isTerminal();
    using simulated = flags.has("simulate") ? simulatedNode() : undefined;
    const node = simulated === undefined
      ? text
      : { ...text, root: simulated.root, collector: "off" };
    const options = {
      intervalS,
      once,
      json: flags.has("json"),
      hasFunctions: flags.has("functions"),
    };
    return await live(node, options, simulated?.publish);
  },
};

async function live(
  node: { root?: string; without?: string },
  options: { intervalS: number; once: boolean; json: boolean; hasFunctions: boolean },
  publish: () => void = () => {},
): Promise<number> {
  const { host, catalogue } = openCatalogue(node);
  using draw = new Draw(host, catalogue);
  const read = () => {
    publish();
    draw.read();
  };
  const title = `joulemark top  ${hostName(host)}`;
  read();
  using running = new Running();
  const { hasFunctions } = options;
  // Functions are those since this question.
  if (hasFunctions) running.ask(true);
  if (!options.once) return await held(title, running, draw, read, options);
  sleepUntil(monotonicNanoseconds() + options.intervalS * 1e9);
  read();
  const quantities = draw.values(), now = running.ask(hasFunctions);
  const { processes, functions } = now;
  if (options.json) {
    writeStdout(jsonText({ node: quantities, processes, functions }, 2) + "\n");
  } else {
    const titled = title + runName(processes);
    const content = {
      ...now,
      title: titled,
      quantities,
      courses: new Courses(),
      isUnicode: false,
    };
    const size = { columns: PLAIN_COLUMNS, rows: Infinity };
    writeStdout(page(content, size).map((line) => line + "\n").join(""));
  }
  return EXIT.done;
}

/** Name of the program that runs, by its first process. */
function runName(processes: readonly ProcessContextNow[]): string {
  const names = processes.map(({ pid }) => readText(`/proc/${pid}/comm`)?.trim() ?? "");
  const [first] = names.filter((name) => name !== "");
  return first === undefined ? "" : `  run "${printable(first)}"`;
}

/** The page on a terminal, until the user has enough. */
async function held(
  title: string,
  running: Running,
  draw: Draw,
  read: () => void,
  { intervalS, hasFunctions }: { intervalS: number; hasFunctions: boolean },
): Promise<number> {
  using terminal = new Terminal();
  const courses = new Courses(), ms = intervalS * 1000;
  const view: View = {
    sort: "process",
    filter: "",
    isTyping: false,
    isPaused: false,
    hasFunctions,
  };
  let quantities: Quantity[] = [], now: RunningNow = { processes: [], isRunning: false };
  const isUnicode = /utf-?8/i.test(
    Deno.env.get("LC_ALL") || Deno.env.get("LC_CTYPE") || Deno.env.get("LANG") || "",
  );
  for (let next = performance.now() + Math.min(ms, FIRST_MS);;) {
    const left = next - performance.now();
    if (left <= 0) {
      next = Math.max(next + ms, performance.now());
      if (!view.isPaused) {
        read();
        quantities = draw.values();
        courses.add(quantities);
        now = running.ask(view.hasFunctions === true);
      }
    }
    if (quantities.length > 0 || left <= 0) {
      const { processes } = now, titled = title + runName(processes);
      const functions = view.hasFunctions === true ? now.functions ?? WAITING : undefined;
      const content = { ...now, title: titled, quantities, functions, courses, isUnicode, view };
      terminal.show(page(content, Deno.consoleSize()));
    }
    const keys = await terminal.keys(Math.max(0, Math.min(next - performance.now(), KEYS_MS)));
    if (keys === undefined || press(view, keys) === "quit") return EXIT.done;
  }
}

/** A terminal with a page of its own; as it was when it is disposed of. */
class Terminal implements Disposable {
  /** Keyboard; absent if standard input is not a terminal: no key can be read. */
  readonly #keyboard = Deno.stdin.isTerminal() ? new Keyboard() : undefined;
  readonly #end = () => this.#hasEnded = true;
  #hasEnded = false;
  #shown = "";

  constructor() {
    for (const signal of SIGNALS) Deno.addSignalListener(signal, this.#end);
    writeControls("\x1b[?1049h\x1b[?25l");
  }

  /** Home, each line cleared to its end, then the rest of an earlier page is cleared. */
  show(lines: readonly string[]): void {
    const text = `\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\r\n")}\x1b[J`;
    if (text !== this.#shown) writeControls(text);
    this.#shown = text;
  }

  /** Keys typed within a time; `undefined`: the program ends. */
  async keys(ms: number): Promise<string | undefined> {
    const typed = this.#keyboard?.read(ms);
    // Signals come while the runtime waits.
    await new Promise((resolve) => setTimeout(resolve, this.#keyboard === undefined ? ms : 0));
    return this.#hasEnded || (this.#keyboard !== undefined && typed === undefined)
      ? undefined
      : typed ?? "";
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, this.#end);
    this.#keyboard?.[Symbol.dispose]();
    writeControls("\x1b[?25h\x1b[?1049l");
  }
}

/** The tree of a run's simulated node, or one of our own that idles. */
function simulatedNode(): { root: string; publish(): void } & Disposable {
  const trees = privateBases().flatMap(sessionsUnder).map((directory) => `${directory}-node`);
  const root = trees.find((tree) => listDirectory(tree).length > 0);
  if (root !== undefined) return { root, publish() {}, [Symbol.dispose]() {} };
  const directory = `${privateBase()}/top-${Deno.pid}`;
  const machine = new MachineHost("");
  const blindCatalogue = () => undefined;
  const node = simulationFor({ simulate: "" }, directory, machine, { blindCatalogue, log: say });
  if (node === undefined) {
    throw new AccessError({
      action: "make",
      target: directory,
      expected: "a temporary directory for the simulated node",
      found: "a directory that cannot be made",
      remedy: "name a tree with --root",
    });
  }
  const startNs = monotonicNanoseconds();
  return {
    root: node.host.root,
    publish: () => node.publish(monotonicNanoseconds() - startNs),
    [Symbol.dispose]: () => node[Symbol.dispose](),
  };
}

/** The view was changed, and no monitor was asked since then. */
const WAITING = { absent: "the next page has them" };

/** Content of a page from all monitors of this user. */
interface RunningNow {
  readonly processes: readonly ProcessContextNow[];
  /** A monitor answered. */
  readonly isRunning: boolean;
  /** Absent: not asked for. */
  readonly functions?: FunctionsShown;
}

/** Asks all monitors of this user. */
class Running implements Disposable {
  #names: FunctionNames | undefined;

  ask(wantsFunctions: boolean): RunningNow {
    const answers = privateBases().flatMap(sessionsUnder)
      .flatMap((directory) => ask(directory, wantsFunctions) ?? []);
    const processes = answers.flatMap(({ processes }) => processes);
    const isRunning = answers.length > 0;
    if (!wantsFunctions) return { processes, isRunning };
    const names = this.#names ??= new FunctionNames();
    const functions = names.shown(answers.flatMap(({ functions }) => functions ?? []));
    return { processes, isRunning, functions };
  }

  [Symbol.dispose](): void {
    this.#names?.[Symbol.dispose]();
  }
}

function context(text: string, json: boolean): number {
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid < 1) {
    throw unusable(`--context ${text}`, "the number of a process", text);
  }
  const found = contextOf(pid);
  if (typeof found === "string") {
    say(found);
    return EXIT.failed;
  }
  if (json) writeStdout(jsonText(found, 2) + "\n");
  else {
    for (const { thread, regions, attributes, values } of found.threads) {
      const pairs = Object.entries({ ...attributes, ...values });
      const texts = pairs.map(([name, value]) => `${name}=${value}`);
      const path = regions.length === 0 ? "-" : regions.join(" > ");
      writeStdout([`${thread}`, path, ...texts].join("\t") + "\n");
    }
  }
  return EXIT.done;
}

/** The process's context, or why it is not known. */
function contextOf(pid: number): ProcessContextNow | string {
  const environ = readText(`/proc/${pid}/environ`);
  if (environ === undefined) {
    return `cannot show process ${pid}: it does not exist, or belongs to another user`;
  }
  const entry = environ.split("\0").find((line) => line.startsWith(`${SESSION_VARIABLE}=`));
  if (entry === undefined) {
    return `process ${pid} does not run under joulemark: start it by joulemark run -- COMMAND`;
  }
  const answer = ask(entry.slice(SESSION_VARIABLE.length + 1));
  if (answer === undefined) return `process ${pid}: its monitor does not answer`;
  return answer.processes.find((process) => process.pid === pid) ??
    `process ${pid} has no annotations yet. joulemark client --help explains how to add them`;
}
