/**
 * GEOPM's own Python reads what we write.
 *
 * Needs python3 with pandas, yaml, natsort and psutil, and the package `geopmpy`: installed, or its
 * source in the directory that JOULEMARK_GEOPMPY names (github.com/geopm/geopm, `geopmpy/`). Where
 * one is missing the tests are ignored, and their name says why.
 */
import { traceTo } from "../../src/run/outputs/trace.ts";
import { eventLogTo } from "../../src/run/outputs/event_log.ts";
import { assert, assertEquals } from "@std/assert";
import { stringifyReport } from "../../src/formats/report.ts";
import { replay } from "../../src/run/session/replay.ts";
import { APPLICATION_CASES, recordingOf, RecordingOnDisk } from "../run/session/_application.ts";
import { tableOf } from "../run/session/_table.ts";

const SOURCE = Deno.env.get("JOULEMARK_GEOPMPY");
const PYTHONS = ["/usr/bin/python3", "python3"];

const READ = `
import sys, json, os
${SOURCE === undefined ? "" : `sys.path.insert(0, ${JSON.stringify(SOURCE)})`}
import geopmpy.io as io
report, trace, log = sys.argv[1:4]
raw = io.RawReport(report)
hosts = raw.host_names()
out = {"meta": raw.meta_data(), "hosts": hosts, "regions": {}, "energy": {}}
for host in hosts:
    out["regions"][host] = raw.region_names(host)
    totals = raw.raw_totals(host)
    out["energy"][host] = raw.get_field(totals, "package-energy", "J")
collection = io.RawReportCollection([report], dir_name=os.path.dirname(report), do_cache=False, verbose=False)
out["rows"] = len(collection.get_df())
out["app_columns"] = sorted(c for c in collection.get_app_df().columns if "(" in c)
out["app_energy"] = [float(v) for v in collection.get_app_df()["package-energy (J)"]]
out["unmarked_rows"] = len(collection.get_unmarked_df())
out["epoch_rows"] = len(collection.get_epoch_df())
frame = io.Trace(trace).get_df()
out["trace"] = [list(frame.columns), len(frame), str(frame["REGION_HASH"].iloc[2])]
out["log"] = len(io.Trace(log).get_df())
print(json.dumps(out))
`;
import { withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";

async function python(args: string[]): Promise<{ ok: boolean; out: string; error: string }> {
  let error = "no python3";
  for (const name of PYTHONS) {
    try {
      const { success, stdout, stderr } = await new Deno.Command(name, { args }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      if (success) return { ok: true, out: decode(stdout), error: "" };
      error = decode(stderr).trim().split("\n").at(-1) ?? "failed";
    } catch {
      // not this one
    }
  }
  return { ok: false, out: "", error };
}

const imports = `import sys\n${
  SOURCE === undefined ? "" : `sys.path.insert(0, ${JSON.stringify(SOURCE)})`
}\nimport geopmpy.io`;
const present = await python(["-c", imports]);
const NO_GEOPMPY = unless(present.ok, `no geopmpy: ${present.error}`);

async function files(directory: string, hosts: string[]): Promise<[string, string, string]> {
  const c = APPLICATION_CASES.find((one) => one.name === "epochs_and_counts_differ")!;
  const results = [];
  let trace = "";
  let log = "";
  for (const host of hosts) {
    using recording = new RecordingOnDisk(recordingOf({ ...c, host }));
    trace = log = "";
    results.push(
      await replay(recording.path, {
        makeTable: tableOf,
        version: "3.1.0+joulemark.0.1.0",
        reportSignals: c.report_signals,
        outputs: () => [
          traceTo({ sink: { write: (text) => trace += text } }),
          eventLogTo({ write: (text) => log += text }),
        ],
      }),
    );
  }
  const own = { sources: { energy: ["measured", { quality: "derived", share: 0.5 }] } };
  const report = results[0].engine.document(results.map((result) => result.host), own);
  report.hosts[0].application["joulemark-note"] = 'a "text": with syntax';
  const names = ["report", "trace", "log"].map((name) => `${directory}/${name}`);
  [stringifyReport(report), trace, log].forEach((text, i) =>
    Deno.writeTextFileSync(names[i], text)
  );
  return names as [string, string, string];
}

for (const hosts of [["node01"], ["node01", "node02", "node03"]]) {
  Deno.test({
    ...skippedWithout(
      `GEOPM's Python reads report, trace and event log of ${hosts.length} hosts`,
      NO_GEOPMPY,
    ),
    fn: () =>
      withTimeLimit(async () => {
        const directory = await Deno.makeTempDir();
        try {
          const paths = await files(directory, hosts);
          const { ok, out, error } = await python(["-c", READ, ...paths]);
          assert(ok, error);
          const read = JSON.parse(out);
          assertEquals(read.meta["GEOPM Version"], "3.1.0+joulemark.0.1.0");
          assertEquals(read.meta.Profile, "demo");
          assertEquals(read.hosts, hosts);
          assertEquals(read.regions[hosts[0]], ["loop"]);
          assertEquals(Object.values(read.energy), hosts.map(() => 320));
          assertEquals(read.app_energy, hosts.map(() => 320));
          assertEquals(read.epoch_rows, hosts.length);
          assertEquals([read.rows, read.unmarked_rows], [hosts.length, hosts.length]);
          assertEquals(read.trace[1], 16);
          assertEquals(read.trace[2], "0xa15f1dee");
          assertEquals(read.log, 30);
        } finally {
          await Deno.remove(directory, { recursive: true });
        }
      }),
  });
}
