/** The transcripts of docs/how-to/cray-pm.md are what the program prints. */
import { assert, assertEquals } from "@std/assert";
import { pmc } from "../../src/cli/pmc.ts";
import { capture } from "../_support/capture.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("docs/how-to/cray-pm.md: its commands print the output in the page", async () => {
  const page = Deno.readTextFileSync(`${ROOT}docs/how-to/cray-pm.md`);
  const transcripts = [...page.matchAll(/^```\n\$ joulemark pmc (.*)\n([\s\S]*?)^```$/gm)];
  assert(transcripts.length >= 2);
  for (const [, command, output] of transcripts) {
    const args = command.split(" ").map((word) => {
      return /^(tests|docs)\//.test(word) ? ROOT + word : word;
    });
    const { stdout } = await capture(pmc, args);
    assertEquals(stdout.trimEnd(), output.trimEnd(), command);
  }
});
