/** Marks at the edges of a process's life, by other libcs and allocators, and of those that it makes. */
import { assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";
import { joulemark } from "../_support/programs.ts";

const FLAGS = "-O2 -Wall -Wextra -Werror -I. -pthread";
const SOURCE = "PROGRAMS/../lives.c";

/** Processes, those that died, and visits by region: means over processes. */
function lives(
  dir: string,
  kind: string,
  env: Record<string, string> = {},
): [count: number, died: number, visits: Record<string, number>] {
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", "./lives", kind], env);
  assertEquals(out.code, 0, out.stderr);
  const path = `${dir}/joulemark.report`;
  const report = Deno.readTextFileSync(path);
  assertEquals(report.includes("mistakes:"), false, report.slice(-2000));
  const [host] = parseReport(report, path).hosts;
  const { count, died } = host.joulemark!.processes as Record<string, number>;
  return [
    count,
    died,
    Object.fromEntries(host.regions!.map((r) => [r.region, Number(r.fields.count)])),
  ];
}

for (
  const [name, compiler] of [
    ["glibc", "cc"],
    ["musl", "musl-gcc"],
    ["musl, static", "musl-gcc -static"],
  ]
) {
  needing(
    `${compiler}`,
    works(`echo 'int main(void){return 0;}' | ${compiler} -x c - -o /dev/null`),
    `marks before main, at exit, of spawned and of vforked children, of threads: ${name}`,
    (dir) => {
      assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
      compile(dir, `${compiler} ${FLAGS} -o lives ${SOURCE}`);
      const own = { constructor: 1, main: 1 };
      assertEquals(lives(dir, "ends"), [1, 0, { ...own, "exit handler": 1 }]);
      assertEquals(lives(dir, "spawn"), [3, 0, own]);
      assertEquals(lives(dir, "threads"), [1, 0, { ...own, thread: 4000 }]);
    },
  );
}

needing(
  "C compiler",
  works("cc --version"),
  "marks of a library that is loaded and unloaded again, before and after it",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(dir, `cc ${FLAGS} -o lives ${SOURCE} -ldl`);
    compile(
      dir,
      `cc ${FLAGS} -DLIBRARY -fPIC -shared -Wl,-z,nodelete -o lives.so ${SOURCE}`,
    );
    assertEquals(lives(dir, "unload"), [1, 0, {
      constructor: 1,
      main: 1,
      between: 3,
      "library's constructor": 1,
      library: 3,
    }]);
  },
);

const JEMALLOC = [..."x86_64 aarch64".split(" ")]
  .map((cpu) => `/usr/lib/${cpu}-linux-gnu/libjemalloc.so.2`).find((path) =>
    works(`test -e ${path}`)
  );
needing(
  "libjemalloc.so.2 (Debian: libjemalloc2)",
  JEMALLOC !== undefined,
  "threads that allocate by jemalloc have every mark",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(dir, `cc ${FLAGS} -o lives ${SOURCE} -ldl`);
    const visits = { constructor: 1, main: 1, thread: 4000 };
    assertEquals(lives(dir, "threads", { LD_PRELOAD: JEMALLOC! }), [1, 0, visits]);
  },
);

const HAS_LEAK_CHECK = works("echo 'int main(){}' | cc -xc -fsanitize=address -o /dev/null -");
needing(
  "AddressSanitizer",
  HAS_LEAK_CHECK,
  "a leak checker finds nothing of ours, in a forked child and after the last mark",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(
      dir,
      `cc ${FLAGS} -O1 -g -fsanitize=address -o allocator PROGRAMS/../allocator.c`,
    );
    for (const options of [[], ["--preload", "all,io,alloc,callpath"]]) {
      const args = ["run", "-q", "--simulate", ...options, "--", "./allocator", "leaks"];
      const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE });
      assertEquals([out.code, out.stderr], [0, ""]);
    }
  },
);

needing(
  "C compiler",
  works("cc --version"),
  "a signal handler marks new names in the middle of malloc",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(dir, `cc ${FLAGS} -o allocator PROGRAMS/../allocator.c`);
    const args = ["run", "-q", "--simulate", "--", "timeout", "-s", "KILL", "60", "./allocator"];
    const out = joulemark(dir, [...args, "handler"]);
    assertEquals(out.code, 0, out.stderr);
    const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
    assertEquals(report.match(/region: "?handler \d+/g)!.length >= 200, true);
  },
);

needing(
  "musl-gcc",
  works("echo 'int main(void){return 0;}' | musl-gcc -x c - -o /dev/null"),
  "a program with another C library runs with the library of --preload",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(dir, `musl-gcc ${FLAGS} -o lives ${SOURCE}`);
    const words = "all,mpi=all,io,alloc,callpath,perfstubs,scorep,timer";
    const args = ["run", "-q", "--simulate", "--functions", "--preload", words, "--phase", "x"];
    const out = joulemark(dir, [...args, "--", "./lives", "threads"], { XDG_CACHE_HOME: CACHE });
    assertEquals(out.code, 0, out.stderr);
    // A command that ended within 0.1 s has no line.
    const line = out.stderr.replace(/^joulemark: no functions: [^\n]*\n$/, "");
    assertEquals(line, "");
  },
);
