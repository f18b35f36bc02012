/** The packed program's script: parts are evaluated when asked for, once, and share what they share. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { bundle } from "../../airgap/pack/bundle.ts";

const MAP = new URL("../../airgap/deno.json", import.meta.url).pathname;

/** Bundles files, runs the script, and returns what it prints. */
async function runBundle(files: Record<string, string>): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await Deno.writeTextFile(
      `${folder}/script.js`,
      await bundle(Deno.execPath(), MAP, `${folder}/entry.ts`),
    );
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", `${folder}/script.js`],
      env: { NO_COLOR: "1" },
    }).output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("bundle() evaluates a part when it is first imported, once, and shares modules", async () => {
  const output = await runBundle({
    "entry.ts": `
      import { log, Trouble } from "./shared.ts";
      log("entry");
      const [a, b] = [import("./lazy.ts"), import("./lazy.ts")];
      a.then(async (one) => {
        log(String(one === await b));
        try { one.fail(); } catch (error) { log(String(error instanceof Trouble) + error.constructor.name); }
        log(one.text);
        log((globalThis as any).__JOULEMARK_FORM);
        const { gzipSync } = await import("node:zlib");
        log(typeof gzipSync);
      });`,
    "shared.ts": `
      let count = 0;
      export function log(text: string) { console.log(++count, text); }
      export class Trouble extends Error {}`,
    "lazy.ts": `
      import { log, Trouble } from "./shared.ts";
      import text from "./asset.h" with { type: "text" };
      log("lazy");
      export { text };
      export function fail(): never { throw new Trouble(); }`,
    "asset.h": '#define A "\\\\x" /* `${é}` */\n',
  });
  assertEquals(
    output,
    '1 entry\n2 lazy\n3 true\n4 trueTrouble\n5 #define A "\\\\x" /* `${é}` */\n\n6 packed\n7 function\n',
  );
});

Deno.test("bundle() keeps lines findable in a stack", async () => {
  const output = await runBundle({
    "entry.ts": 'export function inner() { throw new Error("here"); }\ninner();',
  });
  assertStringIncludes(output, "joulemark/entry.js");
});

Deno.test("bundle() rejects node: at the top of a file and a missing module", async () => {
  const rows: [string, string][] = [
    ['import fs from "node:fs"; console.log(fs);', 'found require("node:fs")'],
    ['import "./missing.ts";', "Module not found"],
    ['import { x } from "no-such-package"; console.log(x);', "no-such-package"],
  ];
  for (const [entry, reason] of rows) {
    const error = await assertRejects(() => runBundle({ "entry.ts": entry }), Error);
    assertStringIncludes(error.message, reason);
  }
});
