/**
 * `joulemark run`: the command line, and the way to the monitor.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import { prepare } from "../session/launch.ts";
import { preloadChanges } from "../preload/preload.ts";
import { runRequest } from "../session/request.ts";
import { asksForChannels, loadOutputs, OUTPUTS } from "../outputs/all.ts";
import type { RunIdle } from "../outputs/run_idle.ts";
import { writeStderr, writeStdout } from "./io.ts";
import { RUN_OPTIONS } from "../session/run_options.ts";
import type { ParsedOptions } from "./options.ts";
import { permissionFlags } from "./permissions.ts";
import type { Verb } from "./verb.ts";
import { REPORT_VERSION } from "../core/version.ts";

/** Runs a command and reports on it. */
export const run: Verb = {
  name: "run",
  summary: "run a command, find its regions, write a report",
  usage: ["[options] -- COMMAND [ARG...]"],
  about: `Runs a command, finds its regions, writes a report.`,
  options: RUN_OPTIONS,
  command: true,
  notes:
    `Every option can be given as JOULEMARK_REPORT, JOULEMARK_PERIOD, ...; the GEOPM_ variables of
the same meaning hold where ours are unset. The exit status is the command's: 128+N when signal N
ended it, 127 when it was not found, 126 when it cannot be executed. Options are checked before it
starts.`,
  examples: [
    "joulemark run -- ./app",
    "joulemark run --report lu.report --trace lu.trace -- mpirun -n 4 ./lu",
    "srun joulemark run --report-signals CPU_ENERGY@package -- ./app",
  ],
  run: (options) => runWith(options, {}),
};

/** The verb, with settings that only callers inside the program make. */
export async function runWith(
  options: ParsedOptions,
  own: { command?: readonly string[]; simulateIfBlind?: boolean; profile?: string },
): Promise<number> {
  if (own.command !== undefined && options.words.length > 0) {
    throw new UsageError({
      action: 'run "joulemark demo"',
      expected: "options only",
      found: options.words[0],
      remedy: "another command goes to joulemark run",
    });
  }
  const command = own.command ?? options.words;
  if (command.length === 0) {
    throw new UsageError({
      action: 'run "joulemark run"',
      expected: "a command after --",
      found: "none",
      remedy: "for example: joulemark run -- ./app",
    });
  }
  const env = (name: string) => Deno.env.get(name);
  const tell = (line: string) => writeStderr(`joulemark: ${line}\n`);
  const values = new Map(options.values);
  if (own.profile !== undefined && !values.has("profile")) {
    values.set("profile", { text: own.profile, origin: "flag", name: "--profile" });
  }
  const request = runRequest(
    command,
    values,
    { quiet: options.flags.has("quiet"), verbose: options.flags.has("verbose") },
    env,
    Object.keys(Deno.env.toObject()),
  );
  const idle = await openIdle(request.idle);
  const answered = await preloadChanges(request.preload, env, tell);
  const changes: Record<string, string> = { ...answered };
  // The library cannot tell 2.0's calls from 3.1's by themselves.
  if (request.pmc !== undefined && request.preload.dialects.includes("pm_mpi")) {
    changes.JOULEMARK_PMC_VERSION = request.pmc.version;
  }
  // The same variables ask the program's own Caliper: one of the two has to keep still.
  if (asksForChannels(values, env) && request.preload.dialects.includes("caliper")) {
    changes.JOULEMARK_KEEP = "caliper";
  }
  const prepared = prepare(command, env, tell, changes);
  if (prepared.kind === "refused") {
    tell(prepared.reason);
    return prepared.status;
  }
  const { monitor } = await import("../session/monitor.ts");
  return monitor(request, prepared, {
    ...{ tell, stdout: writeStdout, stderr: writeStderr },
    show: (card) => writeStderr(`\n${card}\n`),
    debug: options.flags.has("debug"),
    simulateIfBlind: own.simulateIfBlind ?? false,
    version: REPORT_VERSION,
    permissions: permissionFlags(),
    idle,
    outputs: await loadOutputs(OUTPUTS, values, env),
    values,
  });
}

/** Loaded only where it is asked for: every process of a job pays for what is loaded. */
async function openIdle(text: string | undefined): Promise<RunIdle | undefined> {
  if (text === undefined) return undefined;
  const { parseBaseline } = await import("../outputs/idle_baseline.ts");
  const baseline = parseBaseline(text);
  const { RunIdle } = await import("../outputs/run_idle.ts");
  return new RunIdle(baseline);
}
