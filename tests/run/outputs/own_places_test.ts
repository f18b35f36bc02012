/** Two outputs at one place: which of them is refused, dropped or kept. */
import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import type { OptionValues, Origin } from "../../../src/core/option.ts";
import { atOwnPlaces } from "../../../src/run/outputs/own_places.ts";

function values(...given: [option: string, text: string, origin?: Origin][]): OptionValues {
  return new Map(given.map(([option, text, origin = "flag"]) => {
    const name = origin === "foreign" ? `GEOPM_${option.toUpperCase()}` : `--${option}`;
    return [option, { text, origin, name }];
  }));
}

function inFolder(body: (dir: string) => void): void {
  const dir = Deno.makeTempDirSync();
  try {
    body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("atOwnPlaces() refuses two options of one place, however it is written", () => {
  inFolder((dir) => {
    Deno.mkdirSync(`${dir}/a`);
    Deno.symlinkSync("a", `${dir}/b`);
    Deno.symlinkSync("a/x", `${dir}/link`);
    for (
      const other of [`${dir}/a/x`, `${dir}/b/x`, `${dir}/a/../a/x`, `${dir}//a/./x`, `${dir}/link`]
    ) {
      for (
        const option of ["trace", "html", "record", "event-log", "cali", "perfetto", "otlp", "pmc"]
      ) {
        const given = values(["report", `${dir}/a/x`], [option, other]);
        assertThrows(
          () => atOwnPlaces(given, "joulemark.report"),
          UsageError,
          "that no other output has",
        );
      }
    }
    const apart = values(["report", `${dir}/a/x`], ["trace", `${dir}/a/y`], ["html", `${dir}/x`]);
    assertEquals(atOwnPlaces(apart, "joulemark.report"), { values: apart, lines: [] });
  });
});

Deno.test("atOwnPlaces() refuses an output that would replace an earlier report", () => {
  inFolder((dir) => {
    for (const name of ["old.report", "old.report-2"]) {
      Deno.writeTextFileSync(`${dir}/${name}`, "");
      for (const option of ["html", "trace", "pmc"]) {
        const given = values([option, `${dir}/${name}`]);
        assertThrows(() => atOwnPlaces(given, "joulemark.report"), UsageError, "earlier report");
      }
      const again = values(["report", `${dir}/${name}`], ["html", `${dir}/new.report`]);
      assertEquals(atOwnPlaces(again, undefined), { values: again, lines: [] });
    }
  });
});

Deno.test("atOwnPlaces() knows the report's default path", () => {
  const given = values(["trace", "./absent.report"]);
  assertThrows(() => atOwnPlaces(given, "absent.report"), UsageError, "the path of the report");
  assertEquals(atOwnPlaces(given, undefined).lines, []);
});

Deno.test("atOwnPlaces() drops a path from GEOPM's variables, with a line", () => {
  const report = values(["report", "x", "foreign"], ["trace", "x"]);
  const found = atOwnPlaces(report, "geopm.report");
  assertEquals([...found.values.keys()], ["trace"]);
  assertEquals(found.lines, ["GEOPM_REPORT=x is ignored: --trace has the same path"]);
  const both = atOwnPlaces(values(["trace", "x", "foreign"], ["event-log", "x", "foreign"]), "r");
  assertEquals([...both.values.keys()], ["trace"]);
  assertEquals(both.lines.length, 1);
  // The trace gets the name of the host.
  assertEquals(
    atOwnPlaces(values(["report", "x", "foreign"], ["trace", "x", "foreign"]), "r").lines,
    [],
  );
});

Deno.test("atOwnPlaces() lets several outputs go into a device", () => {
  const given = values(["report", "/dev/null"], ["trace", "/dev/null"], ["html", "/dev/null"]);
  assertEquals(atOwnPlaces(given, "joulemark.report"), { values: given, lines: [] });
});
