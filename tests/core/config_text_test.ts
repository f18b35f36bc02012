import { assertEquals } from "@std/assert";
import { parseConfig, settingsFor } from "../../src/core/config_text.ts";
import type { Option } from "../../src/core/option.ts";
import { optionValues, withoutFiles } from "../../src/core/option.ts";

const OPTIONS: Option[] = [
  { name: "report", value: "FILE", env: true, foreign: "GEOPM_REPORT", help: "a" },
  { name: "simulate", value: "SPEC", optionalValue: true, env: true, help: "b" },
  { name: "vary", value: "X", repeats: true, help: "c" },
  { name: "quiet", env: true, help: "d" },
  { name: "help", help: "e" },
];
const VERBS = ["run", "monitor", "stats"];

function parse(text: string, origin: "user" | "site" = "site") {
  return parseConfig(text, { path: `/${origin}`, origin }, VERBS);
}

Deno.test("parseConfig() reads keys of run, then of the verbs in brackets", () => {
  const { settings, mistakes } = parse(
    "# site\n\nreport = a b=c \n[monitor]\ninterval=60\r\n [ run ]\nquiet = on",
  );
  assertEquals(mistakes, []);
  assertEquals(settings.map((s) => `${s.line} ${s.section} ${s.key}=${s.value}`), [
    ...["3 run report=a b=c", "5 monitor interval=60", "7 run quiet=on"],
  ]);
});

Deno.test("parseConfig() reports what is wrong with a line, and where", () => {
  const { settings, mistakes } = parse("report\n[monitr]\ninterval = 1\n= 3\n[stats]\na=1");
  assertEquals(mistakes, [
    "/site:1: expected KEY = VALUE or [VERB], found report",
    '/site:2: unknown verb "monitr" (did you mean "monitor"?)',
    "/site:4: expected KEY = VALUE or [VERB], found = 3",
  ]);
  // What stands below an unknown verb is of no other one.
  assertEquals(settings.map(({ key }) => key), ["a"]);
});

Deno.test("settingsFor() names unknown keys with the nearest one, and takes each once", () => {
  const file = parse("reprot = x\nreport = 1\nreport = 2\nsimulate =\nquiet =\nvary = 1\nhelp = 1");
  const { values, mistakes } = settingsFor(file, "run", OPTIONS);
  assertEquals(mistakes, [
    '/site:1: unknown option of run "reprot" (did you mean "report"?)',
    '/site:3: "report" is set more than once',
    '/site:6: unknown option of run "vary"',
    '/site:7: unknown option of run "help"',
  ]);
  assertEquals([...values], [
    ["report", { text: "1", origin: "site", name: "/site:2: report" }],
    ["simulate", { text: "", origin: "site", name: "/site:4: simulate" }],
  ]);
});

Deno.test("optionValues() prefers flag, JOULEMARK_, GEOPM_, the user's file, the site's", () => {
  const files = [
    settingsFor(parse("report = user", "user"), "run", OPTIONS).values,
    settingsFor(parse("report = site\nquiet = on"), "run", OPTIONS).values,
  ];
  const read = (flags: Record<string, string>, env: Record<string, string>, from = 0) =>
    optionValues(OPTIONS, flags, (name) => env[name], files.slice(from)).get("report")?.text;
  const env = { JOULEMARK_REPORT: "ours", GEOPM_REPORT: "geopm" };
  assertEquals(
    [
      read({ report: "flag" }, env),
      read({}, env),
      read({}, { GEOPM_REPORT: "geopm" }),
      read({}, {}),
      read({}, {}, 1),
    ],
    ["flag", "ours", "geopm", "user", "site"],
  );
  const values = optionValues(OPTIONS, { simulate: "" }, () => undefined, files);
  assertEquals([...withoutFiles(values, []).keys()], ["simulate"]);
});
