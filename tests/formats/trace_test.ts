import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../src/core/errors.ts";
import { EVENT, RecordList } from "../../src/core/record.ts";
import { EventLogWriter } from "../../src/formats/event_log.ts";
import { parseTrace, stringifyTrace } from "../../src/formats/trace/trace.ts";
import { parseEventLog, stringifyEventLog } from "../_support/event_log.ts";
import { APPLICATION_CASES } from "../run/session/_application.ts";
import { Random } from "../run/session/_random.ts";

for (const c of APPLICATION_CASES) {
  Deno.test(`parseTrace() and parseEventLog() read the original's files of ${c.name}`, () => {
    const trace = c.expect.trace.join("\n");
    assertEquals(stringifyTrace(parseTrace(trace)), trace);
    const log = c.expect.profile_trace.join("\n");
    assertEquals(stringifyEventLog(parseEventLog(log)), log);
  });
}

const HEADER = `# geopm_version: 3.1.0
# start_time: 2024-10-24T08:00:00.000000000-0700
# profile_name: "a # b"
# node_name: node01
# agent: monitor
`;

Deno.test("parseTrace() counts header lines: names of raw registers hold # too", () => {
  const text = HEADER +
    "TIME|MSR::PKG_ENERGY_STATUS#|REGION_HASH|CPU_POWER-package-1\n" +
    "0.005|0x3ff0000000000000|0x725e8066|80.5\n" +
    "0.01|0x7ff8000000000000|NAN|nan\n";
  const trace = parseTrace(text);
  assertEquals(trace.header.profile, "a # b");
  assertEquals(trace.columns.map((c) => c.format), ["double", "raw64", "hex", "double"]);
  assertEquals(trace.rows, [[0.005, 1, 0x725e8066, 80.5], [0.01, NaN, NaN, NaN]]);
  assertEquals(stringifyTrace(trace), text);
});

Deno.test("parseTrace() finds the format that prints the cells as they are", () => {
  const text = HEADER + "A|B|C\n1e+06|0x00000001|12345\n0.333333|0xd3d99e8b|1\n";
  const trace = parseTrace(text);
  assertEquals(trace.columns.map((c) => c.format), ["float", "hex", "double"]);
  assertEquals(stringifyTrace(trace), text);
});

Deno.test("parseTrace() names file and line of what is wrong", () => {
  const wrong: [string, string, string][] = [
    [HEADER + "A|B\n1|2\n3\n", "t:8", "2 cells"],
    [HEADER + "A|B\n1|2\n3|", "t:8", "ends in LF"],
    [HEADER + "A\n1\r\n", "t:7", "LF"],
    [HEADER + "A\nx\n", "t:7", "a number"],
    [HEADER, "t:6", "columns"],
    ["# geopm_version: 1\nA\n", "t:2", "start_time"],
    ["", "t:1", "geopm_version"],
  ];
  for (const [text, place, expected] of wrong) {
    const error = assertThrows(() => parseTrace(text, "t"), FormatError);
    assertEquals(error.message.includes(`"${place}"`), true, error.message);
    assertEquals(error.message.includes(expected), true, error.message);
  }
  const bad = HEADER + "TIME|PROCESS|EVENT|SIGNAL\n0|1|REGION_MIDDLE|0\n";
  const error = assertThrows(() => parseEventLog(bad, "e"), FormatError, "name of an event");
  assertEquals(error.line, 7);
});

Deno.test("an overhead record loses the bits that the original loses", () => {
  let text = "";
  const header = { version: "1", startTime: "t", profile: "p", host: "h", agent: "a" };
  const writer = new EventLogWriter({ write: (lines) => text += lines }, header);
  const records = new RecordList();
  records.push(2e9, 7, EVENT.OVERHEAD, 0.00123);
  writer.step(records, (ns) => ns * 1e-9);
  assertEquals(text.split("\n").at(-2), "2|7|EVENT_OVERHEAD|0.001229999999999953");
});

Deno.test("parseTrace() and parseEventLog() of noise throw nothing but FormatError (seeded)", () => {
  const trace = APPLICATION_CASES[0].expect.trace.join("\n");
  const log = APPLICATION_CASES[0].expect.profile_trace.join("\n");
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    for (const parse of [parseTrace, parseEventLog]) {
      try {
        parse(random.damage(random.pick([trace, log])));
      } catch (error) {
        assertEquals(error instanceof FormatError, true, `seed ${seed}: ${error}`);
      }
    }
  }
});
