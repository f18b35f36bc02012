/** What the report has of calls that take long, against the clock that the program reads around them. */
import { assert, assertEquals } from "@std/assert";
import { bestOf } from "../_support/tries.ts";
import { compile, needing, type Preloaded, preloaded, works } from "../_support/preload.ts";

const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  // Threads that wait leave the CPU to others.
  OMP_WAIT_POLICY: "passive",
};
/** A call of more visits than that is a poll. */
const POLLS = 1000;
const TRIES = 5;

/** What the program says of a call, all processes or threads together. */
interface Own {
  seconds: number;
  count: number;
  /** In those visits that were slow. */
  slow: number;
}

/** Lines "call seconds count slow"; the first one has the mean time of a reading of the clock. */
function own(stdout: string): { reading: number; calls: Map<string, Own> } {
  const calls = new Map<string, Own>();
  const [head, ...lines] = stdout.trimEnd().split("\n");
  for (const line of lines) {
    const [call, ...words] = line.split(" ");
    const [seconds, count, slow] = words.map(Number);
    const sum = calls.get(call) ?? { seconds: 0, count: 0, slow: 0 };
    sum.seconds += seconds;
    sum.count += count;
    sum.slow += slow;
    calls.set(call, sum);
  }
  assert(head.startsWith("clock "), stdout);
  return { reading: Number(head.split(" ")[1]), calls };
}

/**
 * Holds that each of the calls has the program's own time within 0.1 %, and its count, in one of a few
 * runs: a machine that takes the CPU away between two looks at two clocks makes them differ by that.
 * The program's two readings for a visit are in its own time. A poll is short, so whenever the CPU
 * was taken away, that may be between the two clocks as well as inside.
 */
function holds(
  names: readonly string[],
  run: () => Preloaded,
  reported: (out: Preloaded, name: string) => { seconds: number; count: number } | undefined,
): void {
  const left = new Map(names.map((name) => [name, [] as string[]]));
  const holdsIn = (out: Preloaded) => {
    const { reading, calls } = own(out.stdout);
    for (const [name, wrong] of left) {
      const mine = calls.get(name), ours = reported(out, name);
      assert(mine !== undefined, `the program did not call ${name}`);
      assert(ours !== undefined, `${name} is not in the report`);
      assertEquals(ours.count, mine.count, name);
      const late = mine.seconds - ours.seconds, most = 0.001 * mine.seconds;
      const between = mine.count * 4 * reading + (mine.count > POLLS ? mine.slow : 0);
      if (mine.seconds > 0.05 && late > -most && late < most + between) left.delete(name);
      else wrong.push(`${ours.seconds} of ${mine.seconds} s, ${mine.count} visits`);
    }
  };
  bestOf(TRIES, () => {
    holdsIn(run());
    assertEquals([...left].map(([name, wrong]) => `${name}: ${wrong.join("; ")}`), []);
  });
}

const MPI_CALLS = [
  ...["Recv", "Ssend", "Sendrecv", "Wait", "Waitall", "Waitany", "Probe", "Mprobe"],
  ...["Test", "Iprobe"],
  ...[
    "Barrier",
    "Bcast",
    "Reduce",
    "Allreduce",
    "Gather",
    "Allgather",
    "Scatter",
    "Alltoall",
    "Scan",
  ],
  ...["File_open", "File_write_at", "File_read_at", "File_write_at_all", "File_read_at_all"],
  ...["Win_fence", "Win_lock", "Win_wait", "Start"],
];

for (const mpi of ["openmpi", "mpich"]) {
  needing(
    `mpicc.${mpi}`,
    works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`),
    `calls of MPI have the times of the program's own clock, with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/mpi_times.c`);
      const more = mpi === "mpich" ? ["Parrived"] : [];
      holds(
        [...MPI_CALLS, ...more].map((name) => `MPI_${name}`),
        () => preloaded(dir, "mpi=all", [`mpirun.${mpi}`, "-n", "2", "./app"], { env: ENV }),
        ({ host }, name) => {
          const row = host.regions?.find(({ region }) => region === name);
          const { calls } = host.joulemark!.mpi as unknown as {
            calls: { call: string; count: number }[];
          };
          const count = calls.find(({ call }) => call === name)?.count;
          // A mean over the two processes.
          return row && { seconds: 2 * Number(row.fields["runtime (s)"]), count: Number(count) };
        },
      );
    },
  );
}

const OPENMP_KINDS = [
  ...["parallel", "barrier_explicit", "single_executor", "task", "taskwait", "taskgroup"],
  ...["wait_critical", "critical", "wait_ordered", "wait_lock"],
];

for (
  // Of gcc's a loop or a section is part of a thread's work: only its waits can be seen.
  const { compiler, more } of [
    { compiler: "clang", more: ["loop", "sections"] },
    { compiler: "gcc", more: ["work"] },
  ]
) {
  needing(
    `${compiler} with OpenMP`,
    works(`echo 'int main(void){return 0;}' | ${compiler} -fopenmp -x c - -o /dev/null`),
    `constructs of OpenMP have the times of the program's own clock, with ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_times.c`);
      holds(
        [...OPENMP_KINDS, ...more],
        () => preloaded(dir, "ompt,caliper", ["./app"], { env: ENV }),
        ({ host }, name) => {
          const { times } = host.joulemark!.openmp as unknown as {
            times: { kind: string; count: number; "time (s)": number }[];
          };
          const row = times.find(({ kind }) => kind === name);
          return row && { seconds: Number(row["time (s)"]), count: Number(row.count) };
        },
      );
    },
  );
}
