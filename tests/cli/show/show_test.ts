/** `joulemark show`: whatever a run left is shown, also what is cut, and what is none says so. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { textWidth } from "../../../src/show/analysis/text_layout.ts";
import { show } from "../../../src/cli/show/show.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { repairReport } from "../../../src/job/place/read_runs.ts";
import { FormatError } from "../../../src/core/errors.ts";
import { hostName, hostReport, writeJob } from "../../job/merge/_generated.ts";
import { capture } from "../../_support/capture.ts";

const GOLDEN = new URL("../../golden/replay/seed_example.report", import.meta.url).pathname;
const VECTORS = new URL("../../vectors/", import.meta.url).pathname;

async function inDirectory(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = Deno.makeTempDirSync();
  try {
    await body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("show has the totals, regions and sources of a report, in each format", async () => {
  await inDirectory(async (dir) => {
    const report = hostReport("n1", 1, { regions: 3 });
    const [host] = report.hosts;
    host.application["package-energy (J)"] = 3.6e6;
    host.application["runtime (s)"] = host.application["sync-runtime (s)"] = 100;
    host.joulemark!.sampling = { samples: 90, "samples missed": 10, "samples late": 2 };
    Deno.writeTextFileSync(`${dir}/a.report`, stringifyReport(report));
    const { code, stdout, stderr } = await capture(show, [`${dir}/a.report`]);
    assertEquals([code, stderr], [0, ""]);
    for (
      const text of [
        "generated: 100 s",
        "package       3600000             1           36000",
        "region_02",
        "(outside regions)",
        "CPU_ENERGY  measured  POWERCAP",
        "10 % of the samples were missed (10 of 100), 2 late",
      ]
    ) assertStringIncludes(stdout, text);
    const data = JSON.parse((await capture(show, ["--json", `${dir}/a.report`])).stdout);
    assertEquals([data.format, data.regions.name.length], ["joulemark-page/2", 5]);
    assertEquals(data.notes.length, 1);
    const csv = await capture(show, ["--format", "csv", "-o", `${dir}/a.csv`, `${dir}/a.report`]);
    assertEquals([csv.code, csv.stdout], [0, ""]);
    const lines = Deno.readTextFileSync(`${dir}/a.csv`).split("\n");
    assertStringIncludes(lines[0], "run,profile,host,process,path,region,depth,source,visits,");
    assertStringIncludes(lines[2], "1,generated,n1,,/,,-1,,,,,,,,,package,3600000,");
  });
});

Deno.test("show takes the hosts of a job together, from a directory or its parts", async () => {
  await inDirectory(async (dir) => {
    for (const name of ["job", "job.report.parts"]) {
      Deno.mkdirSync(`${dir}/${name}`);
      writeJob(`${dir}/${name}`, 4, { regions: 2 });
      const { code, stdout } = await capture(show, [`${dir}/${name}`]);
      assertEquals(code, 0);
      assertStringIncludes(stdout, "4 hosts: energy of ");
      assertStringIncludes(stdout, hostName(3));
      assertStringIncludes(stdout, "Regions over hosts");
      assert(/^\(all\) +10\.\d+ +0\.\d+ .*nid00000\d/m.test(stdout), stdout);
    }
    Deno.copyFileSync(`${dir}/job/${hostName(0)}.report`, `${dir}/job/again.report`);
    const twice = await capture(show, [`${dir}/job`]);
    assertEquals(twice.code, 2);
    assertStringIncludes(twice.stderr, "the hosts of one job");
  });
});

Deno.test("csv and jsonl are one long table, a run after another", async () => {
  await inDirectory(async (dir) => {
    Deno.mkdirSync(`${dir}/job.report.parts`);
    writeJob(`${dir}/job.report.parts`, 3, { regions: 2 });
    const rows = async (...args: string[]) => {
      const { code, stdout, stderr } = await capture(show, ["--format", "jsonl", ...args]);
      assertEquals(code, 0, stderr);
      return stdout.trim().split("\n").map((line) => JSON.parse(line));
    };
    const parts = await rows(`${dir}/job.report.parts`);
    assertEquals(new Set(parts.map(({ run, host }) => `${run} ${host}`)).size, 3);
    assert(parts.every(({ run }) => run === "1"));
    Deno.writeTextFileSync(`${dir}/a.report`, stringifyReport(hostReport("n1", 1, { regions: 1 })));
    Deno.writeTextFileSync(`${dir}/b.report`, stringifyReport(hostReport("n1", 2, { regions: 1 })));
    const several = await rows(`${dir}/a.report`, `${dir}/b.report`);
    assertEquals(new Set(several.map(({ run }) => run)), new Set(["1", "2"]));
    const study = { file: "b", label: "T=4", repeat: 2 };
    Deno.writeTextFileSync(`${dir}/study.jsonl`, `{"format":"x"}\n${JSON.stringify(study)}\n{"cut`);
    const labels = new Set((await rows(dir)).map(({ run }) => run));
    assert(labels.has("T=4 #2"), [...labels].join());
    const job = await rows("--job", "--components", "memory", `${dir}/job.report.parts`);
    assert(job.every(({ host, component }) => !host && (component ?? "memory") === "memory"));
    for (const wrong of [["--components", "dram"], ["--min-share", "x"], ["--series"]]) {
      const { code, stderr } = await capture(show, [
        "--format",
        "csv",
        ...wrong,
        `${dir}/a.report`,
      ]);
      assertEquals([code, stderr.trim().split("\n").length], [2, 1], stderr);
    }
    assertEquals((await capture(show, ["--job", `${dir}/a.report`])).code, 2);
  });
});

Deno.test("show prints the columns, and the region table in Markdown", async () => {
  await inDirectory(async (dir) => {
    const csv = JSON.parse((await capture(show, ["--schema"])).stdout);
    const line = JSON.parse((await capture(show, ["--schema", "--format", "jsonl"])).stdout);
    const names = csv.tableSchema.columns.map(({ name }: { name: string }) => name);
    assertEquals(names, Object.keys(line.properties));
    const report = hostReport("n1", 1, { regions: 1 });
    report.hosts[0].regions![0].region = "a|b";
    Deno.writeTextFileSync(`${dir}/a.report`, stringifyReport(report));
    const header = (await capture(show, ["--format", "csv", `${dir}/a.report`])).stdout;
    assertEquals(header.split("\n")[0].split(","), names);
    const { stdout } = await capture(show, ["--format", "markdown", `${dir}/a.report`]);
    const cells = stdout.split("\n").map((row) => row.split(" | ").length);
    assertEquals(new Set(cells.slice(0, 4)).size, 1, stdout);
    assertStringIncludes(stdout, "| a\\|b |");
    assertEquals(stdout.includes("Notes"), false);
  });
});

Deno.test("without a file show takes the newest report of the directory", async () => {
  await inDirectory(async (dir) => {
    const before = Deno.cwd();
    Deno.chdir(dir);
    try {
      const none = await capture(show, []);
      assertEquals([none.code, none.stderr.trim().split("\n").length], [2, 1]);
      for (const [name, age] of [["old", 10], ["new", 5], ["older", 20]] as const) {
        const report = hostReport("n1", 1, { regions: 1, profile: name });
        Deno.writeTextFileSync(`${name}.report`, stringifyReport(report));
        const at = new Date(Date.now() - 1000 * age);
        Deno.utimeSync(`${name}.report`, at, at);
      }
      const { code, stdout, stderr } = await capture(show, []);
      assertEquals(code, 0, stderr);
      assertStringIncludes(stdout, "new: 10.665 s");
      assertStringIncludes(stderr, "new.report");
      // A run that found the name taken added a number.
      const second = hostReport("n1", 1, { regions: 1, profile: "second" });
      Deno.writeTextFileSync("new.report-2", stringifyReport(second));
      assertStringIncludes((await capture(show, [])).stdout, "second: 10.665 s");
      const rows = (await capture(show, ["--format", "csv", "."])).stdout;
      assertStringIncludes(rows, ",second,");
      const both = await capture(show, ["."]);
      assertStringIncludes(both.stderr, "4 runs of the same hosts");
      for (
        const end of [
          "report.partial",
          "report-3.partial",
          "report.recovered",
          "report.recovered-2",
        ]
      ) {
        const killed = hostReport("n1", 1, { regions: 1, profile: `killed-${end}` });
        Deno.mkdirSync(end);
        Deno.chdir(end);
        Deno.writeTextFileSync(`x.${end}`, stringifyReport(killed));
        const only = await capture(show, []);
        assertStringIncludes(only.stdout, `killed-${end}: 10.665 s`, only.stderr);
        assertStringIncludes(only.stderr, `showing x.${end}`);
        const other = await capture(show, ["other"]);
        assertStringIncludes(other.stderr, `Reports here: x.${end}`);
        Deno.chdir("..");
      }
    } finally {
      Deno.chdir(before);
    }
  });
});

Deno.test("show reads recordings, traces, .cali files, PMC logs and raw stats", async () => {
  const kinds: [string, string][] = [
    [`${VECTORS}pmc/run-a.v6.0.0.bin`, "5429"],
    [`${VECTORS}pmc/run-a.v4.3.0.pmc`, "5429"],
    [`${VECTORS}caliper/hatchet_profile.cali`, "main"],
    [`${VECTORS}rawstats/rollover-a.raw`, "samples in"],
    [GOLDEN, "Sources of the signals"],
  ];
  for (const [path, text] of kinds) {
    const { code, stdout } = await capture(show, [path]);
    assertEquals(code, 0, path);
    assertStringIncludes(stdout, text, path);
    assertEquals((await capture(show, ["--format", "csv", path])).code, 0, path);
    const page = await capture(show, ["--html", path]);
    assertEquals(page.code, 0, page.stderr);
    assertStringIncludes(page.stdout, '"format":"joulemark-page/2"', path);
  }
});

Deno.test("show reads a report that is cut anywhere, and reports where", async () => {
  await inDirectory(async (dir) => {
    const two = hostReport("n1", 1, { regions: 3 });
    two.hosts.push(hostReport("n2", 2, { regions: 3 }).hosts[0]);
    const text = stringifyReport(two);
    const path = `${dir}/cut.report`;
    let shown = 0;
    for (let bytes = 0; bytes < text.length - 2; bytes += 97) {
      Deno.writeTextFileSync(path, text.slice(0, bytes));
      const { code, stdout, stderr } = await capture(show, [path]);
      assert(code === 0 || code === 2, String(bytes));
      if (code === 2) assertEquals(stderr.trim().split("\n").length, 1, stderr);
      else {
        shown++;
        assert(/^PARTIAL: .*cut/.test(stdout), stdout);
      }
    }
    assert(shown > text.length / 97 * 0.9, `${shown} of ${text.length / 97}`);
    const error = new FormatError("x", 1, { action: "parse" });
    assertEquals(repairReport(text.slice(0, -300), "x", error).hosts.length, 2);
  });
});

Deno.test("show bears ten thousand regions, names of any kind, and reports of others", async () => {
  await inDirectory(async (dir) => {
    const many = hostReport("n1", 1, { regions: 10_000 });
    many.hosts[0].regions![5].region = 'a\u001b[31m</script>"\n';
    Deno.writeTextFileSync(`${dir}/many.report`, stringifyReport(many));
    const { code, stdout } = await capture(show, [`${dir}/many.report`]);
    assertEquals(code, 0);
    assert(!stdout.includes("\u001b"));
    assertStringIncludes(stdout, "region_9999");
    // GEOPM's own, written anew by a YAML library: other quotes, blanks, order.
    const other = stringifyReport(hostReport("n1", 1, { regions: 2, version: "3.1.0" }))
      .replaceAll('"', "'").replace("    Regions:\n    -\n", "    Regions:\n    - # one\n");
    Deno.writeTextFileSync(`${dir}/other.report`, `# written anew\n---\n${other}`);
    const yaml = await capture(show, [`${dir}/other.report`]);
    assertEquals([yaml.code, yaml.stderr], [0, ""]);
    assertStringIncludes(yaml.stdout, "region_01");
  });
});

Deno.test("show reports in one line what it cannot show", async () => {
  await inDirectory(async (dir) => {
    Deno.mkdirSync(`${dir}/empty`);
    Deno.writeTextFileSync(`${dir}/none`, "");
    Deno.writeTextFileSync(`${dir}/text`, "hello\nworld\n");
    Deno.writeFileSync(`${dir}/binary`, Uint8Array.from({ length: 4096 }, (_, i) => i % 251));
    Deno.writeTextFileSync(`${dir}/head.report`, "GEOPM Version: 3.1.0\nStart Time: x\n");
    const wrong: string[][] = [
      [`${dir}/nothing`],
      [`${dir}/empty`],
      [`${dir}/none`],
      [`${dir}/text`],
      [`${dir}/binary`],
      [`${dir}/head.report`],
      [GOLDEN, `${VECTORS}pmc/run-a.v4.3.0.pmc`],
    ];
    const profile = [`${dir}/profile.pb.gz`];
    await capture(show, ["--format", "pprof", "-o", profile[0], GOLDEN]);
    assertMatch((await capture(show, profile)).stderr, /a profile for pprof\. .*go tool pprof/);
    wrong.push(profile);
    for (const args of wrong) {
      const { code, stdout, stderr } = await capture(show, args);
      assertEquals([code, stdout], [2, ""], `${args}`);
      assertEquals(stderr.trim().split("\n").length, 1, stderr);
      assert(stderr.length < 300 + dir.length, stderr);
    }
  });
});

Deno.test("no line of show is wider than the terminal, or 80 columns", async () => {
  await inDirectory(async (dir) => {
    const report = hostReport(`n${"0".repeat(60)}1`, 1, { regions: 3 });
    report.hosts[0].regions![0].region = `${"long name ".repeat(20)}\u6f22\u5b57`;
    Deno.writeTextFileSync(`${dir}/a.report`, stringifyReport(report));
    const before = Deno.env.get("COLUMNS");
    for (const columns of [undefined, 60, 100]) {
      if (columns === undefined) Deno.env.delete("COLUMNS");
      else Deno.env.set("COLUMNS", String(columns));
      const { stdout } = await capture(show, ["-v", `${dir}/a.report`]);
      const wide = stdout.split("\n").filter((line) => textWidth(line) > (columns ?? 80));
      assertEquals(wide, []);
    }
    if (before === undefined) Deno.env.delete("COLUMNS");
    else Deno.env.set("COLUMNS", before);
  });
});

Deno.test("no time below 0 is shown in a table, and the report keeps it", async () => {
  await inDirectory(async (dir) => {
    const report = hostReport("n1", 1, { regions: 1 });
    report.hosts[0].unmarked!["runtime (s)"] = -0.4615;
    report.hosts[0].unmarked!["sync-runtime (s)"] = -0.1;
    Deno.writeTextFileSync(`${dir}/a.report`, stringifyReport(report));
    assertStringIncludes(Deno.readTextFileSync(`${dir}/a.report`), "-0.4615");
    const { stdout } = await capture(show, [`${dir}/a.report`]);
    assertEquals(stdout.includes("-0."), false, stdout);
    assert(/^\(outside regions\) +0 +- +- /m.test(stdout), stdout);
  });
});
