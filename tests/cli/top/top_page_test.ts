import { assert, assertEquals } from "@std/assert";
import { Courses, page, press, type Quantity, type View } from "../../../src/cli/top/top_page.ts";

const QUANTITIES: Quantity[] = [
  { name: "package power", domain: "package", unit: "W", values: [76.67, 75.8], simulated: true },
  { name: "throttled", domain: "package", unit: "%", values: [0, null], simulated: false },
  {
    name: "GPU throttled",
    domain: "gpu",
    unit: "",
    values: [4, 0],
    simulated: false,
    words: ["power limit", "no"],
  },
];
const thread = (thread: number, ...regions: string[]) => ({
  thread,
  regions,
  attributes: {},
  values: {},
});
const PROCESSES = [
  { pid: 20, rank: "1", threads: [thread(20, "main", "solve"), thread(21, "b\x1b[2J")] },
  { pid: 10, rank: "0", threads: [thread(10, "main", "solve")] },
];

function content(view?: Partial<View>) {
  const courses = new Courses();
  for (const watts of [0, 100, 50]) {
    courses.add([{ ...QUANTITIES[0], values: [watts] }, { ...QUANTITIES[1], values: [null] }]);
  }
  return {
    title: "joulemark top  n1",
    quantities: QUANTITIES,
    courses,
    processes: PROCESSES,
    isRunning: true,
    isUnicode: true,
    view: view === undefined
      ? undefined
      : { sort: "process" as const, filter: "", isTyping: false, isPaused: false, ...view },
  };
}

Deno.test("page() without a view is plain lines: no course, no keys, nothing a terminal obeys", () => {
  assertEquals(page(content(), { columns: 80, rows: Infinity }), [
    "joulemark top  n1  SIMULATED",
    "package power   76.7  75.8 W",
    "throttled       0.00  - %",
    "GPU throttled   power limit  no",
    "regions now     solve (2), b\\x1b[2J (1)",
    "",
    "process  rank  thread   where",
    "10       0     -        main > solve",
    "20       1     -        main > solve",
    "20       1     21       b\\x1b[2J",
  ]);
});

Deno.test("page() fills a terminal of 80 × 24, with courses at the right and keys below", () => {
  const lines = page(content({}), { columns: 80, rows: 24 });
  assertEquals(lines.length, 24);
  assertEquals(lines[1], "package power   76.7  75.8 W".padEnd(68) + "▁█▅  0–100 W");
  assertEquals(lines[23], "q quit  p pause  s sort: process  f filter  t functions  h help");
});

Deno.test("page() keeps within any terminal, and names what it leaves out", () => {
  for (const columns of [3, 20, 40, 80, 200]) {
    for (const rows of [1, 3, 8, 9, 24, 50]) {
      const lines = page(content({}), { columns, rows });
      assertEquals(lines.length, rows);
      assert(lines.every((line) => line.length <= columns), `${columns} × ${rows}`);
    }
  }
  assertEquals(page(content({}), { columns: 80, rows: 10 }).slice(6, 9), [
    "process  rank  thread   where",
    "10       0     -        main > solve",
    "and 2 more",
  ]);
});

Deno.test("press() quits, pauses, sorts and filters", () => {
  const view: View = { sort: "process", filter: "", isTyping: false, isPaused: false };
  press(view, "p");
  press(view, "s\x1b[A");
  assertEquals(view, { sort: "rank", filter: "", isTyping: false, isPaused: true });
  press(view, " /sqx\x7f");
  assertEquals([view.isPaused, view.filter, view.isTyping, view.sort], [false, "sq", true, "rank"]);
  press(view, "\r");
  assertEquals([view.filter, view.isTyping], ["sq", false]);
  press(view, "f\x1b");
  assertEquals([view.filter, view.isTyping], ["", false]);
  assertEquals([press(view, "x"), press(view, "q"), press(view, "\x03")], [
    ...[undefined, "quit", "quit"],
  ]);
  const shown = (filter: string) =>
    page(content({ filter, sort: "where" }), { columns: 80, rows: 24 })
      .filter((line) => /^\d/.test(line)).map((line) => line.slice(0, 2) + line.slice(24));
  assertEquals(shown(""), ["20b\\x1b[2J", "10main > solve", "20main > solve"]);
  assertEquals(shown("solve"), ["10main > solve", "20main > solve"]);
});

Deno.test("a constant power is no flat line at zero, and the range of its bars is stated", () => {
  const courses = new Courses();
  for (let k = 0; k < 3; k++) courses.add([{ ...QUANTITIES[0], values: [319] }]);
  const lines = page({ ...content({}), courses, quantities: [QUANTITIES[0]] }, {
    columns: 80,
    rows: 24,
  });
  assert(lines[1].endsWith("▇▇▇  0–400 W"), lines[1]);
});

Deno.test("h explains the lines; without processes the page says how to start one", () => {
  const view: View = { sort: "process", filter: "", isTyping: false, isPaused: false };
  press(view, "h");
  assertEquals(view.isHelp, true);
  const empty = { ...content({ isHelp: true }), processes: [], isRunning: false };
  const lines = page(empty, { columns: 120, rows: 24 });
  assert(
    lines.some((line) => line.startsWith("throttled       share of the time")),
    lines.join("\n"),
  );
  assert(
    lines.includes("no program runs under joulemark here; start one with joulemark run -- ./app"),
  );
  press(view, "?");
  assertEquals(view.isHelp, false);
});

Deno.test("a command without annotations is no command that does not run", () => {
  const lines = page({ ...content({}), processes: [] }, { columns: 120, rows: 24 });
  assert(
    lines.includes("no process under joulemark has annotations yet: see joulemark client --help"),
    lines.join("\n"),
  );
});

Deno.test("t shows functions with their share and time instead of processes, or why there are none", () => {
  const view: View = { sort: "process", filter: "", isTyping: false, isPaused: false };
  press(view, "t");
  assertEquals(view.hasFunctions, true);
  const functions = [
    { name: "heat::step", module: "app", share: 0.75, seconds: 1.5 },
    { name: "n".repeat(60), module: "libm.so.6", share: 0.2, seconds: 0.4 },
    { name: "bad\x1b[2J_[k]", module: "", share: 0.05, seconds: 0.1 },
  ];
  const lines = (columns: number, more = {}) => {
    return page({ ...content({ hasFunctions: true }), functions, ...more }, { columns, rows: 24 });
  };
  const wide = lines(80), at = wide.findIndex((line) => line.startsWith("function"));
  assertEquals(wide.slice(at, at + 4), [
    `${"function".padEnd(46)}   share time (s)  module`,
    `${"heat::step".padEnd(46)}  75.0 %     1.50  app`,
    `${"n".repeat(43)}...  20.0 %     0.40  libm.so.6`,
    `${"bad\\x1b[2J_[k]".padEnd(46)}   5.0 %     0.10`,
  ]);
  assertEquals(wide.some((line) => line.startsWith("process")), false);
  assert(wide.at(-1)!.includes("t processes"));
  assert(lines(40).every((line) => line.length <= 40));
  const filtered = lines(80, { view: { ...view, filter: "libm" } });
  assertEquals(filtered.filter((line) => / % +\d\.\d\d/.test(line)).length, 1);
  const absent = lines(80, { functions: { absent: "this user may not use perf" } });
  assert(absent.includes("no functions: this user may not use perf"));
  press(view, "t");
  assertEquals(view.hasFunctions, false);
});
