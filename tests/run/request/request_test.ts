import { LiveSite } from "../../../src/run/outputs/live_site.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import { optionValues } from "../../../src/core/option.ts";
import { RUN_OPTIONS } from "../../../src/run/request/run_options.ts";
import { runRequest } from "../../../src/run/request/request.ts";

function request(flags: Record<string, string>, env: Record<string, string> = {}) {
  const quiet = { quiet: false, verbose: false };
  const values = optionValues(RUN_OPTIONS, flags, (name) => env[name]);
  return runRequest(["/opt/app/lu", "-x"], values, quiet, (n) => env[n], Object.keys(env));
}

Deno.test("runRequest() has defaults", () => {
  const r = request({});
  assertEquals([r.reportPath, r.periodS, r.checkpointS, r.profile], [
    "joulemark.report",
    0.005,
    10,
    "lu",
  ]);
  assertEquals(r.warnings, []);
  assertEquals(r.tracePeriodS, 0);
});

Deno.test("runRequest() prefers flags to JOULEMARK_ to GEOPM_ variables", () => {
  const env = { JOULEMARK_REPORT: "j", GEOPM_REPORT: "g", GEOPM_PROFILE: "p" };
  assertEquals(request({ report: "f" }, env).reportPath, "f");
  assertEquals(request({}, env).reportPath, "j");
  assertEquals(request({}, { GEOPM_REPORT: "g" }).reportPath, "g");
  assertEquals(request({}, { GEOPM_REPORT: "" }).reportPath, "geopm.report");
  assertEquals(request({}, env).profile, "p");
});

Deno.test("runRequest() tells that the name of the run loses line ends and quotes", () => {
  const lost = "line ends and double quotes are removed from the name of the run";
  assertEquals(request({ profile: 'a"b' }).warnings, [`--profile: ${lost}`]);
  assertEquals(request({}, { GEOPM_PROFILE: "a\nb" }).warnings, [`GEOPM_PROFILE: ${lost}`]);
});

Deno.test("runRequest() keeps GEOPM's trace rate for GEOPM's variable", () => {
  assertEquals(request({}, { GEOPM_TRACE: "t" }).tracePeriodS, 0.2);
  const timed = request({}, { GEOPM_TRACE: "t", GEOPM_PERIOD: "0.01" });
  assertEquals([timed.tracePeriodS, timed.periodS], [0, 0.01]);
  assertEquals(request({ trace: "t" }).tracePeriodS, 0);
  assertThrows(() => request({ attribution: "none" }), UsageError, "--attribution");
  assertThrows(() => request({ "pmc-version": "7" }), UsageError, "--pmc-version");
});

Deno.test("LiveSite names files of GEOPM's variables after the host, and all in a job", () => {
  const printer = { log() {}, stdout() {}, stderr() {} };
  const site = (fileSuffix?: string) => {
    const place = { reportPath: "r", host: "node01", quiet: true, fileSuffix };
    return new LiveSite({ place, request: request({}), printer, zeroRawNs: 0 });
  };
  const name = (text: string, origin: "flag" | "foreign", suffix?: string) =>
    site(suffix).nameOf({ text, origin, name: "" });
  assertEquals(
    [name("t", "foreign"), name("t", "flag"), name("t", "foreign", "n7"), name("u", "flag", "n7")],
    ["t-node01", "t", "t-n7", "u-n7"],
  );
  // Another run writes that file at this moment.
  assertEquals(name("u", "flag", "n7"), "u-n7-2");
});

Deno.test("runRequest() refuses a bad flag, and goes on over a bad GEOPM_ variable", () => {
  for (const period of ["0", "-1", "x", "", "1e-9", "nan"]) {
    assertThrows(() => request({ period }), UsageError, "--period");
  }
  assertThrows(() => request({}, { JOULEMARK_PERIOD: "x" }), UsageError, "JOULEMARK_PERIOD");
  const r = request({}, { GEOPM_PERIOD: "x", GEOPM_RECORD_FILTER: "nonsense" });
  assertEquals(r.periodS, 0.005);
  assertEquals(r.recordFilter, undefined);
  assertEquals(r.warnings.length, 2);
  assert(r.warnings[0].includes("GEOPM_PERIOD"));
  assertThrows(() => request({ "record-filter": "nonsense" }), UsageError);
});

Deno.test("runRequest() names GEOPM's variables that mean nothing here, once", () => {
  const r = request({}, { GEOPM_CTL: "process", GEOPM_AGENT: "power_balancer", GEOPM_POLICY: "p" });
  assertEquals(r.warnings, [
    "not supported and ignored: GEOPM_CTL, GEOPM_POLICY",
    "GEOPM_AGENT=power_balancer: joulemark controls nothing; the agent is monitor",
  ]);
});

Deno.test("runRequest() names a JOULEMARK_ variable that it does not know, once, with the nearest", () => {
  const env = {
    JOULEMARK_REPROT: "r",
    JOULEMARK_X: "1",
    JOULEMARK_MPI_LIB: "m",
    JOULEMARK_IDLE: "",
  };
  assertEquals(request({}, env).warnings, [
    "unknown and ignored: JOULEMARK_REPROT, JOULEMARK_X; did you mean JOULEMARK_REPORT?",
  ]);
});
