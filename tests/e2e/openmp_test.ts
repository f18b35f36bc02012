/** OpenMP: LLVM's runtime by OMPT, GCC's by answering its calls. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bestOf } from "../_support/tries.ts";
import { compile, needing, type Preloaded, preloaded, works } from "../_support/preload.ts";

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
      assertMatch(name, /^\[OMPT\]app\+0x[0-9a-f]+$/);
    }
    // Whatever address the kernel gives the program.
    assertEquals(preloaded(dir, "ompt", ["./app"]).counts, out.counts);
  },
);

const HAS_LIBGOMP = works("echo 'int main(void){return 0;}' | gcc -fopenmp -x c - -o /dev/null");

needing(
  "g++ with OpenMP",
  HAS_LIBGOMP && works("g++ --version"),
  "run --preload ompt has C++ names as GEOPM has them, and tells places in long ones apart",
  (dir) => {
    compile(dir, "g++ -O2 -fopenmp -o app PROGRAMS/openmp_cxx.cpp");
    const out = preloaded(dir, "ompt", ["./app"]);
    assertEquals(out.stdout, "2000\n");
    // Two places in each of two functions.
    const names = Object.keys(out.counts);
    assertEquals(names.length, 4, names.join("\n"));
    const brief = names.filter((name) => name.length < 100);
    assertEquals(brief.length, 2, names.join("\n"));
    for (const name of brief) {
      assertMatch(
        name,
        /^\[OMPT\]heat::Solver<unsignedlong>::twice\(unsignedlongconst&\)\+0x[0-9a-f]+$/,
      );
    }
    for (const name of names.filter((name) => !brief.includes(name))) {
      assertMatch(name, /^\[OMPT\]heat::Solver<heat::Wrapped<.*\+0x[0-9a-f]+$/);
    }
  },
);

interface OpenMpFacts {
  readonly "threads of a process, at most": number;
  readonly times: readonly { kind: string; count: number; "time (s)": number }[];
}

function openmp({ host }: Preloaded): OpenMpFacts {
  return host.joulemark!.openmp as unknown as OpenMpFacts;
}

/** How often threads were in a kind of time, and how long all together. */
function times(out: Preloaded, kind: string): [count: number, seconds: number] {
  const row = openmp(out).times.find((time) => time.kind === kind);
  assert(row !== undefined, `no ${kind} in ${JSON.stringify(openmp(out))}`);
  return [Number(row.count), Number(row["time (s)"])];
}

/** One run of the program, against its own clock. */
function told(dir: string, compiler: string, barrier: string): void {
  const out = preloaded(dir, "ompt", ["./app"]);
  assertMatch(out.stdout, /^\d\.\d+ \d\.\d+ 8\n$/);
  const [waited, excluded] = out.stdout.split(" ").map(Number);
  assert(waited > 0.14 && excluded > 0.09, out.stdout);
  assertEquals(Object.values(out.counts), [1, 1, 1]);
  for (const name of Object.keys(out.counts)) {
    assertMatch(name, /^\[OMPT\](steps|exclusive|tasks|main)\+0x[0-9a-f]+$/);
  }
  assertEquals(Number(openmp(out)["threads of a process, at most"]), 2);
  assertEquals(times(out, "parallel")[0], 3);
  // What ends when the process does may come too late to be told.
  assert([5, 6].includes(times(out, "implicit_task")[0]), `${times(out, "implicit_task")}`);
  // Three of two threads each, one more of two; gcc makes a barrier of its own of the single's end.
  assertEquals(times(out, barrier)[0], compiler === "gcc" ? 10 : 8);
  const seconds = times(out, barrier)[1];
  // Thread 0 waits a little, and gcc runs tasks at the end of the single.
  assert(seconds > waited * 0.999 && seconds < waited + 1, `${seconds} and ${waited} s`);
  const wait = times(out, "wait_critical");
  assertEquals(wait[0], 2);
  assert(
    Math.abs(wait[1] - excluded) < 0.001 * excluded + 2e-5,
    `${wait[1]} and ${excluded} s`,
  );
  const held = times(out, "critical");
  assertEquals(held[0], compiler === "gcc" ? held[0] : 2);
  assert(held[1] > 0.2 && held[1] < 2, `${held[1]} s`);
  assertEquals(times(out, "task")[0], 8);
  // Each spins for 10 ms, by the program's clock.
  assert(times(out, "task")[1] > 0.08, `${times(out, "task")[1]} s in tasks`);
  assertEquals(times(out, "single_executor")[0], 1);
  if (compiler === "clang") assertEquals(times(out, "loop")[0], 6);
  assert(!out.report.includes("mistakes:"), out.report.slice(-2000));
}

for (
  const { compiler, isThere, barrier } of [
    { compiler: "clang", isThere: HAS_LIBOMP, barrier: "barrier_explicit" },
    { compiler: "gcc", isThere: HAS_LIBGOMP, barrier: "barrier_explicit" },
  ]
) {
  needing(
    `${compiler} with OpenMP`,
    isThere,
    `run --preload ompt tells what threads do, with ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_all.c`);
      bestOf(5, () => told(dir, compiler, barrier));
    },
  );

  needing(
    `${compiler} with OpenMP`,
    isThere,
    `run --preload ompt tells waits for locks, and no other tool, with ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_lock.c`);
      bestOf(5, () => {
        const out = preloaded(dir, "ompt", ["./app"]);
        const waited = Number(out.stdout), [count, seconds] = times(out, "wait_lock");
        assertEquals(count, 2);
        assert(Math.abs(seconds - waited) < 0.001 * waited + 2e-5, `${seconds} and ${waited} s`);
        assert(!out.report.includes("remarks:"), out.report.slice(-2000));
      });
    },
  );

  needing(
    `${compiler} with OpenMP`,
    isThere,
    `run --cali-config openmp-report has work and barriers of ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_all.c`);
      const out = preloaded(dir, "ompt", ["./app"], {
        options: [
          "--cali-config",
          "openmp-report(output=openmp.txt,show_threads,show_thread_type,show_regions=false)",
        ],
      });
      const [head, ...lines] = Deno.readTextFileSync(`${dir}/openmp.txt`).trimEnd().split("\n");
      for (const column of ["#Threads", "Time (work)", "Time (barrier)", "Work %", "Barrier %"]) {
        assert(head.includes(column), head);
      }
      const [waited] = out.stdout.split(" ").map(Number);
      const at = head.indexOf("Time (barrier)");
      const barrier = lines.reduce((sum, line) => sum + (parseFloat(line.slice(at)) || 0), 0);
      assert(barrier >= waited * 0.99, `${barrier} and ${waited} s\n${head}\n${lines.join("\n")}`);
      // As people ask for it.
      preloaded(dir, "ompt", ["./app"], { options: ["--cali-config", "openmp-report(output=o)"] });
      const [titles, ...rows] = Deno.readTextFileSync(`${dir}/o`).trimEnd().split("\n");
      const column = (title: string) => {
        const end = titles.indexOf(title) + title.length;
        return rows.map((row) => Number(row.slice(0, end).split(" ").pop()))
          .filter((value) => !Number.isNaN(value));
      };
      for (const title of ["Time (work)", "Time (barrier)"]) {
        assert(column(title).some((value) => value > 0), `${title}\n${titles}\n${rows.join("\n")}`);
      }
    },
  );
}

needing(
  "gcc with OpenMP",
  HAS_LIBGOMP,
  "run --preload ompt: tasks of gcc keep their data, and each is told",
  (dir) => {
    compile(dir, "gcc -O2 -fopenmp -o app PROGRAMS/openmp_tasks.c");
    const out = preloaded(dir, "ompt", ["./app"]);
    assertEquals(out.stdout, "7845 6175 15 12\n");
    // Ten, two with an order, a taskloop of ten, one of five.
    assertEquals(times(out, "task")[0], 27);
    assertEquals(times(out, "single_executor")[0], 7);
    assert(!out.report.includes("mistakes:"), out.report.slice(-2000));
  },
);

for (const mpi of ["openmpi", "mpich"]) {
  needing(
    `mpicc.${mpi}`,
    works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`),
    `run --preload mpi,ompt has OpenMP's times of a program that ends by MPI_Finalize, with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -fopenmp -o app PROGRAMS/openmp_mpi.c`);
      const out = preloaded(dir, "mpi,ompt", [`mpirun.${mpi}`, "-n", "2", "./app"], {
        env: {
          OMPI_ALLOW_RUN_AS_ROOT: "1",
          OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
          OMPI_MCA_rmaps_base_oversubscribe: "1",
        },
      });
      assertEquals(out.stdout, "499500\n499500\n");
      assertEquals(times(out, "parallel")[0], 2);
      assert(!out.report.includes("mistakes:"), out.report.slice(-2000));
    },
  );
}

for (const [compiler, has] of [["clang", HAS_LIBOMP], ["gcc", HAS_LIBGOMP]] as const) {
  needing(
    `${compiler} with OpenMP`,
    has,
    `a parallel region for whose name there is no room ends where it ends, with ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_names.c`);
      // Of 130,815 names one is for all others.
      const out = preloaded(dir, "ompt,caliper", ["./app", "130814"]);
      assertEquals(out.counts["[joulemark] other"], 2);
      const other = out.host.regions!.find(({ region }) => region === "[joulemark] other")!;
      const seconds = Number(other.fields["runtime (s)"]);
      assert(seconds > 0.04 && seconds < 0.9, `${seconds} s`);
      assert(!out.report.includes("mistakes:"), out.report.slice(0, 4000));
    },
  );
}
