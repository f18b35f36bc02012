/** Whether a program runs under MPI is known by its processes, however they are launched. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark, type Outcome } from "../_support/programs.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";

const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  XDG_CACHE_HOME: CACHE,
};

function run(dir: string, config: string, command: string[]): Outcome {
  const args = ["run", "-q", "--simulate", "--preload", "mpi", "--cali-config", config, "--"];
  const out = joulemark(dir, [...args, ...command], ENV);
  assertEquals(out.code, 0, out.stderr);
  return out;
}

for (const mpi of ["openmpi", "mpich"]) {
  const isThere = works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`);
  needing(
    `mpicc.${mpi}`,
    isThere,
    `reports are over ranks, whatever stands before the launcher: ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/mpi.c`);
      const launch = [`mpirun.${mpi}`, "-n", "3", "./app"];
      Deno.writeTextFileSync(`${dir}/job.sh`, `${launch.join(" ")}\n`);
      for (
        const command of [["env", "A=1", ...launch], ["timeout", "60", ...launch], ["sh", "job.sh"]]
      ) {
        const config = "mpi-report,runtime-report(output=report.txt)";
        const { stdout, stderr } = run(dir, config, command);
        assertStringIncludes(stdout, "MPI_Barrier");
        assert(!stderr.includes("does not run under MPI"), stderr);
        assertStringIncludes(Deno.readTextFileSync(`${dir}/report.txt`), "Min time/rank");
      }
    },
  );

  needing(
    `mpicc.${mpi}`,
    isThere,
    `a report's name has the rank that writes for all: ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/mpi.c`);
      for (let i = 0; i < 3; i++) {
        run(dir, "runtime-profile(output=p-%mpi.rank%.cali)", [
          `mpirun.${mpi}`,
          "-n",
          "3",
          "./app",
        ]);
        const made = [...Deno.readDirSync(dir)].map(({ name }) => name);
        assertEquals(made.filter((name) => name.startsWith("p-")), ["p-0.cali"]);
        Deno.removeSync(`${dir}/p-0.cali`);
      }
    },
  );
}

endToEnd("without a rank the table is that of one process, and a line says so", (dir) => {
  compile(dir, "cc -O2 -Wall -rdynamic -o app PROGRAMS/one_script.c -ldl");
  const args = ["run", "-q", "--simulate", "--preload", "roctx", "--cali-config"];
  const config = "mpi-report,runtime-report(output=report.txt)";
  const out = joulemark(dir, [...args, config, "--", "env", "A=1", "./app", "roctx"], ENV);
  assertStringIncludes(out.stderr, "mpi-report: nothing will be printed: the program does not run");
  assertStringIncludes(Deno.readTextFileSync(`${dir}/report.txt`), "Time (E)");
});
