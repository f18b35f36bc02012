/** Clients of languages whose threads are not the program's: Go's goroutines, Rust's ownership. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, joulemark } from "../_support/programs.ts";
import { needing, type SpanFact, works } from "../_support/preload.ts";

interface Heard {
  readonly counts: Record<string, number>;
  readonly spans: Record<string, number>;
  readonly report: string;
}

/** Writes a client out, makes the program and runs it. */
function run(dir: string, language: string, folder: string, make: string): Heard {
  const args = ["client", language, "--dir", `${dir}/${folder}`];
  const written = new Deno.Command(BINARY, { args }).outputSync();
  assert(written.success, new TextDecoder().decode(written.stderr));
  const env = { GOCACHE: `${dir}/cache`, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  const made = new Deno.Command("sh", { args: ["-c", make], cwd: dir, env }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  assertEquals(new Deno.Command(`${dir}/app`).outputSync().code, 0, "without a monitor");
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", "./app"]);
  assertEquals([out.code, out.stderr], [0, ""]);
  const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
  const [host] = parseReport(report).hosts;
  const spans = (host.joulemark?.spans ?? []) as unknown as SpanFact[];
  return {
    counts: Object.fromEntries(host.regions!.map((r) => [r.region, Number(r.fields.count)])),
    spans: Object.fromEntries(spans.map(({ span, count }) => [span, Number(count)])),
    report,
  };
}

needing(
  "go",
  works("go version"),
  "goroutines have every region and span, on any thread",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/go.mod`, "module app\n\ngo 1.19\n");
    Deno.writeTextFileSync(
      `${dir}/main.go`,
      `package main

import (
	"app/joulemark"
	"runtime"
	"sync"
)

func main() {
	var all sync.WaitGroup
	for g := 0; g < 8; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; i < 125; i++ {
				span := joulemark.SpanBegin("request")
				func() {
					defer joulemark.Region("solve")()
					runtime.Gosched()
				}()
				all.Add(1)
				go func() {
					defer all.Done()
					span.End()
				}()
				runtime.Gosched()
			}
		}()
	}
	all.Wait()
	joulemark.Epoch()
	joulemark.SetInt("step", 3)
}
`,
    );
    const { counts, spans, report } = run(dir, "go", "joulemark", "go build -o app .");
    assertEquals([counts, spans], [{ solve: 1000 }, { request: 1000 }]);
    assert(!report.includes("mistakes:"), report);
  },
  120,
);

needing("rustc", works("rustc --version"), "Rust's regions end with their scopes", (dir) => {
  Deno.writeTextFileSync(
    `${dir}/app.rs`,
    `mod joulemark;

fn main() {
    let whole = joulemark::span("whole");
    for _ in 0..1000 {
        let _solve = joulemark::region("solve");
        let _inner = joulemark::region("inner");
    }
    std::thread::spawn(move || drop(whole)).join().unwrap();
    joulemark::epoch();
}
`,
  );
  const make = "cc -O2 -Wall -Wextra -Werror -c joulemark_fortran.c && " +
    "rustc -O -D warnings -C link-args='joulemark_fortran.o -lc' app.rs";
  const { counts, spans, report } = run(dir, "rust", ".", make);
  assertEquals([counts, spans], [{ solve: 1000 }, { whole: 1 }]);
  assert(!report.includes("mistakes:"), report);
}, 120);
