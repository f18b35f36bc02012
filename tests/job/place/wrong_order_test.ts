import { assertEquals } from "@std/assert";
import { wrongOrder } from "../../../src/job/place/wrong_order.ts";

const SLURM = { SLURM_JOB_ID: "7", SLURM_JOB_NUM_NODES: "2" };

function line(command: string, env: Record<string, string>): string | undefined {
  return wrongOrder(command.split(" "), {
    env: (name) => env[name],
    read: (path) => path === "/nodes" ? "n1\nn1\nn2\n" : undefined,
    isProgram: (word) => ["./app", "app", "node", "/opt/x y/app"].includes(word),
  })?.replace(/^.*To measure all nodes: /, "");
}

Deno.test("wrongOrder() gives the right line for a launcher behind run", () => {
  assertEquals(line("srun ./app 20", SLURM), "srun joulemark run -- ./app 20");
  assertEquals(line("/usr/bin/srun -n 4 app", SLURM), "/usr/bin/srun -n 4 joulemark run -- app");
  assertEquals(
    line("mpirun --map-by node -np 4 ./app -x", { PBS_NODEFILE: "/nodes" }),
    "mpirun --map-by node -np 4 joulemark run -- ./app -x",
  );
  assertEquals(
    line("mpiexec -n 4 -- app", { LSB_MCPU_HOSTS: "n1 4 n2 4" }),
    "mpiexec -n 4 -- joulemark run -- app",
  );
  // What only the launcher's own parser could tell.
  assertEquals(line("srun --exclusive app", SLURM), "srun [options] joulemark run -- ./app");
});

Deno.test("wrongOrder() logs nothing on one node, in a step, or of a program", () => {
  assertEquals(line("srun ./app", {}), undefined);
  assertEquals(line("srun ./app", { ...SLURM, SLURM_JOB_NUM_NODES: "1" }), undefined);
  assertEquals(line("srun ./app", { ...SLURM, SLURM_STEP_ID: "0" }), undefined);
  assertEquals(line("./app", SLURM), undefined);
  assertEquals(line("mpirun ./app", { PBS_NODEFILE: "/gone" }), undefined);
});
