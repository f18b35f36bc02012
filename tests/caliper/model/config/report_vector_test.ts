/**
 * Reports by our queries in our query engine are, letter by letter, those of Caliper's queries in
 * cali-query, over profiles that Caliper 2.15 recorded.
 */
import { assert, assertEquals } from "@std/assert";
import { parseConfigString } from "../../../../src/caliper/model/config/config_string.ts";
import { query } from "../../../../src/caliper/query/library.ts";

interface Case {
  mode: "serial" | "mpi";
  config: string;
  files: string[];
  report: string;
}

const FOLDER = new URL("../../../vectors/caliper/config/", import.meta.url);
const CASES: Case[] = JSON.parse(Deno.readTextFileSync(new URL("reports.json", FOLDER)));

for (const { mode, config, files, report } of CASES) {
  Deno.test(`${mode}: ${config}`, () => {
    const facts = { mpi: mode === "mpi", behaviorOf: () => undefined };
    const [{ variables }] = parseConfigString(config, facts).channels;
    let inputs = files.map((name) => Deno.readTextFileSync(new URL(name, FOLDER)));
    const local = variables.CALI_MPIREPORT_LOCAL_CONFIG;
    if (local !== undefined) {
      inputs = inputs.map((input) => query(local, [input], { strict: false }));
    }
    const last = variables.CALI_MPIREPORT_CONFIG ?? variables.CALI_REPORT_CONFIG;
    assert(report.includes("time") || report.includes("Time"), "the recorded report has times");
    assertEquals(query(last, inputs, { strict: false }), report);
  });
}
