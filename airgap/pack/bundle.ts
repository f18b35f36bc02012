/**
 * Bundles the program into one script that starts fast.
 *
 * What a process pays before its first line is the parsing of text, and 128 processes of a job start
 * at once. So the bundle is a table of texts, evaluated when first asked for: `joulemark run` never
 * parses the query language. As one text the program would cost 8 ms per process (236 kB, 2 cores),
 * as a module, which Deno parses itself to find imports, 27 ms.
 *
 * esbuild splits the program where it has `await import()`, and then turns the parts from modules
 * into functions of (module, exports, require), which need no file to be loaded from.
 */

/** Long enough for esbuild to come over a slow line; never for ever. */
const BUNDLE_SECONDS = 120;

/** `deno bundle` for browsers: for Deno it begins with `node:module`, which costs 15 ms. */
const COMMON = ["bundle", "--quiet", "--platform", "browser", "--minify"];

/** Part of the program by its name, `./run-DYR2OPXT.js`. */
type Parts = Record<string, string>;

/**
 * The script.
 *
 * @param deno The Deno that bundles.
 * @param map Its configuration, with the import map.
 * @param entry The first module; it starts the program.
 * @throws {Error} If a module is missing or has a `node:` import at its top, or without esbuild.
 */
export async function bundle(deno: string, map: string, entry: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-bundle-" });
  try {
    const modules = `${folder}/modules`;
    // names are kept for messages that print them
    await run(deno, [
      ...["--config", map, "--format", "esm", "--code-splitting", "--keep-names"],
      ...["--outdir", modules, entry],
    ]);
    const functions = `${folder}/functions`;
    const files = [...Deno.readDirSync(modules)].map(({ name }) => `${modules}/${name}`);
    await run(deno, [
      ...["--no-config", "--format", "cjs", "--external", "./*"],
      ...["--outdir", functions, ...files],
    ]);
    return scriptOf(readParts(functions), `./${entry.split("/").at(-1)!.replace(/\.\w+$/, ".js")}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(deno: string, args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command(deno, {
    args: [...COMMON, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(BUNDLE_SECONDS * 1000),
  }).output();
  if (code === 0) return;
  const why = new TextDecoder().decode(stderr).split("\n\nStack backtrace")[0].trim();
  throw new Error(
    `Cannot bundle: ${why || "no answer from npm"} (esbuild comes from npm or Deno's cache)`,
  );
}

function readParts(folder: string): Parts {
  const parts: Parts = {};
  for (const { name } of Deno.readDirSync(folder)) {
    // the names of parts end in a hash, so nothing else in the text looks like this
    const text = Deno.readTextFileSync(`${folder}/${name}`)
      .replace(/\bimport\("(\.\/[\w.-]+\.js)"\)/g, 'load("$1")');
    refuse(text, /\brequire\("node:\w+"\)/, "node: import at the top of a file");
    refuse(text, /\bimport\(["'`]\.\/.*?\)/, "import of a part that was not recognised");
    parts[`./${name}`] = text;
  }
  return parts;
}

function refuse(text: string, pattern: RegExp, what: string): void {
  const found = pattern.exec(text);
  if (found !== null) throw new Error(`Cannot pack: expected no ${what}, found ${found[0]}`);
}

/** The first line lets the program tell which form of the executable it is in. */
function scriptOf(parts: Parts, first: string): string {
  const names = Object.keys(parts).sort();
  if (!names.includes(first)) throw new Error(`Cannot bundle: expected a part ${first}`);
  const table = names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(parts[name])}`);
  return `globalThis.__JOULEMARK_FORM = "packed";
const parts = {
${table.join(",\n")}
};
const loaded = new Map();
function require(name) {
  let module = loaded.get(name);
  if (module !== undefined) return module.exports;
  loaded.set(name, module = { exports: {} });
  const source = '(function (module, exports, require, load) {"use strict";' + parts[name] +
    "\\n})\\n//# sourceURL=joulemark" + name.slice(1);
  (0, eval)(source)(module, module.exports, require, load);
  return module.exports;
}
async function load(name) {
  return require(name);
}
require(${JSON.stringify(first)});
`;
}
