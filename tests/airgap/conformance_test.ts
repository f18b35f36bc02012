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
  equal,
} from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { walkSync } from "@std/fs";
import { parse } from "@std/yaml";

Deno.test("equal() compares structure, prototype and numbers as @std does", () => {
  class Point {
    constructor(readonly x: number) {}
  }
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const other: Record<string, unknown> = {};
  other.self = other;
  const same: [unknown, unknown][] = [
    [NaN, NaN],
    [0, -0],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }],
    [Object.create(null), {}],
    [new Float64Array([1, NaN]), new Float64Array([1, NaN])],
    [new Uint8Array([1]).buffer, new Uint8Array([1]).buffer],
    [
      new Map<unknown, unknown>([["a", 1], [{ k: 1 }, 2]]),
      new Map<unknown, unknown>([["a", 1], [{ k: 1 }, 2]]),
    ],
    [new Set([1, 2]), new Set([2, 1])],
    [new Date(5), new Date(5)],
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
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [2, 1]],
    [[undefined], new Array(1).concat(1)],
    [new Float64Array([1]), new Float32Array([1])],
    [new Point(1), { x: 1 }],
    [new Set([1]), new Set([2])],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Date(5), new Date(6)],
    [/a/g, /a/i],
    [() => 1, () => 1],
    [new Error("a"), new Error("b")],
  ];
  for (const [a, b] of same) assert(equal(a, b), Deno.inspect([a, b]));
  for (const [a, b] of different) {
    assertEquals(equal(a, b), false, Deno.inspect([a, b]));
  }
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

Deno.test("parseArgs() reads flags, values, aliases and the rest", () => {
  const args = parseArgs(
    [
      "--report=a.report",
      "-q",
      "run",
      "--signals",
      "A",
      "--signals=B",
      "--json",
      "7",
      "--",
      "-x",
      "8",
    ],
    {
      string: ["report", "period", "_"],
      boolean: ["json", "quiet"],
      alias: { q: "quiet", r: ["report"] },
      collect: ["signals"],
      default: { period: "0.005" },
    },
  );
  assertEquals(args.report, "a.report");
  assertEquals(args.r, "a.report");
  assertEquals(args.quiet, true);
  assertEquals(args.q, true);
  assertEquals(args.json, true);
  assertEquals(args.period, "0.005");
  assertEquals(args.signals, ["A", "B"]);
  assertEquals(args._ as unknown, ["run", "7", "-x", "8"]);
});

Deno.test("parseArgs() answers as recorded for each kind of flag", () => {
  const rows: [
    string[],
    Parameters<typeof parseArgs>[1],
    Record<string, unknown>,
  ][] = [
    [[], {}, { _: [] }],
    [["1", "0x10", "1e3", "a", ""], {}, { _: [1, 16, 1000, "a", ""] }],
    [["--n", "5", "--m=5"], {}, { n: 5, m: 5, _: [] }],
    [["--n", "5"], { string: "n" }, { n: "5", _: [] }],
    [["--n"], { string: "n" }, { n: "", _: [] }],
    [["--n", "--m"], { string: "n" }, { n: "", m: true, _: [] }],
    [["--n=a=b"], {}, { n: "a=b", _: [] }],
    [["--n="], {}, { n: "", _: [] }],
    [["--b", "x"], { boolean: "b" }, { b: true, _: ["x"] }],
    [["--b=false"], { boolean: "b" }, { b: false, _: [] }],
    [["--b", "false", "x"], { boolean: "b" }, { b: false, _: ["x"] }],
    [[], { boolean: "b" }, { b: false, _: [] }],
    [["--a", "x"], { boolean: true }, { a: true, _: ["x"] }],
    [["--no-color"], {}, { "no-color": true, _: [] }],
    [["--no-color"], { negatable: "color" }, { color: false, _: [] }],
    [["-abc"], {}, { a: true, b: true, c: true, _: [] }],
    [["-n5"], {}, { n: 5, _: [] }],
    [["-vn", "5"], {}, { v: true, n: 5, _: [] }],
    [["-o=x"], {}, { o: "x", _: [] }],
    [["-o", "x", "y"], {}, { o: "x", _: ["y"] }],
    [["-b", "x"], { boolean: "b" }, { b: true, _: ["x"] }],
    [["-"], {}, { _: ["-"] }],
    [["-a", "-"], { string: "a" }, { a: "-", _: [] }],
    [["--a", "1", "cmd", "--b"], { stopEarly: true }, {
      a: 1,
      _: ["cmd", "--b"],
    }],
    [["--a", "--", "--b"], { "--": true }, { a: true, _: [], "--": ["--b"] }],
    [["--a", "1", "--a", "2"], { collect: "a" }, { a: [1, 2], _: [] }],
    [["--a", "1", "--a", "2"], {}, { a: 2, _: [] }],
    [[], { collect: "a", string: "a" }, { a: [], _: [] }],
    [["--x", "1"], { alias: { x: "y" } }, { x: 1, y: 1, _: [] }],
    [[], { alias: { x: "y" }, default: { x: 3 } }, { x: 3, y: 3, _: [] }],
    [["--__proto__", "1"], {}, { _: [] }],
  ];
  for (const [args, options, expected] of rows) {
    assertEquals(
      parseArgs(args, options) as unknown,
      expected,
      `${JSON.stringify(args)} ${JSON.stringify(options)}`,
    );
  }
});

Deno.test("parseArgs() asks about unknown flags", () => {
  const seen: string[] = [];
  const args = parseArgs(["--known", "--other=1", "file"], {
    boolean: ["known"],
    unknown: (arg, key) => {
      seen.push(`${arg} ${key}`);
      return arg === "file";
    },
  });
  assertEquals(seen, ["--other=1 other", "file undefined"]);
  assertEquals(args as unknown, { known: true, _: ["file"] });
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
  assertEquals(parse("a: 1\na: 2\n", { allowDuplicateKeys: true }), { a: 2 });
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
    assertEquals(paths({ includeSymlinks: false, skip: [/two/] }), [
      "/a",
      "/a/b",
      "/a/one.ts",
    ]);
    assertEquals(paths({ match: [/\/b$/], includeFiles: false }), ["/a/b"]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
