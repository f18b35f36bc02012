/** YAML that others write: what nests is bounded, what only looks so is read. */
// Alone: where the parser of YAML is loaded, reports may have any form.
import { assertEquals, assertThrows } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { loadYaml, parseYaml as parse } from "../../src/formats/yaml.ts";

const MANY = 300;
await loadYaml();

Deno.test("names with brackets that stay open are no levels", () => {
  const keys = Array.from({ length: MANY }, (_, i) => `a${i}`);
  const forms = {
    plain: (key: string) => `${key}[{: 1`,
    double: (key: string) => `"[${key}\\"[{": 1`,
    single: (key: string) => `'[${key}''[{': 1`,
    comment: (key: string) => `${key}: 1 # it's [{`,
    "texts as values": (key: string) => `${key}: 'it is [{' `,
    "names in a list": (key: string) => `- ["${key}[", '{']`,
  };
  for (const [name, form] of Object.entries(forms)) {
    const data = parse(keys.map(form).join("\n") + "\n") as object;
    assertEquals(Object.keys(data).length, MANY, name);
  }
});

Deno.test("collections in collections are levels, in one line or several", () => {
  for (
    const text of [
      `x: ${"[".repeat(MANY)}${"]".repeat(MANY)}`,
      `x: ${"[\n ".repeat(MANY)}${"]".repeat(MANY)}`,
      `${'{"a":'.repeat(MANY)}1${"}".repeat(MANY)}`,
      `x: ${"!!seq [".repeat(MANY)}${"]".repeat(MANY)}`,
      `x: ${'["a[", '.repeat(MANY)}${"]".repeat(MANY)}`,
    ]
  ) assertThrows(() => parse(text), Error, "more than 200 levels in line");
});

Deno.test("parseReport() keeps names that YAML 1.1 writes without quotes, and YAML 1.2 takes for numbers", () => {
  const totals = "      runtime (s): 2\n      count: 1\n      sync-runtime (s): 2\n";
  const text =
    `Agent: monitor\nGEOPM Version: 3.1.0\nHosts:\n  1e1:\n    Application Totals:\n${totals}` +
    `    Regions:\n    - count: 1\n      hash: 0x12\n      region: 1e6\n      runtime (s): 1.5\n` +
    `    - region: 1e3\n      hash: 0x13\n      runtime (s): 1\n` +
    "Policy: {}\nProfile: p\nStart Time: Thu Oct 24 08:00:00 2024\n";
  const { hosts: [{ host, regions }] } = parseReport(text);
  assertEquals([host, ...regions!.map(({ region }) => region)], ["1e1", "1e6", "1e3"]);
  assertEquals(regions![0].fields["runtime (s)"], 1.5);
});
