/** What docs/how-to/query.md shows is what the program prints. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "./_support/paths.ts";
import { timed } from "../../_support/time_limit.ts";

const CONFIG = Deno.realPathSync(
  Deno.env.get("JOULEMARK_CONFIG") ??
    fromFileUrl(new URL("../../../airgap/deno.json", import.meta.url)),
);
const ROOT = new URL("../../../", import.meta.url);
const VERB = fromFileUrl(new URL("_support/verb.ts", import.meta.url));
const page = Deno.readTextFileSync(new URL("docs/how-to/query.md", ROOT));

/** Words of a command line; double quotes hold blanks. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0]);
}

const transcripts = [...page.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
  block.split(/^\$ /m).slice(1).map((text) => {
    const end = text.indexOf("\n");
    return { command: text.slice(0, end), shown: text.slice(end + 1) };
  })
);

timed("docs/how-to/query.md has examples of all three kinds", () => {
  for (const ending of [".report", ".trace", ".raw"]) {
    assertEquals(transcripts.some(({ command }) => command.endsWith(ending)), true, ending);
  }
});

for (const { command, shown } of transcripts) {
  timed(`docs/how-to/query.md: ${command}`, () => {
    const { stdout, stderr, code } = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-lock", "--config", CONFIG, "-A", VERB, ...words(command).slice(2)],
      cwd: fromFileUrl(ROOT),
    }).outputSync();
    const decoder = new TextDecoder();
    // Tables end their rows with a blank, which pages do not keep.
    const printed = decoder.decode(stdout).replace(/ +$/gm, "");
    assertEquals([printed, decoder.decode(stderr), code], [shown, "", 0]);
  });
}
