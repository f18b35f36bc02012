/** GEOPM_POLICY is in the header as GEOPM has it; nothing acts on it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

const POLICY = '{"CPU_POWER_LIMIT": 180,\n "STEP_COUNT": "NAN"}\n';

endToEnd("GEOPM_POLICY and GEOPM_ENDPOINT are in the header of the report", (dir) => {
  Deno.writeTextFileSync(`${dir}/policy.json`, POLICY);
  const run = (env: Record<string, string>) => {
    const command = ["run", "--simulate", "--record", "rec", "--report", "r.report", "--", "true"];
    const out = joulemark(dir, command, { GEOPM_AGENT: "power_governor", ...env });
    assertEquals(out.code, 0, out.stderr);
    assertStringIncludes(out.stderr, "GEOPM_AGENT=power_governor: joulemark controls nothing");
    assertEquals(joulemark(dir, ["replay", "rec", "--report", "again.report"]).code, 0);
    return ["r.report", "again.report"].map((path) => {
      const { policy, agent } = parseReport(Deno.readTextFileSync(`${dir}/${path}`));
      return [policy, agent];
    });
  };
  const both = (policy: string) => [[policy, "monitor"], [policy, "monitor"]];
  assertEquals(run({}), both("{}"));
  assertEquals(run({ GEOPM_POLICY: "policy.json" }), both(POLICY));
  assertEquals(run({ GEOPM_POLICY: "no/such.json" }), both("no/such.json"));
  assertEquals(run({ GEOPM_POLICY: "policy.json", GEOPM_ENDPOINT: "/node" }), both("DYNAMIC"));
});
