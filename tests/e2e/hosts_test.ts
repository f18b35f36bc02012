/** Reports of several hosts that differ: no sample on some, a counter on some. */
import { assertAlmostEquals, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

interface Section {
  readonly runtimeS: number;
  readonly syncS: number;
  readonly watts: number;
  readonly gpuJ?: number;
}

function lines({ runtimeS, syncS, watts, gpuJ }: Section): string[] {
  const hz = syncS > 0 ? 2.1e9 : 0;
  return [
    `runtime (s): ${runtimeS}`,
    "count: 1",
    `sync-runtime (s): ${syncS}`,
    `package-energy (J): ${watts * syncS}`,
    `dram-energy (J): ${0.1 * watts * syncS}`,
    `power (W): ${syncS > 0 ? watts : 0}`,
    `frequency (%): ${hz / 2.1e7}`,
    `frequency (Hz): ${hz}`,
    ...gpuJ === undefined ? [] : [`gpu-energy (J): ${gpuJ}`],
  ].map((line) => `      ${line}`);
}

function host(name: string, region: Section, all: Section): string[] {
  return [
    `  ${name}:`,
    "    Regions:",
    "    -",
    '      region: "solve"',
    "      hash: 0xa74bbf35",
    ...lines(region),
    "    Application Totals:",
    ...lines(all),
    "      geopmctl network BW (B/s): 0",
  ];
}

function job(hosts: string[][]): string {
  return [
    "GEOPM Version: 2.0.0",
    "Start Time: Mon May 15 11:40:05 2023",
    'Profile: "job"',
    "Agent: monitor",
    "Policy: {}",
    "",
    "Hosts:",
    ...hosts.flat(),
    "",
    "",
  ].join("\n");
}

const ALL = { runtimeS: 11, syncS: 11, watts: 100 };

endToEnd("a host without a sample of a region has no power in the mean over hosts", (dir) => {
  const none = { runtimeS: 0.001, syncS: 0, watts: 0 };
  const seen = { runtimeS: 10, syncS: 10, watts: 129 };
  const hosts = [seen, none, none, none].map((region, i) => host(`n${i}`, region, ALL));
  Deno.writeTextFileSync(`${dir}/job.report`, job(hosts));
  assertEquals(joulemark(dir, ["merge", "-o", "m.report", "job.report"]).code, 0);
  // deno-lint-ignore no-explicit-any
  const own = parseReport(Deno.readTextFileSync(`${dir}/m.report`)).joulemark as any;
  const across = own["across hosts"].Regions.solve;
  for (const [key, mean] of [["power (W)", 129], ["frequency (Hz)", 2.1e9], ["count", 1]]) {
    assertAlmostEquals(across[key].mean, Number(mean), 1e-9, String(key));
  }
  assertAlmostEquals(across["runtime (s)"].mean, 10.003 / 4, 1e-5);
  assertEquals(across["power (W)"]["min host"], "n0");
  for (const path of ["job.report", "m.report"]) {
    const { tables } = JSON.parse(joulemark(dir, ["show", "--json", path]).stdout);
    const table = tables.find(({ title }: { title: string }) => title.startsWith("GEOPM's"));
    const power = table.columns.findIndex(({ name }: { name: string }) => name === "power");
    assertEquals(table.rows[0][power], 129, path);
    const { stdout } = joulemark(dir, ["show", path]);
    assertMatch(stdout, /^solve +~1290 /m, path);
  }
});

endToEnd("a GPU of one of two hosts is in every subcommand, with the number of hosts", (dir) => {
  const region = { runtimeS: 10, syncS: 10, watts: 100 };
  const hosts = [
    host("n1", { ...region, gpuJ: 1000 }, { ...ALL, gpuJ: 1030 }),
    host("n2", region, ALL),
  ];
  Deno.writeTextFileSync(`${dir}/job.report`, job(hosts));
  assertEquals(joulemark(dir, ["merge", "-o", "m.report", "job.report"]).code, 0);
  const [own, merged] = ["job.report", "m.report"].map((path) => {
    return joulemark(dir, ["show", path]).stdout;
  });
  assertEquals(own, merged);
  for (
    const text of [
      "job: 11.00 s, 2.200 kJ (package counters of 2 hosts), mean 200.0 W",
      "GPU 1.030 kJ at least (1 of 2 hosts)",
      "a host: 1.100 kJ (n1) to 1.100 kJ (n2), median 1.100 kJ",
      "EDP 24.20 kJ s; 2 hosts",
    ]
  ) assertStringIncludes(own, text);
  const page = joulemark(dir, ["show", "--html", "-o", "p.html", "job.report"]);
  assertEquals(page.code, 0, page.stderr);
  assertStringIncludes(Deno.readTextFileSync(`${dir}/p.html`), "GPU");
  const runs = ["a", "b", "c", "d", "e"].map((name) => `${name}.report`);
  for (const path of runs) Deno.copyFileSync(`${dir}/job.report`, `${dir}/${path}`);
  const compared = joulemark(
    dir,
    ["compare", "--json"].concat(
      runs.slice(0, 3),
      ["--"],
      runs.slice(3),
      ["m.report"],
    ),
  );
  assertStringIncludes(compared.stdout, "package + memory + GPU", compared.stderr);
  assertStringIncludes(compared.stdout, "3450");
});

endToEnd("an energy without a counter on one host is not in the mean over hosts", (dir) => {
  const region = { runtimeS: 10, syncS: 10, watts: 100 };
  const absent = host("n2", { ...region, watts: 0 }, { ...ALL, watts: 0 });
  const facts = ["DRAM_ENERGY", "CPU_ENERGY"].flatMap((name) => [
    `        ${name}:`,
    "          absent: no counter",
  ]);
  const hosts = [
    host("n1", region, ALL),
    [...absent, "    joulemark:", "      sources:", ...facts],
  ];
  Deno.writeTextFileSync(`${dir}/job.report`, job(hosts));
  assertEquals(joulemark(dir, ["merge", "-o", "m.report", "job.report"]).code, 0);
  // deno-lint-ignore no-explicit-any
  const own = parseReport(Deno.readTextFileSync(`${dir}/m.report`)).joulemark as any;
  const across = own["across hosts"]["Application Totals"];
  assertEquals(
    ["package-energy (J)", "dram-energy (J)", "power (W)"].map((key) => across[key].mean),
    [1100, 110, 100],
  );
  assertStringIncludes(
    joulemark(dir, ["show", "job.report"]).stdout,
    "1.100 kJ at least (package counter of 1 of 2 hosts)",
  );
});
