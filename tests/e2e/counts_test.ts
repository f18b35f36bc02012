/** What a run costs, as counts: they are the same on a machine that is busy. */
import { assert, assertEquals } from "@std/assert";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { BINARY, build, endToEnd } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";

/** Memory and threads of the runtime itself: its compilers come and go as they like. */
const RUNTIMES_OWN = "futex,mprotect,mmap,munmap,madvise,brk";

/** Counters are read by calls, and each machine has its own. */
const WITHOUT = ["--without", READERS.map(({ name }) => name).join(",")];

/** What strace leaves of a run, a line each. */
function traced(dir: string, options: string[], command: string[]): string[] {
  return tracedVerb(dir, options, ["run", "-q", ...command]);
}

function tracedVerb(dir: string, options: string[], args: string[]): string[] {
  const out = `${dir}/calls`;
  const { success, stderr } = new Deno.Command("strace", {
    args: ["-f", "-qq", ...options, "-o", out, BINARY, ...args],
    cwd: dir,
    stdin: "null",
    stdout: "null",
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
  return joined(Deno.readTextFileSync(out).trimEnd().split("\n"));
}

/** A call during which another thread made one is in two lines: in one, where it ended. */
function joined(rows: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return rows.flatMap((row) => {
    const [, thread, call] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(row) ?? [];
    if (thread !== undefined) {
      begun.set(thread, call);
      return [];
    }
    const [, by, rest] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(row) ?? [];
    return [by === undefined ? row : `${by} ${begun.get(by) ?? ""}${rest}`];
  });
}

/** Calls by name. */
function callsOf(dir: string, command: string): Map<string, number> {
  const counting = ["-c", "-e", `trace=!${RUNTIMES_OWN}`];
  const rows = traced(dir, counting, [...WITHOUT, "--", "sh", "-c", command]);
  // time, seconds, microseconds a call, calls, perhaps errors, name
  const fields = rows.map((row) => row.trim().split(/\s+/));
  const counted = fields.filter(([, , , calls]) => /^[0-9]+$/.test(calls));
  return new Map(
    counted.filter((row) => row.at(-1) !== "total").map((row) => [row.at(-1)!, Number(row[3])]),
  );
}

/** Of one sample beside a process that marks: sleep, new files, the process's end, and its ring. */
const OF_SAMPLE: Readonly<Record<string, number>> = { ppoll: 1, fstat: 1, poll: 1, pread64: 2 };
/** Other calls in 3 s, at most. */
const OTHERS = 300;

endToEnd(
  "a sample takes five system calls where one process marks and nothing is read",
  (dir) => {
    // It marks, and waits.
    const app = build("waits_inside", dir);
    const short = callsOf(dir, `sleep 1 | ${app}`), long = callsOf(dir, `sleep 4 | ${app}`);
    const more = (name: string) => (long.get(name) ?? 0) - (short.get(name) ?? 0);
    const samples = more("ppoll");
    assert(samples > 0);
    for (const [name, count] of Object.entries(OF_SAMPLE)) {
      assert(more(name) <= count * (samples + 20), `${more(name)} ${name} for ${samples} samples`);
    }
    // The journal's, once a second, and the guardian's are beside it: by time, however many samples there were.
    const others = [...long.keys()].filter((name) => OF_SAMPLE[name] === undefined);
    const rest = others.reduce((sum, name) => sum + Math.max(0, more(name)), 0);
    const told = others.filter((name) => more(name) > 0).map((name) => `${name} ${more(name)}`);
    assert(rest <= OTHERS, `${rest} for ${samples} samples: ${told.join(", ")}`);
  },
  120,
  NO_STRACE,
);

endToEnd(
  "a run that reads nothing wakes seldom while nobody marks",
  (dir) => {
    const rows = traced(dir, ["-ttt", "-e", "trace=ppoll"], [...WITHOUT, "--", "sleep", "5"]);
    const times = rows.map((row) => Number(row.trim().split(/\s+/)[1]));
    // How often a start waits differs from run to run.
    const wakes = times.filter((timeS) => timeS - times[0] >= 1.5 && timeS - times[0] < 4.5).length;
    // Ten times a second, and the guardian's own.
    assert(wakes > 0 && wakes < 60, `${wakes} in 3 s`);
  },
  120,
  NO_STRACE,
);

endToEnd(
  "a run reads little of the program, in few pieces",
  (dir) => {
    const rows = traced(dir, ["-y", "-e", "trace=pread64,write"], ["--", "true"]);
    const script = rows.filter((row) => row.includes("__JOULEMARK_FORM"));
    if (script.length === 0) {
      return console.log("skipped: compiled by Deno, which reads it all itself");
    }
    assertEquals(script.length, 1);
    const ofProgram = rows.filter((row) => row.includes("pread64(") && row.includes(`<${BINARY}>`));
    const sizes = ofProgram.map((row) => Number(row.split("= ").at(-1)));
    const parts = sizes.filter((size) => size > 500);
    const bytes = parts.reduce((sum, size) => sum + size, 0) + Number(script[0].split("= ").at(-1));
    // What every verb needs, and what a run needs: nothing of a plain run lies elsewhere.
    assert(parts.length <= 2, `${parts.length} pieces`);
    assert(bytes < 800_000, `${bytes} bytes`);
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "a start looks once for a file that a node does not have",
  (dir) => {
    const rows = traced(dir, ["-e", "trace=open,openat,stat,newfstatat,statx"], ["--", "true"]);
    const absent = rows.map((row) => /"(\/sys\/(?:bus|devices)\/[^"]+)".* ENOENT/.exec(row)?.[1]);
    const paths = absent.filter((path) => path !== undefined);
    const more = [...Map.groupBy(paths, (path) => path)].filter(([, times]) => times.length > 1);
    assertEquals(more.map(([path, times]) => `${path} ${times.length} times`), []);
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "a run takes what V8 made of its text, and leaves nothing of it while the command runs",
  (dir) => {
    const traces = ["-y", "-e", "trace=mmap,pwrite64,unlink,rmdir"];
    let rows: string[] = [], ofCache: string[] = [], isTaken = false;
    // On a busy machine the guardian may lay it too late.
    for (let tries = 0; tries < 3 && !isTaken; tries++) {
      rows = traced(dir, traces, ["--", "sleep", "1"]);
      ofCache = rows.filter((row) => row.includes("v8_code_cache_v2"));
      if (ofCache.length === 0) {
        return console.log("skipped: compiled by Deno, or the session is on no memory file system");
      }
      const mapped = ofCache.map((row) => /mmap\(NULL, (\d+)/.exec(row)?.[1]).map(Number);
      isTaken = mapped.some((size) => size > 1_000_000);
    }
    assert(isTaken, ofCache.join("\n"));
    // One that V8 refuses is made anew by Deno, and stored.
    const written = ofCache.map((row) => /pwrite64\(.*= (\d+)$/.exec(row)?.[1] ?? 0).map(Number);
    assert(written.reduce((sum, size) => sum + size, 0) < 65536, ofCache.join("\n"));
    const gone = rows.findIndex((row) => /rmdir\(".*\/deno"\) = 0/.test(row));
    const journal = rows.findLastIndex((row) =>
      row.includes("pwrite64(") && row.includes("/joulemark.report.partial")
    );
    assert(gone >= 0 && gone < journal, rows.join("\n"));
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "a query takes what V8 made of its text, and leaves nothing of it",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/small.cali`, "__rec=globals\n");
    const calls = ["-y", "-e", "trace=mmap,pread64,pwrite64,mkdirat,rmdir"];
    const rows = tracedVerb(dir, calls, ["query", "-t", "small.cali"]);
    const made = rows.find((row) => /mkdirat\(.*\/joulemark-q-\d+\/deno", 0700\) = 0/.test(row));
    if (made === undefined) {
      return console.log("skipped: compiled by Deno, or there is no memory file system");
    }
    const ofCache = rows.filter((row) => row.includes("v8_code_cache_v2"));
    assert(ofCache.length > 0, rows.join("\n"));
    const written = ofCache.map((row) => /pwrite64\(.*= (\d+)$/.exec(row)?.[1] ?? 0).map(Number);
    assert(written.reduce((sum, size) => sum + size, 0) < 65536, ofCache.join("\n"));
    const laid = /"(.*\/joulemark-q-\d+)\/deno"/.exec(made)![1];
    assert(rows.some((row) => row.includes(`rmdir("${laid}") = 0`)), rows.join("\n"));
    // Of one that is killed right then the next run removes it: no process has the greatest number.
    const base = laid.slice(0, laid.lastIndexOf("/"));
    const [old, living] = [`${base}/joulemark-q-4194304`, `${base}/joulemark-q-${Deno.pid}`];
    for (const left of [old, living]) Deno.mkdirSync(left, { mode: 0o700 });
    try {
      traced(dir, ["-e", "trace=rmdir"], ["--", "true"]);
      const names = [...Deno.readDirSync(base)].map(({ name }) => name);
      assert(!names.includes(old.slice(base.length + 1)));
      assert(Deno.statSync(living).isDirectory);
    } finally {
      Deno.removeSync(living);
    }
  },
  undefined,
  NO_STRACE,
);

endToEnd("a query that may open few files starts without what V8 made", (dir) => {
  const record = "__rec=node,id=0,attr=8,data=region\n";
  Deno.writeTextFileSync(`${dir}/small.cali`, record);
  const query = [BINARY, "query", "-t", "small.cali"];
  const { code, stderr } = new Deno.Command("prlimit", {
    args: ["--nofile=16:16", ...query],
    cwd: dir,
    stdin: "null",
  }).outputSync();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
});
