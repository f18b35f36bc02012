/** Spans of shells and of Fortran, and those that a process leaves open when it executes something else. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { compile, needing, type SpanFact, works } from "../_support/preload.ts";

function write(dir: string, language: string): void {
  const out = new Deno.Command(BINARY, { args: ["client", language, "--dir", dir] }).outputSync();
  assert(out.success, new TextDecoder().decode(out.stderr));
}

function spans(dir: string, command: string[]): { facts: SpanFact[]; report: string } {
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", ...command]);
  assertEquals([out.code, out.stderr], [0, ""]);
  const path = `${dir}/joulemark.report`;
  const report = Deno.readTextFileSync(path);
  const facts = parseReport(report, path).hosts[0].joulemark?.spans as unknown as SpanFact[];
  return { facts: facts ?? [], report };
}

needing(
  "bash",
  works("bash --version"),
  "spans of a shell overlap, and end by their numbers",
  (dir) => {
    write(dir, "shell");
    Deno.writeTextFileSync(
      `${dir}/app.sh`,
      `. ./joulemark.sh
joulemark_begin all
joulemark_span_begin "up load"; one=$joulemark_span
sleep 0.2
joulemark_span_begin "up load"; two=$joulemark_span
sleep 0.1
joulemark_span_end $one
joulemark_span_end $two
joulemark_span_end 77
joulemark_end all
`,
    );
    for (const shell of ["bash", "sh"]) {
      const { facts, report } = spans(dir, [shell, "app.sh"]);
      assertEquals(facts.map(({ span, count }) => [span, Number(count)]), [["up load", 2]], shell);
      const seconds = Number(facts[0]["time (s)"]);
      assert(seconds > 0.35 && seconds < 0.8, `${seconds} s by ${shell}`);
      assertStringIncludes(report, "a span ended without having begun");
    }
  },
);

needing(
  "gfortran",
  works("gfortran --version"),
  "spans of Fortran are counted and timed",
  (dir) => {
    write(dir, "fortran");
    Deno.writeTextFileSync(
      `${dir}/app.f90`,
      `program app
  use joulemark
  integer(joulemark_span_kind) :: one, two
  call joulemark_begin("all")
  one = joulemark_span_begin("transfer ")
  two = joulemark_span_begin("transfer")
  call execute_command_line("sleep 0.1")
  call joulemark_span_end(one)
  call joulemark_span_end(two)
  call joulemark_end("all")
end program
`,
    );
    compile(
      dir,
      "cc -O2 -c joulemark_fortran.c && gfortran -O2 -o app joulemark.f90 app.f90 joulemark_fortran.o",
    );
    const { facts, report } = spans(dir, ["./app"]);
    assertEquals(facts.map(({ span, count }) => [span, Number(count)]), [["transfer", 2]]);
    assert(Number(facts[0]["time (s)"]) >= 0.2);
    assert(!report.includes("mistakes:"), report);
  },
);

endToEnd("a span that is open when the process executes something else is named", (dir) => {
  write(dir, "c");
  Deno.writeTextFileSync(
    `${dir}/app.c`,
    `#include "joulemark.h"
#include <unistd.h>
int main(int argc, char **argv) {
    joulemark_begin("image");
    usleep(20000);
    joulemark_end("image");
    if (argc > 1) return 0;
    joulemark_span_begin("request");
    char *again[] = {argv[0], "again", 0};
    return execv(argv[0], again);
}
`,
  );
  compile(dir, "cc -O2 -o app app.c");
  const { facts, report } = spans(dir, ["./app"]);
  assertEquals(facts, []);
  assertStringIncludes(
    report,
    'span \\"request\\" was open when the process executed something else',
  );
});

needing(
  "python3",
  works("python3 -c 'import asyncio'"),
  "tasks of asyncio overlap: each region counts, with its own time, and ends no other one",
  (dir) => {
    write(dir, "python");
    Deno.writeTextFileSync(
      `${dir}/app.py`,
      `import asyncio
import joulemark

shared = joulemark.region("shared")

async def work(i):
    with joulemark.region(f"task {i}"):
        await asyncio.sleep(0.05 * (1 + (i * 2) % 3))
        with joulemark.region("inner"):
            pass

async def same():
    with shared:
        await asyncio.sleep(0.05)

async def main():
    with joulemark.region("main"):
        await asyncio.gather(*[work(i) for i in range(3)])
        await asyncio.gather(*[same() for _ in range(8)])

with joulemark.region("around"):
    asyncio.run(main())
with joulemark.region("behind"):
    pass
`,
    );
    const { facts, report } = spans(dir, ["python3", "app.py"]);
    const found = new Map(facts.map((fact) => [fact.span, fact]));
    const trueS = { "task 0": 0.05, "task 1": 0.15, "task 2": 0.1, main: 0.2, shared: 0.4 };
    for (const [name, seconds] of Object.entries(trueS)) {
      const fact = found.get(name)!;
      assertEquals([name, Number(fact.count)], [name, name === "shared" ? 8 : 1]);
      const s = Number(fact["time (s)"]);
      assert(s >= seconds && s < seconds + 0.1, `${name}: ${s} s, expected ${seconds} s`);
    }
    assertEquals(Number(found.get("inner")!.count), 3);
    // The tree has each of them as a region too.
    const { rows } = parseReport(report, "joulemark.report").hosts[0].joulemark!
      .tree as unknown as {
        rows: { region: string; count: number; track?: string }[];
      };
    const counts: Record<string, number> = {};
    for (const { region, count } of rows) counts[region] = (counts[region] ?? 0) + Number(count);
    assertEquals(counts, {
      around: 1,
      behind: 1,
      main: 1,
      inner: 3,
      shared: 8,
      "task 0": 1,
      "task 1": 1,
      "task 2": 1,
    });
    assert(!/mistakes:|refused calls/.test(report), report);
  },
);
