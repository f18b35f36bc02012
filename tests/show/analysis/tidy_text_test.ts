/** The long table as text: quotes, digits, names that a terminal would obey, and its schema. */
import { assert, assertEquals } from "@std/assert";
import { TIDY_COLUMNS, type TidyRow } from "../../../src/core/tidy_rows.ts";
import {
  csvSchema,
  lineSchema,
  SERIES_COLUMNS,
  tidyCsv,
  tidyJsonLines,
} from "../../../src/show/analysis/tidy_text.ts";

const COLUMNS = ["run", "path", "energy_j", "se_j"];

Deno.test("CSV quotes what needs it, has 12 digits, and nothing for what is missing", () => {
  const rows: TidyRow[] = [
    { run: "1", path: '/a,"b"\nc', energy_j: 1 / 3 },
    { run: "1", path: "/\u001b[31m\u202e", energy_j: 0, se_j: 2e9 },
  ];
  assertEquals(
    [...tidyCsv(rows, COLUMNS)].join(""),
    [
      "run,path,energy_j,se_j\n",
      '1,"/a,""b""\\x0ac",0.333333333333,\n',
      "1,/\\x1b[31m\\u202e,0,2000000000\n",
    ].join(""),
  );
  assertEquals([...tidyCsv([], COLUMNS)], ["run,path,energy_j,se_j\n"]);
});

Deno.test("JSON lines have the keys that there are, in the order of the columns", () => {
  const rows: TidyRow[] = [{ energy_j: 2 / 3, path: "/a\n\u202e", run: "1" }, { run: "2" }];
  const text = [...tidyJsonLines(rows, COLUMNS)].join("");
  assertEquals(text.trim().split("\n"), [
    '{"run":"1","path":"/a\\\\x0a\\\\u202e","energy_j":0.666666666667}',
    '{"run":"2"}',
  ]);
});

Deno.test("a long table comes in pieces", () => {
  const rows = Array.from({ length: 2500 }, (_, i) => ({ run: "1", energy_j: i }));
  const pieces = [...tidyCsv(rows, COLUMNS)];
  assertEquals(pieces.length, 4);
  assertEquals(pieces.join("").split("\n").length, 2502);
});

Deno.test("the schemas have all columns, and a version", () => {
  for (const columns of [TIDY_COLUMNS, SERIES_COLUMNS]) {
    const csv = JSON.parse(csvSchema(columns)), line = JSON.parse(lineSchema(columns));
    const names = columns.map(({ name }) => name);
    assertEquals(csv.tableSchema.columns.map(({ name }: { name: string }) => name), names);
    assertEquals(Object.keys(line.properties), names);
    assert(csv["schema:version"] >= 1 && line.$id.endsWith(`/${csv["schema:version"]}`));
  }
});
