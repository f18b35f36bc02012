/** Advice on energies that are not determined. */
import { assertEquals, assertMatch } from "@std/assert";
import { CAUSES, helpFor } from "../../../src/energy/attribution/run_sum.ts";

Deno.test("helpFor() advises no longer run for calls that each process makes once", () => {
  const once = helpFor(CAUSES.posterior, ["MPI_Init_thread", "MPI_Finalize"]);
  assertEquals(once, "A longer run does not help for this call.");
  assertMatch(helpFor(CAUSES.posterior, ["MPI_Init", "solve"])!, /^Run longer/);
  assertMatch(helpFor(CAUSES.posterior)!, /^Run longer/);
  assertEquals(helpFor(CAUSES.blocks, ["MPI_Init"]), "Run longer.");
});
