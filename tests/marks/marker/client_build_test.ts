/** The C client's header: who can compile it, what links together, and when it keeps quiet. */
import { assert, assertEquals } from "@std/assert";
import { joulemarkHeader } from "../../../src/marks/client/header.ts";
import { needs, run, Workshop } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";
import { NOT_ROOT } from "../../_support/skipped.ts";

const SMALL = `#include <stdio.h>
#include "joulemark.h"
int main(void) {
  for (int i = 0; i < 10; i++) { joulemark_begin("a"); joulemark_end("a"); }
  puts("done");
  return 0;
}
`;

Deno.test("joulemarkHeader() has the ring's constants in it", () => {
  assert(!joulemarkHeader().includes("@CONSTANTS@"));
  assert(joulemarkHeader().includes("#define JOULEMARK__RING_RECORDS 16384"));
});

const STRICT = ["-DJOULEMARK_SHOW_WARNINGS", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

for (
  const [compiler, source, standards] of [
    ["gcc", "x.c", ["c99", "gnu99", "c11", "gnu17"]],
    ["clang", "x.c", ["c99", "gnu99", "c11"]],
    ["g++", "x.cc", ["c++11", "c++17"]],
    ["clang++", "x.cc", ["c++11", "c++17"]],
  ] as const
) {
  for (const standard of standards) {
    Deno.test({
      ...needs(compiler, `joulemark.h compiles without a warning: ${compiler} -std=${standard}`),
      fn() {
        using shop = new Workshop();
        shop.write(source, SMALL);
        for (const more of [["-O2"], ["-O0", "-DJOULEMARK_GEOPM"], ["-O2", "-DJOULEMARK_OFF"]]) {
          shop.compile(compiler, [`-std=${standard}`, ...STRICT, ...more, "-c", source]);
        }
      },
    });
  }
}

Deno.test({
  ...needs("g++", "C, C++ and a shared library of one program share one ring"),
  async fn() {
    using shop = new Workshop();
    const part = (name: string) =>
      `#include "joulemark.h"
void ${name}(void) { joulemark_begin("${name}"); joulemark_end("${name}"); }
`;
    shop.write("one.c", part("one"));
    shop.write("lib.c", part("lib"));
    shop.write(
      "main.cc",
      `#include "joulemark.h"
extern "C" { void one(void); void lib(void); }
int main() {
  joulemark::region all("all");
  for (int i = 0; i < 5; i++) { one(); lib(); }
}
`,
    );
    shop.compile("gcc", ["-O2", "-fPIC", "-fvisibility=hidden", "-c", "one.c"]);
    shop.compile("gcc", ["-O2", "-fPIC", "-shared", "-o", "liblib.so", "lib.c"]);
    shop.compile("g++", [
      ...["-O2", "-std=c++17", "-o", "main", "main.cc", "one.o"],
      ...["-L.", "-llib", "-Wl,-rpath,$ORIGIN"],
    ]);
    using session = new RingSession();
    const ran = await run([`${shop.dir}/main`], session);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    assertEquals(session.files.length, 1, "weak symbols merge to one state");
    using seen = session.open();
    seen.poll();
    assertEquals(seen.visits(), { one: 5, lib: 5, all: 1 });
  },
});

Deno.test({
  ...needs("gcc", "a library loaded apart from the program has a second file, of the same process"),
  async fn() {
    using shop = new Workshop();
    shop.write(
      "lib.c",
      `#include "joulemark.h"
void lib(void) { joulemark_begin("lib"); joulemark_end("lib"); }
`,
    );
    shop.write(
      "main.c",
      `#define _GNU_SOURCE
#include <dlfcn.h>
#include "joulemark.h"
int main(void) {
  void *h = dlopen("./lib.so", RTLD_NOW | RTLD_LOCAL);
  void (*lib)(void) = (void (*)(void))dlsym(h, "lib");
  joulemark_begin("main");
  lib();
  joulemark_end("main");
  return 0;
}
`,
    );
    shop.compile("gcc", ["-O2", "-fPIC", "-shared", "-Wl,-z,nodelete", "-o", "lib.so", "lib.c"]);
    shop.compile("gcc", ["-O2", "-o", "main", "main.c", "-ldl"]);
    using session = new RingSession();
    const ran = await run(["sh", "-c", `cd ${shop.dir} && exec ./main`], session);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    const rings = session.files.map((name) => session.open(name));
    const visits = rings.map((ring) => (ring.poll(), ring.visits()));
    assertEquals(Object.assign({}, ...visits), { lib: 1, main: 1 });
    assertEquals(new Set(rings.map((r) => r.ring.execId)).size, 1);
    for (const ring of rings) ring[Symbol.dispose]();
  },
});

/** Runs the small program in a session and says what came of it. */
async function small(env: RingSession | undefined, prefix: string[] = []) {
  using shop = new Workshop();
  shop.write("small.c", SMALL);
  shop.compile("cc", ["-O2", "-o", "small", "small.c"]);
  const ran = await run([...prefix, `${shop.dir}/small`], env);
  assertEquals([ran.code, ran.signal, ran.stdout, ran.stderr], [0, null, "done\n", ""]);
}

Deno.test({ ...needs("cc", "without a session nothing happens"), fn: () => small(undefined) });

for (
  const [name, options] of [
    ["others may enter", { mode: 0o750 }],
    ["another version wrote", { version: 200 }],
  ] as const
) {
  Deno.test({
    ...needs("cc", `a session directory that ${name} is left alone`),
    async fn() {
      using session = new RingSession(options);
      await small(session);
      assertEquals(session.files, []);
    },
  });
}

Deno.test({
  ...needs("cc", "a session directory behind a link, or none at all, is left alone"),
  async fn() {
    using session = new RingSession();
    const link = `${session.dir}-link`;
    Deno.symlinkSync(session.dir, link);
    try {
      for (
        const dir of [link, `${session.dir}/session`, "/no/such", "relative", "", "/".repeat(900)]
      ) {
        await small({ env: { JOULEMARK_SESSION: dir } } as unknown as RingSession);
      }
      assertEquals(session.files, []);
    } finally {
      Deno.removeSync(link);
    }
    // A link in the place of the ring file is not followed either: the next number is taken.
    Deno.writeTextFileSync(`${session.dir}/session`, "JMSESS");
    await small(session);
    assertEquals(session.files, []);
  },
});

Deno.test({
  ...needs("cc", "a limit on the size of files ends the marks, not the program"),
  async fn() {
    for (const blocks of [1, 8, 100, 900]) {
      using session = new RingSession();
      await small(session, ["sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh"]);
    }
  },
});

Deno.test({
  ...needs("cc", "a full file system loses no count", NOT_ROOT),
  async fn() {
    using shop = new Workshop();
    const source = new URL("client_programs.c", import.meta.url);
    shop.write("programs.c", Deno.readTextFileSync(source));
    shop.compile("cc", ["-O2", "-pthread", "-o", "programs", "programs.c"]);
    const tmpfs = Deno.makeTempDirSync({ prefix: "joulemark-full-" });
    try {
      for (const kib of [8, 100, 340, 600, 2000]) {
        const mount = ["mount", "-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", tmpfs];
        const mounted = await run(mount, undefined);
        if (mounted.code !== 0) return console.warn(`skipped: ${mounted.stderr}`);
        try {
          using session = new RingSession({ parent: tmpfs });
          const ran = await run([`${shop.dir}/programs`, "names", "30000"], session);
          assertEquals([ran.code, ran.signal, ran.stderr], [0, null, ""], `${kib} KiB`);
          if (session.files.length === 0) continue;
          using seen = session.open();
          seen.poll();
          const told = Object.values(seen.visits()).reduce((a, b) => a + b, 0);
          // Where even the thread's own ring had no room, its visits are counted in the header.
          const lost = seen.ring.lostVisits;
          assertEquals(told + lost, 30000, `${kib} KiB`);
          assertEquals(seen.garbage, 0);
        } finally {
          await run(["umount", tmpfs], undefined);
        }
      }
    } finally {
      Deno.removeSync(tmpfs);
    }
  },
});
