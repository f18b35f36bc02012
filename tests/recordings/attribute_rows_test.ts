import { assertEquals } from "@std/assert";
import type { AttributeEvent } from "../../src/core/event.ts";
import { TYPE } from "../../src/core/ring_layout.ts";
import { AttributeRows } from "../../src/recordings/attribute_rows.ts";

/** What a sink was told. */
function told() {
  const events: [timeS: number, process: number, thread: number, event: AttributeEvent][] = [];
  const sink = {
    attribute: (timeS: number, process: number, thread: number, event: AttributeEvent) =>
      void events.push([timeS, process, thread, { ...event }]),
  };
  return { events, sink };
}

const AT = { timeS: 1.5, process: 2, thread: 3 };

Deno.test("AttributeRows tells changes with the type and properties that rows described", () => {
  const rows = new AttributeRows(), { events, sink } = told();
  assertEquals(rows.describe("x", "double 85"), true);
  assertEquals(rows.describe("y", "6 21"), true);
  assertEquals(rows.tell(sink, AT, "set", { name: "x", value: "0.125" }), true);
  assertEquals(rows.tell(sink, AT, "begin", { name: "y", value: "1" }), true);
  assertEquals(events, [
    [1.5, 2, 3, { kind: "set", name: "x", type: TYPE.double, properties: 85, value: "0.125" }],
    [1.5, 2, 3, { kind: "begin", name: "y", type: TYPE.double, properties: 21, value: "1" }],
  ]);
});

Deno.test("AttributeRows describes every type of the ring by its name", () => {
  for (const [name, type] of Object.entries(TYPE)) {
    const rows = new AttributeRows(), { events, sink } = told();
    assertEquals(rows.describe("a", `${name} 0`), true);
    rows.tell(sink, AT, "begin", { name: "a", value: "" });
    assertEquals(events[0][3].type, type, name);
  }
});

Deno.test("AttributeRows takes a later description for what follows", () => {
  const rows = new AttributeRows(), { events, sink } = told();
  rows.describe("x", "int 0");
  rows.describe("x", "string 1");
  rows.tell(sink, AT, "set", { name: "x", value: "v" });
  assertEquals([events[0][3].type, events[0][3].properties], [TYPE.string, 1]);
});

Deno.test("AttributeRows refuses a description that is none, and changes of what it does not know", () => {
  const rows = new AttributeRows(), { events, sink } = told();
  for (const text of ["", "int", "int -1", "int 1 2", "float 1", "int x", " int 1"]) {
    assertEquals(rows.describe("x", text), false, text);
  }
  assertEquals(rows.tell(sink, AT, "set", { name: "x", value: "1" }), false);
  assertEquals(rows.tell(sink, AT, "begin", { name: "x", value: "1" }), false);
  assertEquals(events, []);
});

Deno.test("an end needs no description, and has neither type nor properties", () => {
  const rows = new AttributeRows(), { events, sink } = told();
  assertEquals(rows.tell(sink, AT, "end", { name: "x", value: "" }), true);
  rows.describe("y", "int 85");
  assertEquals(rows.tell(sink, AT, "end", { name: "y", value: "" }), true);
  assertEquals(events.map(([, , , event]) => [event.name, event.type, event.properties]), [
    ["x", 0, 0],
    ["y", 0, 0],
  ]);
});

Deno.test("AttributeRows tells nothing to a sink that does not hear attributes", () => {
  const rows = new AttributeRows();
  rows.describe("x", "int 0");
  assertEquals(rows.tell({}, AT, "set", { name: "x", value: "1" }), true);
});
