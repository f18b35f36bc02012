/** MPI calls as regions: Open MPI and MPICH, C and both Fortran interfaces, four ranks. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bestOf } from "../_support/tries.ts";
import { compile, eventsOf, needing, preloaded, works } from "../_support/preload.ts";
import { joulemark } from "../_support/programs.ts";

/** Open MPI asks before it runs as root, or with more ranks than cores. */
const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

const COMMON = {
  MPI_Init_thread: 1,
  MPI_Allreduce: 25,
  MPI_Barrier: 25,
  MPI_Sendrecv: 25,
};

const PROGRAMS: readonly {
  name: string;
  compiler: string;
  source: string;
  more: Record<string, number>;
}[] = [
  {
    name: "C",
    compiler: "mpicc",
    source: "mpi.c",
    more: { MPI_Alltoall: 25, MPI_Waitall: 25, MPI_Gather: 25 },
  },
  { name: "Fortran", compiler: "mpif90", source: "mpi.f90", more: {} },
  { name: "Fortran 2008", compiler: "mpif90", source: "mpi_f08.f90", more: {} },
];

for (const mpi of ["openmpi", "mpich"]) {
  for (const { name, compiler, source, more } of PROGRAMS) {
    needing(
      `${compiler}.${mpi}`,
      works(`${compiler}.${mpi} --version && command -v mpirun.${mpi}`),
      `run --preload mpi hears ${name} with ${mpi}, 4 ranks`,
      (dir) => {
        compile(dir, `${compiler}.${mpi} -O2 -o app PROGRAMS/${source}`);
        const out = preloaded(dir, "mpi", [`mpirun.${mpi}`, "-n", "4", "./app"], { env: ENV });
        // The run has the application's name, not the launcher's.
        assertStringIncludes(out.report, 'Profile: "app"');
        assertEquals(out.stdout, "");
        assertEquals(out.counts, { ...COMMON, ...more });
        // Neither the launcher nor its helpers count.
        assertMatch(out.report, /processes:\n\s+count: 4\n/);
        const network = Number(out.host.application["time-hint-network (s)"]);
        assert(network > 0, `${network} s of NETWORK`);
        assert(!out.report.includes("mistakes:"), out.report.slice(-2000));
      },
    );
  }
}

for (const mpi of ["openmpi", "mpich"]) {
  needing(
    `mpicc.${mpi}`,
    works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`),
    `run --preload pm_mpi keeps records collective with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/pm_steps.c`);
      const out = preloaded(dir, "pm_mpi", [`mpirun.${mpi}`, "-n", "3", "./app"], {
        env: ENV,
        options: ["--record", "recording"],
      });
      assertEquals(out.stdout, "");
      assertEquals(eventsOf(dir).filter((row) => row === "pm_record,,1 1 1 0").length, 3);
    },
  );

  needing(
    `mpicc.${mpi}`,
    works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`),
    `run --preload pm_mpi logs a line on each side of the barrier, rank 0's times, with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/pm_steps.c`);
      bestOf(5, () => {
        preloaded(dir, "pm_mpi", [`mpirun.${mpi}`, "-n", "3", "./app", "twice"], {
          env: ENV,
          options: ["--simulate", "--record", "recording"],
        });
        for (const log of [`${dir}/pm.log`, `${dir}/again.log`]) {
          if (log.endsWith("again.log")) {
            const args = ["replay", "-q", "--pmc", log, "--pmc-version", "4.4", "recording"];
            assertEquals(joulemark(dir, args).stderr, "");
          }
          const lines = Deno.readTextFileSync(log).trimEnd().split("\n").slice(1)
            .map((line) => line.split(" ").map(Number));
          assertEquals(lines.map(([, step]) => step), [-1, 1, 1, 2], log);
          const [, before, after] = lines.map(([timeS]) => timeS);
          // Rank 0 opens 0.05 s after the others, and rank 1 comes 0.2 s after it to the barrier.
          assert(before < 0.045, `${before} s`);
          assert(after - before > 0.13 && after - before < 0.3, `${before} and ${after} s`);
        }
      });
    },
  );
}

needing(
  "mpicc.openmpi",
  works("mpicc.openmpi --version && command -v mpirun.openmpi"),
  "run --preload mpi calls another tool that wraps the same functions, and names it",
  (dir) => {
    compile(dir, "mpicc.openmpi -O2 -o app PROGRAMS/mpi.c");
    compile(dir, "mpicc.openmpi -shared -fPIC -o libothertool.so PROGRAMS/other_tool.c");
    const out = preloaded(dir, "mpi", ["mpirun.openmpi", "-n", "2", "./app"], {
      env: { ...ENV, LD_PRELOAD: `${dir}/libothertool.so` },
    });
    assertEquals(out.counts.MPI_Barrier, 25);
    assertStringIncludes(out.report, "libothertool.so answers MPI_Barrier as well");
  },
);

needing(
  "C compiler",
  works("cc --version"),
  "run --preload mpi says that the standard's ABI of MPI 5 is untried",
  (dir) => {
    compile(dir, "cc -O2 -w -fPIC -shared -o libmpi_abi.so PROGRAMS/../../../os/mpi_abi_stub.c");
    compile(
      dir,
      "cc -O2 -Wall -Wextra -o app PROGRAMS/mpi_abi.c -L. -lmpi_abi -Wl,-rpath,'$ORIGIN'",
    );
    for (const words of ["mpi", "mpi=all"]) {
      const out = preloaded(dir, words, ["./app"]);
      assertEquals(out.stdout, "0\n");
      assertEquals(out.counts, { MPI_Init_thread: 1, MPI_Allreduce: 3 });
      assertStringIncludes(
        out.report,
        "this MPI has the standard's ABI of MPI 5, with which joulemark is untried",
      );
    }
  },
);
