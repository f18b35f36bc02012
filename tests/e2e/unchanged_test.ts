/** Outputs and statuses of programs under `--preload`, to the byte those without us. */
import { assert, assertEquals } from "@std/assert";
import { joulemark } from "../_support/programs.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";

const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  OMP_NUM_THREADS: "2",
};
const SCRIPT = new URL("programs/python/mpi4py_sums.py", import.meta.url).pathname;

/** The Python that has it: the system's own where another one comes first. */
const PYTHON = ["python3", "/usr/bin/python3"].find((p) => works(`${p} -c 'import mpi4py.MPI'`));

/** Runs a command as it is and under a run; both outputs and the status are the same. */
function unchanged(dir: string, dialects: string, command: string[], says: string): void {
  const alone = new Deno.Command("timeout", { args: ["60", ...command], cwd: dir, env: ENV })
    .outputSync();
  const args = ["run", "-q", "--simulate", "--preload", dialects, "--", ...command];
  const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...ENV });
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  // Open MPI names the process that ended badly.
  const shape = (text: string) => text.replace(/\[[\w-]+:\d+\]|\[\[\d+,\d+\],\d+\]/g, "[N]");
  assert(text(alone.stdout).includes(says), text(alone.stderr));
  assertEquals(out.stdout, text(alone.stdout));
  assertEquals(shape(out.stderr), shape(text(alone.stderr)));
  assertEquals(out.code, alone.code);
}

needing(
  "mpi4py",
  PYTHON !== undefined && works("command -v mpirun.openmpi"),
  "an mpi4py program prints and returns what it did, with all of MPI answered",
  (dir) => {
    const command = ["mpirun.openmpi", "-n", "2", PYTHON!, SCRIPT];
    unchanged(dir, "mpi=all", command, "sum 3 of 2\n");
    unchanged(dir, "mpi", command, "sum 3 of 2\n");
    const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
    assert(/region: "?MPI_Gather/.test(report), report.match(/region: .*/g)?.join());
  },
);

for (const compiler of ["clang", "gcc"]) {
  needing(
    `${compiler} with OpenMP`,
    works(`echo 'int main(void){return 0;}' | ${compiler} -fopenmp -x c - -o /dev/null`),
    `an OpenMP program prints what it did, with ${compiler}`,
    (dir) => {
      compile(dir, `${compiler} -O2 -fopenmp -o app PROGRAMS/openmp_tasks.c`);
      unchanged(dir, "ompt", ["./app"], "7845 6175 15 12\n");
      unchanged(dir, "all", ["./app"], "7845 6175 15 12\n");
    },
  );
}
