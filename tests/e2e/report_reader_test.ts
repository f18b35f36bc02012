/** One report in every form that programs write it in, through every subcommand that reads reports. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** The same report as PyYAML 6 and Python's json write it. */
const REWRITTEN = new URL("../vectors/reports/", import.meta.url);

const FIELDS = [
  ...["runtime (s): 10", "count: 2", "sync-runtime (s): 10", "package-energy (J): 1000"],
  ...["dram-energy (J): 100", "power (W): 100", "frequency (%): 100", "frequency (Hz): 2.1e+09"],
];
const HEAD = [
  ...["GEOPM Version: 2.0.0+dev607", "Start Time: Mon May 15 11:40:05 2023"],
  ...['Profile: "multi:tenant run"', "Agent: power_balancer", 'Policy: {"LIMIT": 180}', ""],
];
const IDLE = ["    joulemark:", "      idle:", "        package (W): 50"];
const LAST = ["geopmctl memory HWM (B): 1", "geopmctl network BW (B/s): 0"];
const REGION = [
  ...["    Regions:", "    -", '      region: "dgemm"', "      hash: 0xa74bbf35"],
  ...FIELDS.map((line) => `      ${line}`),
];
const TOTALS = ["    Application Totals:", ...[...FIELDS, ...LAST].map((line) => `      ${line}`)];
const NESTED = ["    Frequency map:", "      0xa74bbf35: 2.1e+09"];

interface Form {
  head?: string[];
  agent?: string[];
  between?: string[];
}

function text({ head = HEAD, agent = [], between = [] }: Form = {}): string {
  const host = (name: string) => [`  ${name}:`, ...agent, ...REGION, ...TOTALS, ...IDLE];
  return [...head, "Hosts:", ...host("n1"), ...between, ...host("n2"), "", ""].join("\n");
}

const FORMS: Record<string, string> = {
  "GEOPM's layout": text(),
  "an empty line between hosts": text({ between: [""] }),
  "empty lines everywhere": text({ between: ["", "  ", ""] }).replaceAll(
    "    Regions",
    "\n    Regions",
  ),
  "a block under an agent's key": text({ agent: NESTED }),
  "a block under an agent's key, an empty line behind it": text({ agent: [...NESTED, ""] }),
  "a policy as a block": text({
    head: HEAD.map((line) => line.startsWith("Policy") ? "Policy:\n  LIMIT: 180" : line),
  }),
  "comments": `# kept by hand\n${text()}`,
  "a mark of the byte order": `\uFEFF${text()}`,
  "a directive": `%YAML 1.1\n---\n${text()}`,
  "JSON without a line end": Deno.readTextFileSync(new URL("json.report", REWRITTEN)).trimEnd(),
  "line ends of another system": text().replaceAll("\n", "\r\n"),
  ...Object.fromEntries(["sorted", "blocks", "flow", "json", "canonical"].map((name) => {
    return [name, Deno.readTextFileSync(new URL(`${name}.report`, REWRITTEN))];
  })),
};

endToEnd("every subcommand reads a report in every form that programs write", (dir) => {
  const read = (...args: string[]) => {
    const { code, stdout, stderr } = joulemark(dir, args);
    return { code, stdout, stderr };
  };
  const shown = (path: string) => {
    // The order of keys decides about the order of columns alone.
    const { code, stdout, stderr } = read("show", "--json", path);
    assertEquals([code, stderr], [0, ""], path);
    return JSON.parse(stdout);
  };
  Deno.writeTextFileSync(`${dir}/first.report`, FORMS["GEOPM's layout"]);
  const query = [
    "query",
    "-q",
    "select host,section,package-energy where section order by host,section format csv",
  ];
  const expected = read(...query, "first.report").stdout;
  assertEquals(expected.trim().split("\n").length, 5);
  for (const [name, content] of Object.entries(FORMS)) {
    Deno.writeTextFileSync(`${dir}/a.report`, content);
    assertEquals(read(...query, "a.report"), { code: 0, stdout: expected, stderr: "" }, name);
    assertEquals(shown("a.report"), shown("first.report"), name);
    const merged = read("merge", "-o", "m.report", "a.report");
    assertEquals(merged.code, 0, name + merged.stderr);
    assertEquals(read(...query, "m.report").stdout, expected, name);
    const compared = read(
      "compare",
      "--metric",
      "time",
      "--json",
      "--force",
      "a.report",
      "--",
      "m.report",
    );
    assertStringIncludes(compared.stdout, '"metric": "time"', name + compared.stderr);
    const idle = read(
      "run",
      "-q",
      "--simulate",
      "--idle",
      "a.report",
      "--report",
      "i.report",
      "--",
      "true",
    );
    assertMatch(idle.stderr, /those of 2 hosts without/, name);
    assertMatch(
      read("pmc", "--summary", "craypat", "a.report").stderr,
      /figures of counters/,
      name,
    );
    const isNested = content.includes("Frequency map");
    assertEquals(/Frequency map"?:/.test(Deno.readTextFileSync(`${dir}/m.report`)), isNested, name);
  }
});

endToEnd("a block under an agent's key is a text for query", (dir) => {
  Deno.writeTextFileSync(`${dir}/a.report`, text({ agent: NESTED }));
  const out = joulemark(dir, [
    "query",
    "-q",
    "select Frequency-map where Frequency-map format json",
    "a.report",
  ]);
  assertEquals(JSON.parse(out.stdout)[0], { "Frequency-map": '{"0xa74bbf35":2100000000}' });
});

const OLD = [
  ...["##### geopm 1.1.0 #####", "Start Time: Tue Feb 18 14:51:13 2020", "Profile: ./app"],
  ...["Agent: monitor", "Policy: {}", "", "Host: c1", "Region dgemm (0x00000000a74bbf35):"],
  ...["    runtime (sec): 10", "Application Totals:", "    runtime (sec): 12", "", ""],
].join("\n");

endToEnd("a report that cannot be read is one line and status 2 in every subcommand", (dir) => {
  const cases = {
    "the text format of GEOPM 1.0 and 1.1 (geopm 1.1.0)": OLD,
    "a truncated report": text().slice(0, -3),
    "none": `${HEAD.join("\n")}\nHosts:\n\n`,
    "the end of the file": HEAD.join("\n"),
  };
  for (const [found, content] of Object.entries(cases)) {
    Deno.writeTextFileSync(`${dir}/a.report`, content);
    for (
      const args of [
        ["query", "-t", "a.report"],
        ["merge", "-o", "m.report", "a.report"],
        ["compare", "--force", "a.report", "--", "a.report"],
        ["pmc", "--summary", "craypat", "a.report"],
        ["run", "--simulate", "--idle", "a.report", "--", "true"],
        // It shows the part of a truncated report.
        ...found.includes("truncated") ? [] : [["show", "a.report"]],
      ]
    ) {
      const out = joulemark(dir, args);
      const what = `${args.join(" ")}: ${out.stderr}`;
      assertEquals(out.code, 2, what);
      assertStringIncludes(out.stderr, `found ${found}`, what);
      assertEquals(out.stderr.trimEnd().split("\n").length, 1, what);
      assert(!Array.from(Deno.readDirSync(dir)).some(({ name }) => name === "m.report"), what);
    }
    const piped = new Deno.Command("sh", {
      args: ["-c", `"${BINARY}" query -t <a.report`],
      cwd: dir,
      stderr: "null",
    }).outputSync();
    assertEquals(piped.code, 2, found);
  }
});

const RAW = `$hpcperfstats 2.3.5
$hostname n1
!cpu user,E,U=cs

1760000000 1 n1
cpu 0 5

1760000060 1 n1
cpu 0 6
`;

endToEnd("show reads a pipe as the file that is behind it", (dir) => {
  const run = (line: string) => {
    const out = new Deno.Command("bash", { args: ["-c", line], cwd: dir, env: { J: BINARY } })
      .outputSync();
    const [stdout, stderr] = [out.stdout, out.stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    );
    return { code: out.code, stdout, stderr };
  };
  const made = run('"$J" run -q --simulate --trace trace -- sh -c "sleep 0.1"');
  assertEquals([made.code, made.stderr], [0, ""]);
  Deno.writeTextFileSync(`${dir}/raw`, RAW);
  for (const name of ["joulemark.report", "trace", "raw"]) {
    const file = run(`"$J" show ${name}`);
    assertEquals([file.code, file.stderr], [0, ""], name);
    for (const pipe of [`"$J" show <(cat ${name})`, `cat ${name} | "$J" show /dev/stdin`]) {
      assertEquals(run(pipe), file, pipe);
    }
  }
  assertEquals(run('gzip -c raw | "$J" show /dev/stdin').stdout, run('"$J" show raw').stdout);
  const empty = run('"$J" show <(true)');
  assertEquals([empty.code, empty.stderr.includes("an empty file")], [2, true]);
});
