/** Names that an application chooses command no terminal and no page, in any output of any verb. */
import { assert, assertEquals } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

const NAMES = [
  "\x1b[31mescape",
  "\u009b31mC1\u0085",
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(2)>',
  'quote"back\\slash\\"}]',
  "=cmd|calc",
  "tab\there,comma;semi",
  "\u202eright to left\u2066",
  "return\rhere",
  "#comment: {a: b}",
  "$(touch PWNED) `touch PWNED`",
  "__proto__",
  "null",
  "\u2028line\u2029paragraph",
  "\x7f\x07\x08",
];
/** What a terminal obeys, and what turns the direction of text: neither is in any text for people. */
// deno-lint-ignore no-control-regex
const COMMANDS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const OUTPUTS = [
  ...["--report", "r.report", "--trace", "r.trace", "--event-log", "r.events", "--record", "rec"],
  ...["--html", "r.html", "--cali", "r.cali", "--openmetrics", "r.om", "--otlp", "r.otlp"],
  ...["--pmc", "r.pmc", "--cali-config", "runtime-report(output=r.txt)"],
];
/** Formats that other programs read, and that know no escapes: the names as they are. */
const DATA = ["r.cali", "rec"];
const VERBS: readonly (readonly string[])[] = [
  ...["r.report", "r.trace", "r.events", "rec", "r.cali"].map((path) => ["show", path]),
  ...["json", "csv", "jsonl", "markdown", "speedscope"].map((
    format,
  ) => ["show", "--format", format, "r.report"]),
  ...[["replay", "--json", "rec"], ["replay", "rec"], ["query", "-T", "r.report"]],
  ...["table", "tree", "expand", "json", "json-split", "csv", "folded", "trace-events"].map(
    (format) => ["query", "-q", `format ${format}`, "r.cali"],
  ),
  ["query", "-q", "select \x1b[31m\u009b format table", "r.cali"],
  ["show", "no\x1b[31m\u009bfile"],
  ["no\x1b[31m\u009bverb"],
  ["merge", "-o", "merged.report", "r.report"],
];

endToEnd("no name commands a terminal or a page, in any output of any verb", (dir) => {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const marks = NAMES.map((name) => {
    return `printf 'b - %s\\n' ${quoted(name)} >>$f; sleep 0.1; printf 'e - %s\\n' ${
      quoted(name)
    } >>$f`;
  });
  Deno.writeTextFileSync(`${dir}/app.sh`, `f=$JOULEMARK_SESSION/$$.sh\n${marks.join("\n")}\n`);
  const profile = 'p\x1b[32m\u009b"</script>';
  const run = ["run", "--simulate", "--profile", profile, ...OUTPUTS, "--", "sh", "app.sh"];
  const first = joulemark(dir, run);
  assertEquals(first.code, 0, first.stderr);
  const texts = new Map([["run: stdout", first.stdout], ["run: stderr", first.stderr]]);
  for (const words of VERBS) {
    const { stdout, stderr } = joulemark(dir, [...words]);
    texts.set(`${words.join(" ")}: stdout`, stdout).set(`${words.join(" ")}: stderr`, stderr);
    if (!/json\b|speedscope|trace-events/.test(words.join(" ")) || words[1] === "-T") continue;
    assert(stdout.includes("alert(1)"), `${words.join(" ")}: ${stdout.slice(0, 200)}${stderr}`);
    // The names are whole there.
    const shown = JSON.stringify(JSON.parse(stdout));
    assert(
      words[0] === "query" || shown.includes(JSON.stringify("\u009b31mC1\u0085")),
      words.join(),
    );
  }
  for (const { name, isFile } of Deno.readDirSync(dir)) {
    if (isFile && !DATA.includes(name) && name !== "app.sh") {
      texts.set(name, Deno.readTextFileSync(`${dir}/${name}`));
    }
  }
  assert(texts.has("r.om") && texts.has("r.report") && texts.has("r.txt"));
  for (const [name, text] of texts) {
    const at = text.search(COMMANDS);
    assert(at < 0, `${name}: ${JSON.stringify(text.slice(Math.max(at - 60, 0), at + 20))}`);
  }
  assert(!texts.has("PWNED"));
  // In the page they are data: no element but ours.
  const page = texts.get("r.html")!;
  assertEquals(page.split(/<script[ >]/).length, 3);
  assert(!/<img|<script>alert/.test(page));
  // Metrics: each line is one sample.
  const samples = texts.get("r.om")!.split("\n").filter((line) => !/^(#|$)/.test(line));
  for (const line of samples) {
    assert(/^[a-z_]+(\{([a-z_]+="([^"\\]|\\[\\n"])*",?)*\})? \S+( \S+)?$/.test(line), line);
  }
});
