import { assertEquals, assertNotEquals } from "@std/assert";
import { jobIdentity } from "../../src/job/job_key.ts";

const key = (env: Record<string, string>) => jobIdentity((name) => env[name])?.key;

Deno.test("jobIdentity() is one for a job step, whatever the rank", () => {
  assertEquals(key({}), undefined);
  assertEquals(
    key({ SLURM_JOB_ID: "7", SLURM_STEP_ID: "0", SLURM_PROCID: "1" }),
    key({ SLURM_JOB_ID: "7", SLURM_STEP_ID: "0", SLURM_PROCID: "2" }),
  );
  assertNotEquals(
    key({ SLURM_JOB_ID: "7", SLURM_STEP_ID: "0" }),
    key({ SLURM_JOB_ID: "7", SLURM_STEP_ID: "1" }),
  );
  assertEquals(key({ SLURM_JOB_ID: "7" }), "slurm-7-batch-0");
  assertEquals(key({ FLUX_JOB_ID: "f2" }), "flux-f2");
  assertEquals(key({ PBS_JOBID: "12.srv" }), "pbs-12.srv-batch");
  assertEquals(key({ LSB_JOBID: "5", LSB_JOBINDEX: "2" }), "lsf-5-2-batch");
  assertEquals(key({ PMIX_NAMESPACE: "n1", OMPI_COMM_WORLD_RANK: "3" }), "mpi-n1");
  assertNotEquals(
    key({ PBS_JOBID: "12", PMIX_NAMESPACE: "a" }),
    key({ PBS_JOBID: "12", PMIX_NAMESPACE: "b" }),
  );
});
