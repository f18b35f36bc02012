/** `run --functions`: functions of programs without marks, by CPU time. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { affinityOf } from "../../src/os/host.ts";
import { parseReport } from "../../src/formats/report.ts";
import { openElf } from "../../src/profile/elf.ts";
import { memoryReader } from "../../src/profile/modules.ts";
import { OWN_MACHINE } from "../../src/profile/machine.ts";
import { type FoldedLine, readFolded, shareOf, totalS } from "../_support/folded.ts";
import {
  BY_KERNEL,
  ERROR,
  functionsOf as sampledFunctions,
  PROGRAMS,
  reportOf,
} from "../_support/function_ways.ts";
import { asEachUser, type User, userIn } from "../_support/plain_user.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { compile } from "../_support/compiled.ts";
import { NOT_ROOT, succeeds, unless } from "../_support/skipped.ts";
import { NO_STRACE } from "../_support/strace.ts";

const LIMIT_S = 120;

/** Functions that the kernel samples. */
function functionsOf(
  dir: string,
  user: User,
  build: string,
  more: { args?: string[]; options?: string[] } = {},
): FoldedLine[] {
  return sampledFunctions(dir, Object.assign({ way: BY_KERNEL, user, build }, more));
}

asEachUser(
  "functions of a C program have the shares of its work, below their callers",
  (dir, user) => {
    const lines = functionsOf(dir, user, "cc -O2 -o app PROGRAMS/shares.c");
    assertAlmostEquals(shareOf(lines, "app", "main", "work", "heavy"), 0.75, ERROR);
    assertAlmostEquals(shareOf(lines, "app", "main", "work", "light"), 0.25, ERROR);
    assert(shareOf(lines, "app", "_start", "main") > 0.95);
  },
  LIMIT_S,
);

/** A program that is built and run by a plain user. */
function program(
  name: string,
  build: string,
  check: (lines: FoldedLine[]) => void,
  args: string[] = [],
  missing?: string,
): void {
  endToEnd(
    `functions: ${name}`,
    (dir) => {
      check(functionsOf(dir, userIn(dir), build, { args }));
    },
    LIMIT_S,
    missing,
  );
}

const compiler = (name: string) => unless(succeeds(name, "--version"), `no ${name}`);

program(
  "members of C++ classes",
  "c++ -O2 -o app PROGRAMS/shares.cpp",
  (lines) => {
    assertAlmostEquals(shareOf(lines, "app", "main", "heat::Solver::heavy"), 0.75, ERROR);
    assertAlmostEquals(shareOf(lines, "main", "heat::Light<double>::light"), 0.25, ERROR);
  },
  [],
  compiler("c++"),
);

program(
  "procedures of Fortran modules",
  "gfortran -O2 -fno-inline -fno-ipa-cp -fno-ipa-sra -o app PROGRAMS/shares.f90",
  (lines) => {
    assertAlmostEquals(shareOf(lines, "app", "main", "MAIN__", "heat::heavy"), 0.75, ERROR);
    assertAlmostEquals(shareOf(lines, "app", "main", "MAIN__", "heat::light"), 0.25, ERROR);
  },
  [],
  compiler("gfortran"),
);

program(
  "a signal's handler is above what it interrupted",
  "cc -O2 -o app PROGRAMS/signals.c",
  (lines) => {
    assert(shareOf(lines, "main", "outside", "__restore_rt", "in_handler") > 0.2);
    assert(shareOf(lines, "_start", "main", "outside") > 0.95);
  },
);

program("recursion", "cc -O1 -o app PROGRAMS/recursion.c", (lines) => {
  assert(shareOf(lines, "main", ...new Array(21).fill("down"), "bottom") > 0.9);
  assert(shareOf(lines, ...new Array(22).fill("down")) === 0);
});

program(
  "recursion that is deeper than the copy of the stack",
  "cc -O1 -o app PROGRAMS/recursion.c",
  (lines) => {
    assert(shareOf(lines, "[…]", "down", "down", "bottom") > 0.7);
  },
  ["3000"],
);

endToEnd("a note advises a larger copy if stacks are deeper than it", (dir) => {
  compile("e2e/programs/functions/recursion.c", `${dir}/app`, ["-O1"]);
  const notes = (...options: string[]) => {
    return userIn(dir).joulemark(["run", "--functions", ...options, "--", "./app", "300"]).stderr
      .replaceAll(/\s+/g, " ");
  };
  const note = /note: \d+ % of the stacks are larger than .* each stack: --stack-bytes=8192/;
  const [text] = note.exec(notes("--stack-bytes=4096", "--record=rec", "--report=r"))!;
  assert(!notes().includes("of the stacks are larger"));
  // A replay has the same notes.
  const args = ["replay", "--functions", "--report=again", "rec"];
  const again = userIn(dir).joulemark(args).stderr.replaceAll(/\s+/g, " ");
  assert(again.includes(text), again);
  const [live, replayed] = ["r", "again"].map((path) => {
    const { notes } = parseReport(Deno.readTextFileSync(`${dir}/${path}`), path).hosts[0]
      .joulemark!;
    return (notes as string[]).filter((note) => note.includes("stacks are larger"));
  });
  assertEquals(live.length, 1);
  assertEquals(replayed, live);
}, LIMIT_S);

program(
  "a stripped program has one row for each function",
  "cc -O2 -s -o app PROGRAMS/shares.c",
  (lines) => {
    const leaves = new Map<string, number>();
    for (const { frames, ns } of lines) {
      leaves.set(frames.at(-1)!, (leaves.get(frames.at(-1)!) ?? 0) + ns / 1e9 / totalS(lines));
    }
    const [[first, most], [second, next]] = [...leaves].sort(([, a], [, b]) => b - a);
    for (const name of [first, second]) assertMatch(name, /^\[app\+0x[0-9a-f]+\]$/);
    assertAlmostEquals(most, 0.75, ERROR);
    assertAlmostEquals(next, 0.25, ERROR);
  },
);

/** Is the kernel of this version or newer? */
function isSince(major: number, minor: number): boolean {
  const [first, second] = Deno.osRelease().split(".").map((part) => parseInt(part));
  return first > major || first === major && second >= minor;
}

/** Splits ./app into a stripped one and app.debug, and makes their link. */
const SPLIT = "objcopy --only-keep-debug app app.debug && strip app && " +
  "objcopy --add-gnu-debuglink=app.debug app";
const NO_OBJCOPY = unless(succeeds("objcopy", "--version"), "no objcopy");

for (const flag of ["-Wl,--build-id", "-Wl,--build-id=none"]) {
  for (const folder of [".", ".debug"]) {
    program(
      `a stripped program has names from its debug file in ${folder}, ${flag}`,
      `cc -O2 ${flag} -o app PROGRAMS/shares.c && ${SPLIT} && mkdir -p ${folder} &&
        mv -n app.debug ${folder}/app.debug; :`,
      (lines) => assertAlmostEquals(shareOf(lines, "main", "work", "heavy"), 0.75, ERROR),
      [],
      NO_OBJCOPY,
    );
  }
}

program(
  "a debug file with another checksum is not used",
  `cc -O2 -Wl,--build-id=none -o app PROGRAMS/shares.c && ${SPLIT} && echo >>app.debug`,
  (lines) => assertEquals(shareOf(lines, "heavy"), 0),
  [],
  NO_OBJCOPY,
);

program(
  "a stripped program has names from its compressed symbols, as those of Red Hat have them",
  `cc -O2 -o app PROGRAMS/shares.c && objcopy --only-keep-debug app small &&
    strip --strip-debug --keep-symbol=heavy small && xz small && strip app &&
    objcopy --add-section .gnu_debugdata=small.xz app`,
  (lines) => assertAlmostEquals(shareOf(lines, "heavy"), 0.75, ERROR),
  [],
  unless(succeeds("objcopy", "--version") && succeeds("xz", "--version"), "no objcopy or no xz"),
);

program("a static program", "cc -O2 -static -o app PROGRAMS/shares.c", (lines) => {
  assertAlmostEquals(shareOf(lines, "_start", "main", "work", "heavy"), 0.75, ERROR);
});

const FRAMES = "-O2 -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables -fno-unwind-tables";

for (const compression of ["-gz=none", "-gz=zlib"]) {
  program(
    `unwind tables in debug information alone, ${compression}`,
    `cc ${FRAMES} -fomit-frame-pointer -g ${compression} -o app PROGRAMS/shares.c`,
    (lines) => {
      assertAlmostEquals(shareOf(lines, "_start", "main", "work", "heavy"), 0.75, ERROR);
      assert(lines.every(({ frames }) => frames.every((frame) => !frame.endsWith("_[g]"))));
    },
  );
}

for (const leaf of ["-fcf-protection", "-momit-leaf-frame-pointer"]) {
  program(
    `frame pointers without tables, ${leaf}`,
    `cc ${FRAMES} -fno-omit-frame-pointer ${leaf} -o app PROGRAMS/frames.c`,
    (lines) => {
      const all = shareOf(lines, "bare"),
        known = (caller: string) => {
          return shareOf(lines, "_start", "main", caller, "bare") / all;
        };
      assertAlmostEquals(known("direct"), 0.5, ERROR);
      assertAlmostEquals(known("direct") + known("indirect"), 1, 0.02);
      assert(shareOf(lines, "main", "often", "brief") > 0.95 * shareOf(lines, "brief"));
      assert(shareOf(lines, "_start", "main") > 0.95);
    },
  );
}

for (const [kind, flags] of Object.entries({ "": "", ", stripped": "-ldflags '-s -w'" })) {
  program(
    `goroutines, by frame pointers to the function that nothing calls${kind}`,
    `mkdir m && cp PROGRAMS/shares.go m && cd m &&
      GOCACHE=$PWD/../cache go build ${flags} -o ../app shares.go`,
    (lines) => {
      const goroutine = [kind === "" ? "runtime.goexit.abi0" : "runtime.goexit", "main.main.func1"];
      const heavy = shareOf(lines, ...goroutine, "main.heavy");
      const both = heavy + shareOf(lines, ...goroutine, "main.light");
      assertAlmostEquals(heavy / both, 0.75, ERROR);
      // Where other programs have the CPUs, Go's scheduler takes the rest.
      assert(both > 0.5, `${both}`);
      assert(shareOf(lines, "main.light", "main.leaf") > 0.95 * shareOf(lines, "main.leaf"));
      assert(shareOf(lines, "[…]") <= 0.05);
    },
    [],
    unless(succeeds("go", "version"), "no go"),
  );
}

/** Commands that succeed where a plain user may do the same. */
const PROBES: Readonly<Record<string, string>> = {
  "unshare -rm": "unshare -rm mount -t tmpfs none /mnt",
  bwrap: "bwrap --ro-bind / / --proc /proc --tmpfs /mnt true",
};

/** Ways to run ./app where only it sees the file, as root or as a plain user. */
const HIDDEN_PLACES: Readonly<Record<string, readonly [root: boolean, script: string]>> = {
  "unshare -m": [true, "unshare -m sh -c 'mount -t tmpfs none /mnt; cp app /mnt/it; /mnt/it'"],
  chroot: [true, "mkdir place; cp app place/it; chroot place /it"],
  "unshare -rm": [false, "unshare -rm sh -c 'mount -t tmpfs none /mnt; cp app /mnt/it; /mnt/it'"],
  bwrap: [false, "bwrap --ro-bind / / --proc /proc --tmpfs /mnt --ro-bind app /mnt/it /mnt/it"],
};

for (const [name, [isRoot, script]] of Object.entries(HIDDEN_PLACES)) {
  const missing = unless(
    isRoot ? Deno.uid() === 0 : succeeds("sh", "-c", PROBES[name]),
    "not here",
  );
  endToEnd(
    `functions of a program whose file only it sees: ${name}`,
    (dir) => {
      compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2", "-static"]);
      const user = userIn(dir, isRoot ? "root" : "plain user");
      const out = user.joulemark(["run", "--folded", "f", "--", "sh", "-c", script]);
      assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
      const lines = readFolded(`${dir}/f`);
      assert(shareOf(lines, "it", "_start", "main", "work", "heavy") > 0.6);
      assert(shareOf(lines, "it", "_start", "main", "work", "light") > 0.15);
    },
    LIMIT_S,
    missing,
  );
}

endToEnd(
  "a note names a program that the kernel does not sample, and a file that cannot be read",
  (dir) => {
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    Deno.chownSync(`${dir}/app`, 0, 0);
    Deno.chmodSync(`${dir}/app`, 0o4755);
    const notes = (user: User, script: string) => {
      const out = user.joulemark(["run", "--functions", "--", "sh", "-c", script]);
      return out.stderr.replaceAll(/\s+/g, " ");
    };
    assertMatch(
      notes(userIn(dir), "./app 500"),
      /kernel does not sample programs with .*: app\. Run joulemark as root/,
    );
    assert(!notes(userIn(dir, "root"), "./app 500").includes("does not sample programs"));
    const gone = "cc -shared -fPIC -O2 -Dmain=begin -o libgone.so PROGRAMS/shares.c && " +
      "printf 'int begin(int, char **);\nint main(void) { return begin(1, 0); }' > m.c && " +
      "cc -o m m.c ./libgone.so -Wl,-rpath,. && { ./m & sleep 0.01; rm libgone.so; wait; }";
    const text = notes(userIn(dir, "root"), gone.replaceAll("PROGRAMS/", PROGRAMS));
    assertMatch(text, /functions of [^ ]*\/libgone\.so have no names, because the file cannot be/);
  },
  LIMIT_S,
  NOT_ROOT,
);

program("a program at a fixed address", "cc -O2 -no-pie -o app PROGRAMS/shares.c", (lines) => {
  assertAlmostEquals(shareOf(lines, "_start", "main", "work", "heavy"), 0.75, ERROR);
});

program(
  "a program keeps its samples if it starts short child processes",
  "cc -O2 -o app PROGRAMS/short_children.c",
  (lines) => {
    const samples = lines.filter(({ frames }) => !frames.at(-1)!.startsWith("["));
    assert(totalS(samples) > 0.7, `${totalS(samples)} s`);
    assert(shareOf(lines, "main", "parent") > 0.7, `${shareOf(lines, "main", "parent")}`);
  },
  [],
  unless(isSince(5, 13), "Linux before 5.13"),
);

asEachUser("a note gives the CPU time on CPUs that were not allowed at the start", (dir, user) => {
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
  const cpus = affinityOf(Deno.pid);
  if (cpus.length < 2) return;
  const note = (script: string) => {
    const run = ["taskset", "-c", String(cpus[0]), user.binary, "run", "--functions", "--"];
    const [command, ...args] = [...user.become, ...run, "sh", "-c", script];
    const out = new Deno.Command(command, { args, cwd: dir, stdin: "null" }).outputSync();
    return new TextDecoder().decode(out.stderr).replaceAll(/\s+/g, " ");
  };
  const text = note(`./app 500; taskset -c ${cpus[1]} ./app 500`);
  assertMatch(
    text,
    /note: \d+\.?\d* m?s of CPU time were not sampled: the command used CPUs/,
  );
  assert(!note("./app 500").includes("CPU time were not sampled"));
}, LIMIT_S);

endToEnd(
  "each thread keeps its CPU time where threads of one program take turns",
  (dir) => {
    const user = userIn(dir, "root"), [cpu] = affinityOf(Deno.pid);
    compile("e2e/programs/functions/exchanged.c", `${dir}/app`, ["-O2", "-pthread"]);
    const faults = "PERF_APP::PAGE_FAULTS";
    for (const options of [[], ["--off-cpu"], ["--report-signals", faults]]) {
      const run = [
        "taskset",
        "-c",
        String(cpu),
        user.binary,
        "run",
        "-q",
        "--functions",
        ...options,
      ];
      const [command, ...args] = [...user.become, ...run, "--folded=f", "--", "./app"];
      const out = new Deno.Command(command, { args, cwd: dir, stdin: "null" }).outputSync();
      assertEquals(out.code, 3);
      const trueS = Number(new TextDecoder().decode(out.stdout)), lines = readFolded(`${dir}/f`);
      const { functions, notes = [] } = reportOf(dir);
      const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
      const count = new RegExp(`${faults}: (\\S+)`).exec(report)?.[1] ?? "100";
      assert(Number(count) > 10 && Number(count) < 1e4, count);
      assertAlmostEquals(functions["cpu-time (s)"], trueS, 0.05 * trueS);
      const onCpu = lines.filter(({ frames }) => !/^\[(off CPU|preempted)\]$/.test(frames.at(-1)!));
      assertAlmostEquals(totalS(onCpu) * shareOf(onCpu, "main"), 0.35, 0.02);
      assert(!notes.some((note: string) => note.includes("CPU time were not sampled")));
    }
  },
  LIMIT_S,
  NOT_ROOT,
);

endToEnd("a program that ends in 10 ms has its functions, and no shares", (dir) => {
  const user = userIn(dir);
  functionsOf(dir, user, "cc -O2 -o app PROGRAMS/shares.c", { args: ["10"] });
  const out = user.joulemark(["run", "--functions", "--", "./app", "10"]);
  assertMatch(out.stderr, /^\d+ samples? at 199 Hz; too few samples for shares$/m);
  const { functions } = reportOf(dir);
  assertEquals(functions["complete (%)"], NaN);
}, LIMIT_S);

endToEnd("the report and the summary have the functions with most time", (dir) => {
  const user = userIn(dir);
  functionsOf(dir, user, "cc -O2 -g -o app PROGRAMS/shares.c");
  const { functions, confinement } = reportOf(dir);
  const [first, second] = functions.list;
  assertEquals([first.function, second.function], ["heavy", "light"]);
  assertMatch(first.module, /\/app$/);
  assertMatch(first.file, /\/shares\.c$/);
  assert(first.line > 7 && first.line < 13, `${first.line}`);
  assertEquals([functions.event, functions["rate (Hz)"]], ["cpu-clock", 199]);
  const all = functions.list.reduce((sum: number, row: Record<string, number>) => {
    return sum + row["self-time (s)"];
  }, 0);
  assertAlmostEquals(all, functions["cpu-time (s)"], 1e-3);
  assert(functions["complete (%)"] > 95);
  assertEquals(confinement.paths.read.includes("/"), true);
  const summary = user.joulemark(["run", "--functions", "--", "./app"]).stderr;
  assertMatch(
    summary,
    /^function +own time +share +module\nheavy +[\d.]+ m?s +[\d.]+ % {2}app\nlight /m,
  );
  assertMatch(summary, /^\d+ samples at 199 Hz.*; stacks \d+ % complete$/m);
}, LIMIT_S);

endToEnd("stacks for pprof, speedscope and readers of perf script", (dir) => {
  const files = ["--pprof", "p.pb.gz", "--speedscope", "s.json", "--perf-script", "s.txt"];
  const lines = functionsOf(dir, userIn(dir), "cc -O2 -o app PROGRAMS/shares.c", {
    options: files,
  });
  const { profiles, shared } = JSON.parse(Deno.readTextFileSync(`${dir}/s.json`));
  assertAlmostEquals(profiles[0].endValue, totalS(readFolded(`${dir}/f`)), 1e-3);
  assert(shared.frames.some(({ name }: { name: string }) => name === "heavy"));
  const samples = Deno.readTextFileSync(`${dir}/s.txt`).split("\n\n").slice(0, -1);
  assertEquals(samples.length, lines.reduce((sum, { samples }) => sum + samples, 0));
  assertMatch(samples[0], /^\w+ \d+\/\d+ \[\d{3}\] \d+\.\d{6}: 5025126 cpu-clock:\n\t +[0-9a-f]+ /);
  const packed = Deno.readFileSync(`${dir}/p.pb.gz`);
  assertEquals([...packed.subarray(0, 2)], [0x1f, 0x8b]);
}, LIMIT_S);

/** Ways to compress debug information; a tool may not have all of them. */
const COMPRESSIONS = [
  "-gz=none",
  "-gz=zlib",
  "-gz=zlib-gnu",
  "objcopy --compress-debug-sections=zstd",
];

endToEnd("compressed debug information has the same lines and inlined functions", (dir) => {
  const user = userIn(dir), source = `${PROGRAMS}inlined.c`;
  const listOf = () => {
    const { functions, notes = [] } = reportOf(dir);
    const [{ function: name, file, line }] = functions.list;
    return { row: [name, file, line > 9 && line < 19], notes: JSON.stringify(notes) };
  };
  for (const way of COMPRESSIONS) {
    const [flag, then] = way.startsWith("-") ? [way, ":"] : ["", `${way} app`];
    const build = `cc -O2 -g ${flag} -o app ${source} && ${then}`;
    if (!succeeds("sh", "-c", build.replaceAll("app", `${dir}/tried`))) continue;
    const lines = functionsOf(dir, user, build);
    assert(shareOf(lines, "main", "outer", "twice_[i]") > 0.9, way);
    const { row, notes } = listOf();
    assertEquals(row, ["twice_[i]", source, true], way);
    assert(!notes.includes("lines and inlined"), notes);
  }
  // The section claims 10 GB.
  const bytes = Deno.readFileSync(`${dir}/app`), file = openElf(memoryReader(bytes), OWN_MACHINE);
  assert(!("refused" in file));
  const info = file.sections.find(({ name, flags }) => name === ".debug_info" && flags === 0x800);
  if (info === undefined) return;
  new DataView(bytes.buffer).setBigUint64(info.offset + 8, 10n ** 10n, true);
  Deno.writeFileSync(`${dir}/app`, bytes);
  const lines = functionsOf(dir, user, ":");
  assert(shareOf(lines, "main", "outer") > 0.9 && shareOf(lines, "twice_[i]") === 0);
  assertMatch(
    listOf().notes,
    /lines and inlined functions of [^ ]*app are missing: section \.debug_info is too large/,
  );
}, LIMIT_S);

endToEnd(
  "perf script's text has threads by their names, and the kernel's functions where it may be sampled",
  (dir) => {
    const names = `printf '#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
void heavy(long);
static void *worker(void *none) {
  prctl(PR_SET_NAME, "worker/1");
  heavy(200000000);
  return none;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  for (int i = 0; i < 100000; i++) fflush((fputc(1, stderr), stderr));
  puts("done");
  return 3;
}' > app.c
    cc -O2 -pthread -Dmain=other -c -o shares.o PROGRAMS/shares.c && cc -O2 -pthread -o app app.c shares.o`;
    const options = ["--perf-script", "s.txt"];
    functionsOf(dir, userIn(dir, Deno.uid() === 0 ? "root" : "plain user"), names, { options });
    const text = Deno.readTextFileSync(`${dir}/s.txt`);
    const samples = text.split("\n\n").filter((sample) => / heavy\+0x/.test(sample));
    assert(samples.length > 10);
    for (const sample of samples) assertMatch(sample, /^worker\/1 \d+\/\d+ \[/);
    assert(!/_\[[ki]\]/.test(text));
    if (Deno.uid() !== 0) return;
    assertMatch(text, /^\tffffffff[0-9a-f]{8} \w[\w.]*\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)$/m);
  },
  LIMIT_S,
);

/** Open MPI for any user on any machine. */
const MPI = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

endToEnd(
  "ranks below and above a launcher are sampled, and a note counts those that are not",
  (dir) => {
    compile("e2e/programs/functions/recursion.c", `${dir}/app`, ["-O1"]);
    const run = ["run", "--functions", "--folded", "f"], launch = ["mpirun", "-n", "2"];
    joulemark(dir, [...run, "--", ...launch, "./app"], MPI);
    assert(shareOf(readFolded(`${dir}/f`), "app", "main", "down", "bottom") > 0.5);
    assertEquals(reportOf(dir).functions.list[0].function, "bottom");
    const one = totalS(readFolded(`${dir}/f`)) / 2;
    const launched = (...command: string[]) => {
      const args = [...launch.slice(1), ...command];
      const { stderr } = new Deno.Command("mpirun", { args, cwd: dir, env: MPI }).outputSync();
      return new TextDecoder().decode(stderr).replaceAll(/\s+/g, " ");
    };
    // One monitor samples both: the second process hands its events over before it begins.
    assert(!launched(BINARY, ...run, "--", "./app").includes("were not sampled"));
    const both = readFolded(`${dir}/f`);
    assertAlmostEquals(totalS(both) / one, 2, 0.7);
    assert(shareOf(both, "app", "main", "down", "bottom") > 0.5);
    // Without descriptors it cannot.
    const script = 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then sleep 0.5; ulimit -n 7; fi; exec "$@"';
    const text = launched("sh", "-c", script, "sh", BINARY, ...run, "--", "./app");
    assertMatch(text, /functions of 1 other process of this launch were not sampled/);
  },
  LIMIT_S,
  unless(succeeds("mpirun", "--version"), "no mpirun"),
);

/** The simulated node of the programs with powers. */
const NODE = {
  preset: "rapl",
  blind: true,
  truth: "truth.json",
  packages: 1,
  coresPerPackage: 512,
  idleW: 20,
  regions: { heavy: 60, middle: 30, light: 10 },
};

endToEnd(
  "functions have energies, which add up to the counter's with what is not running",
  (dir) => {
    const user = userIn(dir);
    Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(NODE));
    joulemark(dir, ["client", "c"]);
    const options = ["--simulate=node.json", "--report", "r", "--record", "rec", "--pprof", "p"];
    functionsOf(dir, user, "cc -O2 -I. -o app PROGRAMS/powers.c -lpthread -ldl", { options });
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`), "r").hosts;
    // Marks drive the power alone, and the node says what it was.
    assertEquals(host.regions ?? [], []);
    const truth = JSON.parse(Deno.readTextFileSync(`${dir}/truth.json`)).package[0];
    assertEquals(Object.keys(truth.regions).sort(), ["heavy", "light", "middle"]);
    assert(truth.regions.heavy.joules > truth.regions.middle.joules);
    const { energy, list } = host.joulemark!.functions as unknown as {
      energy: { package: Record<string, number> };
      list: Record<string, number | string>[];
    };
    assertAlmostEquals(
      energy.package["total (J)"],
      Number(host.application["package-energy (J)"]),
      0.02 * energy.package["total (J)"],
    );
    const of = (name: string) => list.find((row) => row.function === name)!;
    const own = (name: string) => Number(of(name)["package-energy (J)"]);
    const power = (name: string) => own(name) / Number(of(name)["self-time (s)"]);
    // On a machine that others use too it may be too inaccurate, which has a reason.
    const error = Number(of("heavy")["package-energy-se (J)"]), isKnown = own("heavy") > 0;
    if (!isKnown) assert(of("heavy")["package-energy not determined"], JSON.stringify(of("heavy")));
    else assert(error > 0 && error < 0.1 * own("heavy"), JSON.stringify(of("heavy")));
    // Beside busy neighbours a function that is interrupted draws power without CPU time.
    if (isKnown) assert(power("heavy") > 40 && power("heavy") < 250, String(power("heavy")));
    if (isKnown && own("middle") > 0) assert(power("middle") < 0.85 * power("heavy"));
    const main = Number(of("main")["total-package-energy (J)"]);
    const rest = energy.package["not running (J)"];
    if (rest > 0 && main > 0) {
      assertAlmostEquals(main + rest, energy.package["total (J)"], 0.05 * main);
    }
    if (isKnown) assert(main > own("heavy"));
    if (main > 0) assert(main <= 1.01 * energy.package["total (J)"]);
    // The same figures in the folded stacks.
    const lines = Deno.readTextFileSync(`${dir}/f`).split("\n");
    assertEquals(
      lines[1],
      "# stack\ttime(ns)\tsamples(count)\tpackage(uJ)\tpackage-se(uJ)\tdram(uJ)\tdram-se(uJ)",
    );
    const folded = lines.filter((line) => /;heavy\t/.test(line));
    const sum = folded.reduce((sum, line) => sum + Number(line.split("\t")[3]), 0);
    if (isKnown) assertAlmostEquals(sum / 1e6, own("heavy"), 1e-4 * own("heavy"));
    else assertEquals(sum, NaN);
    assertEquals(joulemark(dir, ["replay", "--functions", "--folded", "g", "-q", "rec"]).code, 0);
    assertEquals(Deno.readTextFileSync(`${dir}/g`), Deno.readTextFileSync(`${dir}/f`));
    const summary = joulemark(dir, ["show", "r"]).stdout;
    assertMatch(summary, /^function +own time +share +package \(J\) +module$/m);
    if (isKnown) assertMatch(summary, /^heavy +[\d.]+ m?s +[\d.]+ % +[\d.]+ ± [\d.]+ +app$/m);
  },
  LIMIT_S,
);

asEachUser("time off the CPU is by stack, of a user that may not sample the kernel by process", (
  dir,
  user,
) => {
  const files = ["--pprof", "p", "--speedscope", "s"];
  const options = ["--off-cpu", "--record", "rec", "--report", "r", ...files];
  const build = "cc -O2 -pthread -o app PROGRAMS/waits.c";
  const lines = functionsOf(dir, user, build, { options });
  const off = lines.filter(({ frames }) => frames.at(-1) === "[off CPU]");
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/r`), "r").hosts;
  const facts = host.joulemark!.functions as Record<string, number> & {
    "off CPU": { function: string; times: number }[];
  };
  assertAlmostEquals(facts["off CPU (s)"], totalS(off), 1e-3);
  const { profiles } = JSON.parse(Deno.readTextFileSync(`${dir}/s`));
  const waits = profiles.find(({ name }: { name: string }) => name === "off CPU");
  assertAlmostEquals(waits.endValue, facts["off CPU (s)"] + facts["preempted (s)"], 1e-3);
  // Two threads for a second, and one while the other computes.
  assert(totalS(off) > 2 && totalS(off) < 5, String(totalS(off)));
  const isSeen = off.some(({ frames }) => frames.includes("waits"));
  // A plain user may sample the kernel on some machines.
  if (user.name === "root") assert(isSeen);
  if (isSeen) {
    const asleep = off.filter(({ frames }) => frames.includes("waits"));
    assertAlmostEquals(totalS(asleep), 1, 0.3);
    assertEquals(asleep.reduce((sum, { samples }) => sum + samples, 0), 20);
    assert(shareOf(off, "app", "start_thread", "reads") > 0.3);
  } else assertEquals(facts["off CPU"].map((row) => row.function), ["app"]);
  const again = user.joulemark(["replay", "--off-cpu", "--folded", "g", "-q", "rec"]);
  assertEquals(again.code, 0, again.stderr);
  assertEquals(Deno.readTextFileSync(`${dir}/g`), Deno.readTextFileSync(`${dir}/f`));
}, LIMIT_S);

endToEnd(
  "a command that began before the monitor was ready is sampled from then on, with a note",
  (dir) => {
    joulemark(dir, ["client", "c"]);
    compile("e2e/programs/functions/shares.c", `${dir}/plain`, ["-O2"]);
    compile("e2e/programs/functions/powers.c", `${dir}/marked`, ["-O2", `-I${dir}`, "-pthread"]);
    const noteIn = (path: string) => {
      const notes: string[] = reportOf(dir, path).notes ?? [];
      return notes.find((note) => /^the command began [\d.]+ s before the monitor/.test(note)) ??
        "";
    };
    // The guardian waits for a second.
    const late = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=perf_event_open", "-e"];
    const fault = "inject=perf_event_open:delay_enter=1300000:when=1";
    const options = ["--functions", "--folded", "f", "--record=rec", "--report=r"];
    for (const command of [["./plain", "3000"], ["./marked", "3"]]) {
      const args = [...late, fault, BINARY, "run", ...options, "--", ...command];
      const out = new Deno.Command("strace", { args, cwd: dir }).outputSync();
      const { processes } = reportOf(dir, "r"), text = new TextDecoder().decode(out.stderr);
      assertEquals([out.code, processes.count], [3, 1], text);
      const note = noteIn("r");
      assertMatch(note, /the monitor was ready\./, text);
      const lines = readFolded(`${dir}/f`);
      assert(shareOf(lines, "main", "work", "heavy") + shareOf(lines, "both", "heavy") > 0.4);
      const again = joulemark(dir, ["replay", "-q", "--functions", "--report=again", "rec"]);
      assertEquals(again.code, 0, again.stderr);
      assertEquals(noteIn("again"), note);
    }
  },
  LIMIT_S,
  NO_STRACE,
);

endToEnd(
  "one line says why waiting threads have no stacks",
  (dir) => {
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    const trace = ["-f", "-o", "calls", "-e", "trace=perf_event_open"];
    const run = (...inject: string[]) => {
      const command = [BINARY, "run", "-q", "--off-cpu", "--folded", "f", "--", "./app", "50"];
      const out = new Deno.Command("strace", { args: [...trace, ...inject, ...command], cwd: dir })
        .outputSync();
      assertEquals(out.code, 3);
      return new TextDecoder().decode(out.stderr);
    };
    assert(!run().includes("no stacks of waiting threads"));
    const calls = Deno.readTextFileSync(`${dir}/calls`).split("\n").filter((line) => {
      return line.includes("perf_event_open(");
    });
    const first = calls.findIndex((line) => /SW_CONTEXT_SWITCHES, sample_period=1,/.test(line));
    if (first < 0) return;
    // A tracer counts the calls of each thread.
    const [thread] = calls[first].split(" ");
    const before = calls.slice(0, first).filter((line) => line.startsWith(`${thread} `)).length;
    const text = run("-e", `inject=perf_event_open:error=EMFILE:when=${before + 1}`);
    const line =
      "joulemark: no stacks of waiting threads: too few free file descriptors. Raise ulimit " +
      "-n. Only the waiting time of each process is shown";
    assertEquals(text.split("\n").filter((one) => one.startsWith("joulemark: no ")), [line]);
    assert(readFolded(`${dir}/f`).some(({ frames }) => frames.at(-1) === "heavy"));
  },
  LIMIT_S,
  NO_STRACE ?? NOT_ROOT,
);

endToEnd("a recording that was truncated has its samples, without names", (dir) => {
  const user = userIn(dir), options = ["--record", "rec"];
  functionsOf(dir, user, "cc -O2 -o app PROGRAMS/shares.c", { options });
  const yaml = Deno.readTextFileSync(`${dir}/rec/recording.yaml`);
  assertMatch(yaml, /^format: joulemark-recording\/3\nfeatures:\s+(- |\[)"?functions/);
  Deno.removeSync(`${dir}/rec/function-names.jsonl`);
  const cut = user.joulemark(["replay", "--folded", "cut", "rec"]);
  assertEquals(cut.code, 0, cut.stderr);
  const frames = readFolded(`${dir}/cut`)[0].frames;
  assertEquals(frames[0], "app");
  assertMatch(frames.at(-1)!, /^\[app\+0x[0-9a-f]+\]$/);
  assertMatch(cut.stderr, /functions of rec have no names: the recording is truncated/);
  const [head] = Deno.readTextFileSync(`${dir}/rec/functions.jsonl`).split("\n");
  Deno.writeTextFileSync(`${dir}/rec/functions.jsonl`, head + '\n["stack",5,9,0,0]\n');
  const wrong = user.joulemark(["replay", "--folded", "wrong", "rec"]);
  assertEquals(wrong.code, 2);
  assertMatch(wrong.stderr, /functions\.jsonl:2/);
  Deno.removeSync(`${dir}/rec/functions.jsonl`);
  const none = user.joulemark(["replay", "--folded", "none", "--quiet", "rec"]);
  assertEquals(none.code, 0);
  assertMatch(none.stderr, /no functions: rec was recorded without --functions/);
}, LIMIT_S);

endToEnd(
  "a command runs without functions if the kernel refuses to sample and no library can be built",
  (dir) => {
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    compile("e2e/programs/without_perf.c", `${dir}/without_perf`, []);
    const call = "perf_event_open",
      env = { HOME: dir, XDG_CACHE_HOME: "", PATH: "/nowhere", CC: "" };
    for (const [errno, line] of [["13", "kernel.perf_event_paranoid=2"], ["38", call]]) {
      const args = [
        errno,
        BINARY,
        "run",
        "-q",
        "--functions",
        "--folded",
        "f",
        "--",
        "./app",
        "20",
      ];
      const out = new Deno.Command(`${dir}/without_perf`, { args, cwd: dir, env }).outputSync();
      const stderr = new TextDecoder().decode(out.stderr);
      assertEquals([out.code, new TextDecoder().decode(out.stdout)], [3, "done\n"], stderr);
      assertMatch(stderr, /^joulemark: .*preload library.*none of cc/m);
      assertMatch(stderr, new RegExp(`^joulemark: no functions: .*${line}`, "m"));
      assertEquals(typeof reportOf(dir).functions.absent, "string");
    }
    assertEquals([...Deno.readDirSync(dir)].filter(({ name }) => name === "f"), []);
  },
  LIMIT_S,
);

asEachUser("a file that cannot be written is refused before the command starts", (dir, user) => {
  Deno.writeTextFileSync(`${dir}/text`, "");
  const places = { "nowhere/f": "no such directory", ".": "is a directory", "text/f": "not a dir" };
  for (const option of ["--folded", "--pprof", "--speedscope", "--perf-script"]) {
    for (const [place, why] of Object.entries(places)) {
      const out = user.joulemark(["run", "-q", option, place, "--", "touch", "ran"]);
      assertEquals([out.code, out.stdout], [2, ""], out.stderr);
      assertMatch(out.stderr, /^joulemark run: cannot write [^\n]*\n$/);
      assert(out.stderr.includes(`"${place}": ${why}`), out.stderr);
    }
  }
  const made = [...Deno.readDirSync(dir)].map(({ name }) => name);
  assertEquals(made.filter((name) => !["text", "joulemark"].includes(name)), []);
}, LIMIT_S);

endToEnd("a rate or a size that cannot be is refused before the command starts", (dir) => {
  const user = userIn(dir);
  for (const rate of ["0", "5000", "x", "1e3", "0x10", " 9", "9.0", "-1", ""]) {
    const out = user.joulemark(["run", `--functions=${rate}`, "--", "touch", "ran"]);
    assertEquals(out.code, 2);
    const why = rate === "" ? ".*without a value" : `${rate}".*a whole number from 1 to 4999`;
    assertMatch(out.stderr, new RegExp(`--functions=${why}`));
  }
  const missing = user.joulemark([
    "run",
    "--functions",
    "--debuginfo=nowhere",
    "--",
    "touch",
    "ran",
  ]);
  assertEquals(missing.code, 2);
  assertMatch(missing.stderr, /--debuginfo=nowhere": expected a directory with debug files/);
  const out = user.joulemark(["run", "--functions", "--stack-bytes", "4097", "--", "touch", "ran"]);
  assertEquals([out.code, out.stdout], [2, ""]);
  assertMatch(out.stderr, /from 4096 to 65528, a multiple of 8/);
  assertEquals([...Deno.readDirSync(dir)].filter(({ name }) => name === "ran"), []);
}, LIMIT_S);

endToEnd("a run without functions has no other open paths", (dir) => {
  const out = userIn(dir).joulemark(["run", "-q", "--", "true"]);
  assertEquals(out.code, 0, out.stderr);
  const { functions, confinement } = reportOf(dir);
  assertEquals(functions, undefined);
  assertEquals(confinement.paths.read?.includes("/") ?? false, false);
}, LIMIT_S);
