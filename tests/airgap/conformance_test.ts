/**
 * What the program and its tests expect of the four standard packages, whichever import map is in
 * force: run over `jsr:` it checks our expectation, over `airgap/` it checks the adapters.
 */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  AssertionError,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { walkSync } from "@std/fs";
import { parse } from "@std/yaml";

Deno.test("assertEquals() compares structure, prototype and numbers", () => {
  class Point {
    constructor(readonly x: number) {}
  }
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const other: Record<string, unknown> = {};
  other.self = other;
  const same: [unknown, unknown][] = [
    [NaN, NaN],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }],
    [new Float64Array([1, NaN]), new Float64Array([1, NaN])],
    [new Map([["a", 1]]), new Map([["a", 1]])],
    [new Set([1, 2]), new Set([2, 1])],
    [/a/g, /a/g],
    [new Point(1), new Point(1)],
    [cycle, other],
    [1n, 1n],
  ];
  const different: [unknown, unknown][] = [
    [1, 1n],
    [1, "1"],
    [null, undefined],
    [{ a: undefined }, {}],
    [[1, 2], [2, 1]],
    [new Float64Array([1]), new Float32Array([1])],
    [new Point(1), { x: 1 }],
    [new Set([1]), new Set([2])],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [() => 1, () => 1],
    [new Error("a"), new Error("b")],
  ];
  for (const [a, b] of same) assertEquals(a, b);
  for (const [a, b] of different) assertNotEquals(a, b);
});

Deno.test("each assertion passes what it should and throws AssertionError otherwise", async () => {
  const cases: [() => void, () => void][] = [
    [() => assert(1), () => assert(0)],
    [() => assertEquals([1], [1]), () => assertEquals([1], [2])],
    [() => assertNotEquals([1], [2]), () => assertNotEquals([1], [1])],
    [() => assertAlmostEquals(1, 1 + 1e-8), () => assertAlmostEquals(1, 1.1)],
    [() => assertAlmostEquals(NaN, NaN), () => assertAlmostEquals(NaN, 1)],
    [() => assertAlmostEquals(1, 2, 1), () => assertAlmostEquals(1, 2.1, 1)],
    [() => assertMatch("ab", /b/), () => assertMatch("ab", /c/)],
    [() => assertNotMatch("ab", /c/), () => assertNotMatch("ab", /b/)],
    [
      () => assertStringIncludes("abc", "bc"),
      () => assertStringIncludes("abc", "d"),
    ],
    [
      () => assertThrows(() => JSON.parse("{"), SyntaxError, "JSON"),
      () => assertThrows(() => JSON.parse("{"), TypeError),
    ],
  ];
  for (const [passes, fails] of cases) {
    passes();
    assertThrows(fails, AssertionError);
  }
  assertThrows(
    () => assertThrows(() => JSON.parse("{"), SyntaxError, "no such text"),
    AssertionError,
  );
  const error = await assertRejects(
    () => Promise.reject(new TypeError("late")),
    TypeError,
    "late",
  );
  assertEquals(error.message, "late");
  await assertRejects(
    () => assertRejects(() => Promise.resolve(1)),
    AssertionError,
  );
  await assertRejects(
    () =>
      assertRejects(() => {
        throw new Error("now");
      }),
    AssertionError,
  );
});

Deno.test("parseArgs() reads options, values, aliases and words", () => {
  const rows: [string[], Record<string, unknown>][] = [
    [[], {}],
    [["1", "0x10", "a", ""], { _: ["1", "0x10", "a", ""] }],
    [["--list", "5", "--list=6"], { list: ["5", "6"], l: ["5", "6"] }],
    [["--list=a=b"], { list: ["a=b"], l: ["a=b"] }],
    [["--list="], { list: [""], l: [""] }],
    [["--list"], { list: [""], l: [""] }],
    [["--list", "--json"], { list: [""], l: [""], json: true }],
    [["--json", "x"], { json: true, _: ["x"] }],
    [["--json=false"], { json: false }],
    [["--json", "false", "x"], { json: false, _: ["x"] }],
    [["-q"], { quiet: true, q: true }],
    [["-l5"], { list: ["5"], l: ["5"] }],
    [["-ql", "x", "y"], { quiet: true, q: true, list: ["x"], l: ["x"], _: ["y"] }],
    [["-l=x"], { list: ["x"], l: ["x"] }],
    [["-"], { _: ["-"] }],
    [["-l", "-"], { list: ["-"], l: ["-"] }],
    [["a", "--", "-x", "8"], { _: ["a"], "--": ["-x", "8"] }],
    [["--__proto__=1"], {}],
  ];
  for (const [args, expected] of rows) {
    const found = parseArgs(args, {
      string: ["list", "_"],
      boolean: ["json", "quiet"],
      alias: { l: "list", q: "quiet" },
      collect: ["list"],
      "--": true,
      unknown: () => true,
    });
    const none = { list: [], l: [], json: false, quiet: false, q: false, _: [], "--": [] };
    assertEquals({ ...found }, { ...none, ...expected }, JSON.stringify(args));
  }
});

Deno.test("parseArgs() asks about unknown options", () => {
  const seen: string[] = [];
  const args = parseArgs(["--known", "--other=1", "file"], {
    string: [],
    boolean: ["known"],
    collect: [],
    alias: {},
    "--": true,
    unknown: (arg, key) => {
      seen.push(`${arg} ${key}`);
      return arg === "file";
    },
  });
  assertEquals(seen, ["--other=1 other", "file undefined"]);
  assertEquals({ ...args }, { known: true, _: ["file"], "--": [] });
});

Deno.test("parse() reads YAML 1.2 with timestamps and merge keys", () => {
  const rows: [string, unknown][] = [
    ["", null],
    ["# only a comment\n", null],
    ["a: 1\nb: [x, 2.5, true, null, ~]\n", {
      a: 1,
      b: ["x", 2.5, true, null, null],
    }],
    ["k (J): 1e3\n", { "k (J)": 1000 }],
    ["a: .nan\nb: -.inf\nc: 0x1F\n", { a: NaN, b: -Infinity, c: 31 }],
    ["yes: no\n", { yes: "no" }],
    ["a: 'it''s'\nb: \"\\u00e9\\n\"\n", { a: "it's", b: "é\n" }],
    ["a: |\n  x\n  y\nb: >-\n  x\n  y\n", { a: "x\ny\n", b: "x y" }],
    ["- {a: 1}\n- &x [1]\n- *x\n", [{ a: 1 }, [1], [1]]],
    ["t: 2026-08-14T10:00:00Z\n", { t: new Date("2026-08-14T10:00:00Z") }],
    ["d: &d {a: 1}\ne: {<<: *d, b: 2}\n", { d: { a: 1 }, e: { a: 1, b: 2 } }],
    ["%YAML 1.2\n---\na: 1\n", { a: 1 }],
    ["1: a\n", { 1: "a" }],
    ["a:\n", { a: null }],
    ["\ufeffa: 1\n", { a: 1 }],
  ];
  for (const [text, expected] of rows) {
    assertEquals(parse(text), expected, JSON.stringify(text));
  }
});

Deno.test("parse() rejects what is no YAML, twice the same key, and a second document", () => {
  for (
    const text of [
      "a: [",
      "a: 1\na: 2\n",
      "a: b: c\n",
      "*x\n",
      "a: 1\n---\nb: 2\n",
    ]
  ) {
    assertThrows(
      () => parse(text),
      SyntaxError,
      undefined,
      JSON.stringify(text),
    );
  }
});

Deno.test("walkSync() walks directories", () => {
  const root = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${root}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${root}/a/one.ts`, "1");
    Deno.writeTextFileSync(`${root}/a/b/two.txt`, "2");
    Deno.symlinkSync("one.ts", `${root}/a/link`);
    const paths = (options = {}) =>
      [...walkSync(`${root}/a`, options)].map((entry) => entry.path.slice(root.length)).sort();
    assertEquals(paths(), [
      "/a",
      "/a/b",
      "/a/b/two.txt",
      "/a/link",
      "/a/one.ts",
    ]);
    assertEquals(paths({ exts: ["ts"] }), ["/a/one.ts"]);
    assertEquals(paths({ maxDepth: 1, includeDirs: false }), [
      "/a/link",
      "/a/one.ts",
    ]);
    assertEquals(paths({ skip: [/two/, /link/] }), ["/a", "/a/b", "/a/one.ts"]);
    assertEquals(paths({ includeFiles: false, maxDepth: 1 }), ["/a", "/a/b", "/a/link"]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
