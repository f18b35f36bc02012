import { assert, assertEquals } from "@std/assert";
import { parseRawStats, stringifyRawStats } from "../../src/rawstats/format/rawstats.ts";
import {
  formatRawSchema,
  parseRawKey,
  parseRawSchema,
  parseRawUnit,
} from "../../src/rawstats/format/schema.ts";
import { RawScanner } from "../../src/rawstats/format/scanner.ts";

const VECTORS = new URL("../vectors/rawstats/", import.meta.url);
const text = (name: string) => Deno.readTextFileSync(new URL(name, VECTORS));

const HEADER = "$hpcperfstats 2.3.5\n!cpu user,E,U=cs nice,E,U=cs\n!proc Uid Threads\n";

/** Messages, without the path that all have. */
function errorsOf(body: string): string[] {
  return parseRawStats(HEADER + body, "f").errors.map((e) => e.message);
}

Deno.test("parseRawSchema() and formatRawSchema() keep every known schema line", () => {
  const lines = text("schemas-2.3.5.txt").trim().split("\n");
  assertEquals(lines.length, 55);
  for (const line of lines) assertEquals(formatRawSchema(parseRawSchema(line)!), line);
  for (const line of text("schemas-older.txt").trim().split("\n")) {
    assertEquals(formatRawSchema(parseRawSchema(line)!), line.replaceAll(",W=64", ""));
  }
});

Deno.test("parseRawKey() takes options in any order, empty ones and either case", () => {
  const key = parseRawKey("rx,w=32,,e,U=4B");
  assertEquals(key, { name: "rx", kind: "event", widthBits: 32, unit: "4B", slow: false });
  assertEquals(parseRawKey("a,E,C").kind, "control");
  assertEquals(parseRawKey("a,C,E").kind, "event");
  assertEquals(parseRawKey("a,R=S").slow, true);
  assertEquals(parseRawUnit("512B"), { scale: 512, name: "B" });
  assertEquals(parseRawUnit("KB"), { scale: 1024, name: "B" });
  assertEquals(parseRawUnit("cs"), { scale: 1, name: "cs" });
});

Deno.test("stringifyRawStats() of parseRawStats() gives the monitor's own files back", () => {
  const names = [...Deno.readDirSync(VECTORS)].map((e) => e.name).filter((n) => n.endsWith(".raw"));
  assertEquals(names.length, 10);
  for (const name of names) {
    const whole = text(name);
    const stats = parseRawStats(whole, name);
    assertEquals(stats.errors, []);
    // the one file with the broken mark of the original is mended
    assertEquals(stringifyRawStats(stats), whole.replace("\nphase 2\n%phase 2\n", "\n%phase 2\n"));
  }
});

Deno.test("parseRawStats() reads the form before 2.x: whole seconds, no node name", () => {
  const old =
    "$tacc_stats 1.0.2\n!ps ctxt,E\n\n1307509201 1981063\n%begin 1981063\nps - 4059349377\n";
  const { records, errors } = parseRawStats(old);
  assertEquals(errors, []);
  assertEquals(records[0].timeUs, 1307509201e6);
  assertEquals([records[0].jobs, records[0].host], ["1981063", ""]);
});

Deno.test("parseRawStats() is exact to 64 bits", () => {
  const values = [9007199254740991n, 9007199254740993n, 18446744073709551615n];
  for (const v of values) {
    const { records } = parseRawStats(`${HEADER}\n1.5 - h\ncpu 0 ${v} 7\n`);
    assertEquals([...records[0].lines[0].values], [v, 7n]);
    assertEquals(records[0].timeUs, 1500000);
  }
});

Deno.test("parseRawStats() takes device names with blanks from the right end", () => {
  const { records, errors } = parseRawStats(`${HEADER}\n1 - h\nproc my app/7/0-3/0 1001 4\n`);
  assertEquals(errors, []);
  assertEquals(records[0].lines[0].device, "my app/7/0-3/0");
});

Deno.test("parseRawStats() reads a mark whose further lines lost their %", () => {
  const { records, errors } = parseRawStats(
    `${HEADER}\n1 - h\n%a\ncpu bound\n(c)\n%cpu bound\n(c)\n%(c)\ncpu 0 1 2\n`,
  );
  assertEquals(errors, []);
  assertEquals(records[0].marks, ["a", "cpu bound", "(c)"]);
  assertEquals(records[0].lines.length, 1);
});

Deno.test("parseRawStats() reads fast samples of a type with slow columns", () => {
  const { records, errors } = parseRawStats(
    "$hpcperfstats 3.0\n!x a,E b,R=S c,E\n\n1 - h\nx 0 1 2 3\n\n2 - h\nx 0 4 6\n",
  );
  assertEquals(errors, []);
  assertEquals(records.map((r) => [...r.lines[0].values]), [[1n, 2n, 3n], [4n, 0n, 6n]]);
});

Deno.test("parseRawStats() reports each trouble with its line and reads the rest", () => {
  const trouble = (body: string, line: number, word: string) => {
    const errors = errorsOf(body);
    assertEquals(errors.length, 1, errors.join("\n"));
    assert(errors[0].includes(`"f:${line}"`) && errors[0].includes(word), errors[0]);
  };
  trouble("\n1 - h\ncpu 0 1 2\ncpu 1 3", 7, "truncated last line");
  trouble("\n1 - h\ncpu 0 1\ncpu 1 1 2\n", 6, "1 values of cpu where its schema has 2");
  trouble("\n1 - h\ncpu 0 1 2 3\n", 6, "3 values of cpu");
  trouble("\n1 - h\ncpu 0 1 18446744073709551616\n", 6, "below 2^64");
  trouble("\n1 - h\ncpu 0 1 -2\n", 6, "-2");
  trouble("\n1 - h\ncpu 0 1 2\ncpu 0 1 2\n", 7, "second one of cpu 0");
  trouble("\n2 - h\ncpu 0 1 2\n\n1 - h\ncpu 0 1 2\n", 8, "1 s back");
  trouble("\n1 - h\ncpu 0 1 2\n2 - h\ncpu 0 1 2\n", 7, "two writers");
  trouble("\n1 - h\ncpu 0 1 2\n!cpu user,E\n\n2 - h\ncpu 0 1\n", 7, "another one of cpu");
  trouble("\n1 - h\nmem 0 1 2\n", 6, "without schema");
  trouble("\n1 - h\ncpu 0 1 2\n\x00\xff\x01\n\x07\n", 7, "(lines 7 to 8)");
  trouble("\n1 - h\ncpu 0 1 2\n" + "x".repeat(10_000_000) + "\n\n2 - h\ncpu 0 1 2\n", 7, "1048576");
  trouble("\n12345678901234567890123\n", 5, "a time line");
  assertEquals(parseRawStats("cpu 0 1 2\n").errors.length, 1);
  assertEquals(parseRawStats("").errors.length, 1);
  const all = parseRawStats(`${HEADER}\n1 - h\ncpu 0 1\ncpu 1 1 2\n\n2 - h\ncpu 1 5 6\n`);
  assertEquals(all.records.map((r) => r.lines.map((l) => `${l.device} ${l.values}`)), [
    ["1 1,2"],
    ["1 5,6"],
  ]);
});

Deno.test("parseRawStats() never throws, for any byte that is changed or cut", () => {
  const whole = new TextEncoder().encode(text("real-host.raw"));
  let seed = 4711;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
  for (let i = 0; i < 300; i++) {
    const bytes = whole.slice(0, random(whole.length) + 1);
    for (let k = random(20); k > 0; k--) bytes[random(bytes.length)] = random(256);
    const { records } = parseRawStats(bytes);
    assert(records.length <= 60);
  }
});

/** All that a scanner reports of bytes that come in pieces. */
function scanned(whole: Uint8Array, size: number): string {
  const seen: string[] = [];
  const scanner = new RawScanner("f", {
    record: (head) => void seen.push(`t ${head.timeUs}`),
    mark: (mark) => void seen.push(`m ${mark}`),
    row: (d, v) => void seen.push(`${d.columns.schema.type} ${d.name} ${v.numbers}`),
    error: (e) => void seen.push(e.message),
  });
  for (let at = 0; at < whole.length; at += size) scanner.push(whole.subarray(at, at + size));
  scanner.end();
  return seen.join("\n");
}

Deno.test("RawScanner gives the same in pieces of any size", () => {
  const whole = new TextEncoder().encode(text("real-host.raw"));
  const expected = scanned(whole, whole.length);
  for (const size of [1, 7, 100, 4096]) assertEquals(scanned(whole, size), expected);
});

Deno.test("RawScanner takes expected lines as it takes lines whose end it knows", () => {
  const records = Array.from({ length: 6 }, (_, i) => [
    `\n${i + 1}.5 7 h\ncpu 0 ${i} 18446744073709551615\ncpu 1 ${i}  9007199254740993 \n`,
    [
      "cpu 2 1 2 3\n",
      "cpu 2 1\n",
      "cpu 2 1 2\r\n",
      "cpu 0 1 2\n",
      `cpu 2 ${" ".repeat(2 ** 20)}1 2\n`,
    ][i] ?? "cpu 2 1 18446744073709551616\n",
    `proc a/0 ${i} 2\nproc b/1 7 ${i}\ncpu 3 4 5\n`,
  ]).flat();
  const encode = (text: string) => new TextEncoder().encode(text);
  const inputs = [HEADER + records.join(""), (HEADER + records.join("")).replaceAll("\n", "\r\n")]
    .map(encode);
  const real = encode(text("real-host.raw").slice(0, 40_000));
  let seed = 815;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
  for (let i = 0; i < 40; i++) {
    const bytes = real.slice();
    const some = [10, 13, 32, 37, 48, 57, 97];
    for (let k = random(30); k > 0; k--) bytes[random(bytes.length)] = some[random(some.length)];
    inputs.push(bytes);
  }
  for (const bytes of inputs) {
    // in pieces of a byte the end of every line is known
    assertEquals(scanned(bytes, bytes.length) === scanned(bytes, 1), true);
  }
  assert(
    scanned(inputs[0], Infinity).includes("a longer one"),
    "a line that is too long is refused",
  );
});
