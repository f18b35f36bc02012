/** Streams that we write and questions about them, for the tools that read them beside us. */

import { Channel } from "../../../../src/caliper/model/services/channel.ts";
import { parseOptions, specFromOptions, subjectOf } from "../../../../src/caliper/query/options.ts";
import { QueryRun } from "../../../../src/caliper/query/run.ts";
import { caliSource } from "../../../../src/caliper/query/sources/cali.ts";
import { reader, runQuery } from "./run_query.ts";

const VECTORS = new URL("../../../vectors/caliper/", import.meta.url);

/** A clock that goes on by the same step whenever it is asked. */
function steppingClock(): () => number {
  let now = 0;
  return () => now += 1_234_567;
}

/** A program with loops, phases, values and metadata, under some services. */
function channelStream(config: Record<string, string>): string {
  const channel = new Channel({ CALI_TIMER_INCLUSIVE_DURATION: "true", ...config }, {
    now: steppingClock(),
    globals: { "app.name": "größe, a=b\\c", "app.tol": 0.1, "app.size": 42 },
  });
  const iteration = channel.attribute("iteration", "int", "asvalue");
  const step = channel.attribute("dt", "double", "asvalue");
  const mesh = channel.attribute("mesh", "int", "unaligned");
  channel.beginRegion("main");
  channel.beginPhase("init");
  channel.set(mesh, 3);
  channel.endPhase("init");
  for (let i = 0; i < 5; i++) {
    channel.begin(iteration, i);
    channel.set(step, i / 3);
    channel.beginRegion("solve a=b,c");
    channel.beginComm("exchange");
    channel.endComm("exchange");
    channel.endRegion("solve a=b,c");
    channel.end(iteration);
  }
  channel.endRegion("main");
  return channel.flush();
}

/** Streams of ours by name: of channels, and `cali` output of queries over the vectors. */
export function ownStreams(): Map<string, string> {
  const streams = new Map([
    ["channel with a trace", channelStream({ CALI_SERVICES_ENABLE: "event,timer,trace,recorder" })],
    [
      "channel with aggregation",
      channelStream({
        CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder",
        CALI_AGGREGATE_KEY: "iteration",
      }),
    ],
    [
      "channel without event information",
      channelStream({
        CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder",
        CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
      }),
    ],
  ]);
  const names = ["agg_regions", "mixed_props", "threads_trace", "trace_phases", "hatchet_profile"];
  for (const name of [...names, "real/event_trace", "real/runtime_profile"]) {
    const vector = Deno.readFileSync(new URL(`${name}.cali`, VECTORS));
    const write = (query: string) => runQuery(query, [vector], { strict: true }).text;
    streams.set(`copy of ${name}`, write("format cali"));
    streams.set(
      `profile of ${name}`,
      write(
        "let ms=scale(time.duration.ns,1e-6) select *,count(),sum(ms) as Time unit ms," +
          "avg(time.duration.ns),inclusive_sum(sum#time.duration.ns) group by path format cali",
      ),
    );
  }
  return streams;
}

/** Arguments that every stream is asked with. */
export const QUESTIONS: readonly (readonly string[])[] = [
  ["-e"],
  ["-t"],
  ["-T"],
  ["-j"],
  ["-G", "-j"],
  ["-G", "-e"],
  ["--list-attributes", "-e"],
  ["-q", "format cali"],
  ["-q", "format json(object,separate-nested,pretty)"],
  ["-q", "format json-split"],
  ["-q", "select *,count() group by path format tree order by count desc"],
  [
    "-q",
    "select region,count(),sum(time.duration.ns),avg(time.duration.ns),max(dt),variance(dt) " +
    "group by region,iteration where region format table order by region",
  ],
  [
    "-q",
    "let t=scale(time.duration.ns,1e-3),b=truncate(iteration,2),l=leaf(region) " +
    "select *,inclusive_sum(t) as T unit us,percent_total(t),ratio(time.duration.ns,count) " +
    "group by path format tree(print-globals)",
  ],
  ["-q", "select l,count() let l=leaf() where not region=main group by l format json"],
  ["-q", 'format format("%region%[20]| %[8]count% %dt%",title="R")'],
];

/** What we print, as `joulemark query` does. */
export function answer(args: readonly string[], stream: Uint8Array): string {
  const parsed = parseOptions(args);
  if ("unknown" in parsed) throw new Error(parsed.unknown);
  const chunks: Uint8Array[] = [];
  const run = new QueryRun(specFromOptions(parsed.options, () => null, () => {}), {
    subject: subjectOf(parsed.options),
    output: (bytes) => chunks.push(bytes.slice()),
  });
  run.read(caliSource(reader(stream)));
  run.finish();
  return byteTextOf(chunks);
}

/** What another program prints. */
export function askProgram(program: string, args: readonly string[], stream: Uint8Array): string {
  const file = Deno.makeTempFileSync({ suffix: ".cali" });
  try {
    Deno.writeFileSync(file, stream);
    const { stdout, stderr, success } = new Deno.Command(program, { args: [...args, file] })
      .outputSync();
    if (!success) throw new Error(`${program} ${args}: ${new TextDecoder().decode(stderr)}`);
    return byteTextOf([stdout]);
  } finally {
    Deno.removeSync(file);
  }
}

/** One character per byte: outputs are compared by bytes. */
function byteTextOf(chunks: Uint8Array[]): string {
  return chunks.map((chunk) => new TextDecoder("latin1").decode(chunk)).join("");
}
