import { assertEquals, assertThrows } from "@std/assert";
import { parseQuery } from "../../../src/caliper/query/parser.ts";
import { QueryError } from "../../../src/caliper/query/query_error.ts";

Deno.test("parseQuery() makes a specification of every clause, in any order and case", () => {
  const spec = parseQuery(
    'Format Tree("a,b",column-width=12) ORDER BY x desc,y where not k=1,m>2 ' +
      'GROUP by path,r let t=SCALE(x,2) if n SELECT *,Sum(x) AS "T (s)" UNIT sec aggregate count()',
  );
  assertEquals(spec.format?.name, "tree");
  assertEquals([...spec.format!.args], [["path-attributes", "a,b"], ["column-width", "12"]]);
  assertEquals(spec.orderBy, [
    { attribute: "x", descending: true },
    { attribute: "y", descending: false },
  ]);
  assertEquals(spec.where.map((c) => c.op), ["not-equal", "greater"]);
  assertEquals([spec.groupBy, spec.groupByPath], [["r"], true]);
  assertEquals(spec.lets[0].condition?.attribute, "n");
  assertEquals(spec.selection, "all");
  assertEquals(spec.aggregate?.map((o) => o.name), ["sum", "count"]);
  assertEquals([spec.aliases.get("sum#x"), spec.units.get("sum#x")], ["T (s)", "sec"]);
});

Deno.test("parseQuery() takes quotes and backslashes literally", () => {
  const spec = parseQuery('select "label=x,y",a\\ b,pre"fix;"ed');
  assertEquals(spec.select, ["label=x,y", "a b", "prefix;ed"]);
});

Deno.test("parseQuery() explains what it does not understand", () => {
  const rows: [string, string][] = [
    ["select foo(x)", "Unknown aggregation function foo"],
    ["select sum(x,y)", "Invalid number of arguments for sum"],
    ["select count(", "Expected ')'"],
    ["select sum(x", "Invalid number of arguments for sum"],
    ["format nosuch", "Unknown formatter nosuch"],
    ["format tree(what=1)", "Unknown argument what for tree"],
    ["group path", 'Expected clause keyword. Did you mean "GROUP BY"?'],
    ["where", "Condition term expected"],
    ["where a=", "Condition term expected"],
    ["order by", "Sort attribute expected"],
    ["let x", 'Expected "=" after x'],
    ["let x=cube(y)", "Unknown operator cube"],
    ["let x=first(y),x=first(z)", "x defined twice"],
    ["select a;", "Expected clause, got ;"],
    ["select a as", "Expected alias at SELECT ... AS "],
    ["selekt a", "Expected clause keyword, got selekt"],
    ["select ,a", "Expected argument for SELECT"],
  ];
  for (const [query, message] of rows) {
    const error = assertThrows(() => parseQuery(query), QueryError);
    assertEquals(error.message, message, query);
  }
});

Deno.test("parseQuery() points at the word and offers the nearest known one", () => {
  const error = assertThrows(() => parseQuery("select summ(x)"), QueryError) as QueryError;
  assertEquals([error.offset, error.near[0]], [7, "sum"]);
  const second = assertThrows(() => parseQuery("format tabel"), QueryError) as QueryError;
  assertEquals([second.offset, second.near.includes("table")], [7, true]);
});
