import { assertEquals } from "@std/assert";
import { applicationName } from "../../../src/job/place/launchers.ts";

const PROGRAMS = ["mpirun", "bash", "lu", "nice"];
const name = (line: string) => {
  return applicationName(line.split(" "), (word) => PROGRAMS.includes(word) || word.includes("/"));
};

Deno.test("a run is called after its application, for any launcher", () => {
  assertEquals(name("./lu"), "lu");
  assertEquals(name("/opt/bin/lu -n 4"), "lu");
  assertEquals(name("mpirun -n 4 ./lu"), "lu");
  assertEquals(name("/usr/bin/mpirun.mpich -n 2 -x OMP_NUM_THREADS=2 /opt/bin/lu --size 3"), "lu");
  assertEquals(name("mpiexec.hydra -n 4 lu"), "lu");
  assertEquals(name("srun -N 2 -- lu"), "lu");
  assertEquals(name("flux run -n 2 ./lu"), "lu");
});

Deno.test("where the application is not known, a run is called after its command", () => {
  assertEquals(name("mpirun --app hosts"), "mpirun");
  assertEquals(name("mpirun"), "mpirun");
  assertEquals(name("bash job.sh"), "bash");
});
