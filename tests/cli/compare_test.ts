/** `joulemark compare` over reports with a known difference, in each format, and what it refuses. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { compare } from "../../src/cli/compare.ts";
import type { Report } from "../../src/core/report.ts";
import { stringifyReport } from "../../src/formats/report.ts";
import { Random } from "../../src/core/random.ts";
import { hostReport } from "../job/merge/_generated.ts";
import { pageDataOf } from "../_support/page_data.ts";
import { capture } from "../_support/capture.ts";

/** A report whose energies and times are `factor` times those of the first, ± 1 %. */
function report(seed: number, factor: number, change?: (report: Report) => void): string {
  const random = new Random(seed);
  const one = hostReport("nid000001", 1, { regions: 3 });
  const noise = 1 + 0.01 * random.normal();
  const [host] = one.hosts;
  for (const fields of [host.application, ...host.regions!.map(({ fields }) => fields)]) {
    fields["package-energy (J)"] = Number(fields["package-energy (J)"]) * factor * noise;
    fields["dram-energy (J)"] = Number(fields["dram-energy (J)"]) * factor * noise;
    fields["frequency (Hz)"] = 2.4e9 * noise;
    fields["frequency (%)"] = 100 * noise;
  }
  host.joulemark!.machine = { processor: "Testium 1", packages: 2, cores: 8, cpus: 16 };
  change?.(one);
  return stringifyReport(one);
}

/** Two sets of reports in `a/` and `b/`. */
async function withSets(
  { runs = 5, increase = 0, change }: {
    runs?: number;
    increase?: number;
    change?: (report: Report) => void;
  },
  body: (dir: string) => Promise<void>,
): Promise<void> {
  const dir = Deno.makeTempDirSync();
  try {
    for (const [name, factor] of [["a", 1], ["b", 1 + increase]] as const) {
      Deno.mkdirSync(`${dir}/${name}`);
      for (let i = 0; i < runs; i++) {
        const seed = 10 * i + (name === "a" ? 0 : 5);
        const text = report(seed, factor, name === "b" ? change : undefined);
        Deno.writeTextFileSync(`${dir}/${name}/run-${i}.report`, text);
      }
    }
    await body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("compare fails where the energy has grown, and passes what is allowed", async () => {
  await withSets({ increase: 0.05 }, async (dir) => {
    const sets = [`${dir}/a`, "--", `${dir}/b`];
    const grown = await capture(compare, sets);
    assertEquals(grown.code, 1, grown.stdout);
    assertStringIncludes(grown.stdout, "verdict: worse: energy +");
    assertStringIncludes(grown.stderr, "worse: energy +");
    assert(grown.stdout.split("\n").every((line) => line.length <= 80), grown.stdout);
    // Options stand on either side.
    assertEquals((await capture(compare, [...sets, "--max-increase", "10%"])).code, 0);
    assertEquals((await capture(compare, ["--max-increase=10", ...sets])).code, 0);
    assertEquals((await capture(compare, [...sets, "--metric", "time"])).code, 0);
    assertEquals((await capture(compare, [...sets, "--metric", "region:region_01"])).code, 1);
    // The other way round it has shrunk.
    const shrunk = await capture(compare, [`${dir}/b`, "--", `${dir}/a`]);
    assertEquals([shrunk.code, shrunk.stderr], [0, ""]);
    assertStringIncludes(shrunk.stdout, "region_00");
  });
});

Deno.test("compare has one verdict for each case, and a status", async () => {
  const verdict = async (increase: number, ...options: string[]) => {
    let found: [string, number] = ["", 0];
    await withSets({ increase }, async (dir) => {
      const sets = [`${dir}/a`, "--", `${dir}/b`];
      const { code, stdout } = await capture(compare, [...options, ...sets]);
      found = [/^verdict: ([^:]*): /m.exec(stdout)?.[1] ?? stdout, code];
    });
    return found;
  };
  assertEquals(await verdict(0.05), ["worse", 1]);
  assertEquals(await verdict(0.05, "--max-increase=10"), ["within the limit", 0]);
  assertEquals(await verdict(0.05, "--max-increase=5"), ["more, limit not decided", 0]);
  assertEquals(await verdict(0.05, "--max-increase=5", "--strict"), ["more, limit not decided", 3]);
  assertEquals(await verdict(-0.05), ["better", 0]);
  assertEquals(await verdict(0), ["no significant change", 0]);
  assertEquals(await verdict(0, "--strict"), ["no significant change", 3]);
  assertEquals(await verdict(0.05, "--level=99.99999"), ["no significant change", 0]);
});

Deno.test("compare lists regions of one set, and one interval for the region of the gate", async () => {
  const change = ({ hosts: [host] }: Report) => {
    host.regions![2].region = "new";
  };
  await withSets({ increase: 0.05, change }, async (dir) => {
    const sets = [`${dir}/a`, "--", `${dir}/b`];
    const { stdout } = await capture(compare, sets);
    const lines = stdout.split("\n");
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    assert(at("only in A") > 0 && at("only in B") > 0, stdout);
    assert(at("only in B") < at("region_00"), `largest change in joules first\n${stdout}`);
    await capture(compare, ["--format", "html", "-o", `${dir}/c.html`, ...sets]);
    assertStringIncludes(Deno.readTextFileSync(`${dir}/c.html`), "new (only in B)");
    const metric = ["--metric", "region:region_01"];
    const json = JSON.parse((await capture(compare, [...metric, "--json", ...sets])).stdout);
    const row = json.regions.find(({ metric }: { metric: string }) =>
      metric === "region:region_01"
    );
    assertEquals([row.low, row.high], [json.gate.low, json.gate.high]);
  });
});

Deno.test("compare has its figures as JSON, and the gate as JUnit", async () => {
  await withSets({ increase: 0.05 }, async (dir) => {
    const sets = [`${dir}/a`, "--", `${dir}/b`];
    const json = JSON.parse((await capture(compare, ["--json", ...sets])).stdout);
    assertEquals([json.gate.verdict, json.level], ["worse", 0.985]);
    assertEquals([json.gate.a.length, json.gate.b.length], [5, 5]);
    assert(json.gate.change > 0.03 && json.gate.change < 0.07);
    assertEquals(json["energy of"], "package + memory");
    assertEquals(json.regions.length, 3);
    assert(json.regions.every(({ p }: { p: number }) => p < 0.05));
    const xml = `${dir}/gate.xml`;
    const out = await capture(compare, ["--format", "junit", "-o", xml, "-q", ...sets]);
    assertEquals([out.code, out.stdout, out.stderr], [1, "", ""]);
    const text = Deno.readTextFileSync(xml);
    assertStringIncludes(text, '<testsuite name="joulemark compare" tests="1" failures="1"');
    assertStringIncludes(text, '<failure message="worse: energy +');
    assert(!/&(?!amp;|lt;|gt;|quot;)/.test(text));
  });
});

Deno.test("compare has a page with what changed, region by region", async () => {
  await withSets({ increase: 0.05 }, async (dir) => {
    const page = await capture(compare, [`${dir}/a`, "--", `${dir}/b`, "--format", "html"]);
    assertEquals(page.code, 1);
    const { regions, verdicts, panels, tables } = await pageDataOf(page.stdout);
    assertStringIncludes(verdicts![0].lines[0], "worse: energy +");
    assertEquals(regions!.name.slice(0, 3).sort(), ["region_00", "region_01", "region_02"]);
    for (const i of [0, 1, 2]) {
      const [energy, change] = [regions!.energy_j[0][i]!, regions!.change_j![i]!];
      assert(change / (energy - change) > 0.03, `${change} of ${energy}`);
    }
    assertEquals([panels[0].series.length, tables.length], [4, 2]);
  });
});

Deno.test("compare of too few runs reports what more runs would find, and has no verdict", async () => {
  await withSets({ runs: 2 }, async (dir) => {
    const out = await capture(compare, [`${dir}/a`, "--", `${dir}/b`]);
    assertEquals(out.code, 2);
    assertStringIncludes(out.stdout, "verdict: not enough runs: energy ");
    assertStringIncludes(out.stdout, "with 5 and 5 runs a change below");
    const single = await capture(compare, [
      `${dir}/a/run-0.report`,
      ...["--", `${dir}/b/run-0.report`, "--format", "junit"],
    ]);
    assertEquals(single.code, 2);
    assertStringIncludes(single.stdout, '<error message="not enough runs');
  });
});

Deno.test("compare names what makes runs incomparable, and compares by force", async () => {
  const changes: [string, (report: Report) => void][] = [
    ["the processors differ", (r) => r.hosts[0].joulemark!.machine = { processor: "Other" }],
    ["the base frequencies differ", (r) => r.hosts[0].application["frequency (%)"] = 50],
    ["the versions differ", (r) => r.version = "3.1.0+joulemark.0.0.9"],
    [
      "the numbers of hosts differ",
      (r) => r.hosts.push(hostReport("other", 2, { regions: 3 }).hosts[0]),
    ],
    ["the simulated counters differ", (r) => r.joulemark = { simulated: "simulated node" }],
    [
      "the counters differ",
      (r) => r.hosts[0].joulemark!.sources = { CPU_ENERGY: { signal: "MSR::PKG" } },
    ],
    [
      "the parts of the energy differ",
      (r) => r.hosts[0].joulemark!.sources = { DRAM_ENERGY: { absent: "no counter" } },
    ],
    [
      "has the energy of",
      (r) => r.hosts[0].joulemark!.coverage = { "package-energy (J)": { "coverage (%)": 40 } },
    ],
    [
      "has the energy of",
      (r) => r.hosts[0].joulemark!.sampling = { "first sample after (s)": 1.2 },
    ],
    ["is partial (1 of 2 hosts)", (r) => r.joulemark = { partial: "1 of 2 hosts" }],
    [
      "is partial: it covers only a part of the run",
      (r) => r.joulemark = { partial: true },
    ],
    ["has the exit status 3", (r) => r.joulemark = { "exit status": 3 }],
    ["was ended by SIGTERM", (r) => r.hosts[0].joulemark!["ended by"] = "SIGTERM"],
  ];
  for (const [what, change] of changes) {
    await withSets({ runs: 3, change }, async (dir) => {
      const sets = [`${dir}/a`, "--", `${dir}/b`];
      const out = await capture(compare, sets);
      assertEquals([out.code, out.stdout], [2, ""], what);
      const reason =
        /^joulemark: Not comparable: (.*)\. To compare anyway, use --force$/m.exec(out.stderr)
          ?.[1] ?? "";
      assertStringIncludes(reason, what);
      assertMatch(out.stderr, /use --force\n$/);
      const forced = await capture(compare, [...sets, "--force"]);
      assertStringIncludes(forced.stdout, `note: compared although not comparable: ${reason}`);
    });
  }
});

Deno.test("compare lists the metrics, and names a region that only some runs have", async () => {
  await withSets({ runs: 3, change: (r) => r.hosts[0].regions!.pop() }, async (dir) => {
    const asked = async (metric: string) => {
      const out = await capture(compare, [`${dir}/a`, "--", `${dir}/b`, "--metric", metric]);
      assertEquals([out.code, out.stdout], [2, ""], metric);
      return out.stderr;
    };
    const kept = [...hostReport("n", 1, { regions: 3 }).hosts[0].regions!];
    const [{ region: first }] = kept, { region: last } = kept.at(-1)!;
    assertStringIncludes(await asked("foo"), `region:${first}, region-time:${first}`);
    assertStringIncludes(await asked("region:foo"), 'unknown region "foo"; available: ');
    assertStringIncludes(await asked(`region-time:${last}`), `"${last}" is not in every run`);
  });
});

Deno.test("compare notes runs of different names", async () => {
  await withSets({ runs: 3, change: (r) => r.profile = "other" }, async (dir) => {
    const { code, stdout } = await capture(compare, [`${dir}/a`, "--", `${dir}/b`]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "note: runs of different names: generated, other");
  });
});

Deno.test("compare of a metric that is not known everywhere has no verdict", async () => {
  const change = (r: Report) => r.hosts[0].application["package-energy (J)"] = NaN;
  await withSets({ runs: 3, change }, async (dir) => {
    const out = await capture(compare, [`${dir}/a`, "--", `${dir}/b`]);
    assertEquals(out.code, 2);
    assertStringIncludes(out.stdout, "verdict: not known: energy is 0, below 0 or absent in a run");
    assertEquals((await capture(compare, [`${dir}/a`, "--", `${dir}/b`, "--metric=time"])).code, 0);
  });
});

Deno.test("compare reports in one line what is wrong with its arguments", async () => {
  await withSets({ runs: 3 }, async (dir) => {
    const [a, b] = [`${dir}/a`, `${dir}/b`];
    Deno.mkdirSync(`${dir}/empty`);
    Deno.writeTextFileSync(`${dir}/cut.report`, report(1, 1).slice(0, 900));
    Deno.writeTextFileSync(`${dir}/none.report`, "hello\n");
    const wrong: [string[], RegExp][] = [
      [[a, b], /expected reports on both sides of --, found no --/],
      [["--", b], /found none before it/],
      [[a, "--"], /found none after it/],
      [[a, "--", `${dir}/nothing`], /no such file or directory/],
      [[a, "--", `${dir}/empty`], /none in it/],
      [[a, "--", `${dir}/cut.report`], /cut\.report/],
      [[a, "--", `${dir}/none.report`], /none\.report/],
      [[a, "--", b, "--metric", "enrgy"], /enrgy.*energy/],
      [[a, "--", b, "--metric", "region:region_99"], /region_99.*region_00/],
      [[a, "--", b, "--max-increase", "much"], /per cent/],
      [[a, "--", b, "--max-increase=-3"], /max-increase/],
      [[a, "--metric", "--", b], /--metric/],
    ];
    for (const [args, says] of wrong) {
      const { code, stdout, stderr } = await capture(compare, args);
      assertEquals([code, stdout], [2, ""], `${args}`);
      assert(says.test(stderr), `${args}: ${stderr}`);
      assertEquals(stderr.trim().split("\n").length, 1, stderr);
    }
  });
});

Deno.test("compare takes a directory of parts as one run of several hosts", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    for (const set of ["a", "b"]) {
      for (let i = 0; i < 3; i++) {
        const parts = `${dir}/${set}-${i}.report.parts`;
        Deno.mkdirSync(parts);
        for (const n of [1, 2]) {
          const text = stringifyReport(hostReport(`n${n}`, n, { regions: 1, seed: 5 + i }));
          Deno.writeTextFileSync(`${parts}/n${n}.report`, text);
        }
      }
    }
    const sides = ["a", "b"].map((set) => [0, 1, 2].map((i) => `${dir}/${set}-${i}.report.parts`));
    const args = [...sides[0], "--json", "--", ...sides[1], "--force"];
    const { gate } = JSON.parse((await capture(compare, args)).stdout);
    assertEquals([gate.a.length, gate.change, gate.verdict], [3, 0, "no significant change"]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("compare of an empty report names it as empty", async () => {
  await withSets({}, async (dir) => {
    for (const text of ["", "\n"]) {
      Deno.writeTextFileSync(`${dir}/e.report`, text);
      const { code, stderr } = await capture(compare, [`${dir}/a`, "--", `${dir}/e.report`]);
      assertEquals([code, stderr.trim().split("\n").length], [2, 1]);
      assertStringIncludes(stderr, 'e.report": expected a report, found an empty file');
    }
  });
});

Deno.test("compare counts no report of a side twice", async () => {
  const { code, stderr } = await capture(compare, ["a", "a", "a", "--", "b"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, 'each report of a side once, found "a" twice');
});
