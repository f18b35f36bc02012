import { assertEquals } from "@std/assert";
import { EventRecord } from "../../../src/core/events/event.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { TYPE } from "../../../src/core/events/ring_layout.ts";
import { AttributeRows, AttributeRowsWriter } from "../../../src/run/recordings/attribute_rows.ts";
import type { PlainRow } from "../../../src/run/recordings/path_rows.ts";

type Change = typeof KIND.attributeBegin | typeof KIND.attributeSet | typeof KIND.attributeEnd;

/** A change as a row has it: without type and properties. */
function change(kind: Change, name: string): EventRecord {
  const event = new EventRecord().as(kind, 1.5, 2, 3);
  event.name = name;
  event.type = event.properties = 99;
  return event;
}

/** Type and properties that a change gets; `undefined`: it is left out. */
function completed(rows: AttributeRows, event: EventRecord): [number, number] | undefined {
  return rows.complete(event) ? [event.type, event.properties] : undefined;
}

Deno.test("AttributeRows completes changes with the type and properties that rows described", () => {
  const rows = new AttributeRows();
  assertEquals(rows.describe("x", "double 85"), true);
  assertEquals(rows.describe("y", "6 21"), true);
  assertEquals(completed(rows, change(KIND.attributeSet, "x")), [TYPE.double, 85]);
  assertEquals(completed(rows, change(KIND.attributeBegin, "y")), [TYPE.double, 21]);
});

Deno.test("AttributeRows reads what AttributeRowsWriter wrote, of every type of the ring", () => {
  const writer = new AttributeRowsWriter(), rows = new AttributeRows();
  for (const type of Object.values(TYPE)) {
    const event = change(KIND.attributeBegin, "a"), written: PlainRow[] = [];
    [event.type, event.properties] = [type, 1 << type];
    writer.describe(event, (row) => void written.push(row));
    writer.describe(event, (row) => void written.push(row));
    assertEquals(written.map(({ event, region }) => [event, region]), [["attribute", "a"]]);
    assertEquals(rows.describe("a", written[0].value!), true);
    assertEquals(completed(rows, change(KIND.attributeSet, "a")), [type, 1 << type]);
  }
});

Deno.test("AttributeRows takes a later description for what follows", () => {
  const rows = new AttributeRows();
  rows.describe("x", "int 0");
  rows.describe("x", "string 1");
  assertEquals(completed(rows, change(KIND.attributeSet, "x")), [TYPE.string, 1]);
});

Deno.test("AttributeRows refuses a description that is none, and changes of what it does not know", () => {
  const rows = new AttributeRows();
  for (const text of ["", "int", "int -1", "int 1 2", "float 1", "int x", " int 1"]) {
    assertEquals(rows.describe("x", text), false, text);
  }
  assertEquals(completed(rows, change(KIND.attributeSet, "x")), undefined);
  assertEquals(completed(rows, change(KIND.attributeBegin, "x")), undefined);
});

Deno.test("an end needs no description, and has neither type nor properties", () => {
  const rows = new AttributeRows();
  assertEquals(completed(rows, change(KIND.attributeEnd, "x")), [0, 0]);
  rows.describe("y", "int 85");
  assertEquals(completed(rows, change(KIND.attributeEnd, "y")), [0, 0]);
});
