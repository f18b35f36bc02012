import { assertEquals } from "@std/assert";
import { EventRecord } from "../../../src/core/events/event.ts";
import { PathTable, ROOT } from "../../../src/core/path_stats.ts";
import { PathRows, PathRowsWriter, type PlainRow } from "../../../src/run/recordings/path_rows.ts";
import { type Cell, ROW_VALUES } from "../../../src/run/recordings/row_values.ts";

function sinkOf(paths: PathTable) {
  return {
    regionPath: (...args: [number, string, string, string]) => paths.add(...args),
  };
}

function cellOf(text: string): Cell {
  return { text: () => text, number: () => Number(text), isEmpty: () => text === "" };
}

Deno.test("PathRows reads what PathRowsWriter wrote, with paths by their own numbers", () => {
  const written = new PathTable(), read = new PathTable();
  written.add(ROOT, "of another process");
  const main = written.add(ROOT, "main, with a comma", "caliper");
  const loop = written.add(main, "time loop", "caliper", "my loop");
  const writer = new PathRowsWriter(written), rows: PlainRow[] = [];
  for (let i = 0; i < 2; i++) writer.describe(loop, (row) => void rows.push(row));
  assertEquals(rows.map(({ event }) => event), ["path", "path"]);
  const sink = sinkOf(read), reader = new PathRows();
  for (const { region = "", value = "", track = "" } of rows) {
    assertEquals(reader.describe(sink, { region, value, track }), true);
  }
  assertEquals(read.names(2), ["main, with a comma", "time loop"]);
  assertEquals([read.track(2), read.attribute(2)], ["caliper", "my loop"]);
  assertEquals([reader.handle(loop), reader.handle(9)], [2, undefined]);
});

Deno.test("visits of a path are read as they were written", () => {
  const event = new EventRecord(), again = new EventRecord();
  event.path = 3;
  Object.assign(event.folded, {
    count: 1e15,
    sumNs: 123.4375,
    sumSquareNs2: 1e-7,
    minNs: 0.5,
    maxNs: Infinity,
    selfNs: -17.25,
  });
  const text = ROW_VALUES.folded.write(event);
  assertEquals(ROW_VALUES.folded.read(cellOf(text), again), true);
  assertEquals([again.path, again.folded], [3, event.folded]);
});

Deno.test("rows of paths that make no sense are refused", () => {
  const sink = sinkOf(new PathTable()), reader = new PathRows(), event = new EventRecord();
  const describe = (value: string) => reader.describe(sink, { region: "a", value, track: "" });
  for (const value of ["", "1", "1 7", "x 0", "1 x"]) assertEquals(describe(value), false, value);
  assertEquals(describe("1 0"), true);
  for (const value of ["", "1 1 1", "1 1 1 1 1 1 x", "1 1 1 1 1 1 1 1"]) {
    assertEquals(ROW_VALUES.folded.read(cellOf(value), event), false, value);
  }
  assertEquals(ROW_VALUES.lengths.read(cellOf("1 2"), event), false);
  assertEquals(ROW_VALUES.lengths.read(cellOf("1 2 3"), event), true);
  assertEquals([event.path, event.number, event.visits], [1, 2, 3]);
  assertEquals(ROW_VALUES.path.read(cellOf("x"), event), false);
});
