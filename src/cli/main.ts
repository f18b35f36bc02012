/**
 * Finds the verb, runs it, and turns errors for people into one line and an exit status.
 * @module
 */
import { messageFor, nearest, quote } from "../core/errors.ts";
import {
  CHECK_FLAG,
  checkOnly,
  Guardian,
  guardian,
  setGuardian,
} from "../job/guardian/guardian.ts";
import { parseInherited, removeLaid, setInherited } from "../os/inherited.ts";
import { VERBS } from "./all.ts";
import { EXIT, exitCode } from "./exit_codes.ts";
import { finished, say, setMessages, writeStderr, writeStdout } from "./io.ts";
import { bindForRunning } from "../os/libc.ts";
import { restoreVariables } from "../os/home.ts";
import { logSilentPipes } from "../os/pipes.ts";
import { beTheProgram, HIDDEN_VERBS } from "../os/self.ts";
import { runVerb } from "./command_line/run_verb.ts";
import { GEOPM_VERSION, VERSION } from "../core/version.ts";

/**
 * The command line.
 *
 * @param args As given, the guardian's hidden first arguments included.
 * @returns Exit status.
 */
export async function main(args: string[]): Promise<number> {
  beTheProgram();
  restoreVariables();
  logSilentPipes(say);
  const inherited = args.length > 0 ? parseInherited(args[0]) : undefined;
  if (inherited === undefined) return await runNamed(args);
  setInherited(inherited);
  if (args[1] === CHECK_FLAG) {
    checkOnly();
    return await runNamed(args.slice(2));
  }
  const own = Guardian.parse(args[1]);
  if (own === undefined) return await runNamed(args.slice(1));
  setGuardian(own);
  // Most of them are called in a start: together they are bound faster than one by one.
  bindForRunning();
  setMessages(own.messages);
  const status = await runNamed(args.slice(2));
  // A request that is wrong is refused: the command never starts. If we failed, it does.
  if (status === EXIT.usage || status === EXIT.done) guardian()?.refuse(status);
  return status;
}

async function runNamed(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  // Options end where the command begins.
  const debug = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined).includes(
    "--debug",
  );
  try {
    if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      const verb = name === "help" ? VERBS.find((v) => v.name === rest[0]) : undefined;
      if (verb !== undefined) return await runVerb(await verb.load(), ["--help"]);
      writeStdout(usage());
      return name === undefined ? EXIT.usage : EXIT.done;
    }
    if (name === "--version" || name === "-V") {
      return finished(`joulemark ${VERSION} (${form()}, GEOPM ${GEOPM_VERSION} formats)\n`);
    }
    if (name === HIDDEN_VERBS.demoWorkload) {
      return await (await import("./demo_workload.ts")).demoWorkload(rest);
    }
    if (name === HIDDEN_VERBS.statsHelper) {
      return await (await import("../rawstats/analysis/workers.ts")).rawTableHelper(rest);
    }
    if (name === HIDDEN_VERBS.libraryHelper) {
      return (await import("../os/devices/gpu_libraries.ts")).gpuLibraryHelper(rest);
    }
    // A program by its path: `joulemark ./app` is `joulemark run -- ./app`.
    const isProgram = name.includes("/");
    if (!isProgram && name.startsWith("-")) {
      say(
        `unknown option ${
          quote(name)
        }. Options come after the verb: joulemark run [options] -- ./app`,
      );
      return EXIT.usage;
    }
    const entry = VERBS.find((v) => v.name === (isProgram ? "run" : name));
    if (entry === undefined) {
      const near = nearest(name, VERBS.map((v) => v.name), 1);
      const hint = near.length > 0 ? ` Did you mean ${quote(near[0])}?` : " See joulemark --help.";
      say(`unknown verb ${quote(name)}.${hint} To measure a program: joulemark run -- ${name}`);
      return EXIT.usage;
    }
    const verb = await entry.load();
    const { settingsOf } = await import("./command_line/settings.ts");
    const names = VERBS.map((v) => v.name);
    removeLaid();
    return await runVerb(
      verb,
      isProgram ? ["--", ...args] : rest,
      (verb, env) => settingsOf(verb, env, names),
    );
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.done;
    const verb = VERBS.some((v) => v.name === name) ? ` ${name}` : "";
    writeStderr(`joulemark${verb}: ${messageFor(error, debug)}\n`);
    return exitCode(error);
  }
}

/** `compiled` by deno compile, `packed` into Deno by the packer, or run from `source`. */
function form(): "compiled" | "packed" | "source" {
  if ((globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed") return "packed";
  return Deno.build.standalone ? "compiled" : "source";
}

function usage(): string {
  const width = Math.max(...VERBS.map((v) => v.name.length));
  const verbs = [...Map.groupBy(VERBS, ({ group }) => group)].map(([group, entries]) => {
    return [`${group}:`, ...entries.map((v) => `  ${v.name.padEnd(width)}  ${v.summary}`)].join(
      "\n",
    );
  }).join("\n\n");
  return `joulemark: time and energy of every region of a program

Usage: joulemark VERB [options]

${verbs}

Run "joulemark VERB --help" for details, "joulemark --version" for the version.

Examples:
  joulemark run -- ./app
  joulemark run --report-signals CPU_ENERGY@package -- mpirun -n 4 ./app
  joulemark doctor
`;
}
