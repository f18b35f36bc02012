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
import { bundle } from "./bundle.ts";
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
    script: new TextEncoder().encode(await bundle(deno, map, entry)),
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
