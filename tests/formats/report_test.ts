import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parse as parseYaml } from "@std/yaml/parse";
import { FormatError } from "../../src/core/errors.ts";
import type { Nested, Report, ReportFields } from "../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../src/formats/report.ts";
import { keyScalar, textScalar } from "../../src/formats/scalar.ts";
import { APPLICATION_CASES } from "../run/session/_application.ts";
import { Random } from "../run/session/_random.ts";

const HOSTILE = [
  'a"b',
  "a\\tb",
  "back\\slash\\",
  "line\nend",
  "cr\rtab\tnul\0del\x7f",
  "next\x85line\u2028para\u2029",
  "key: value",
  "- item",
  "# no comment",
  "{flow: [map]}",
  "&anchor *alias !tag",
  "true",
  "0x1f",
  "1.5e3",
  "nan",
  "",
  " blanks ",
  "%directive",
  "\ufeffbom",
  "\ud800 alone",
  "emoji 😀 ünïcode",
  "__proto__",
  "x".repeat(900),
];

function report(changes: Partial<Report> = {}): Report {
  return {
    version: "3.1.0+joulemark.0.1.0",
    startTime: "2024-10-24T08:00:00.000000000-0700",
    profile: "demo",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [{ host: "node01", agent: {}, application: { "runtime (s)": 1, count: 0 } }],
    ...changes,
  };
}

for (const c of APPLICATION_CASES) {
  Deno.test(`parseReport() reads the original's report of ${c.name}, and it prints the same`, () => {
    const text = c.expect.report.join("\n").replaceAll("<any>", "0");
    const parsed = parseReport(text);
    assertEquals(stringifyReport(parsed), text);
    assertEquals(parseReport(stringifyReport(parsed)), parsed);
  });
}

Deno.test("stringifyReport() escapes what would break the YAML, and every reader gets it back", () => {
  for (const name of HOSTILE) {
    const host = {
      host: name,
      agent: { [`agent ${name}`]: name },
      regions: [{ region: name, hash: 0x12345678, fields: { "runtime (s)": 1, note: name } }],
      application: { "runtime (s)": 1 },
      joulemark: { [name]: [name, { deep: name }] },
    };
    const r = report({ profile: name, hosts: [host], joulemark: { name } });
    const text = stringifyReport(r);
    assertEquals(parseReport(text), r, JSON.stringify(name.slice(0, 40)));
    const yaml = parseYaml(text) as Record<string, unknown>;
    assertEquals(yaml.Profile, name);
    const hosts = yaml.Hosts as Record<string, Record<string, unknown>>;
    if (name !== "__proto__") {
      assertEquals((hosts[name].Regions as ReportFields[])[0].region, name);
    }
  }
});

Deno.test("a text that some YAML reader takes for a number is in quotes", () => {
  // YAML 1.2 (Go's yaml.v3) has 0o17 as 15; Ruby's reader has 0,2 as 2 and 1,000.5 as 1000.5.
  for (const text of ["0o17", "0O17", "0,2", "1,000", "1,000.5", "0x1f", "1_000", "12:30"]) {
    assertEquals([textScalar(text), keyScalar(text)], [`"${text}"`, `"${text}"`]);
  }
  for (const text of ["n01", "0 of 2", "1, 2 and 3", "good"]) assertEquals(textScalar(text), text);
});

Deno.test("a field of a region may have the name of JavaScript's prototypes", () => {
  const fields = { "runtime (s)": 1, ["__proto__"]: 2, power: 3 };
  const host = {
    host: "a",
    agent: {},
    regions: [{ region: "r", hash: 0x12345678, fields }],
    application: { "runtime (s)": 1 },
  };
  const [read] = parseReport(stringifyReport(report({ hosts: [host] }))).hosts;
  assertEquals(Object.entries(read.regions![0].fields), Object.entries(fields));
});

Deno.test("stringifyReport() takes a name of a megabyte, and cuts only keys", () => {
  const name = '"\n'.repeat(500_000);
  const regions = [{ region: name, hash: 1, fields: {} }];
  const hosts = [{ host: "n", agent: {}, regions, application: {}, joulemark: { [name]: 1 } }];
  const text = stringifyReport(report({ hosts }));
  assertEquals(parseReport(text).hosts[0].regions![0].region, name);
  assertEquals(Object.keys(parseReport(text).hosts[0].joulemark!)[0].length < 200, true);
  parseYaml(text);
});

Deno.test("stringifyReport() prints ordinary names as the original does", () => {
  const names = ["solve", "lu.C.4", "[OMPT]main+0x1c0", "région", "a b: c # d", "it's", "{x}"];
  for (const name of names) {
    const text = stringifyReport(report({ profile: name }));
    assertEquals(text.split("\n")[2], `Profile: "${name}"`);
  }
});

Deno.test("parseReport() takes older start times, policies and what scripts append", () => {
  const text = `GEOPM Version: 3.0.1
Start Time: Thu Oct 24 08:00:00 2024
Profile: "lu"
Agent: power_governor
Policy: {"CPU_POWER_LIMIT": 150,
  "nested": {"a": 1}}

Agent extra: 5

Hosts:
  n1:
    Final limit: 140
    Application Totals:
      runtime (s): 2.5
      TIME@package-0: nan

Figure of Merit: 17.5
`;
  const parsed = parseReport(text);
  assertEquals(parsed.startTime, "Thu Oct 24 08:00:00 2024");
  assertEquals(parsed.policy, '{"CPU_POWER_LIMIT": 150,\n  "nested": {"a": 1}}\n');
  assertEquals(parsed.header, { "Agent extra": 5 });
  assertEquals(parsed.hosts[0].agent, { "Final limit": 140 });
  assertEquals(parsed.hosts[0].application, { "runtime (s)": 2.5, "TIME@package-0": NaN });
  assertEquals(parsed.appended, { "Figure of Merit": 17.5 });
  assertEquals(parseReport(stringifyReport(parsed)), parsed);
});

Deno.test("parseReport() names file and line of what is wrong", () => {
  const text = stringifyReport(report());
  const wrong: [string, string, string][] = [
    [text.replace("Profile", "Prof1le"), "r:7", 'key "Profile"'],
    [text.replaceAll("\n", "\r\n"), "r:1", "CRLF"],
    [text.slice(0, text.indexOf("Hosts")), "r:8", "Hosts"],
    [text.replace("    Application", "   Application"), "r:9", "Application Totals"],
    [text.replace("      count: 0", "      count"), "r:11", "a field"],
    [text + "rubbish\n", "r:13", "top level"],
  ];
  for (const [bad, place, expected] of wrong) {
    const error = assertThrows(() => parseReport(bad, "r"), FormatError);
    assertEquals(error.message.includes(`"${place}"`), true, error.message);
    assertEquals(error.message.includes(expected), true, error.message);
  }
});

Deno.test("a key that is a whole number is refused, not moved", () => {
  const hosts = [{ host: "n", agent: {}, application: { "7": 1 } }];
  assertThrows(() => stringifyReport(report({ hosts })), TypeError, "whole number");
});

Deno.test("parseReport() of stringifyReport() is the same report (seeded)", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const r = randomReport(random);
    assertEquals(parseReport(stringifyReport(r)), r, `seed ${seed}`);
  }
});

Deno.test("parseReport() of noise throws nothing but FormatError (seeded)", () => {
  const good = APPLICATION_CASES[0].expect.report.join("\n");
  for (let seed = 1; seed <= 400; seed++) {
    const random = new Random(seed);
    const text = seed % 4 === 0 ? random.text(400) : random.damage(good);
    try {
      parseReport(text);
    } catch (error) {
      assertEquals(error instanceof FormatError, true, `seed ${seed}: ${error}`);
    }
  }
});

function randomReport(random: Random): Report {
  const sixDigits = () => Number((random.next() * 10 ** random.int(-8, 12)).toPrecision(6));
  const name = () => random.int(0, 3) === 0 ? random.text(12) : random.pick(HOSTILE).slice(0, 60);
  const fields = () => {
    const made: ReportFields = {};
    for (let i = random.int(0, 5); i >= 0; i--) {
      made[`SIGNAL${i}@package-${i}`] = random.int(0, 4) === 0 ? name() : sixDigits();
    }
    return made;
  };
  const nested = (depth: number): Nested => {
    const kind = random.int(0, depth > 3 ? 5 : 7);
    if (kind === 0) return null;
    if (kind === 1) return random.int(0, 1) === 1;
    if (kind === 2) return random.next() * 10 ** random.int(-300, 300);
    if (kind <= 5) return name();
    const items = Array.from({ length: random.int(0, 3) }, () => nested(depth + 1));
    return kind === 6 ? items : Object.fromEntries(items.map((item) => [`k${name()}`, item]));
  };
  const own = () => ({ a: nested(0), b: nested(0) });
  const hosts = Array.from({ length: random.int(1, 3) }, (_, i) => ({
    host: `host${i}`,
    agent: random.int(0, 1) === 1 ? fields() : {},
    ...(random.int(0, 1) === 1
      ? {
        regions: Array.from({ length: random.int(0, 3) }, () => ({
          region: name(),
          hash: random.int(0, 2 ** 32 - 1),
          fields: fields(),
        })),
        unmarked: fields(),
      }
      : {}),
    ...(random.int(0, 1) === 1 ? { epoch: fields() } : {}),
    application: fields(),
    ...(random.int(0, 1) === 1 ? { joulemark: own() } : {}),
  }));
  return report({
    profile: name(),
    header: random.int(0, 1) === 1 ? fields() : {},
    ...(random.int(0, 1) === 1 ? { joulemark: own() } : {}),
    hosts,
  });
}

Deno.test("parseReport() refuses a line that is longer than any line of a report", () => {
  const text = stringifyReport(report());
  const long = "x".repeat((16 << 20) + 1);
  for (const broken of [`${long}${text}`, text.replace("Hosts:", `${long}\nHosts:`), text + long]) {
    const error = assertThrows(() => parseReport(broken, "r"), FormatError);
    assertEquals(error.line, 0);
    assertMatch(error.message, /16 MiB/);
  }
});
