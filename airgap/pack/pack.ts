/**
 * Makes ONE executable file of Deno and the bundled program where `deno compile` cannot: its base
 * runtime is not on npm, while Deno itself is. Nothing is extracted when the file runs.
 *
 *     deno run -A airgap/pack/pack.ts --out FILE --map CONFIG [--entry FILE] -- PERMISSION_FLAGS...
 *
 * The Deno that runs this script is the one that is copied. `deno bundle` fetches esbuild from npm
 * the first time.
 */
import { makeBlock, readStub } from "./block.ts";
import { findPlace, inject } from "./elf.ts";

/** The young generation stays small: 1 MiB keeps pauses rare and memory low in a sampling loop. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=1";

/** Everything that could make Deno look further than this file, off. */
const RUN_FLAGS = [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-npm",
  "--no-remote",
  "--cached-only",
  "--no-code-cache",
  "--ext=js",
  V8_FLAGS,
];

/** Deno's cache is none (128 processes would lock files in one HOME), and it asks for no news. */
const VARIABLES = ["DENO_DIR=/dev/null/none", "DENO_NO_UPDATE_CHECK=1"];

/**
 * The bundle is a text that the script evaluates. As code it would go through Deno's own parser at
 * every start (it looks for imports), at 5 ms for 100 kB; a text only goes through V8's.
 * The first line lets the program tell which form of the executable it is in.
 */
function scriptOf(bundle: string): string {
  const text = `"use strict";${bundle}\n//# sourceURL=joulemark.js`;
  return `globalThis.__JOULEMARK_FORM = "packed";\n(0, eval)(${JSON.stringify(text)});\n`;
}

/** Long enough for esbuild to come over a slow line; never for ever. */
const BUNDLE_SECONDS = 120;

if (import.meta.main) {
  try {
    const options = parse(Deno.args);
    await pack(options.out, options.map, options.entry, options.flags);
  } catch (error) {
    console.error(`pack: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

/** Bundles `entry` with the import map of `map` and writes the executable to `out`. */
async function pack(out: string, map: string, entry: string, flags: string[]): Promise<void> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(
      `Cannot pack on ${Deno.build.os} ${Deno.build.arch}: expected linux x86_64; ` +
        "set DENORT_BIN to Deno's base runtime (denort) and compile again",
    );
  }
  const deno = Deno.execPath();
  const file = await Deno.readFile(deno);
  const place = findPlace(file, deno);
  const stub = await readStub(await Deno.readTextFile(new URL("./stub.hex", import.meta.url)));
  const block = makeBlock({
    stub,
    flags: [...RUN_FLAGS, ...flags.filter((flag) => !RUN_FLAGS.includes(flag))],
    variables: VARIABLES,
    script: new TextEncoder().encode(scriptOf(await bundle(deno, map, entry))),
    entryDelta: place.address - place.entry,
    environDelta: place.address - place.environ,
  });
  const fresh = `${out}.${Deno.pid}`;
  try {
    await Deno.writeFile(fresh, inject(file, place, block), { mode: 0o755 });
    await Deno.rename(fresh, out); // a running copy keeps its file, and nobody sees half of one
  } catch (cause) {
    await Deno.remove(fresh).catch(() => {});
    throw new Error(`Cannot write "${out}": ${(cause as Error).message}`, { cause });
  }
}

/**
 * One plain script. For browsers, because bundling for Deno begins with `node:module` as soon as one
 * package is CommonJS. Minified with the names kept: half the size is a third of the time to start,
 * and no path of this machine is left in it.
 */
async function bundle(deno: string, map: string, entry: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-bundle-" });
  try {
    const path = `${folder}/main.js`;
    const form = ["--platform", "browser", "--format", "iife", "--minify", "--keep-names"];
    const { code, stderr } = await new Deno.Command(deno, {
      args: ["bundle", "--quiet", "--config", map, ...form, "-o", path, entry],
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(BUNDLE_SECONDS * 1000),
    }).output();
    if (code !== 0) {
      const why = new TextDecoder().decode(stderr).split("\n\nStack backtrace")[0].trim();
      throw new Error(
        `Cannot bundle: ${why || "no answer from npm"} (esbuild comes from npm or Deno's cache)`,
      );
    }
    return checked(await Deno.readTextFile(path));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A `node:` import at the top costs every start: 128 of them then take 4 s, not 1 s. */
function checked(script: string): string {
  const found = /(?<!\bimport)\("node:\w+"\)/.exec(script);
  if (found === null) return script;
  throw new Error(
    `Cannot pack: expected no node: import at the top of a file, found ${found[0]}; ` +
      "import it in the function that needs it",
  );
}

function parse(args: string[]): { out: string; map: string; entry: string; flags: string[] } {
  const end = args.indexOf("--");
  const flags = end < 0 ? [] : args.slice(end + 1);
  const own = end < 0 ? args : args.slice(0, end);
  const value = (name: string) => own[own.indexOf(name) + 1];
  if (!own.includes("--out") || !own.includes("--map")) {
    throw new Error("Cannot pack: expected --out FILE --map CONFIG -- FLAGS");
  }
  const entry = own.includes("--entry")
    ? value("--entry")
    : new URL("./entry.ts", import.meta.url).pathname;
  return { out: value("--out"), map: value("--map"), entry, flags };
}
