/** What becomes of a run whose simulated node has no place to be written. */
import { assert, assertEquals } from "@std/assert";
import { optionValues } from "../../../src/core/option.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { runRequest } from "../../../src/run/request/request.ts";
import { RUN_OPTIONS } from "../../../src/run/request/run_options.ts";
import { simulationFor } from "../../../src/run/session/simulation.ts";

Deno.test("simulationFor() logs why and gives nothing where no file can be made", () => {
  const said: string[] = [];
  const options = optionValues(RUN_OPTIONS, { simulate: "rapl" }, () => undefined);
  const request = runRequest(
    ["true"],
    options,
    { quiet: false, verbose: false },
    () => undefined,
    [],
  );
  const made = simulationFor(request, "/proc/no-such-place", new MachineHost(""), {
    blindCatalogue: () => undefined,
    log: (line) => said.push(line),
  });
  assertEquals(made, undefined);
  assertEquals(said.length, 1);
  assert(/^cannot write .*\. The command runs without the simulated node$/.test(said[0]), said[0]);
});
