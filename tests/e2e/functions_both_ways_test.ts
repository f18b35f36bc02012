/** `run --functions`: programs whose functions are the same whether the kernel samples or a timer does. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { type FoldedLine, shareOf, totalS } from "../_support/folded.ts";
import { byEachWay, ERROR, functionsIn, functionsOf, type Way } from "../_support/function_ways.ts";
import { userIn } from "../_support/plain_user.ts";
import { succeeds, unless } from "../_support/skipped.ts";

/** A program that a plain user builds and runs. */
interface Program {
  readonly build: string;
  readonly args?: string[];
  readonly missing?: string;
  check(lines: FoldedLine[], way: Way, dir: string): void;
}

const LIBRARY =
  `printf 'extern void heavy(long); void plug(long n) { heavy(n); heavy(1); }' > plug.c
    cc -O2 -shared -fPIC -Dmain=other -o libplug.so plug.c PROGRAMS/shares.c
    printf '#include <dlfcn.h>
#include <stdio.h>
__attribute__((noinline, noclone)) void before(void) {
  for (volatile long i = 0; i < 100000000; i++);
}
int main(void) {
  before();
  void (*plug)(long) = dlsym(dlopen("./libplug.so", RTLD_NOW), "plug");
  plug(600000000);
  puts("done");
  return 3;
}' > app.c
    cc -O2 -o app app.c -ldl`;

/** Libraries that take each other's place, since they are alike but for a name. */
const IN_TURN = `for name in first third; do
      printf "void \$name(long n) { for (volatile long i = 0; i < n; i++); }" > $name.c
      cc -O2 -shared -fPIC -o lib$name.so $name.c
    done
    printf '#include <dlfcn.h>
#include <stdio.h>
static void call(const char *library, const char *name, long n) {
  void *handle = dlopen(library, RTLD_NOW);
  ((void (*)(long))dlsym(handle, name))(n);
  dlclose(handle);
}
int main(void) {
  for (int k = 0; k < 2; k++) {
    call("./libfirst.so", "first", 300000000);
    call("./libthird.so", "third", 100000000);
  }
  puts("done");
  return 3;
}' > app.c
    cc -O2 -o app app.c -ldl`;

const CASES: Readonly<Record<string, Program>> = {
  "shares of work": {
    build: "cc -O2 -o app PROGRAMS/shares.c",
    check(lines, _way, dir) {
      assertAlmostEquals(shareOf(lines, "app", "main", "work", "heavy"), 0.75, ERROR);
      assertAlmostEquals(shareOf(lines, "app", "main", "work", "light"), 0.25, ERROR);
      assert(shareOf(lines, "app", "_start", "main") > 0.95);
      const { samples, list, lost, ...facts } = functionsIn(dir);
      assertEquals(lost, 0);
      assert(samples > 50 && facts["complete (%)"] > 95);
      assertEquals(facts["rate (Hz)"], 199);
      const names = list.map((row: Record<string, string>) => row.function);
      assertEquals(names.filter((name: string) => !name.startsWith("[")).slice(0, 2), [
        "heavy",
        "light",
      ]);
    },
  },
  threads: {
    build: "cc -O2 -pthread -o app PROGRAMS/threads.c",
    check(lines) {
      assertAlmostEquals(shareOf(lines, "app", "start_thread", "worker", "heavy"), 2 / 3, ERROR);
      assertAlmostEquals(shareOf(lines, "app", "start_thread", "worker", "light"), 1 / 3, ERROR);
      const names = new Set(lines.flatMap(({ frames }) => frames));
      assert(!names.has("started") && !names.has("prepare"), [...names].join(" "));
    },
  },
  "libraries in the place of unloaded ones": {
    build: IN_TURN,
    check(lines) {
      assertAlmostEquals(shareOf(lines, "app", "main", "first"), 0.75, ERROR);
      assertAlmostEquals(shareOf(lines, "app", "main", "third"), 0.25, ERROR);
    },
  },
  "threads that end before their first sample keep their time": {
    build: "cc -O2 -pthread -o app PROGRAMS/threads.c",
    args: ["300"],
    check(lines, { event }) {
      const unseen = lines.filter(({ frames }) => frames.at(-1) === "[short threads]");
      const brief = lines.filter(({ frames }) => frames.includes("brief"));
      // A timer begins with a period of any length.
      assertEquals(brief.length > 0, event === "timer");
      assertAlmostEquals(totalS([...unseen, ...brief]), 0.6, 0.15);
    },
  },
  "many processes": {
    build: "cc -O2 -o app PROGRAMS/forks.c",
    args: ["200"],
    check(lines, { event }) {
      assert(shareOf(lines, "app") > 0.95);
      const child = shareOf(lines, "app", "main", "child");
      assert(child + shareOf(lines, "[short threads]") > 0.8, String(child));
      if (event === "cpu-clock") return;
      assertEquals(new Set(lines.map(({ frames }) => frames[0])), new Set(["app"]));
      assert(child > 0.3, String(child));
    },
  },
  "a library that is opened later": {
    build: LIBRARY,
    check(lines) {
      const later = 1 - shareOf(lines, "main", "before");
      assert(later > 0.5 && shareOf(lines, "main", "plug", "heavy") > 0.9 * later);
    },
  },
  "a script of Python has the functions of its interpreter": {
    build: `printf '#!/bin/sh\\nexec python3 PROGRAMS/shares.py\\n' > app; chmod +x app`,
    missing: unless(succeeds("/usr/bin/python3", "--version"), "no python3"),
    check(lines) {
      assert(shareOf(lines, "Py_RunMain", "_PyEval_EvalFrameDefault") > 0.8);
      assert(shareOf(lines, "[…]") <= 0.05);
    },
  },
};

for (const [name, { build, args = [], missing, check }] of Object.entries(CASES)) {
  byEachWay(
    `functions: ${name}`,
    (dir, way) => check(functionsOf(dir, { way, build, args }), way, dir),
    missing,
  );
}

byEachWay("a replay makes the same files and values of functions", (dir, way) => {
  const user = userIn(dir), names = ["folded", "pprof", "speedscope", "perf-script"];
  const files = (folder: string) => names.flatMap((name) => [`--${name}`, `${folder}/${name}`]);
  for (const folder of ["live", "again"]) {
    Deno.mkdirSync(`${dir}/${folder}`);
    Deno.chmodSync(`${dir}/${folder}`, 0o777);
  }
  const options = ["--record", "rec", ...files("live").slice(2), "--report", "live/report"];
  const build = "cc -O2 -pthread -o app PROGRAMS/threads.c";
  functionsOf(dir, { way, build, user, options, folded: "live/folded" });
  const again = [...files("again"), "--report", "again/report"];
  const out = user.joulemark(["replay", "--functions", ...again, "rec"]);
  assertEquals(out.code, 0, out.stderr);
  for (const name of names) {
    const [live, replayed] = ["live", "again"].map((folder) =>
      Deno.readFileSync(`${dir}/${folder}/${name}`).toHex()
    );
    assertEquals(live === replayed, true, name);
  }
  assertEquals(functionsIn(dir, "again/report"), functionsIn(dir, "live/report"));
});
