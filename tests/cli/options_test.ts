import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/core/errors.ts";
import { parseOptions } from "../../src/cli/options.ts";

const TABLE = { text: ["report", "stats"], flags: ["header"], alias: { r: "report" } };

Deno.test("parseOptions() reads values, flags and words", () => {
  const o = parseOptions("x", ["--report", "a b", "--header", "one", "-q", "two"], TABLE);
  assertEquals(o.text.report, "a b");
  assertEquals([o.flags.has("header"), o.flags.has("quiet")], [true, true]);
  assertEquals(o.words, ["one", "two"]);
  assertEquals(parseOptions("x", ["-r=7"], TABLE).text.report, "7");
});

Deno.test("parseOptions() takes a lone dash for a value", () => {
  assertEquals(parseOptions("x", ["--stats", "-"], TABLE).text.stats, "-");
  assertEquals(parseOptions("x", ["-r", "-"], TABLE).text.report, "-");
});

Deno.test("parseOptions() leaves a command and its options alone", () => {
  const table = { ...TABLE, command: true };
  const o = parseOptions("run", ["--report", "r", "--", "app", "--report", "-q", "--", ""], table);
  assertEquals(o.text.report, "r");
  assertEquals(o.words, ["app", "--report", "-q", "--", ""]);
  assertEquals(o.flags.has("quiet"), false);
});

Deno.test("parseOptions() answers a mistake with one line that helps", () => {
  const fails = (args: string[]) => {
    const error = assertThrows(() => parseOptions("x", args, TABLE), UsageError) as UsageError;
    assert(!error.message.includes("\n"));
    return error.message;
  };
  assert(fails(["--reprot", "x"]).includes("--report"));
  assert(fails(["--report"]).includes("--report"));
  assert(fails(["--report", "a", "--report", "b"]).includes("once"));
  assert(fails(["--nonsense=1"]).includes("--nonsense"));
});
