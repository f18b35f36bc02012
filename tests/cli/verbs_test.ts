/** What holds for every verb: its command line, its help, and what else is made of its table. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { VERBS } from "../../src/cli/all.ts";
import { EXIT } from "../../src/cli/exit_codes.ts";
import { helpText, shownOptions } from "../../src/cli/command_line/help.ts";
import { allOptions } from "../../src/cli/command_line/options.ts";
import type { ListedVerb } from "../../src/cli/command_line/verb.ts";
import { capture } from "../_support/capture.ts";
import { timed } from "../_support/time_limit.ts";

const LOADED: readonly ListedVerb[] = await Promise.all(VERBS.map((entry) => entry.load()));

const [man, completions] = LOADED.slice(-2);

/** `query` has cali-query's statuses and rules: an option given twice keeps its first value. */
const OF_CALIPER = new Set(["query"]);

for (const verb of LOADED) {
  timed(`${verb.name}: --help, an unknown option, a duplicate, a missing value`, async () => {
    const entry = VERBS.find(({ name }) => name === verb.name)!;
    assertEquals(verb.summary, entry.summary);
    for (const flag of ["--help", "-h"]) {
      const { code, stdout, stderr } = await capture(verb, [flag]);
      assertEquals([code, stderr, stdout], [EXIT.done, "", helpText(verb)]);
    }
    const lines = helpText(verb).trimEnd().split("\n");
    assertEquals(lines.filter((line) => line.length >= 80), []);
    assertEquals(lines.at(-4), "Examples:");
    assert(lines.slice(-3).every((line) => line.startsWith("  ")));

    const refused = async (args: string[], word: string) => {
      const { code, stdout, stderr } = await capture(verb, args);
      assertEquals([code, stdout], [EXIT.usage, ""], args.join(" "));
      assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
      assert(stderr.includes(word), stderr);
    };
    if (OF_CALIPER.has(verb.name)) {
      assertEquals((await capture(verb, ["--no-such-option"])).code, 255);
      return;
    }
    const unknown = verb.anyWords === true ? 'word "--no-such' : 'unknown option "--no-such';
    await refused(["--no-such-option"], unknown);
    for (const { name, value, optionalValue, repeats } of allOptions(verb)) {
      if (value === undefined) continue;
      if (optionalValue !== true) await refused([`--${name}`], `a value for --${name}`);
      if (repeats !== true) {
        await refused([`--${name}=1`, `--${name}=2`], `expected --${name} once`);
      }
    }
  });
}

timed("options of a verb have names of their own, and a text without a full stop", () => {
  for (const verb of LOADED) {
    const all = allOptions(verb);
    const letters = all.flatMap(({ short }) => short ?? []);
    assertEquals(new Set(all.map(({ name }) => name)).size, all.length, verb.name);
    assertEquals(new Set(letters).size, letters.length, verb.name);
    for (const { help } of shownOptions(verb)) assert(!/[^.][.]$/.test(help), help);
  }
});

/** Runs a program on a text; undefined where it is not installed. */
async function check(command: string, args: string[], text: string) {
  try {
    const child = new Deno.Command(command, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(20_000),
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: decode(stdout), stderr: decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

timed("man writes pages in mdoc, against which mandoc and groff have nothing", async () => {
  const names = LOADED.map(({ name }) => [name]);
  for (const args of [[], ...names]) {
    const { code, stdout } = await capture(man, args);
    assertEquals(code, EXIT.done);
    assertMatch(stdout, /^\.Dd [A-Z][a-z]+ \d+, \d{4}\n\.Dt JOULEMARK/);
    const macros = /^\.(D[dt]|Os|N[md]|S[hs]|A[r]|Op|Pp|B[ld]|E[ldv]|It)( |$)/;
    for (const line of stdout.split("\n")) {
      assert(!/^[.']/.test(line) || macros.test(line), line);
    }
    if (args.length > 0 && !["run", "query", "compare"].includes(args[0])) continue;
    for (const command of [["mandoc", "-Tlint"], ["groff", "-mdoc", "-ww", "-Tascii"]]) {
      const linted = await check(command[0], command.slice(1), stdout);
      if (linted === undefined) continue;
      assertEquals(command[0] === "mandoc" ? linted.stdout : linted.stderr, "", command[0]);
    }
  }
  const whole = (await capture(man, [])).stdout;
  for (const verb of LOADED) assert(whole.includes(`.Sh ${verb.name.toUpperCase()}\n`), verb.name);
  assert(whole.includes("Environment:\n.Ev JOULEMARK_PERIOD ,\n.Ev GEOPM_PERIOD\n"));
  assertEquals((await capture(man, ["nosuch"])).code, EXIT.usage);
});

timed("completions are read by their shells and complete verbs, options and words", async () => {
  const text = async (shell: string) => (await capture(completions, [shell])).stdout;
  for (const [shell, flag] of [["bash", "-n"], ["zsh", "-n"], ["fish", "--no-execute"]]) {
    const made = await text(shell);
    for (const verb of LOADED) assert(made.includes(verb.name), `${shell} ${verb.name}`);
    // Shells print the first part of the help beside the option: it says what the option is.
    assertEquals(made.match(/['[](?:text|table) \(default\).*/), null, shell);
    const checked = await check(shell, shell === "fish" ? [flag, "/dev/stdin"] : [flag], made);
    if (checked !== undefined) assertEquals([checked.code, checked.stderr], [0, ""], shell);
  }
  const words = async (...line: string[]) => {
    const script = `${await text("bash")}
COMP_WORDS=(${line.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${line.length - 1}
_joulemark; printf '%s\n' "\${COMPREPLY[@]}"`;
    return (await check("bash", ["-s"], script))?.stdout.trim().split("\n");
  };
  assertEquals(await words("joulemark", "rep"), ["replay"]);
  assertEquals(await words("joulemark", "run", "--checkp"), ["--checkpoint"]);
  assertEquals(await words("joulemark", "run", "--attribution", ""), ["sampled", "exact", "fit"]);
  assertEquals(await words("joulemark", "client", "f"), ["fortran"]);
  assertEquals((await capture(completions, ["tcsh"])).code, EXIT.usage);
});
