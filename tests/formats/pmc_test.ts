/** pm_mpi_lib's logs, byte for byte, and everything that is not one. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../src/core/errors.ts";
import {
  parsePmc,
  PMC_VERSIONS,
  type PmcLog,
  type PmcRecord,
  stringifyPmc,
} from "../../src/formats/pmc/pmc.ts";
import { formatF } from "../../src/core/number_format.ts";
import { formatRepr } from "../../src/formats/pmc/ascii.ts";
import { Random } from "../run/session/_random.ts";

const VECTORS = new URL("../vectors/pmc/", import.meta.url).pathname;

Deno.test("stringifyPmc(parsePmc()) of the library's own logs is byte-equal", () => {
  for (const name of ["v2.0.0.pmc", "v3.1.0.pmc", "v4.3.0.pmc", "v6.0.0.bin", "v6.0.0.ascii"]) {
    const bytes = Deno.readFileSync(`${VECTORS}run-a.${name}`);
    const written = stringifyPmc(parsePmc(bytes));
    assertEquals(typeof written === "string" ? new TextEncoder().encode(written) : written, bytes);
  }
});

Deno.test("parsePmc() of a binary log, written as ascii, is the library's conversion", () => {
  const log = parsePmc(Deno.readFileSync(`${VECTORS}run-a.v6.0.0.bin`));
  assertEquals(
    stringifyPmc({ ...log, form: "ascii" }),
    Deno.readTextFileSync(`${VECTORS}run-a.v6.0.0.ascii`),
  );
});

Deno.test("parsePmc() reads logs that went through systems whose lines end in CR LF", () => {
  for (const name of ["v2.0.0.pmc", "v4.3.0.pmc", "v6.0.0.ascii"]) {
    const text = Deno.readTextFileSync(`${VECTORS}run-a.${name}`);
    const bytes = new TextEncoder().encode(text.replaceAll("\n", "\r\n"));
    assertEquals(stringifyPmc(parsePmc(bytes)), text, name);
  }
});

Deno.test("parsePmc(stringifyPmc(x)) is x, for every version and form", () => {
  const random = new Random(20150112);
  for (const version of PMC_VERSIONS) {
    const binary = version === "5.0" || version === "6.0";
    for (const form of binary ? ["binary", "ascii"] as const : ["text"] as const) {
      const cut = form === "ascii" ? 1 : 1e6;
      const figure = (most: number) => Math.round(random.next() * most * cut) / cut;
      const records = Array.from({ length: 50 }, (_, i): PmcRecord => ({
        timeS: binary ? 1e6 * random.next() : figure(1e5),
        step: i - 1,
        ...(version === "2.0" ? {} : { substep: 1 + i % 3 }),
        powerW: figure(500),
        energyJ: version === "4.0" || form === "binary" ? figure(1e7) : Math.round(figure(1e9)),
        ...(binary ? { rank: i % 4, cpu0TempC: figure(90), cpu1TempC: figure(90) } : {}),
        ...(binary || version === "4.4"
          ? {
            cpuPowerW: figure(300),
            memoryPowerW: figure(60),
            cpuEnergyJ: Math.round(figure(1e9)),
            memoryEnergyJ: Math.round(figure(1e9)),
          }
          : {}),
      }));
      if (form === "ascii") records.sort((a, b) => a.rank! - b.rank!);
      const log: PmcLog = { version, form, records };
      const options = binary ? { version: version as "5.0" | "6.0" } : {};
      assertEquals(parsePmc(stringifyPmc(log), options), log, `${version} ${form}`);
    }
  }
});

Deno.test("formatF() is C's %f, formatRepr() Python's repr", () => {
  assertEquals(
    [0, 1 / 128, 3 / 128, 5 / 128, -1 / 128, 298, 2.5e-7, 1e22, NaN].map(formatF),
    [
      "0.000000",
      "0.007812",
      "0.023438",
      "0.039062",
      "-0.007812",
      "298.000000",
      "0.000000",
      "10000000000000000000000.000000",
      "nan",
    ],
  );
  assertEquals(
    [0, 1253, 1253.5, 1e16, 1.5e-5, 0.0001, 1254.77904747].map(formatRepr),
    ["0.0", "1253.0", "1253.5", "1e+16", "1.5e-05", "0.0001", "1254.77904747"],
  );
});

Deno.test("parsePmc() reads up to a cut, keeps repeated headers, and refuses the rest by line", () => {
  const text = Deno.readTextFileSync(`${VECTORS}run-a.v4.3.0.pmc`);
  const cut = parsePmc(text.slice(0, -5));
  assertEquals([cut.cut, cut.records.length], [true, 7]);
  const bytes = Deno.readFileSync(`${VECTORS}run-a.v6.0.0.bin`);
  assertEquals(parsePmc(bytes.slice(0, 1000)).records.length, 10);
  const header = text.slice(0, text.indexOf("\n") + 1);
  const twice = header + "0.000000 -1 1 2.000000 0\n" + header + "0.100000 1 1 2.000000 5\n";
  assertEquals(stringifyPmc(parsePmc(twice)), twice);
  const refused = (data: string | Uint8Array, expected: string) => {
    const error = assertThrows(() => parsePmc(data, { path: "x" }), FormatError);
    assert(error.message.includes(expected), error.message);
  };
  refused("", "no such header");
  refused("GEOPM Version: 3\n", "no such header");
  refused("pm_mpi_lib v9.9.0: time\n", "version 9.9");
  refused(header + "0.1 1 1 nonsense 5\n", "x:2");
  refused(header + "0.1 1.5 1 3.000000 5\n", "x:2");
  refused(new Uint8Array(10), "10 bytes");
  refused(new TextEncoder().encode("rubbish ".repeat(20)), "other data at byte 0");
});

Deno.test("parsePmc() never throws anything but FormatError on noise", () => {
  const random = new Random(7);
  const good = Deno.readFileSync(`${VECTORS}run-a.v4.3.0.pmc`);
  for (let n = 0; n < 2000; n++) {
    const bytes = good.slice(0, 1 + Math.floor(random.next() * good.length));
    for (let k = 0; k < 5; k++) {
      bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
    }
    try {
      parsePmc(bytes);
    } catch (error) {
      assert(error instanceof FormatError, String(error));
    }
  }
});
