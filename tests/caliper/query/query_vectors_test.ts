/** The recorded queries, byte for byte: standard output and exit status of the verb itself. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "./_support/paths.ts";
import { timed } from "../../_support/time_limit.ts";

interface Case {
  id: string;
  files: string[];
  query: string | null;
  cli: string[] | null;
  expected: string;
  exit: number;
  stderr: string;
  generate?: { script: string; args: number[]; bytes: number; sha256: string };
}

const CONFIG = Deno.realPathSync(
  Deno.env.get("JOULEMARK_CONFIG") ??
    fromFileUrl(new URL("../../../airgap/deno.json", import.meta.url)),
);
const VECTORS = new URL("../../vectors/caliper/", import.meta.url);
const { cases } = JSON.parse(Deno.readTextFileSync(new URL("queries.json", VECTORS))) as {
  cases: Case[];
};

/** The command line of the program, in a process of its own. */
function runVerb(
  args: string[],
  cwd: string,
): { code: number; stdout: Uint8Array; stderr: string } {
  const result = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-lock",
      ...["--config", CONFIG],
      "-A",
      fromFileUrl(new URL("./_support/verb.ts", import.meta.url)),
      ...args,
    ],
    cwd,
  }).outputSync();
  return {
    code: result.code,
    stdout: result.stdout,
    stderr: new TextDecoder().decode(result.stderr),
  };
}

/** Makes the input of a case that has none; checked against its recorded digest. */
async function generate(made: NonNullable<Case["generate"]>, to: string): Promise<void> {
  const script = fromFileUrl(new URL(made.script, VECTORS));
  const result = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "-A", script, ...made.args.map(String)],
  }).outputSync();
  assertEquals(result.stdout.length, made.bytes);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", result.stdout));
  assertEquals([...digest].map((b) => b.toString(16).padStart(2, "0")).join(""), made.sha256);
  Deno.writeFileSync(to, result.stdout);
}

for (const test of cases) {
  timed(`query prints ${test.id} as cali-query does`, async () => {
    let files = test.files;
    const generated = test.generate === undefined ? null : Deno.makeTempFileSync();
    try {
      if (generated !== null) {
        await generate(test.generate!, generated);
        files = [generated];
      }
      const args = [...(test.query === null ? [] : ["-q", test.query]), ...(test.cli ?? [])];
      const result = runVerb([...args, ...files], fromFileUrl(VECTORS));
      assertEquals(result.stdout, Deno.readFileSync(new URL(test.expected, VECTORS)));
      assertEquals(result.code, test.exit);
      // The text is ours: it begins with another name and may go on with an explanation.
      const first = test.stderr.replace(/^cali-query: /, "joulemark: ");
      assertEquals(result.stderr.slice(0, first.length - 1), first.slice(0, -1));
    } finally {
      if (generated !== null) Deno.removeSync(generated);
    }
  });
}
