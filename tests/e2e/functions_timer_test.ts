/** `run --functions` where the kernel refuses to sample: threads sample themselves, by a timer. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { compile } from "../_support/compiled.ts";
import {
  BY_TIMER,
  EACCES,
  ERROR,
  functionsIn,
  functionsOf as sampledFunctions,
  PROGRAMS,
  refused,
  reportOf,
  type Way,
} from "../_support/function_ways.ts";
import { type FoldedLine, readFolded, shareOf, totalS } from "../_support/folded.ts";
import { type User, userIn } from "../_support/plain_user.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";
import { NO_STRACE } from "../_support/strace.ts";

const LIMIT_S = 120;
const ENOSYS = "38";

/** A first run takes all memory only with the usual limit: a ring of 512 KiB and its page for each CPU. */
const NO_MEMORY_FOR_TWO = unless(
  succeeds("sh", "-c", '[ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" = 516 ]') &&
    succeeds("sh", "-c", '[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ]') &&
    succeeds("prlimit", "--version"),
  "perf has another limit of memory",
);

function prepared(dir: string): User {
  compile("e2e/programs/without_perf.c", `${dir}/without_perf`, []);
  return userIn(dir);
}

/** Functions that a timer samples. */
function functionsOf(
  dir: string,
  user: User,
  build: string,
  more: { way?: Way; args?: string[]; options?: string[]; printed?: string } = {},
): FoldedLine[] {
  return sampledFunctions(dir, Object.assign({ way: BY_TIMER, user, build }, more));
}

/** A program that is built and run by a plain user. */
function program(
  name: string,
  build: string,
  check: (lines: FoldedLine[], dir: string) => void,
  args: string[] = [],
  missing?: string,
): void {
  endToEnd(
    `functions by a timer: ${name}`,
    (dir) => check(functionsOf(dir, prepared(dir), build, { args }), dir),
    LIMIT_S,
    missing,
  );
}

endToEnd("a timer samples also if the kernel does not have perf_event_open(2)", (dir) => {
  const user = prepared(dir), build = "cc -O2 -o app PROGRAMS/shares.c";
  const way: Way = {
    event: "timer",
    mostHz: BY_TIMER.mostHz,
    run: (dir, user, args) => refused(dir, user, args, { errno: ENOSYS }),
  };
  const lines = functionsOf(dir, user, build, { way });
  assertAlmostEquals(shareOf(lines, "app", "main", "work", "heavy"), 0.75, ERROR);
}, LIMIT_S);

endToEnd(
  "a timer samples if another run of this user has used up the memory for perf",
  (dir) => {
    const user = prepared(dir),
      wait = "for i in $(seq 600); do [ -e $0 ] && break; sleep 0.1; done";
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    const script = `
      ${user.binary} run -q --functions --report first.report -- sh -c 'touch begun; ${wait}' over &
      sh -c '${wait}' begun
      ${user.binary} run -q --functions -- ./app
      touch over
      wait`;
    const [program, ...words] = [...user.become, "prlimit", "--memlock=0", "sh", "-c", script];
    const out = new Deno.Command(program, { args: words, cwd: dir, stdin: "null" }).outputSync();
    assertEquals(new TextDecoder().decode(out.stdout), "done\n");
    assertEquals(functionsIn(dir, "first.report").event, "cpu-clock");
    assertEquals(functionsIn(dir).event, "timer", new TextDecoder().decode(out.stderr));
  },
  LIMIT_S,
  NO_MEMORY_FOR_TWO,
);

program(
  "threads of C11",
  `printf '#include <stdio.h>
#include <threads.h>
void heavy(long);
static int worker(void *none) {
  heavy(300000000);
  return none == 0 ? -7 : 0;
}
int main(void) {
  thrd_t thread;
  int result = 0;
  thrd_create(&thread, worker, 0);
  thrd_join(thread, &result);
  if (result == -7) puts("done");
  return 3;
}' > app.c
    cc -O2 -Dmain=other -c -o shares.o PROGRAMS/shares.c && cc -O2 -pthread -o app app.c shares.o`,
  (lines) => assert(shareOf(lines, "app", "worker", "heavy") > 0.9),
  [],
  unless(succeeds("sh", "-c", "echo '#include <threads.h>' | cc -E -o /dev/null -"), "no C11"),
);

program(
  "programs that a shell starts",
  `cc -O2 -o one PROGRAMS/shares.c && cc -O2 -o two PROGRAMS/recursion.c &&
    printf '#!/bin/sh\\n./one >/dev/null; ./two >/dev/null; exec ./one\\n' >app && chmod +x app`,
  (lines) => {
    assertAlmostEquals(
      shareOf(lines, "one", "main", "work", "heavy") / shareOf(lines, "one"),
      0.75,
      ERROR,
    );
    assert(shareOf(lines, "two", "main", "down", "bottom") > 0.05);
  },
);

program(
  "a stack that the program allocated itself",
  `printf '#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
void heavy(long);
static ucontext_t back, there;
static void inside(void) { heavy(400000000); heavy(1); }
int main(void) {
  getcontext(&there);
  there.uc_stack.ss_size = 16384;
  there.uc_stack.ss_sp = mmap(0, 16384, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  there.uc_link = &back;
  makecontext(&there, inside, 0);
  swapcontext(&back, &there);
  puts("done");
  return 3;
}' > app.c
    cc -O2 -Dmain=other -c -o shares.o PROGRAMS/shares.c && cc -O2 -o app app.c shares.o`,
  (lines) => assert(shareOf(lines, "app", "inside", "heavy") > 0.9),
);

const NO_MPI = unless(succeeds("mpirun", "--version"), "no mpirun");

endToEnd(
  "ranks below and above a launcher are sampled by timers",
  (dir) => {
    prepared(dir);
    compile("e2e/programs/functions/recursion.c", `${dir}/app`, ["-O1"]);
    const env = {
      OMPI_ALLOW_RUN_AS_ROOT: "1",
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
      OMPI_MCA_rmaps_base_oversubscribe: "1",
    };
    const run = [BINARY, "run", "-q", "--functions", "--folded", "f", "--"];
    const launch = ["mpirun", "-n", "2"];
    for (const args of [[...run, ...launch, "./app"], [...launch, ...run, "./app"]]) {
      const words = [EACCES, ...args];
      const out = new Deno.Command("./without_perf", { args: words, cwd: dir, env }).outputSync();
      const stderr = new TextDecoder().decode(out.stderr);
      assert(!stderr.includes("not sampled"), stderr);
      const ranks = readFolded(`${dir}/f`).filter(({ frames }) => frames[0] === "app");
      assertEquals(functionsIn(dir).event, "timer");
      assert(shareOf(ranks, "app", "main", "down", "bottom") > 0.8);
      assert(totalS(ranks) > 0.6, String(totalS(ranks)));
    }
  },
  LIMIT_S,
  NO_MPI,
);

program(
  "a program with AddressSanitizer and arrays on its stack",
  "cc -O1 -g -fsanitize=address -o app PROGRAMS/arrays.c",
  (lines) => assert(shareOf(lines, "main", "work", "heavy") > 0.9),
  [],
  unless(
    succeeds("sh", "-c", "echo 'int main(){}' | cc -xc -fsanitize=address -o /dev/null -"),
    "no AddressSanitizer",
  ),
);

const NAMESPACE = "unshare -rpf --mount-proc";

program(
  "a process of a namespace with numbers of its own",
  `cc -O2 -o it PROGRAMS/shares.c &&
    printf '#!/bin/sh\nexec ${NAMESPACE} sh -c "./it; exit 3"\n' >app && chmod +x app`,
  (lines) => assertAlmostEquals(shareOf(lines, "it", "main", "work", "heavy"), 0.75, ERROR),
  [],
  unless(succeeds("sh", "-c", `${NAMESPACE} true`), "no namespaces"),
);

endToEnd("no call of a program that is sampled by a timer is interrupted", (dir) => {
  const build = "cc -O2 -o app PROGRAMS/no_eintr.c", printed = "interrupted 0\ndone\n";
  const lines = functionsOf(dir, prepared(dir), build, { printed });
  assert(shareOf(lines, "app", "main", "heavy") > 0.1);
}, LIMIT_S);

for (const way of ["handlers", "waiting", "descriptor", "one-by-one"]) {
  endToEnd(`a program has all signals of its own beside the timer: ${way}`, (dir) => {
    const user = prepared(dir), build = "cc -O2 -pthread -o app PROGRAMS/takes_signals.c";
    const lines = functionsOf(dir, user, build, { args: [way] });
    if (way === "waiting") assert(shareOf(lines, "waits", "heavy") > 0.8);
    const { notes } = reportOf(dir), isTaken = ["handlers", "one-by-one"].includes(way);
    assertEquals(
      /its own handler for the signal of the timers/.test(JSON.stringify(notes ?? [])),
      isTaken,
    );
  }, LIMIT_S);
}

program(
  "a stack for signals that is too small for the sampler",
  "cc -O2 -pthread -o app PROGRAMS/small_stack.c",
  (lines) => assert(shareOf(lines, "work", "heavy") > 0.9),
);

program(
  "a program that restricts its system calls",
  "cc -O2 -o app PROGRAMS/restricts.c",
  (lines, dir) => {
    assert(shareOf(lines, "main", "heavy") > 0.9);
    assert(/restricted its own rights/.test(JSON.stringify(reportOf(dir).notes)));
  },
);

endToEnd("a program that restricts its system calls at its begin", (dir) => {
  const user = prepared(dir);
  compile("e2e/programs/functions/restricts.c", `${dir}/app`, ["-O2"]);
  const out = refused(dir, user, ["run", "--functions", "--", "./app", "late"]);
  assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
  assert(/restricted\s+its\s+own\s+rights/.test(out.stderr), out.stderr);
}, LIMIT_S);

const LIMITS = ["fsize=65536", "nofile=4", "sigpending=0", "memlock=0", "as=8000000", "nproc=1"];

for (const limit of LIMITS) {
  endToEnd(
    `a program with the limit ${limit} ends as it would alone`,
    (dir) => {
      const user = prepared(dir), command = ["prlimit", `--${limit}`, "./app", "300"];
      compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
      const out = refused(dir, user, ["run", "-q", "--functions", "--", ...command]);
      assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
    },
    LIMIT_S,
    unless(succeeds("prlimit", "--version"), "no prlimit"),
  );
}

endToEnd("a signal that nobody handles ends a program that is sampled by a timer", (dir) => {
  const user = prepared(dir);
  compile("e2e/programs/functions/takes_signals.c", `${dir}/app`, ["-O2", "-pthread"]);
  const run = `./without_perf ${EACCES} ${user.binary} run -q --functions -- ./app killed`;
  const [program, ...words] = [...user.become, "sh", "-c", `${run}; echo $?`];
  const out = new Deno.Command(program, { args: words, cwd: dir, stdin: "null" }).outputSync();
  assertEquals(new TextDecoder().decode(out.stdout), `${128 + 59}\n`);
  assertEquals(functionsIn(dir).event, "timer");
}, LIMIT_S);

/** Script that builds ./app of so many threads, each with 20 ms of work. */
function buildThreads(count: number): string {
  return `printf '#include <pthread.h>
#include <stdio.h>
void heavy(long);
static void *work(void *none) {
  heavy(20000000);
  return none;
}
int main(void) {
  pthread_t threads[${count}];
  for (int i = 0; i < ${count}; i++) pthread_create(threads + i, 0, work, 0);
  for (int i = 0; i < ${count}; i++) pthread_join(threads[i], 0);
  puts("done");
  return 3;
}' > app.c && cc -O2 -Dmain=other -c -o shares.o ${PROGRAMS}shares.c &&
    cc -O2 -pthread -o app app.c shares.o`;
}

/** System calls of the library, and how often it makes each in a program of two threads. */
const CALLS: Readonly<Record<string, number>> = {
  timer_create: 3,
  timer_settime: 3,
  timer_delete: 3,
  fallocate: 3,
  flock: 6,
  madvise: 3,
  rt_sigaction: 8,
  prctl: 4,
  getrlimit: 1,
  prlimit64: 3,
  access: 2,
  openat: 12,
};

endToEnd(
  "a program ends as it would alone, whichever call of the timer's library fails",
  (dir) => {
    joulemark(dir, ["client", "preload", "--dir", "jm"]);
    const build = "cc -O2 -std=gnu99 -fPIC -shared -o timer.so jm/core.c jm/timer.c -ldl";
    const script = `${build} && ${buildThreads(2)}`;
    new Deno.Command("sh", { args: ["-c", script], cwd: dir }).outputSync();
    const run = (fault: string[], isRead = true) => {
      const place = `${dir}/session/timer`;
      Deno.mkdirSync(place, { recursive: true });
      using monitor = Deno.openSync(place);
      if (isRead) monitor.lockSync(true);
      const variables = {
        LD_PRELOAD: `${dir}/timer.so`,
        JOULEMARK_SESSION: `${dir}/session`,
        JOULEMARK_TIMER: "5000000 16384",
      };
      const set = Object.entries(variables).flatMap(([name, value]) => ["-E", `${name}=${value}`]);
      const args = ["-f", "-qq", "-o", "/dev/null", ...set, ...fault, "./app"];
      const out = new Deno.Command("strace", { args, cwd: dir }).outputSync();
      const rings = [...Deno.readDirSync(place)].length;
      Deno.removeSync(`${dir}/session`, { recursive: true });
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { ended: [out.code, text(out.stdout), text(out.stderr)], rings };
    };
    const alone = [3, "done\n", ""];
    const whole = run(["-e", "trace=timer_create"]);
    assertEquals(whole.ended, alone);
    assert(whole.rings >= 1, String(whole.rings));
    // Nobody would remove the rings.
    assertEquals(run(["-e", "trace=timer_create"], false), { ended: alone, rings: 0 });
    for (const [call, count] of Object.entries(CALLS)) {
      for (let nth = 1; nth <= count; nth++) {
        // Libraries of the program are opened before.
        const when = call === "openat" ? nth + 3 : nth;
        const fault = `inject=${call}:error=ENOMEM:when=${when}`;
        assertEquals(run(["-e", `trace=${call}`, "-e", fault]).ended, alone, fault);
      }
    }
  },
  2 * LIMIT_S,
  NO_STRACE,
);

const POWERS = "cc -O2 -I. -o app PROGRAMS/powers.c -lpthread -ldl";

endToEnd("functions by a timer have energies, or the reason why not", (dir) => {
  const user = prepared(dir);
  const node = {
    preset: "rapl",
    blind: true,
    packages: 1,
    coresPerPackage: 512,
    idleW: 20,
    regions: { heavy: 60, middle: 30, light: 10 },
  };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(node));
  functionsOf(dir, user, POWERS, { options: ["--simulate=node.json"] });
  const { energy, list } = functionsIn(dir);
  assert(energy.package["total (J)"] > 0);
  const of = (name: string) => list.find((row: Record<string, string>) => row.function === name);
  const heavy = of("heavy"), ownJ = heavy["package-energy (J)"];
  if (!(ownJ > 0)) assert(heavy["package-energy not determined"], JSON.stringify(heavy));
  else {
    assert(heavy["package-energy-se (J)"] < 0.1 * ownJ);
    assert(ownJ / heavy["self-time (s)"] > 40, JSON.stringify(heavy));
  }
}, LIMIT_S);

endToEnd("a note counts threads whose rings have no descriptor", (dir) => {
  const user = prepared(dir);
  const script = `${buildThreads(100)} && ulimit -n 200 &&
    exec ./without_perf ${EACCES} ${user.binary} run --functions -- ./app`;
  const [program, ...words] = [...user.become, "sh", "-c", script];
  const out = new Deno.Command(program, { args: words, cwd: dir, stdin: "null" }).outputSync();
  const stderr = new TextDecoder().decode(out.stderr);
  assertEquals([out.code, new TextDecoder().decode(out.stdout)], [3, "done\n"], stderr);
  assertMatch(stderr, /note: functions of \d+ threads are missing: too few file descriptors/);
  assert(functionsIn(dir).samples > 0);
}, LIMIT_S);

endToEnd("lines say what a timer cannot do", (dir) => {
  const user = prepared(dir);
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
  const run = (...args: string[]) =>
    refused(dir, user, ["run", "-q", ...args]).stderr.replaceAll(/\s+/g, " ");
  const text = run("--functions=4999", "--off-cpu", "--", "./app", "300");
  const { "rate (Hz)": hz, "off CPU (s)": off } = functionsIn(dir);
  assert(hz >= 100 && hz <= 1000);
  assertEquals(off, undefined);
  assertMatch(text, new RegExp(`joulemark: functions are sampled at ${hz} Hz: `));
  assertMatch(text, /joulemark: --off-cpu has no effect: only/);
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2", "-static"]);
  assertMatch(
    run("--functions", "--", "./app"),
    /^joulemark: no functions: timers do not sample static programs/,
  );
  assertMatch(functionsIn(dir).absent, /^timers do not sample static programs/);
  assertMatch(
    run("--preload", "timer", "--", "./app", "1"),
    /--preload timer samples nothing: it needs --functions/,
  );
}, LIMIT_S);

endToEnd("--preload timer samples by a timer where the kernel would sample", (dir) => {
  const user = prepared(dir);
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
  for (const [options, event] of [[["--preload", "timer"], "timer"], [[], "cpu-clock"]] as const) {
    const out = user.joulemark(["run", "-q", "--functions", ...options, "--", "./app", "300"]);
    assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
    assertEquals(functionsIn(dir).event, event);
  }
}, LIMIT_S);
