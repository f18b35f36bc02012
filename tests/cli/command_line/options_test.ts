import { assert, assertEquals, assertThrows } from "@std/assert";
import { UnknownNameError, UsageError } from "../../../src/core/errors.ts";
import type { Option } from "../../../src/core/option.ts";
import { JSON_FORMAT } from "../../../src/cli/command_line/common_options.ts";
import { parseFormat, parseOptions } from "../../../src/cli/command_line/options.ts";

const OPTIONS: Option[] = [
  { name: "report", short: "r", value: "FILE", env: true, foreign: "GEOPM_REPORT", help: "a" },
  { name: "stats", value: "FILE", help: "b" },
  { name: "vary", value: "NAME=A", repeats: true, help: "c" },
  { name: "simulate", value: "SPEC", optionalValue: true, env: true, help: "d" },
  { name: "header", env: true, help: "e" },
];
const TABLE = { name: "x", options: OPTIONS };

Deno.test("parseOptions() reads values, flags and words", () => {
  const o = parseOptions(TABLE, ["--report", "a b", "--header", "one", "-q", "two", "3"]);
  assertEquals(o.text.report, "a b");
  assertEquals([o.flags.has("header"), o.flags.has("quiet")], [true, true]);
  assertEquals(o.words, ["one", "two", "3"]);
  assertEquals(parseOptions(TABLE, ["-r=7"]).text.report, "7");
});

Deno.test("parseOptions() takes a lone dash for a value", () => {
  assertEquals(parseOptions(TABLE, ["--stats", "-"]).text.stats, "-");
  assertEquals(parseOptions(TABLE, ["-r", "-"]).text.report, "-");
});

Deno.test("parseOptions() takes a number below 0 for a value", () => {
  for (const text of ["-1", "-.5", "-1e3"]) {
    assertEquals(parseOptions(TABLE, ["--report", text]).text.report, text);
    assertEquals(parseOptions(TABLE, ["-r", text]).text.report, text);
  }
  const table = { ...TABLE, command: true };
  const { text, words } = parseOptions(table, ["--report", "-1", "app", "-2"]);
  assertEquals([text.report, words], ["-1", ["app", "-2"]]);
});

Deno.test("parseOptions() refuses a value of a switch, and reads nothing behind --", () => {
  for (const given of ["--header=no", "--header=", "--header=1"]) {
    const { message: found } = assertThrows(() => parseOptions(TABLE, [given]), UsageError);
    assert(found.includes(`expected --header without a value, found ${given}`), found);
  }
  assertEquals(parseOptions(TABLE, ["a", "--", "b", "--header=no", "--report="]).rest, [
    "b",
    "--header=no",
    "--report=",
  ]);
});

Deno.test("parseOptions() leaves a command and its options alone", () => {
  const table = { ...TABLE, command: true };
  const o = parseOptions(table, ["--report", "r", "--", "app", "--report", "-q", "--", ""]);
  assertEquals(o.text.report, "r");
  assertEquals(o.words, ["app", "--report", "-q", "--", ""]);
  assertEquals(o.flags.has("quiet"), false);
  const plain = parseOptions(table, ["-q", "app", "--simulate", "--report"]);
  assertEquals(plain.words, ["app", "--simulate", "--report"]);
  assertEquals(plain.text.simulate, undefined);
});

Deno.test("parseOptions() has options whose value may be left out, and such that repeat", () => {
  const o = parseOptions(TABLE, ["--simulate", "word", "--vary", "A=1,2", "--vary=B=3"]);
  assertEquals([o.text.simulate, o.words, o.lists.vary], ["", ["word"], ["A=1,2", "B=3"]]);
  assertEquals(parseOptions(TABLE, ["--simulate=noise 0"]).text.simulate, "noise 0");
});

Deno.test("parseOptions() prefers the command line to JOULEMARK_ to GEOPM_ variables", () => {
  const read = (args: string[], env: Record<string, string>) => {
    const { values, flags } = parseOptions(TABLE, args, (name) => env[name]);
    const { text, origin, name } = values.get("report") ?? {};
    return [text, origin, name, flags.has("header")];
  };
  const env = { JOULEMARK_REPORT: "j", GEOPM_REPORT: "g", JOULEMARK_HEADER: "1" };
  assertEquals(read(["--report", "f"], env), ["f", "flag", "--report", true]);
  assertEquals(read([], env), ["j", "joulemark", "JOULEMARK_REPORT", true]);
  assertEquals(read([], { ...env, JOULEMARK_REPORT: "", JOULEMARK_HEADER: "off" }), [
    ...["g", "foreign", "GEOPM_REPORT"],
    false,
  ]);
  const simulate = (env: Record<string, string>) =>
    parseOptions(TABLE, [], (name) => env[name]).text.simulate;
  assertEquals([simulate({}), simulate({ JOULEMARK_SIMULATE: "" })], [undefined, undefined]);
  assertEquals(simulate({ JOULEMARK_SIMULATE: "rapl" }), "rapl");
});

Deno.test("parseOptions() answers a mistake with one line that helps", () => {
  const fails = (args: string[]) => {
    const error = assertThrows(() => parseOptions(TABLE, args), Error);
    assert(error instanceof UsageError || error instanceof UnknownNameError);
    assert(!error.message.includes("\n"));
    return error.message;
  };
  assert(fails(["--reprot", "x"]).includes("--report"));
  assert(fails(["--report"]).includes("--report"));
  assert(fails(["--report", "--header"]).includes("a value for --report"));
  assert(fails(["--report", "a", "--report", "b"]).includes("once"));
  assert(fails(["--nonsense=1"]).includes("--nonsense"));
});

Deno.test("parseFormat() refuses two formats, but the command line has the last word", () => {
  const table = { name: "x", options: [{ name: "format", value: "F", help: "" }, JSON_FORMAT] };
  const formatOf = (args: string[], file: Record<string, string> = {}) => {
    const files = Object.entries(file).map(([name, text]) => {
      return [name, { text, origin: "user", name }] as const;
    });
    const parsed = parseOptions(table, args, () => undefined, [new Map(files)]);
    return parseFormat(parsed, ["text", "csv", "json"]);
  };
  assertEquals(formatOf([]), "text");
  assertEquals(formatOf(["--json", "--format", "json"]), "json");
  assertEquals(formatOf(["--json"], { format: "csv" }), "json");
  assertEquals(formatOf(["--format", "csv"], { json: "1" }), "csv");
  const error = assertThrows(() => formatOf(["--json", "--format", "csv"]), UsageError);
  assertEquals(error.message, "expected one format, found --json --format csv");
});
