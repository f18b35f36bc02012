/** LULESH as it comes, with both MPIs and OpenMP: its output is what it was. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY } from "../_support/programs.ts";
import { besidePeer, shell } from "./_peers.ts";

const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  OMP_NUM_THREADS: "2",
};

/** Every byte but the digits of times, and of the rates made of them, which differ from run to run. */
function shape(text: string): string {
  return text.split("\n").map((line) => {
    return /Elapsed|Grind|FOM|time \(/.test(line) ? line.replace(/ *[\d.e+-]*\d/g, " N") : line;
  }).join("\n");
}

for (
  const [name, compiler, options, launcher, dialects] of [
    ["Open MPI", "mpicxx.openmpi", "-DUSE_MPI=1", "mpirun.openmpi -n 8", "mpi=all,ompt"],
    ["MPICH", "mpicxx.mpich", "-DUSE_MPI=1", "mpirun.mpich -n 8", "mpi=all,ompt"],
    ["GCC's OpenMP", "g++", "-DUSE_MPI=0 -fopenmp", "", "ompt"],
    ["LLVM's OpenMP", "clang++", "-DUSE_MPI=0 -fopenmp", "", "ompt"],
  ] as const
) {
  besidePeer("lulesh", `LULESH with ${name} prints what it did`, (dir, lulesh) => {
    shell(dir, `${compiler} -O2 -w ${options} -o lulesh ${lulesh}/lulesh*.cc`);
    const command = `${launcher} ./lulesh -s 6 -i 20 -p`;
    const alone = shell(dir, command, ENV);
    const under = shell(
      dir,
      `${BINARY} run -q --simulate --preload ${dialects} -- ${command}`,
      { ...ENV, XDG_CACHE_HOME: `${dir}/cache` },
    );
    assert(alone.includes("cycle = 20"), alone);
    assertEquals(shape(under), shape(alone));
    const path = `${dir}/joulemark.report`;
    const regions = parseReport(Deno.readTextFileSync(path), path).hosts[0].regions ?? [];
    const wanted = launcher === "" ? /^\[OMPT\]/ : /^MPI_(Allreduce|Wait|Waitall)$/;
    assert(regions.some(({ region }) => wanted.test(region)), `${regions.map((r) => r.region)}`);
  });
}
