/** The packed program's script: parts are evaluated when asked for, once, and share what they share. */
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { asFunctionBody, bundle, keepDisposals } from "../../airgap/pack/bundle.ts";
import { timed } from "../_support/time_limit.ts";

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
      (await bundle(Deno.execPath(), MAP, `${folder}/entry.ts`)).script(),
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

timed("bundle() evaluates a part when it is first imported, once, and shares modules", async () => {
  const output = await runBundle({
    "entry.ts": `
      import { log, Trouble } from "./shared.ts";
      log("entry");
      const [a, b] = [import("./lazy.ts"), import("./lazy.ts")];
      a.then(async (one) => {
        log(String(one === await b));
        try { one.fail(); } catch (error) { log(String(error instanceof Trouble)); }
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
    '1 entry\n2 lazy\n3 true\n4 true\n5 #define A "\\\\x" /* `${é}` */\n\n6 packed\n7 function\n',
  );
});

timed("bundle() is the same wherever the modules are", async () => {
  // Many parts: their names end in esbuild's hashes of where they come from.
  const count = 24, files: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    files[`shared${i}.ts`] = `export const value${i} = () => console.log(${i}, globalThis);`;
    const used = Array.from({ length: count }, (_, k) => k).filter((k) => (i * k + i + k) % 3 > 0);
    files[`part${i}.ts`] = used.map((k) =>
      `import { value${k} } from "./shared${k}.ts";`
    ).join("") +
      `export const part${i} = () => { ${used.map((k) => `value${k}();`).join(" ")} };`;
  }
  files["entry.ts"] = Array.from({ length: count }, (_, i) => {
    return `import("./part${i}.ts").then(({ part${i} }) => part${i}());`;
  }).join("\n");
  const scripts = new Set<string>();
  for (let i = 0; i < 4; i++) {
    const folder = await Deno.makeTempDir({ suffix: "-".repeat(i) });
    try {
      for (const [name, text] of Object.entries(files)) {
        await Deno.writeTextFile(`${folder}/${name}`, text);
      }
      scripts.add((await bundle(Deno.execPath(), MAP, `${folder}/entry.ts`)).script());
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
  assertEquals(scripts.size, 1);
});

timed("asFunctionBody() takes and gives names as esbuild prints them, and touches no text", () => {
  assertEquals(
    asFunctionBody(`import "./chunk-A.js";
import {
  a,
  b as c
} from "./chunk-B.js";
var text = \`
import { x } from "pkg";
  import {y} from "./chunk-B.js";
export PATH=/bin
export { y };
\`;
export {
  text,
  c as default
};
`),
    `need("./chunk-A.js");
const { a: a, b: c } = need("./chunk-B.js");
var text = \`
import { x } from "pkg";
  import {y} from "./chunk-B.js";
export PATH=/bin
export { y };
\`;
give({ text: text, default: c });
`,
  );
  assertEquals(
    asFunctionBody("var a = 1;\nexport {\n  a\n};\n/*!\n * A licence.\n */\n/*! Another. */\n"),
    "var a = 1;\ngive({ a: a });\n/*!\n * A licence.\n */\n/*! Another. */\n",
  );
  for (
    const form of [
      'import all from "./chunk-A.js";',
      'import * as all from "./chunk-A.js";',
    ]
  ) assertThrows(() => asFunctionBody(form), Error, "import of this form");
});

timed("bundle() puts together what is loaded one after the other, by whatever part", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const files = {
      "entry.ts": `
        import("./verb.ts").then(({ go }) => go()).then(() => import("./choices.ts"));`,
      "verb.ts": `export const go = async () => console.log(await import("./engine.ts"));`,
      "choices.ts": `export const choices = ["a choice"];`,
      "engine.ts": `export const engine = "an engine";`,
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const together = [["verb", "choices", "engine"]];
    const { wholes } = await bundle(Deno.execPath(), MAP, `${folder}/entry.ts`, together);
    assertEquals(wholes.map(({ at }) => Object.keys(at).map((name) => name.split(/[-.]/)[1])), [
      ["/entry"],
      ["/choices", "/engine", "/verb"],
    ]);
    const asked = [["verb", "other"]];
    await assertRejects(
      () => bundle(Deno.execPath(), MAP, `${folder}/entry.ts`, asked),
      Error,
      "one part other, found 0",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

timed("bundle() keeps lines findable in a stack", async () => {
  const output = await runBundle({
    "entry.ts": 'export function inner() { throw new Error("here"); }\ninner();',
  });
  assertStringIncludes(output, "joulemark/entry.js");
});

timed("bundle() rejects node: at the top of a file and a missing module", async () => {
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

/** Every way out of a block; in each, the resource is used once, in the next statement. */
const RESOURCES = `
class Resource {
  constructor(readonly name: string) { console.log("open", name); }
  use(): string { console.log("use", this.name); return this.name; }
  [Symbol.dispose](): void { console.log("close", this.name); }
  async [Symbol.asyncDispose](): Promise<void> { console.log("close later", this.name); }
}
const open = (name: string, options?: { text: string }) => new Resource(name + (options?.text ?? ""));
function single(): void { using r = open("single"); r.use(); }
function returned(): number { using r = open("returned"); return r.use().length; }
function early(n: number): number {
  using r = open("early");
  if (n > 1) return 1;
  r.use();
  return 2;
}
function loop(): void {
  for (let i = 0; i < 3; i++) {
    using r = open("loop" + i);
    if (r.use() === "loop1") break;
  }
}
function thrown(): never { using r = open("thrown"); throw new Error(r.use()); }
function argument(): void { using r = open("argument"); console.log("got", r.name); }
function unused(): void { using _r = open("unused"); console.log("body"); }
function several(): void {
  using a = open("a");
  using b = open("b", {
    text: "; ",
  });
  b.use();
}
function alias(given: Resource): void { using r = given; r.use(); }
async function awaited(): Promise<void> { await using r = open("awaited"); r.use(); }
async function later(): Promise<void> { using r = open("later"); await r.use(); }
single(); returned(); early(2); early(0); loop();
try { thrown(); } catch (error) { console.log((error as Error).message); }
argument(); unused(); several(); alias(open("alias"));
awaited().then(later);
`;

timed("bundle() disposes of every resource that the source disposes of", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/source.ts`, RESOURCES);
  const source = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", `${folder}/source.ts`],
    env: { NO_COLOR: "1" },
  }).output();
  await Deno.remove(folder, { recursive: true });
  const expected = new TextDecoder().decode(source.stdout);
  assertEquals(expected.split("\n").filter((line) => line.startsWith("close")).length, 14);
  assertEquals(await runBundle({ "entry.ts": RESOURCES }), expected);
});

timed("keepDisposals() makes a declaration safe where it ends, and leaves the rest", () => {
  const text = [
    "function f() {",
    "  using a = open({",
    "    text: 1;",
    "  });",
    '  const using = "using b = 1;";',
    "  await using c = g();",
    "  // using d = e;",
    "}",
  ];
  const { text: safe, count } = keepDisposals(text.join("\n"));
  assertEquals(count, 2);
  const expected = text.with(3, "  }), $kept1 = null;").with(
    5,
    "  await using c = g(), $kept2 = null;",
  );
  assertEquals(safe.split("\n"), expected);
});
