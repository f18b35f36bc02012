/** Files that nest deeper than any of ours: a clear line and a status, and no error of the runtime. */
import { assertEquals, assertMatch } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

const LEVELS = 5000;
/** Ways to nest. */
const DEEP: Record<string, string> = {
  blocks: Array.from({ length: LEVELS }, (_, i) => `${" ".repeat(i)}k:\n`).join(""),
  brackets: `x: ${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}\n`,
  braces: `x: ${"{y: ".repeat(LEVELS)}\n`,
  "items in a line": `x:\n  ${"- ".repeat(LEVELS)}1\n`,
  "behind a quote in a text": `text: |\n  "\nx: ${"[".repeat(LEVELS)}\n`,
  "behind a comment": `# it: 'is\nx: ${"[".repeat(LEVELS)}\n`,
  "keys in a line": `${"? ".repeat(LEVELS)}1\n`,
};

endToEnd("a report and a recording that nest too deep are refused in a line", (dir) => {
  const made = joulemark(dir, ["run", "-q", "--record", "recording", "--", "true"]);
  assertEquals(made.code, 0, made.stderr);
  const description = `${dir}/recording/recording.yaml`, whole = Deno.readTextFileSync(description);
  for (const [name, deep] of Object.entries(DEEP)) {
    Deno.writeTextFileSync(description, whole + deep);
    Deno.writeTextFileSync(`${dir}/deep.report`, `# not as we write it\n${deep}`);
    for (const args of [["replay", "recording"], ["merge", "-o", "out", "deep.report"]]) {
      const { code, stderr } = joulemark(dir, args);
      assertEquals(code, 2, `${name}: ${stderr}`);
      assertMatch(
        stderr,
        /^joulemark \w+: [^\n]*more than 200 levels(?: in line \d+)?[^\n]*\n$/,
        name,
      );
    }
  }
});
