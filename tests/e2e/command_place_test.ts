/**
 * Where the command begins on the command line: at the first word that is neither an option nor its value,
 * or behind "--" before any. What follows is the command's own, to the letter, measured or not.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** What the command got, a line each. */
const SHOW = ["sh", "-c", 'printf "<%s>\\n" "$0" "$@"'];

/** Options of a run, then the command's own words behind {@linkcode SHOW}. */
const LINES: readonly (readonly [options: readonly string[], words: readonly string[]])[] = [
  [[], ["a", "--", "b"]],
  [["-q"], ["--", "b"]],
  [["--"], ["a", "--", "b"]],
  [["--report", "r.report"], ["--report", "mine", "--"]],
  [["--report", "r.report", "--"], ["--", "--"]],
  [["--report=r.report", "--period", "0.01"], ["-q", "--", "-v"]],
  [["--simulate"], ["--simulate", "--"]],
  [["--simulate=cray", "--"], ["x"]],
  [["-qv"], ["-", "--", "-"]],
];

function lines(words: readonly string[]): string {
  return words.map((word) => `<${word}>\n`).join("");
}

endToEnd("run takes the first word for the command, and leaves its words as they are", (dir) => {
  for (const [options, words] of LINES) {
    const out = joulemark(dir, ["run", "-q", ...options, ...SHOW, ...words]);
    assertEquals([out.code, out.stdout], [0, lines(words)], `${options}: ${out.stderr}`);
    assertEquals(out.stderr.includes("unmeasured"), false, out.stderr);
  }
});

endToEnd("ranks that are not elected take the same words for their command", (dir) => {
  for (const [options, words] of LINES) {
    const inner = [BINARY, "run", "-q", ...options, ...SHOW, ...words];
    const out = joulemark(dir, ["run", "-q", "env", ...inner]);
    assertEquals([out.code, out.stdout], [0, lines(words)], `${options}: ${out.stderr}`);
  }
});

endToEnd("a command that cannot be measured has the same words", (dir) => {
  for (const [options, words] of LINES) {
    const limited = ["-c", 'ulimit -v 4000000; exec "$@"', "sh"];
    const args = [...limited, BINARY, "run", "-q", ...options, ...SHOW, ...words];
    const out = new Deno.Command("sh", { args, cwd: dir }).outputSync();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assertEquals([out.code, text(out.stdout)], [0, lines(words)], text(out.stderr));
    assertStringIncludes(text(out.stderr), "unmeasured");
  }
});

endToEnd("a report names the command that ran", (dir) => {
  joulemark(dir, ["run", "-q", "env", "--", "true"]);
  assertStringIncludes(Deno.readTextFileSync(`${dir}/joulemark.report`), `Profile: "env"`);
});
