/** Reading and writing, heard beside the regions. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { compile, eventsOf, preloaded } from "../_support/preload.ts";
import { endToEnd } from "../_support/programs.ts";

const SAID = "aXcdefgh efg -1 1\n-1 1\n640\n7\n";

/** One call of the main thread. */
const call = (kind: string, bytes?: number) => {
  const name = `io.bytes.${kind === "read" ? "read" : "written"}`;
  const told = bytes === undefined ? [[], []] : [[`begin,${name},${bytes}`], [`end,${name}`]];
  return [`begin,io.region,${kind}`, ...told[0], "end,io.region", ...told[1]];
};

for (const fortified of ["", " -D_FORTIFY_SOURCE=2"]) {
  endToEnd(`run --preload caliper,io hears what a process does to files${fortified}`, (dir) => {
    compile(dir, `cc -O2${fortified} -Wall -Wextra -o io PROGRAMS/io.c -pthread`);
    const out = preloaded(dir, "caliper,io", ["./io", "data"], {
      options: ["--record", "recording"],
    });
    assertEquals(out.stdout, SAID);
    // Calls are no regions, and what they mark beside is in its place.
    assertEquals(out.counts, { main: 1 });
    assertMatch(out.report, /processes:\n\s+count: 1\n/);
    const rows = eventsOf(dir);
    const events = rows.filter((row) => /^(begin|end|enter|exit),/.test(row));
    const beforeThread = events.lastIndexOf("begin,io.region,read");
    assertEquals(events.slice(0, beforeThread - 2), [
      "enter,main,UNKNOWN",
      ...call("write", 8),
      ...call("write", 1),
      "enter,inner,UNKNOWN",
      ...call("metadata"),
      ...call("read", 8),
      "exit,inner",
      ...call("read"),
      ...call("read", 3),
      ...call("metadata"),
      ...call("read"),
      ...call("metadata"),
      ...call("metadata"),
    ]);
    assertEquals(events.slice(beforeThread - 2), [
      ...call("metadata"),
      ...call("read", 3),
      ...call("metadata"),
      "exit,main",
    ]);
    assert(rows.includes("attribute,io.region,string 20"), rows.join("\n"));
    assert(rows.includes("attribute,io.bytes.read,uint 2133"));
  });
}

endToEnd("run --preload io alone leaves programs as they are, and counts none for it", (dir) => {
  compile(dir, "cc -O2 -o io PROGRAMS/io.c -pthread");
  const out = preloaded(dir, "io", ["sh", "-c", "./io data | cat; exit 0"], {
    options: ["--record", "recording"],
  });
  assertEquals(out.stdout, SAID);
  assert(!eventsOf(dir).some((row) => row.includes("io.region")));
  assertEquals(preloaded(dir, "all", ["./io", "data"]).stdout, SAID);
});
