/** Rows of visits: many of them, with tracks late, and with names that need quotes. */
import { assert, assertEquals } from "@std/assert";
import { EventRecord } from "../../../src/core/events/event.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { PathTable } from "../../../src/core/path_stats.ts";
import { EVENTS_HEADER, EVENTS_HEADER_2 } from "../../../src/formats/recording.ts";
import { LineFile } from "../../../src/os/files/line_file.ts";
import { RecordingWriter } from "../../../src/run/recordings/recording.ts";
import type { Batch } from "../../../src/sources/signals/batch.ts";

const REGIONS = ["solve", 'say "a,b"', "two\nlines"];
const QUOTED = ["solve", '"say ""a,b"""', '"two\nlines"'];
const NO_COLUMNS = { columns: [], values: [] } as unknown as Batch;

/** What a writer leaves of visits, and the same by hand; the last is of a track of its own. */
function visits(count: number): [found: string, expected: string] {
  let text = "";
  const events = { write: (more: string) => void (text += more), restart: () => void (text = "") };
  const writer = new RecordingWriter(events, { write() {} }, {
    regionName: (region) => REGIONS[region],
    pid: (process) => 100 + process,
    hasThread: () => true,
    trackName: () => "openacc",
    paths: new PathTable(),
  });
  const early: string[] = [];
  const event = new EventRecord();
  for (let i = 0; i < count; i++) {
    const region = i % REGIONS.length, process = i % 2, thread = i % 4;
    Object.assign(event, { kind: KIND.enter, timeS: i, process, thread, region, hint: -1 });
    writer.receive(event);
    Object.assign(event, { kind: KIND.exit, timeS: i + 0.5 });
    writer.receive(event);
    const fields = `,${QUOTED[region]},,${thread > 0 ? thread : ""}`;
    early.push(`${i},${100 + process},enter${fields}`, `${i + 0.5},${100 + process},exit${fields}`);
    if (i % 1000 === 999) writer.samples(i + 0.6, NO_COLUMNS);
  }
  const last = { kind: KIND.enter, timeS: count, process: 0, thread: 0, region: 0, hint: 2 };
  writer.receive(Object.assign(event, last, { track: 1 }));
  writer.receive(Object.assign(event, last, { track: 0, kind: KIND.exit }));
  writer.samples(count + 1, NO_COLUMNS);
  const late = [`${count},100,enter,solve,COMPUTE,,openacc,`, `${count},100,exit,solve,,,,`];
  const isKept = 2 * count <= 10_000;
  const rows = isKept
    ? [EVENTS_HEADER_2, ...early.map((row) => `${row},,`), ...late]
    : [EVENTS_HEADER, ...early, EVENTS_HEADER_2, ...late];
  return [text, rows.join("\n") + "\n"];
}

Deno.test("RecordingWriter writes all rows again when the first track comes", () => {
  const [found, expected] = visits(500);
  assertEquals(found, expected);
});

Deno.test("RecordingWriter writes the header again when a track comes behind many rows", () => {
  const [found, expected] = visits(6500);
  assertEquals(found, expected);
});

Deno.test("no sample is in its file before the events that led to it", () => {
  const dir = Deno.makeTempDirSync();
  try {
    using events = new LineFile(`${dir}/events.csv`, console.log);
    using samples = new LineFile(`${dir}/samples.csv`, console.log);
    const writer = new RecordingWriter(events, samples, {
      regionName: () => "solve",
      pid: () => 100,
      hasThread: () => true,
      trackName: () => "",
      paths: new PathTable(),
    });
    const event = Object.assign(new EventRecord(), { kind: KIND.enter, timeS: 0, hint: -1 });
    Object.assign(event, { process: 0, thread: 0, region: 0 });
    writer.receive(event);
    let timeS = 0;
    do writer.samples(timeS += 0.125, NO_COLUMNS); while (sizeOf(samples) === 0);
    assert(Deno.readTextFileSync(events.path).endsWith("0,100,enter,solve,,\n"));
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

function sizeOf({ path }: LineFile): number {
  return Deno.statSync(path).size;
}
