/** Programs of aarch64 that sample themselves by timers, under an emulator; their records are taken on this machine. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { ByteSink } from "../../src/formats/trace/header.ts";
import { preloadFiles } from "../../src/marks/client/preload.ts";
import { openCodeFile } from "../../src/os/files/code_files.ts";
import { TimerSampling } from "../../src/os/devices/timer_sampling.ts";
import { CodeBiases } from "../../src/profile/code_biases.ts";
import type { FunctionData } from "../../src/profile/function_data.ts";
import { AARCH64, OWN_MACHINE } from "../../src/profile/machine.ts";
import { Modules } from "../../src/profile/modules.ts";
import { FrameNames } from "../../src/profile/names.ts";
import { Profile, type SampleSeen } from "../../src/profile/profile.ts";
import { RECORD } from "../../src/profile/records.ts";
import { END } from "../../src/profile/unwind.ts";
import { type FunctionFileSources, writeFunctions } from "../../src/run/outputs/function_files.ts";
import {
  FunctionRowsWriter,
  FUNCTIONS_FILE,
  NAMES_FILE,
  readFunctions,
} from "../../src/run/recordings/function_rows.ts";
import {
  ARM_COMPILER,
  compileForArm,
  EMULATOR,
  NO_ARM_COMPILER,
  NO_EMULATOR,
  SYSROOT,
} from "../_support/emulated.ts";
import { readFolded, shareOf } from "../_support/folded.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";

const LIMIT_S = 120, PERIOD_NS = 5e6;
const NOT_OTHER = unless(OWN_MACHINE !== AARCH64, "this is an aarch64 machine");

/** Samples of a program, and the bytes of its recording. */
interface Taken {
  readonly data: FunctionData;
  readonly samples: readonly SampleSeen[];
}

function build(dir: string, program: string, flags: readonly string[]): void {
  const files = preloadFiles(["timer"]);
  for (const { name, text } of files) Deno.writeTextFileSync(`${dir}/${name}`, text);
  const sources = files.map(({ name }) => name).filter((name) => name.endsWith(".c"));
  const args = ["-O2", "-std=gnu99", "-fPIC", "-shared", "-o", "timer.so", ...sources, "-ldl"];
  const made = new Deno.Command(ARM_COMPILER, { args, cwd: dir }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  compileForArm(program, `${dir}/app`, flags);
}

/** Runs the program with the library. @param options Of the emulator. */
function run(
  dir: string,
  session: string,
  args: readonly string[],
  options: readonly string[],
): void {
  const variables = {
    LD_PRELOAD: `${dir}/timer.so`,
    JOULEMARK_SESSION: session,
    JOULEMARK_TIMER: `${PERIOD_NS} 16384`,
  };
  const set = Object.entries(variables).flatMap(([name, value]) => ["-E", `${name}=${value}`]);
  // Return addresses are signed by this processor.
  const cpu = ["-cpu", "max,sve=off,sme=off", "-L", SYSROOT];
  const command = [String(LIMIT_S), EMULATOR, ...cpu, ...options, ...set, `${dir}/app`, ...args];
  const ended = new Deno.Command("timeout", { args: command }).outputSync();
  assertEquals(new TextDecoder().decode(ended.stderr), "");
}

/** Takes the samples of the program; a recording of them is in the directory. */
function taken(dir: string, args: readonly string[]): Taken {
  const session = `${dir}/session`, samples: SampleSeen[] = [];
  Deno.mkdirSync(session, { mode: 0o700 });
  using source = TimerSampling.open(session)!;
  run(dir, session, args, []);
  using modules = new Modules(AARCH64, openCodeFile);
  const sampling = {
    periodNs: PERIOD_NS,
    withKernel: false,
    offCpu: false,
    event: "timer",
  } as const;
  const profile = new Profile(modules, sampling), biases = new CodeBiases();
  let lines = "";
  const sink = {
    write: (text: string) => {
      lines += text;
    },
  };
  const rate = { hz: 200, periodNs: PERIOD_NS, zeroNs: 1, event: "timer" } as const;
  const writer = new FunctionRowsWriter(sink as unknown as ByteSink, rate);
  profile.onSample = (seen) => {
    samples.push(Object.assign({}, seen));
    biases.note(profile, seen);
    writer.sample(profile, biases, seen);
  };
  source.take(Infinity, profile);
  writer.flush();
  const costs = profile.finish(source.counts());
  const names = new FrameNames(profile, {
    open: openCodeFile,
    debugDirectories: [],
    mayReadLines: () => true,
    kernelSymbols: () => "",
    jitMap: () => "",
  });
  const data: FunctionData = {
    event: "timer",
    hz: 200,
    periodNs: PERIOD_NS,
    durationNs: 1e9,
    trie: profile.trie,
    costs,
    off: [],
    modules: modules.all.map(({ path, buildId }) => ({ path, buildId, isWithoutTable: false })),
    facts: profile.facts,
    frames: (module, address) => names.frames(module, address),
  };
  const about = { stackBytes: 16384, elsewhereNs: 0, others: 0, unread: [] };
  const rows = writer.finish(data, profile.processes.names, about);
  // All names are known before the files close.
  Deno.writeTextFileSync(`${dir}/${FUNCTIONS_FILE}`, lines);
  Deno.writeTextFileSync(`${dir}/${NAMES_FILE}`, rows);
  write(dir, "live", { data, samples });
  return { data, samples };
}

/** Writes the files of functions. */
function write(dir: string, name: string, { data, samples }: Taken): void {
  const path = (ending: string) => `${dir}/${name}.${ending}`;
  const sources = {
    run: { header: { version: "joulemark.1", profile: "app", startTime: "" } },
    paths: {
      folded: path("folded"),
      speedscope: path("speedscope"),
      "perf-script": path("perf-script"),
    },
    site: { isLive: true, log: (line: string) => assertEquals(line, "") },
  } as unknown as FunctionFileSources;
  writeFunctions(data, samples, sources);
}

function onProgram(
  name: string,
  [program, ...flags]: readonly [string, ...string[]],
  body: (dir: string) => void,
): void {
  Deno.test({
    ...skippedWithout(name, NO_ARM_COMPILER, NO_EMULATOR, NOT_OTHER),
    async fn() {
      const dir = Deno.makeTempDirSync();
      try {
        build(dir, program, flags);
        await withTimeLimit(() => body(dir), LIMIT_S);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

function assertComplete({ facts: { ends } }: FunctionData): void {
  const complete = ends[END.root] / ends.reduce((sum, count) => sum + count, 0);
  assert(complete > 0.95, `${complete} of the stacks are complete`);
}

const SIGNED = "-mbranch-protection=standard";

onProgram(
  "a timer of aarch64 samples functions, and a recording gives the same files on this machine",
  ["e2e/programs/functions/shares.c", "-O2", "-g", SIGNED],
  (dir) => {
    const { data } = taken(dir, ["40"]), lines = readFolded(`${dir}/live.folded`);
    assert(data.facts.samples >= 50, `${data.facts.samples} samples`);
    assertEquals(data.facts.guessedFrames, 0);
    assertComplete(data);
    assertAlmostEquals(shareOf(lines, "heavy"), 0.75, 0.15);
    const recorded = readFunctions(dir)!;
    assert(recorded.isWhole);
    write(dir, "replayed", { data: recorded, samples: recorded.samples });
    for (const ending of ["folded", "speedscope", "perf-script"]) {
      const [live, replayed] = ["live", "replayed"].map((name) => {
        return Deno.readTextFileSync(`${dir}/${name}.${ending}`);
      });
      assertEquals(live.length > 100 && live, replayed, ending);
    }
  },
);

onProgram(
  "a timer of aarch64 samples threads",
  ["vectors/aarch64/libc.c", "-O2", SIGNED],
  (dir) => {
    const { data } = taken(dir, ["20000000"]), lines = readFolded(`${dir}/live.folded`);
    assert(data.facts.samples >= 20, `${data.facts.samples} samples`);
    assertEquals(data.facts.guessedFrames, 0);
    assertComplete(data);
    const share = shareOf(lines, "body", "spin");
    assert(share > 0.9, `${share} of the time`);
  },
);

onProgram(
  "a ring begins with a page of the machine, also of 64 KiB",
  ["e2e/programs/functions/shares.c", "-O2"],
  (dir) => {
    const session = `${dir}/session`, page = 65536;
    Deno.mkdirSync(session, { mode: 0o700 });
    using _source = TimerSampling.open(session)!;
    run(dir, session, ["5"], ["-p", String(page)]);
    const [ring] = [...Deno.readDirSync(`${session}/timer`)];
    const bytes = Deno.readFileSync(`${session}/timer/${ring.name}`);
    const view = new DataView(bytes.buffer);
    assertEquals(bytes.length, page + 262144);
    // The name of the process comes first, in a record of 56 bytes.
    assertEquals([view.getUint32(page, true), view.getUint16(page + 6, true)], [RECORD.comm, 56]);
  },
);
