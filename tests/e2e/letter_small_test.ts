/** Single statements of the documents that no larger test holds. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const OLD = [
  "intel_hsw",
  "intel_hsw_ht",
  "intel_nhm",
  "intel_snb",
  "intel_snb_pcu",
  "intel_hsw_pcu",
];

endToEnd(
  "monitor --types: every listed type is known, by the names of older monitors too",
  (dir) => {
    const out = joulemark(dir, ["monitor", "--once", "--types", [...OLD, "ps"].join(",")]);
    assertEquals(out.code, 0, out.stderr);
    for (const name of OLD) {
      const today = name.endsWith("_pcu") ? "intel_pcu" : "intel_8pmc3 or intel_4pmc3";
      assertStringIncludes(out.stderr, `joulemark: ${name} is called ${today} here\n`);
    }
    assert(/^ps - \d+/m.test(out.stdout), out.stdout);
  },
);

endToEnd("usage errors with --simulate leave no tree in memory files", (dir) => {
  const trees = (path = "/dev/shm", depth = 0): string[] => {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(path)];
    } catch {
      // Gone meanwhile, or somebody else's.
      return [];
    }
    return entries.filter(({ name }) => depth > 0 || name.startsWith("joulemark")).flatMap((e) => {
      const inner = `${path}/${e.name}`;
      if (e.name.endsWith("-node")) return [inner];
      return e.isDirectory && depth < 3 ? trees(inner, depth + 1) : [];
    });
  };
  const before = new Set(trees());
  for (const wrong of [["--report-signals", "NO_SUCH"], ["--trace-signals", "NO_SUCH"]]) {
    for (const trace of [["--trace", "t"], []]) {
      const out = joulemark(dir, ["run", "--simulate", ...trace, ...wrong, "--", "true"]);
      assertEquals(out.code, 2, out.stderr);
    }
  }
  assertEquals(trees().filter((name) => !before.has(name)), []);
});

endToEnd("pmc --histogram 1=a.pmc keeps the name, and edges of bins are short", (dir) => {
  let log = "pm_mpi_lib v4.3.0: time (s), step, substep, average power (W), energy used (J)\n";
  for (let i = 0; i < 40; i++) {
    log += `${i}.000000 ${i === 0 ? -1 : i} 1 ${(80 + (i * 7 % 13) / 10).toFixed(6)} ${80 * i}\n`;
  }
  Deno.writeTextFileSync(`${dir}/a.pmc`, log);
  const out = joulemark(dir, ["pmc", "--histogram", "--format", "csv", "first=a.pmc"]);
  assertEquals(out.code, 0, out.stderr);
  assert(/^first,/m.test(out.stdout), out.stdout);
  assert(!/^a,/m.test(out.stdout), out.stdout);
  const long = out.stdout.split(/[\s,]/).filter((word) => /^\d+\.\d{13,}$/.test(word));
  // means and deviations have all their digits; edges do not
  assert(!long.some((word) => /(9999|0000)\d{0,2}$/.test(word)), long.join(" "));
});

endToEnd("--report-signals UNITS:POWER,THERMAL_SPEC…: constants are taken as constants", (dir) => {
  const signals = ["UNITS:POWER", "UNITS:ENERGY", "CPUINFO::FREQ_STICKER"];
  const list = signals.join(",");
  const out = joulemark(dir, ["run", "--simulate", "--report-signals", list, "--", "true"]);
  assertEquals(out.code, 0, out.stderr);
  const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
  for (const signal of signals) {
    assert(new RegExp(`^ +"?${signal}"?: [\\d.e+-]+$`, "m").test(report), `${signal}\n${report}`);
  }
});

endToEnd("export CALI_SERVICES_ENABLE=recorder:timestamp, run, ls *.cali: a stream", (dir) => {
  const app = build("four_regions", dir);
  const env = { CALI_SERVICES_ENABLE: "recorder:timestamp" };
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", app], env);
  assertEquals(out.code, 0, out.stderr);
  assert(!out.stderr.includes("no regions were found"), out.stderr);
  const streams = [...Deno.readDirSync(dir)].map(({ name }) => name).filter((n) =>
    n.endsWith(".cali")
  );
  assertEquals(streams.length, 1);
  const text = Deno.readTextFileSync(`${dir}/${streams[0]}`);
  assertEquals(text.split("\n").filter((line) => line.startsWith("__rec=ctx")), []);
  assert(/^__rec=globals,/m.test(text), text);
});

endToEnd("a region's fit that cannot be told has no standard error, in every section", (dir) => {
  const app = build("nested", dir);
  for (const [visits, periodS] of [["200", "0.005"], ["40000", "0.005"], ["40000", "0.05"]]) {
    const args = ["run", "-q", "--simulate", "--period", periodS, "--", app, visits];
    const out = joulemark(dir, args);
    assertEquals(out.code, 0, out.stderr);
    const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
    const [host] = parseReport(text).hosts;
    const sections = [...host.regions!.map(({ fields }) => fields), host.unmarked!];
    let seen = 0;
    for (const fields of sections) {
      for (const kind of ["node", "package", "dram"]) {
        const fit = Number(fields[`joulemark-${kind}-energy-fit (J)`]);
        const se = Number(fields[`joulemark-${kind}-energy-fit-se (J)`]);
        assertEquals(Number.isNaN(fit), Number.isNaN(se), `${kind} ${fit} ${se}\n${text}`);
        // what is told has an error that somebody can read
        if (!Number.isNaN(fit)) assert(se > 1e-6 * fit, `${kind} ${fit} ${se}`);
        seen++;
      }
    }
    assert(seen >= 6, text);
  }
});
