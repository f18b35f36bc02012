/**
 * `joulemark run`: the command line, and the way to the monitor.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import { prepare } from "../session/launch.ts";
import { preloadChanges } from "../preload/preload.ts";
import type { ContextRun } from "../channels/run.ts";
import { asksForContext, type RunRequest, runRequest } from "../session/request.ts";
import type { RunIdle } from "../outputs/run_idle.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStderr, writeStdout } from "./io.ts";
import { parseOptions } from "./options.ts";
import { permissionFlags } from "./permissions.ts";
import type { Verb } from "./verb.ts";
import { REPORT_VERSION } from "./version.ts";

const HELP = `Run a command, find its regions, write a report.

Usage: joulemark run [options] -- COMMAND [ARG...]

Outputs
  --report FILE           GEOPM report (default joulemark.report)
  --report-signals LIST   more signals in it: SIGNAL[@DOMAIN],...
  --trace FILE            a row of signals per step, GEOPM's trace
  --trace-signals LIST    more columns in it
  --event-log FILE        every mark, GEOPM's profile trace
  --pmc FILE              power and energy per step, pm_mpi_lib's log
  --pmc-version V         2.0, 3.1, 4.0, 4.3, 4.4, 5.0 or 6.0 (4.4)
  --cali FILE             every mark with times and energies, a .cali stream
  --cali-config STRING    Caliper's configurations: runtime-report,event-trace
  --record DIR            a recording that "joulemark replay" reads
  --checkpoint S          time between reports so far, FILE.partial (10)

Measuring
  --period S              time between two steps (0.005)
  --attribution HOW       energy of regions beside GEOPM's: sampled (none),
                          exact (by exact edges), fit (with its error; default)
  --dither on|off         shake the steps, so that no loop keeps in step with
                          them (on, where there is a fit)
  --idle SECONDS|FILE     idle power, measured so long before the command starts
                          or from a report or JSON: energy net of it
  --profile NAME          name of the run (the command's base name)
  --record-filter F       epochs without marks: proxy_epoch,REGION[,CALLS
                          [,STARTUP]] or edit_distance[,...]
  --without READERS       leave sources out: MSR,POWERCAP,...
  --root DIR              read a tree laid out like / instead of the machine
  --simulate[=SPEC]       read the embedded simulated node; nothing it says
                          is a measurement, and every output says so

Marks that a program already has
  --preload LIST          answer the calls of mpi, pcontrol, ompt, geopm,
                          caliper, likwid, pm_mpi, nvtx, roctx, itt, kokkos,
                          tau, papi, craypat, or all; besides, only by name:
                          io, alloc and callpath, for --cali and --cali-config
  --preload-lib FILE      by a library built before ("client preload")

Talk
  -q, --quiet             no card at the end
  -v, --verbose           more of what was done
  -h, --help              this

Every option can be given as JOULEMARK_REPORT, JOULEMARK_PERIOD, ...; the
GEOPM_ variables of the same meaning hold where ours are unset. The exit
status is the command's: 128+N when signal N ended it, 127 when it was not
found, 126 when it cannot be executed. Options are checked before it starts.

Examples:
  joulemark run -- ./app
  joulemark run --report lu.report --trace lu.trace -- mpirun -n 4 ./lu
  srun joulemark run --report-signals CPU_ENERGY@package -- ./app
`;

const TEXT_OPTIONS = [
  "report",
  "report-signals",
  "trace",
  "trace-signals",
  "event-log",
  "pmc",
  "pmc-version",
  "cali",
  "cali-config",
  "record",
  "checkpoint",
  "period",
  "attribution",
  "idle",
  "dither",
  "profile",
  "record-filter",
  "preload",
  "preload-lib",
  "without",
  "root",
] as const;

/** See the module. */
export const run: Verb = {
  name: "run",
  summary: "run a command, find its regions, write a report",
  help: HELP,
  run: (args) => runWith(args, {}),
};

/**
 * The verb, with settings that only callers inside the program make.
 *
 * @param args What follows the verb.
 */
export async function runWith(
  args: string[],
  own: { command?: readonly string[]; simulateIfBlind?: boolean; profile?: string },
): Promise<number> {
  const { simulate, rest } = takeSimulate(args);
  const options = parseOptions("run", rest, { text: TEXT_OPTIONS, command: true });
  if (options.flags.has("help")) {
    writeStdout(HELP);
    return EXIT.done;
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
  const request = runRequest(
    command,
    { ...options.text, profile: options.text.profile ?? own.profile, simulate },
    { quiet: options.flags.has("quiet"), verbose: options.flags.has("verbose") },
    env,
    Object.keys(Deno.env.toObject()),
  );
  const idle = await openIdle(request.idle);
  const answered = preloadChanges(request.preload, env, tell);
  const changes: Record<string, string> = { ...answered };
  // The library cannot tell 2.0's calls from 3.1's by themselves.
  if (request.pmcPath !== undefined && request.preload.dialects.includes("pm_mpi")) {
    changes.JOULEMARK_PMC_VERSION = request.pmcVersion;
  }
  // The same variables ask the program's own Caliper: one of the two has to keep still.
  if (asksForContext(request, env) && request.preload.dialects.includes("caliper")) {
    changes.JOULEMARK_KEEP = "caliper";
  }
  const prepared = prepare(command, env, tell, changes);
  if (prepared.kind === "refused") {
    tell(prepared.reason);
    return prepared.status;
  }
  const { monitor } = await import("../session/monitor.ts");
  return monitor(request, prepared, {
    tell,
    show: (card) => writeStderr(`\n${card}\n`),
    debug: options.flags.has("debug"),
    simulateIfBlind: own.simulateIfBlind ?? false,
    version: REPORT_VERSION,
    permissions: permissionFlags(),
    idle,
    contexts: await openContexts(request, env, tell),
  });
}

/** Loaded only where it is asked for. */
async function openContexts(
  request: RunRequest,
  env: (name: string) => string | undefined,
  tell: (line: string) => void,
): Promise<ContextRun | undefined> {
  if (!asksForContext(request, env)) return undefined;
  const { contextRun } = await import("../channels/request.ts");
  const printer = { tell, stdout: writeStdout, stderr: writeStderr };
  return contextRun(request, Deno.env.toObject(), printer);
}

/** Loaded only where it is asked for: every process of a job pays for what is loaded. */
async function openIdle(text: string | undefined): Promise<RunIdle | undefined> {
  if (text === undefined) return undefined;
  const { parseBaseline } = await import("../outputs/idle_baseline.ts");
  const baseline = parseBaseline(text);
  const { RunIdle } = await import("../outputs/run_idle.ts");
  return new RunIdle(baseline);
}

/** `--simulate` may stand alone or with `=SPEC`, which a table of options cannot say. */
function takeSimulate(args: string[]): { simulate?: string; rest: string[] } {
  const end = args.indexOf("--");
  const at = args.findIndex((a, i) => {
    return (end < 0 || i < end) && (a === "--simulate" || a.startsWith("--simulate="));
  });
  if (at < 0) return { rest: args };
  const rest = args.toSpliced(at, 1);
  return { simulate: args[at].slice("--simulate".length).replace(/^=/, ""), rest };
}
