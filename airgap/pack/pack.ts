/**
 * Puts the guardian (src/guardian/guardian.c) in front of a runtime.
 *
 *     deno run -A airgap/pack/pack.ts --out FILE --map CONFIG [--deno DENO] -- PERMISSION_FLAGS...
 *     deno run -A airgap/pack/pack.ts --out FILE --prepare DENORT
 *
 * The first form makes ONE executable file of Deno and the bundled program where `deno compile`
 * cannot: its base runtime is not on npm, while Deno itself is. Nothing is extracted when the file
 * runs. DENO: the one to copy, of any processor that there is a guardian for; by default the one that
 * runs this script. `deno bundle` fetches esbuild from npm the first time.
 *
 * The second form prepares a base runtime, or the zip archive that it comes in, for `deno compile`.
 */
import { spellingsWithValue } from "../../src/core/option.ts";
import { RUN_OPTIONS } from "../../src/request/run_options.ts";
import { MACHINES, makeBlock, MODE, readCode } from "../../src/guardian/image.ts";
import { bundle, type Whole } from "./bundle.ts";
import { makeCodeCache } from "./code_cache.ts";
import { findPlace, inject, type Place } from "./elf.ts";
import { unzip } from "./unzip.ts";

/**
 * The young generation stays small, which keeps memory low in a sampling loop; 2 MiB are not worth threads. Nor is
 * code between the interpreter's and the optimised one: a start and a sampling loop compile it and gain nothing.
 */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=2,--min-semi-space-size=2," +
  "--no-parallel-scavenge,--no-sparkplug";

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

/**
 * Deno's cache is none (128 processes would lock files in one HOME), which on a terminal it would say at
 * each start; and it asks for no news.
 */
const VARIABLES = [
  "DENO_DIR=/dev/null/none",
  "DENO_LOG=error,deno::cache::cache_db=off",
  "DENO_NO_UPDATE_CHECK=1",
];

/**
 * What every run loads, in this order; 128 of them start at once. And what a query does, which scripts
 * call for one small file after the other.
 */
const TOGETHER = [["run", "run_parts", "monitor", "attribution"], ["query"]];

const ENTRY = new URL("./entry.ts", import.meta.url).pathname;

if (import.meta.main) {
  try {
    const options = parse(Deno.args);
    if (options.prepare !== undefined) await prepare(options.out, options.prepare);
    else await pack(options);
  } catch (error) {
    console.error(`pack: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

interface PackOptions {
  readonly out: string;
  readonly map: string;
  readonly entry: string;
  readonly deno: string;
  readonly flags: string[];
}

/** Bundles `entry` with the import map of `map` and writes the executable to `out`. */
async function pack({ out, map, entry, deno, flags }: PackOptions): Promise<void> {
  const file = await Deno.readFile(deno);
  const place = findPlace(file, deno);
  const { stored, script, wholes } = await bundle(
    Deno.execPath(),
    map,
    entry,
    entry === ENTRY ? TOGETHER : [],
  );
  const block = makeBlock({
    ...await guardianFor(place),
    mode: MODE.packed,
    flags: [...RUN_FLAGS, ...flags.filter((flag) => !RUN_FLAGS.includes(flag))],
    variables: VARIABLES,
    // The first one of every verb, then that of a run, that of a query.
    codeCache: await codeCacheOf(deno, wholes.slice(0, 2)),
    queryCodeCache: await codeCacheOf(deno, [wholes[0], ...wholes.slice(2, 3)]),
    stored,
    script: (storedAt) => new TextEncoder().encode(script(place.offset + storedAt)),
  });
  await write(out, inject(file, place, block));
}

/** Only the Deno that is in the file can make it: for another processor there is none, and starts take longer. */
async function codeCacheOf(
  deno: string,
  wholes: readonly Whole[],
): Promise<Uint8Array | undefined> {
  try {
    return await makeCodeCache(deno, V8_FLAGS, Deno.version.deno, wholes);
  } catch (error) {
    console.error(
      `pack: without V8's code cache, a run starts slower: ${(error as Error).message}`,
    );
    return undefined;
  }
}

/** Writes a copy of Deno's base runtime that has a guardian, for DENORT_BIN of `deno compile`. */
async function prepare(out: string, denort: string): Promise<void> {
  const given = await Deno.readFile(denort);
  const file = denort.endsWith(".zip") ? await unzip(given, "denort") : given;
  const place = findPlace(file, denort);
  const block = makeBlock({
    ...await guardianFor(place),
    mode: MODE.prepared,
    variables: VARIABLES,
  });
  await write(out, inject(file, place, block));
}

async function guardianFor({ machine, address, entry }: Place) {
  const hex = new URL(`../../src/guardian/guardian_${machine}.hex`, import.meta.url);
  return {
    code: await readCode(await Deno.readTextFile(hex)),
    withValue: spellingsWithValue(RUN_OPTIONS),
    linker: MACHINES[machine].linker,
    entryDelta: address - entry,
  };
}

async function write(out: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const fresh = `${out}.${Deno.pid}`;
  try {
    await Deno.writeFile(fresh, bytes, { mode: 0o755 });
    await Deno.rename(fresh, out); // a running copy keeps its file, and nobody sees half of one
  } catch (cause) {
    await Deno.remove(fresh).catch(() => {});
    throw new Error(`Cannot write "${out}": ${(cause as Error).message}`, { cause });
  }
}

function parse(args: string[]): PackOptions & { prepare?: string } {
  const end = args.indexOf("--");
  const flags = end < 0 ? [] : args.slice(end + 1);
  const own = end < 0 ? args : args.slice(0, end);
  const value = (name: string) => own.includes(name) ? own[own.indexOf(name) + 1] : undefined;
  const [out, map, base] = [value("--out"), value("--map"), value("--prepare")];
  if (out === undefined || (map === undefined && base === undefined)) {
    throw new Error(
      "Cannot pack: expected --out FILE and --map CONFIG -- FLAGS, or --prepare FILE",
    );
  }
  const entry = value("--entry") ?? ENTRY;
  return {
    out,
    map: map ?? "",
    entry,
    deno: value("--deno") ?? Deno.execPath(),
    flags,
    prepare: base,
  };
}
