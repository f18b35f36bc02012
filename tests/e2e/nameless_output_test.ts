/** An output gets its name when it is whole: by linkat(2), or as far as the file system can. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";

const NAMED = /"out\.report\.[0-9a-f]{12}\.new"/;

/** A merge of one report under strace: the lines that strace was asked for. */
function merge(dir: string, options: string[]): string[] {
  const { success, lines, stderr } = strace(dir, options);
  assert(success, stderr);
  return lines;
}

function strace(dir: string, options: string[]) {
  const { success, stderr } = new Deno.Command("strace", {
    args: [
      ...["-f", "-qq", "-o", `${dir}/calls`, ...options, BINARY, "merge", "a.report"],
      ...["-o", "out.report"],
    ],
    cwd: dir,
    stdin: "null",
    stdout: "null",
  }).outputSync();
  const lines = Deno.readTextFileSync(`${dir}/calls`).trimEnd().split("\n");
  return { success, lines, stderr: new TextDecoder().decode(stderr) };
}

/** The report that is merged, and what the merge is to leave. */
function merged(dir: string): string {
  joulemark(dir, [
    ...["run", "-q", "--simulate", "--no-timeline", "--report", "a.report"],
    ...["--", "sleep", "0.2"],
  ]);
  joulemark(dir, ["merge", "a.report", "-o", "expected"]);
  return Deno.readTextFileSync(`${dir}/expected`);
}

function check(dir: string, expected: string): void {
  assertEquals(Deno.readTextFileSync(`${dir}/out.report`), expected);
  const left = [...Deno.readDirSync(dir)].filter((entry) => entry.name.endsWith(".new"));
  assertEquals(left, []);
}

endToEnd(
  "a new name is given by one call, a taken one by a link and a rename",
  (dir) => {
    const expected = merged(dir);
    const options = ["-e", "trace=linkat,renameat"];
    const first = merge(dir, options);
    assertEquals(first.length, 1, first.join("\n"));
    assertMatch(first[0], /linkat\(.*, "out\.report", AT_SYMLINK_FOLLOW\) = 0$/);
    check(dir, expected);
    const second = merge(dir, options);
    assertEquals(second.length, 3, second.join("\n"));
    assertMatch(second[0], /linkat\(.*EEXIST/);
    assertMatch(second[1], NAMED);
    assertMatch(second[2], /renameat\(.*, "out\.report"\) = 0$/);
    check(dir, expected);
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "without links the file is copied into one with a random name",
  (dir) => {
    const expected = merged(dir), inject = ["-e", "inject=linkat:error=EPERM"];
    const calls = merge(dir, ["-e", "trace=linkat,renameat", ...inject]);
    assertMatch(calls.at(-1)!, NAMED);
    check(dir, expected);
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "without files that have no name it has a random one from the start",
  (dir) => {
    const expected = merged(dir), trace = ["-e", "trace=openat,linkat,renameat"];
    let refused: string[] = [], isRefused = false;
    // On a busy machine a start may open one file more or less than the one before.
    for (let tries = 0; tries < 5 && !isRefused; tries++) {
      const calls = merge(dir, trace);
      const asked = calls.findLastIndex((line) => line.includes("O_TMPFILE"));
      const thread = calls[asked].split(" ")[0] + " ";
      const nth = calls.slice(0, asked + 1).filter((line) => {
        return line.startsWith(thread) && line.includes("openat(");
      }).length;
      Deno.removeSync(`${dir}/out.report`);
      const inject = `inject=openat:error=EOPNOTSUPP:when=${nth}`;
      const started = strace(dir, [...trace, "-e", inject]);
      refused = started.lines;
      isRefused = started.success &&
        refused.some((line) => line.includes("INJECTED") && line.includes("O_TMPFILE"));
    }
    assert(isRefused, refused.filter((line) => line.includes("INJECTED")).join("\n"));
    assertEquals(refused.filter((line) => line.includes("linkat(")), []);
    assertEquals(refused.filter((line) => NAMED.test(line) && line.includes("O_EXCL")).length, 1);
    check(dir, expected);
  },
  undefined,
  NO_STRACE,
);

endToEnd(
  "killed while it gives its report a name, a run leaves nothing half-written",
  (dir) => {
    const { stderr } = new Deno.Command("strace", {
      args: [
        ...["-f", "-qq", "-o", "/dev/null", "-e", "trace=linkat"],
        ...["-e", "inject=linkat:signal=KILL:when=1", BINARY, "run", "-q", "--simulate"],
        ...["--report", "out.report", "--", "sleep", "0.2"],
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
    }).outputSync();
    assertMatch(new TextDecoder().decode(stderr), /monitor ended before its report was left/);
    const left = [...Deno.readDirSync(dir)].map((entry) => entry.name);
    // A run that takes long has a checkpoint.
    assertEquals(left.filter((name) => !/^out\.report(\.partial)?$/.test(name)), []);
  },
  undefined,
  NO_STRACE,
);
