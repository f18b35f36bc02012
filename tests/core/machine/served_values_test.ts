/** What a collector and its clients say: round trips, and what is refused. */
import { assertEquals } from "@std/assert";
import {
  cellBytes,
  parseTable,
  printRequest,
  printTable,
  registerId,
  servedBy,
} from "../../../src/core/machine/served_values.ts";

const TABLE = {
  files: ["/sys/class/powercap/intel-rapl:0/energy_uj", "/sys/cray/pm_counters/energy"],
  cpus: [0, 2, 3, 300],
  registers: [0x611, 0xc001029b],
};

Deno.test("parseTable() reads what printTable() prints", () => {
  for (const table of [TABLE, { files: [], cpus: [], registers: [] }]) {
    assertEquals(parseTable(printTable(table)), table);
  }
});

Deno.test("parseTable() reports why a text is no table", () => {
  const name = "joulemark-collector 1";
  assertEquals(parseTable(""), "not a collector of this version");
  assertEquals(parseTable("joulemark-collector 2\n\n"), "not a collector of this version");
  assertEquals(parseTable("error go away\n"), "go away");
  assertEquals(parseTable(`${name}\nfile etc\n\n`), "a line of its table is unknown: file etc");
  assertEquals(
    parseTable(`${name}\nregisters 0 x\n\n`),
    "a register of its table is no number",
  );
  assertEquals(parseTable(`${name}\nregisters 5-1 0x10\n\n`), {
    files: [],
    cpus: [],
    registers: [0x10],
  });
});

Deno.test("servedBy() accepts the ids of the table, and no other", () => {
  assertEquals(servedBy(TABLE, 1), { kind: "file", file: 1 });
  assertEquals(servedBy(TABLE, registerId(3, 1)), {
    kind: "register",
    cpu: 300,
    register: 0xc001029b,
  });
  for (const id of [2, 0x7fffffff, registerId(4, 0), registerId(0, 2), 0xffffffff]) {
    assertEquals(servedBy(TABLE, id), undefined, `${id}`);
  }
});

Deno.test("printRequest() has a count and as many ids, little endian", () => {
  const bytes = printRequest([1, registerId(0, 1)]);
  assertEquals([...bytes], [2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0x80]);
  assertEquals([cellBytes(1), cellBytes(registerId(0, 1))], [64, 12]);
});
