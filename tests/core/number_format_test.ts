import { assertEquals } from "@std/assert";
import { formatG, formatSignal } from "../../src/core/number_format.ts";
import type { SignalFormat } from "../../src/core/signal.ts";
import { type Cell, number, readVectors } from "../energy/totals/_vector_source.ts";

type Case = { value: Cell; report: string } & Record<SignalFormat, string>;

Deno.test("formatSignal() and formatG() print as the original library", () => {
  const { cases } = readVectors<{ cases: Case[] }>("number_formats.json");
  for (const c of cases) {
    const value = number(c.value);
    assertEquals(formatG(value), c.report, `${c.value} in a report`);
    for (const format of ["double", "float", "integer", "hex", "raw64"] as const) {
      assertEquals(formatSignal(value, format), c[format], `${c.value} as ${format}`);
    }
  }
});

Deno.test("formatG() rounds an exact tie to the even digit, as C does", () => {
  assertEquals(formatG(18798450), "1.87984e+07");
  assertEquals(formatG(2296845), "2.29684e+06");
  assertEquals(formatG(-3427529336618040.5, 16), "-3427529336618040");
  assertEquals(formatG(0.5, 1), "0.5");
  assertEquals(formatG(9.95, 16), "9.949999999999999");
});

Deno.test("formatG() chooses the form by the exponent after rounding", () => {
  assertEquals(formatG(999999.5), "1e+06");
  assertEquals(formatG(999999.4), "999999");
  assertEquals(formatG(9.9999999e-5), "0.0001");
  assertEquals(formatG(9.99999e-5), "9.99999e-05");
  assertEquals(formatG(5e-324, 16), "4.940656458412465e-324");
  assertEquals(formatG(-Infinity), "-inf");
});
