/** Parallel regions of OpenMP by OMPT, with clang's runtime. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { compile, needing, preloaded, works } from "../_support/preload.ts";

const HAS_LIBOMP = works("echo 'int main(void){return 0;}' | clang -fopenmp -x c - -o /dev/null");

needing("clang with libomp", HAS_LIBOMP, "run --preload ompt names parallel regions", (dir) => {
  compile(dir, "clang -O2 -fopenmp -o app PROGRAMS/openmp.c");
  const out = preloaded(dir, "ompt", ["./app"], { env: { OMP_NUM_THREADS: "2" } });
  assertEquals(out.stdout, "99999000000\n");
  const names = Object.keys(out.counts).sort();
  assertEquals(Object.values(out.counts), [20, 20]);
  assertMatch(names[0], /^\[OMPT\]fill\+0x[0-9a-f]+$/);
  assertMatch(names[1], /^\[OMPT\]sum\+0x[0-9a-f]+$/);
  assertMatch(out.report, /processes:\n\s+count: 1\n/);
});

needing(
  "clang with libomp",
  HAS_LIBOMP,
  "run --preload ompt names places in stripped programs",
  (dir) => {
    compile(dir, "clang -O2 -s -fopenmp -o app PROGRAMS/openmp.c");
    const out = preloaded(dir, "ompt", ["./app"]);
    assertEquals(Object.values(out.counts), [20, 20]);
    for (const name of Object.keys(out.counts)) {
      assert(/^\[OMPT\](0x[0-9a-f]{16}|\w+\+0x[0-9a-f]+)$/.test(name), name);
    }
  },
);
