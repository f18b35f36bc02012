/**
 * Puts the guardian (src/job/guardian/guardian.c) in front of a runtime.
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
import { RUN_OPTIONS } from "../../src/run/request/run_options.ts";
import { MACHINES, makeBlock, MODE, readCode } from "../../src/job/guardian/image.ts";
import { type Bundle, bundle, type Whole } from "./bundle.ts";
import { type Compiled, makeCodeCache } from "./code_cache.ts";
import { findPlace, inject, type Place } from "./elf.ts";
import { LIST, listedIn, logFlags, parseList, placesOf } from "./start_functions.ts";
import { unzip } from "./unzip.ts";

/**
 * The young generation is as large as a start needs to collect no garbage, and no larger, which keeps memory low in a
 * sampling loop; 3 MiB are not worth threads. Nor is code between the interpreter's and the optimised one: a start
 * and a sampling loop compile it and gain nothing.
 */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=3,--min-semi-space-size=3," +
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
const TOGETHER = [
  ["run", "settings", "run_parts", "monitor", "attribution", "timeline"],
  ["query", "settings"],
];

export const ENTRY = new URL("./entry.ts", import.meta.url).pathname;

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
  /** V8 writes what it does to functions to such a file; `%p` is the process. */
  readonly log?: string;
}

/** Bundles `entry` with the import map of `map` and writes the executable to `out`. */
export async function pack(
  { out, map, entry, deno, flags, log }: PackOptions,
): Promise<Pick<Bundle, "functions" | "wholes">> {
  const file = await Deno.readFile(deno);
  const place = findPlace(file, deno);
  const { stored, script, wholes, functions } = await bundle(
    Deno.execPath(),
    map,
    entry,
    entry === ENTRY ? TOGETHER : [],
  );
  const compiled = log === undefined ? await compiledOf(deno, wholes, functions) : [];
  const ownFlags = RUN_FLAGS.map((flag) => {
    return flag === V8_FLAGS && log !== undefined ? `${V8_FLAGS},${logFlags(log)}` : flag;
  });
  const block = makeBlock({
    ...await guardianFor(place),
    mode: MODE.packed,
    flags: [...ownFlags, ...flags.filter((flag) => !RUN_FLAGS.includes(flag))],
    variables: VARIABLES,
    // The first one of every verb, then that of a run, that of a query.
    codeCache: await codeCacheOf(deno, compiled.slice(0, 2)),
    queryCodeCache: await codeCacheOf(deno, [...compiled.slice(0, 1), ...compiled.slice(2, 3)]),
    stored,
    script: (storedAt) => new TextEncoder().encode(script(place.offset + storedAt)),
  });
  await write(out, inject(file, place, block));
  return { functions, wholes };
}

/** The texts with the functions that a start calls; none where V8 does not say where functions are. */
async function compiledOf(
  deno: string,
  wholes: readonly Whole[],
  functions: Bundle["functions"],
): Promise<Compiled[]> {
  try {
    const places = await placesOf(deno, functions);
    const list = parseList(await Deno.readTextFile(LIST));
    return wholes.map((whole) => ({ ...whole, functions: listedIn(whole, places, list) }));
  } catch (error) {
    tellSlow(error as Error);
    return [];
  }
}

function tellSlow({ message }: Error): void {
  console.error(`pack: without V8's code cache, a run starts slower: ${message}`);
}

/** Only the Deno that is in the file can make it: for another processor there is none, and starts take longer. */
async function codeCacheOf(
  deno: string,
  compiled: readonly Compiled[],
): Promise<Uint8Array | undefined> {
  if (compiled.length === 0) return undefined;
  try {
    return await makeCodeCache(deno, V8_FLAGS, Deno.version.deno, compiled);
  } catch (error) {
    tellSlow(error as Error);
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
  const hex = new URL(`../../src/job/guardian/guardian_${machine}.hex`, import.meta.url);
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
