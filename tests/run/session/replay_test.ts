/** Recordings that are cut, wrong, odd or large in some way. */
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { traceTo } from "../../../src/run/outputs/trace.ts";
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { DEFAULT_ATTRIBUTION } from "../../../src/core/attribution_mode.ts";
import { totalsFromNested } from "../../../src/core/job_totals.ts";
import { attributionIn } from "../../../src/run/outputs/attribution.ts";
import { FormatError, UnknownNameError, UsageError } from "../../../src/core/errors.ts";
import { replay, type Replayed, type ReplayOptions } from "../../../src/run/session/replay.ts";
import { summary } from "../../../src/show/analysis/summary.ts";
import { summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import { RecordingOnDisk } from "./_application.ts";
import { Random } from "./_random.ts";
import { tableOf } from "./_table.ts";

const YAML = `format: joulemark-recording/1
host: node01
profile: demo
agent: monitor
start: "2024-10-24T08:00:00.000000000+0000"
topology: {packages: 1, cores_per_package: 2, threads_per_core: 1}
signals:
- {name: CPU_ENERGY, domain: package, unit: J, aggregation: sum, behavior: monotone}
- {name: "CPUINFO::FREQ_STICKER", domain: board, unit: Hz, aggregation: expect_same, behavior: constant}
`;
const SAMPLES = `time,CPU_ENERGY@package-0,CPUINFO::FREQ_STICKER@board-0
0,100,2e9
1,110,
2,130,
3,130,
`;
const EVENTS = `time,process,event,region,value,thread
0,7,start,,0-1,
0,7,region,a,COMPUTE,
0.5,7,enter,a,,
1.5,7,exit,a,,
2.5,7,shutdown,,,
`;
const FILES = { "recording.yaml": YAML, "samples.csv": SAMPLES, "events.csv": EVENTS };
const LOOK = { width: 100, ascii: false, color: false };

async function run(
  files: Record<string, string | Uint8Array>,
  options: Partial<ReplayOptions> = {},
): Promise<Replayed> {
  using recording = new RecordingOnDisk({ ...FILES, ...files });
  return await replay(recording.path, { makeTable: tableOf, version: "v", ...options });
}

/** Notes without the directory. */
function notes(result: Replayed): string[] {
  return result.repairs.lines().map((line) => line.replace(/^.*\//, ""));
}

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

Deno.test("replay() of a plain recording", async () => {
  const { host, partial, repairs } = await run({});
  assertEquals(host.regions!.map((r) => [r.region, r.fields["runtime (s)"], r.fields.count]), [
    ["a", 1, 1],
  ]);
  // 1 → 2 began in a: 20 J of it.
  assertEquals(host.regions![0].fields["package-energy (J)"], 20);
  assertEquals(host.application["package-energy (J)"], 30);
  assertEquals([partial, repairs.lines()], [false, []]);
});

Deno.test("energies of a recording whose first sample is late are a lower limit", async () => {
  const times = Array.from({ length: 21 }, (_, i) => 1 + i / 20);
  const samples = times.map((timeS, i) => `${timeS},${100 + 10 * i},${i === 0 ? "2e9" : ""}`);
  const { host, engine } = await run({
    "samples.csv": [SAMPLES.split("\n")[0], ...samples, ""].join("\n"),
    "events.csv": EVENTS.replace("2.5,", "2,"),
  });
  assertEquals(host.joulemark!.sampling, { "first sample after (s)": 1 });
  const shown = summary(summaryFacts(engine.document([host])), { look: LOOK });
  assertStringIncludes(shown, "200.0 J at least (package counter of the time after 1 s)");
  assertStringIncludes(shown, "mean 200.0 W while measured");
  assertStringIncludes(shown, "the first sample came 1.00 s after the start");
  assert(!/J\/visit|EDP [0-9]/.test(shown), shown);
});

Deno.test("replay() reads compressed samples and events", async () => {
  using recording = new RecordingOnDisk({
    "recording.yaml": YAML,
    "samples.csv.gz": await gzip(SAMPLES),
    "events.csv.gz": await gzip(EVENTS),
  });
  const result = await replay(recording.path, { makeTable: tableOf, version: "v" });
  assertEquals(result.host.application["package-energy (J)"], 30);
  assertEquals(result.partial, false);
});

Deno.test("replay() goes up to the cut, and marks it partial", async () => {
  const cutRow = await run({ "samples.csv": SAMPLES.slice(0, -8) });
  assertEquals(cutRow.host.application["package-energy (J)"], 10);
  assertEquals(cutRow.partial, true);
  assertEquals(notes(cutRow), [
    "events.csv:5: event too late to count (2 times)",
    "samples.csv:4: truncated here; the rest is missing",
  ]);
  const cutEvent = await run({ "events.csv": EVENTS.slice(0, -14) });
  assertEquals(cutEvent.partial, true);
  assertEquals(cutEvent.host.joulemark!.partial, true);
  const zipped = await gzip(SAMPLES.repeat(1) + "4,131,\n".repeat(5000));
  using recording = new RecordingOnDisk({
    "recording.yaml": YAML,
    "events.csv": EVENTS,
    "samples.csv.gz": zipped.slice(0, zipped.length - 12),
  });
  const cutGzip = await replay(recording.path, { makeTable: tableOf, version: "v" });
  assertEquals(cutGzip.partial, true);
});

Deno.test("a feature that is not known is refused in a line that names it", async () => {
  const of = (features: string) =>
    run({
      "recording.yaml": YAML.replace(
        /^format: .*\n/m,
        `format: joulemark-recording/3\n${features}\n`,
      ),
    });
  assertEquals((await of("features: [functions]")).partial, false);
  const error = await assertRejects(() => of("features: [functions, gpu]"), FormatError);
  assert(
    /recording.yaml.*features that are known: functions.*gpu/.test(error.message),
    error.message,
  );
});

Deno.test("every prefix of a recording replays", async () => {
  for (let n = SAMPLES.indexOf("\n") + 1; n <= SAMPLES.length; n += 3) {
    await run({ "samples.csv": SAMPLES.slice(0, n) });
  }
  for (let n = EVENTS.indexOf("\n") + 1; n <= EVENTS.length; n += 3) {
    const result = await run({ "events.csv": EVENTS.slice(0, n) });
    assertEquals(result.partial, n < EVENTS.length);
  }
});

const WRONG: [string, Record<string, string>, RegExp, string][] = [
  [
    "an unknown process",
    { "events.csv": EVENTS.replace("0.5,7", "0.5,8") },
    /events.csv:4.*a process that a start row named/,
    "events.csv:4: event of an unknown process left out",
  ],
  [
    "time that steps back",
    { "events.csv": EVENTS.replace("1.5,7,exit", "0.4,7,exit") },
    /events.csv:5.*0.4 after 0.5/,
    "events.csv:5: time that steps back taken as standing still",
  ],
  [
    "an epoch that steps back",
    { "events.csv": EVENTS.replace("1.5,7", "1,7,epoch,,2,\n1.1,7,epoch,,1,\n1.5,7") },
    /events.csv:6.*whole number above 2.*epoch 1/,
    "events.csv:6: epoch that steps back left out",
  ],
  [
    "a missing field",
    { "events.csv": EVENTS.replace("enter,a,,", "enter,a,") },
    /events.csv:4.*six fields.*found 5/,
    "events.csv:4: row that has not six fields left out",
  ],
  [
    "a missing column",
    { "events.csv": EVENTS.replace(",thread", "") },
    /events.csv:1.*the columns time,process/,
    "events.csv:1: header taken for the usual one",
  ],
  [
    "CRLF",
    { "events.csv": EVENTS.replaceAll("\n", "\r\n") },
    /events.csv:1.*LF.*CRLF/,
    "events.csv:1: CR at the end of a line dropped (6 times)",
  ],
  [
    "an unknown event",
    { "events.csv": EVENTS.replace("enter", "entre") },
    /events.csv:4.*an event.*entre/,
    "events.csv:4: row with a bad event left out",
  ],
  [
    "a bad hint",
    { "events.csv": EVENTS.replace("COMPUTE", "COMPUTING") },
    /events.csv:3.*a hint.*COMPUTING/,
    "events.csv:3: row with a bad hint left out",
  ],
  [
    "a CPU list that is none",
    { "events.csv": EVENTS.replace("0-1", "0-x") },
    /events.csv:2.*CPU list/,
    "events.csv:2: row with a bad CPU list left out",
  ],
  [
    "a CPU that is not there",
    { "events.csv": EVENTS.replace("0-1", "0-9") },
    /events.csv:2.*CPUs below 2/,
    "events.csv:2: CPU that the node does not have left out",
  ],
  [
    "a second start",
    { "events.csv": EVENTS.replace("0.5,7", "0.2,7,start,,0,\n0.5,7") },
    /events.csv:4.*not running/,
    "events.csv:4: second start of a running process left out",
  ],
  [
    "samples in CRLF",
    { "samples.csv": SAMPLES.replace(",\n2", ",\r\n2") },
    /samples.csv:3.*CRLF/,
    "samples.csv:3: CR at the end of a line dropped",
  ],
  [
    "a cell that is no number",
    { "samples.csv": SAMPLES.replace("110", "1l0") },
    /samples.csv:3.*a number.*1l0/,
    "samples.csv:3: cell that is no number taken as NaN",
  ],
  [
    "samples whose time steps back",
    { "samples.csv": SAMPLES.replace("\n2,", "\n0.5,") },
    /samples.csv:4.*step back/,
    "samples.csv:4: row whose time steps back left out",
  ],
  [
    "too few cells",
    { "samples.csv": SAMPLES.replace("1,110,", "1,110") },
    /samples.csv:3.*3 cells.*found 2/,
    "samples.csv:3: missing cells taken as NaN",
  ],
  [
    "too many cells",
    { "samples.csv": SAMPLES.replace("1,110,", "1,110,,5") },
    /samples.csv:3.*3 cells.*found 4/,
    "samples.csv:3: cells too many left out",
  ],
  [
    "a column that is listed nowhere",
    { "samples.csv": SAMPLES.replace("CPU_ENERGY@package-0", "CPU_ENERGY@package-7") },
    /samples.csv:1.*index below 1/,
    "samples.csv:1: column CPU_ENERGY@package-7 left out",
  ],
  [
    "= in the first row",
    { "samples.csv": SAMPLES.replace("0,100", "0,=") },
    /samples.csv:2.*first row/,
    "samples.csv:2: = in the first row taken as NaN",
  ],
];

for (const [what, files, message, repair] of WRONG) {
  Deno.test(`replay() refuses ${what} with file and line, and repairs it when lenient`, async () => {
    const error = await assertRejects(() => run(files), FormatError);
    assert(message.test(error.message), error.message);
    assertEquals(error.message.includes("\n"), false);
    const mended = await run(files, { lenient: true });
    assert(notes(mended).includes(repair), notes(mended).join("; "));
    assert((mended.host.joulemark!.notes as string[]).some((note) => note.includes(repair)));
  });
}

Deno.test("calls that GEOPM refuses are noted with their line, and change nothing", async () => {
  const result = await run({
    "events.csv": EVENTS.replace("0.5,7", "0.1,7,exit,a,,\n0.2,7,region,b,99,\n0.5,7"),
  });
  assertEquals(notes(result), [
    "events.csv:4: exit without entry",
    "events.csv:5: region with a hint out of range",
  ]);
  assertEquals(result.host.regions!.length, 1);
  assertEquals(result.host.joulemark!["refused calls"], {
    "exit without entry": 1,
    "region with a hint out of range": 1,
  });
});

Deno.test("events too late are counted and change nothing", async () => {
  const result = await run({ "events.csv": EVENTS + "2.75,7,enter,a,,\n9,7,exit,a,,\n" });
  assertEquals(result.late, 2);
  assertEquals(result.host.regions![0].fields.count, 1);
  assertEquals(result.partial, false);
});

Deno.test("a pid may come back as another process", async () => {
  const again = "2.6,7,start,,1,\n2.7,7,enter,a,,\n2.8,7,exit,a,,\n2.9,7,shutdown,,,\n";
  const result = await run({ "events.csv": EVENTS + again });
  assertEquals(result.host.regions![0].fields.count, 1);
  assertEquals((result.host.joulemark!.processes as { seen: number }).seen, 2);
});

Deno.test("= repeats the row above, an empty cell of a constant too", async () => {
  const result = await run({
    "samples.csv": SAMPLES.replace("3,130,", "3,=,="),
    "recording.yaml": YAML.replace("monotone}", "monotone, quality: simulated, source: model}"),
  });
  assertEquals(result.host.application["package-energy (J)"], 30);
  const sources = result.host.joulemark!.sources as Record<string, unknown>;
  assertEquals(sources.CPU_ENERGY, { quality: "simulated", source: "model" });
  assertEquals(sources.DRAM_ENERGY, { absent: "not recorded" });
});

Deno.test("region names with commas, quotes and line ends survive", async () => {
  const name = 'a,"b"\nc';
  const field = `"${name.replaceAll('"', '""')}"`;
  const result = await run({
    "events.csv": EVENTS.replace(",a,COMPUTE", `,${field},COMPUTE`)
      .replaceAll(",a,,", `,${field},,`),
  });
  assertEquals(result.host.regions![0].region, name);
});

Deno.test("threads in regions longer than their process leave no time outside that is below 0", async () => {
  const events = EVENTS.replace("0.5,", "0.2,7,enter,a,,8\n0.5,")
    .replace("2.5,", "2.4,7,exit,a,,8\n2.5,");
  const { host } = await run({ "events.csv": events });
  assertEquals(host.regions![0].fields["runtime (s)"], 3.2);
  assertEquals(host.application["runtime (s)"], 2.5);
  assertEquals(host.unmarked!["runtime (s)"], NaN);
});

Deno.test("threads, folded visits, progress, overhead and other events", async () => {
  const others: string[] = [];
  const events = `time,process,event,region,value,thread
0,7,start,,0-1,
0,7,start,,1,71
0.1,7,pm_open,,4.4,
0.2,7,overhead,,0.004,
0.5,7,enter,work,COMPUTE,71
1.5,7,exit,work,,71
1.6,7,short,tiny,500 0.25,
1.7,7,enter,loop,,
1.7,7,tprof_init,,10,
1.8,7,tprof_post,,1,
2.2,7,exit,loop,,
2.5,7,shutdown,,,
`;
  let trace = "";
  const result = await run({ "events.csv": events }, {
    reportSignals: "TIME@cpu",
    outputs: () => [
      traceTo({
        sink: { write: (lines) => trace += lines },
        signals: "REGION_PROGRESS@cpu",
      }),
      ({ tracker }) => ({
        events: {
          receive({ kind, timeS, process, pm: { version } }) {
            if (kind !== KIND.pmOpen) return -1;
            const { pid } = tracker.process(process);
            return others.push(`${timeS} ${pid} pm_open ${version / 10}`);
          },
        },
      }),
    ],
  });
  const regions = Object.fromEntries(result.host.regions!.map((r) => [r.region, r.fields]));
  assertEquals(regions.tiny.count, 500);
  assertEquals(regions.tiny["runtime (s)"], 0.25);
  assertEquals([regions.work["TIME@cpu-0"], regions.work["TIME@cpu-1"]], [0, 1]);
  assertEquals(result.host.application["GEOPM overhead (s)"], 0.004);
  assertEquals(others, ["0.1 7 pm_open 4.4"]);
  assertEquals(trace.trim().split("\n").at(-1)!.split("|").slice(-2), ["0", "0.1"]);
});

Deno.test("folded visits have their track, where a recording has one", async () => {
  const short = (rows: string) => `time,process,event,region,value,thread${rows}`;
  const plain = short(`
0,7,start,,0-1,
1.6,7,short,tiny,500 0.25,
2.5,7,shutdown,,,
`);
  const tracks = short(`,track,span
0,7,start,,0-1,,,
1.6,7,short,tiny,500 0.25,,,
1.7,7,short,tiny,100 0.125,,nvtx,
2.5,7,shutdown,,,,,
`);
  const rowsOf = async (events: string) => {
    const { host } = await run({ "events.csv": events }, {});
    const { rows } = host.joulemark!.tree as unknown as { rows: Record<string, unknown>[] };
    return rows.map(({ region, track, count }) => [region, track, count]);
  };
  assertEquals(await rowsOf(plain), [["tiny", undefined, 500]]);
  assertEquals(await rowsOf(tracks), [["tiny", undefined, 500], ["tiny", "nvtx", 100]]);
});

Deno.test("GPUs and memories without lists share the CPUs evenly", async () => {
  const result = await run({
    "recording.yaml": YAML +
      "- {name: GPU_ENERGY, domain: gpu, unit: J, aggregation: sum, behavior: monotone}\n",
    "samples.csv": `time,GPU_ENERGY@gpu-0,GPU_ENERGY@gpu-1\n0,0,0\n1,5,7\n2,10,14\n3,11,15\n`,
  }, { reportSignals: "GPU_ENERGY@gpu" });
  assertEquals(result.recording.topology.cpus("gpu", 1), [1]);
  assertEquals(result.host.application["gpu-energy (J)"], 26);
  assertEquals(result.host.application["GPU_ENERGY@gpu-1"], 15);
});

Deno.test("a recording without processes totals over its samples", async () => {
  const result = await run({ "events.csv": "time,process,event,region,value,thread\n" });
  assertEquals(result.host.application["package-energy (J)"], 30);
  assertEquals(result.host.application["runtime (s)"], 3);
});

Deno.test("a total whose counter was not read after the run has a larger error, also replayed", async () => {
  const yaml = YAML.replace("monotone}", "monotone, update_period: 0.1}");
  const outputs = () => [attributionIn(DEFAULT_ATTRIBUTION)];
  const errorJ = async (own: string) => {
    const { host } = await run({ "recording.yaml": yaml + own }, { outputs });
    return totalsFromNested(host.joulemark!.totals)!.components.get("package")!.errorJ;
  };
  const readJ = await errorJ("");
  // Half an update period more.
  const lackJ = readJ * Math.sqrt(6) / 2;
  assertAlmostEquals(await errorJ("unread: [CPU_ENERGY]\n"), Math.hypot(readJ, lackJ), 1e-6);
});

Deno.test("--report-signals takes constants as they are, in every section", async () => {
  const { host } = await run({}, { reportSignals: "CPUINFO::FREQ_STICKER" });
  const hz = host.application["CPUINFO::FREQ_STICKER"];
  assert(Number(hz) > 1e8, String(hz));
  for (const { fields } of host.regions ?? []) assertEquals(fields["CPUINFO::FREQ_STICKER"], hz);
});

Deno.test("wrong lists of signals stop before the first step", async () => {
  const wrong: [Partial<ReplayOptions>, string][] = [
    [{ reportSignals: "NOPE" }, "NOPE"],
    [{ reportSignals: "TIME@cpu@cpu" }, "one @"],
    [{ reportSignals: "TIME@socket" }, "one of the domains"],
    [{ reportSignals: "REGION_HASH" }, "a label"],
    [{ reportSignals: "CPU_ENERGY@cpu" }, "one of the domains board, package, found cpu"],
    [{ reportSignals: "TIME,,TIME" }, "a signal name"],
    [{ outputs: () => [traceTo({ signals: "TIME@@" })] }, "one @"],
    [{ recordFilter: "proxy_epoch" }, "record filter"],
  ];
  for (const [options, text] of wrong) {
    const error = await assertRejects(() => run({}, options), Error, text);
    assert(error instanceof UsageError || error instanceof UnknownNameError);
  }
});

Deno.test("recording.yaml is checked", async () => {
  const wrong: [string, string][] = [
    ["", "a mapping"],
    ["format: other/1\n", "joulemark-recording/1"],
    [YAML.replace("packages: 1", "packages: 0"), "above 0 for packages"],
    [YAML.replace("domain: package", "domain: socket"), "a domain of CPU_ENERGY"],
    [YAML.replace("sum", "total"), "an aggregation of CPU_ENERGY"],
    [YAML + "  - broken: [\n", "recording.yaml"],
    [`${YAML}x: {${Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`)}}\n`, "20000 values"],
    [`${YAML}x: [${"1,".repeat(1_000_000)}1]\n`, "20000 values"],
    [`${YAML}${"- 1\n".repeat(20_001)}`, "20000 values"],
    [`${YAML}x: ${"1".repeat(17 << 20)}\n`, "16 MiB"],
  ];
  for (const [yaml, text] of wrong) {
    await assertRejects(() => run({ "recording.yaml": yaml }), FormatError, text);
  }
  await assertRejects(
    () => replay("/nowhere", { makeTable: tableOf, version: "v" }),
    FormatError,
    "/nowhere",
  );
});

Deno.test("replay() of noise throws nothing but FormatError (seeded)", async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = new Random(seed);
    const name = random.pick(["recording.yaml", "samples.csv", "events.csv"] as const);
    const files = { [name]: random.damage(FILES[name]) };
    for (const lenient of [false, true]) {
      try {
        await run(files, { lenient });
      } catch (error) {
        assert(error instanceof FormatError, `seed ${seed}: ${(error as Error).stack}`);
      }
    }
  }
});

Deno.test("replay() has no energy of 0 J for time outside of regions that the estimate cannot see", async () => {
  const random = new Random(3), ranks = [11, 12, 13, 14];
  const samples = ["time,CPU_ENERGY@package-0"], events = ["0,7,start,command,0-1,"];
  for (let k = 0; k <= 500; k++) {
    const timeS = 0.005 * k + (k === 0 ? 0 : 0.001 * random.next());
    samples.push(`${timeS},${100 + Math.floor(timeS * 1000) * 0.2}`);
  }
  // More ranks than CPUs: two of them are in a region while the others are not yet in one.
  for (const [i, rank] of ranks.entries()) {
    const beginS = i < 2 ? 0.1 : 0.11;
    events.push(`${beginS},${rank},start,,0-1,`);
    if (i < 2) events.push(`${beginS},${rank},enter,a,,`);
  }
  for (const rank of ranks.slice(2)) events.push(`0.15,${rank},enter,a,,`);
  for (let timeS = 0.2; timeS < 2.4; timeS += 0.01) {
    const rank = ranks[random.int(0, 3)], t = timeS.toFixed(3);
    events.push(`${t},${rank},exit,a,,`, `${t},${rank},enter,a,,`);
  }
  for (const rank of ranks) events.push(`2.49,${rank},died,,,`);
  const { host } = await run({
    "recording.yaml": YAML.replace("aggregation: sum,", "aggregation: sum, update_period: 0.001,"),
    "samples.csv": samples.join("\n") + "\n",
    "events.csv": `time,process,event,region,value,thread\n${events.join("\n")}\n`,
  }, { outputs: () => [attributionIn(DEFAULT_ATTRIBUTION)] });
  const outside = host.unmarked!;
  assert(Number(outside["joulemark-package-energy-exact (J)"]) > 0);
  assertEquals(outside["joulemark-package-energy-fit (J)"], NaN);
});
