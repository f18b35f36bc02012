/** The table of functions: of several hosts, and with long names. */
import { assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { functionFacts, functionLines } from "../../../src/show/analysis/summary_functions.ts";
import type { Nested } from "../../../src/core/report.ts";

type Row = readonly [name: string, ownS: number, joules: number, module?: string];

const LOOK = { width: 80, ascii: false, color: false };

/** What the report of a host has of functions; each energy has a standard error of 3 J. */
function section(rows: readonly Row[], own: { [key: string]: Nested } = {}): Nested {
  return {
    "rate (Hz)": 199,
    samples: 100,
    lost: 1,
    "cpu-time (s)": 4,
    "complete (%)": 100,
    "guessed frames (%)": 0,
    energy: { package: { "not running (J)": 20, "not running-se (J)": 4 } },
    list: rows.map(([name, ownS, joules, module = "/opt/app"]) => ({
      function: name,
      module,
      "self-time (s)": ownS,
      "package-energy (J)": joules,
      "package-energy-se (J)": 3,
    })),
    ...own,
  };
}

Deno.test("functions of several hosts: times and energies are added by function and module", () => {
  const facts = functionFacts([
    section([["solve", 2, 50], ["here", 1, 7], ["hidden", 0.5, 5]]),
    undefined,
    section([["write", 2.5, 40], ["solve", 1, 30], ["hidden", 0.5, NaN], ["solve", 0.2, 1, "lib"]]),
  ])!;
  assertEquals(
    facts.rows.map(({ name, module, ownS, energies }) => {
      return [name, module, ownS, energies.get("package")!.joules];
    }),
    [
      ["solve", "/opt/app", 3, 80],
      ["write", "/opt/app", 2.5, 40],
      ["here", "/opt/app", 1, 7],
      ["hidden", "/opt/app", 1, NaN],
      ["solve", "lib", 0.2, 1],
    ],
  );
  // The root of the sum of squares; a host without the function adds nothing.
  assertAlmostEquals(facts.rows[0].energies.get("package")!.seJ, Math.sqrt(18));
  assertEquals(facts.rows[2].energies.get("package")!.seJ, 3);
  const { joules, seJ } = facts.waiting.get("package")!;
  assertEquals([joules, Math.round(100 * seJ)], [40, 566]);
  assertEquals([facts.samples, facts.lost, facts.cpuS, facts.rateHz], [200, 2, 8, 199]);
  const lines = functionLines(facts, LOOK, "package");
  assertMatch(lines[1], /^solve +3.00 s +37.5 % +80.0 ± 4.2 {2}app$/);
  assertEquals(lines.slice(-3), [
    "200 samples at 199 Hz, 2 lost; stacks 100 % complete",
    "no functions of 1 host",
    "no energy for 1 of 5 functions: the report has the reason for each",
  ]);
});

Deno.test("an energy that one of the hosts does not know is not known; rates may differ", () => {
  const facts = functionFacts([
    section([["solve", 2, 50]]),
    section([["solve", 2, 50]], { energy: {}, "rate (Hz)": 99, "complete (%)": NaN }),
  ])!;
  assertEquals(facts.rows[0].energies.get("package")!.joules, NaN);
  assertEquals(facts.waiting.get("package")!.joules, NaN);
  assertEquals(facts.completePercent, 100);
  assertEquals(
    functionLines(facts, LOOK, "package").at(-2),
    "200 samples, 2 lost; stacks 100 % complete",
  );
  assertEquals(functionFacts([undefined, undefined]), undefined);
});

/** A report that lists one function of many. */
function longSection(own: { [key: string]: Nested }): Nested {
  const { list, ...rest } = section([["solve", 1, 50]], own) as { list: Nested[] };
  return { ...rest, list: [...list, { function: "others", "self-time (s)": 2.5, samples: 500 }] };
}

Deno.test("functions that reports do not list are no function of their own", () => {
  const of = (...sections: Nested[]) => functionFacts(sections)!;
  const linesOf = (...sections: Nested[]) => functionLines(of(...sections), LOOK, undefined);
  const counted = longSection({ "functions not listed": 700 });
  assertEquals(of(counted, counted).rows.map(({ name }) => name), ["solve"]);
  assertMatch(linesOf(counted)[2], /^\(700 more functions\) +2.50 s +62.5 %$/);
  // Hosts may leave out the same functions; older reports do not say how many.
  for (const lines of [linesOf(counted, counted), linesOf(longSection({}), section([]))]) {
    assertMatch(lines[2], /^\(more functions\) +(5.00|2.50) s/);
  }
  assertMatch(linesOf(counted, section([["solve", 1, 50]]))[2], /^\(700 more functions\) +2.50 s/);
  const own = section([["others", 3, 50], ["solve", 1, 50]]);
  assertEquals(of(own).rows.map(({ name }) => name), ["others", "solve"]);
});

Deno.test("long names that look equal keep their ends", () => {
  const names = ["apply", "gather", "reduce"].map((end) => {
    return `solver::Grid<double, std::allocator<double> >::${end}`;
  });
  const alone = `other::Grid<double, std::allocator<double> >::apply`;
  for (const ascii of [false, true]) {
    const facts = functionFacts([
      section([...names, alone].map((name, i): Row => [name, 2 - i / 10, 5])),
    ])!;
    const shown = functionLines(facts, { ...LOOK, ascii }, "package").slice(1, 5)
      .map((line) => line.slice(0, 28));
    assertEquals(new Set(shown).size, 4, shown.join("\n"));
    shown.slice(0, 3).forEach((name, i) => {
      assertMatch(name, ascii ? /^solver::Gr.*\.\.\..*/ : /^solver::Grid.*….*/);
      assertEquals(name.trimEnd().slice(-8), names[i].slice(-8));
    });
    assertMatch(shown[3], ascii ? /^other::Grid<double, .*>$/ : /^other::Grid<double, .*…$/);
  }
});
