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
