/**
 * What V8 makes of the program's texts, made when the executable is made: a start then reads it instead of
 * looking through 600 kB of text and compiling one function after the other, some 40 ms.
 *
 * Deno keeps such results in `v8_code_cache_v2`, a database of SQLite in its directory DENO_DIR, by the name
 * of the text and its hash. The guardian lays the one that is made here beside the session, for one start
 * (src/guardian/code_cache.h).
 *
 * By itself V8 stores the functions that it had to compile so far. Here it has to compile all, by a flag, and
 * since the result is bound to the flags that it was made under, those of a run are then written into it: word 3
 * of its header (V8: src/snapshot/code-serializer.h, SerializedCodeData). Whether it is taken, is tried.
 */
import { DatabaseSync } from "node:sqlite";
import type { Whole } from "./bundle.ts";

/** Deno's name for it, in its directory. */
const DATABASE = "v8_code_cache_v2";
/** Word 3 of the header: a hash of V8's flags. */
const FLAGS_AT = 12, FLAGS_BYTES = 4;
/** Deno does each step in less than a second. */
const LIMIT_SECONDS = 60;

interface Row {
  readonly specifier: string;
  readonly type: bigint;
  readonly source_hash: bigint;
  readonly data: Uint8Array;
}

/** Has every text evaluated as a run does it. */
const EVALUATE = `
for (const { specifier, text } of JSON.parse(Deno.readTextFileSync(Deno.args[0]))) {
  const [made] = Deno[Deno.internal].core.evalContext(text, specifier);
  if (made === undefined) throw new Error(specifier);
}`;

/** Writes what V8 makes of every text, one file a text. */
const COMPILE = `
const { Script } = await import("node:vm");
JSON.parse(Deno.readTextFileSync(Deno.args[0])).forEach(({ specifier, text }, i) => {
  const script = new Script(text, { filename: specifier });
  Deno.writeFileSync(Deno.args[0] + "." + i, script.createCachedData());
});`;

/**
 * @param deno Deno as it is in the executable; it runs here.
 * @param v8Flags Its `--v8-flags=…` there.
 * @param version Deno's version, by which it knows its own databases.
 * @returns The bytes of the database; the same of the same texts.
 * @throws {Error} If Deno does not make one, or does not take this one.
 */
export async function makeCodeCache(
  deno: string,
  v8Flags: string,
  version: string,
  wholes: readonly Whole[],
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-code-cache-" });
  try {
    const texts = `${folder}/texts`;
    await Deno.writeTextFile(texts, JSON.stringify(wholes));
    await Deno.writeTextFile(`${folder}/evaluate.js`, EVALUATE);
    await Deno.writeTextFile(`${folder}/compile.js`, COMPILE);
    const run = (flags: string, directory: string, script: string) => {
      return runDeno(deno, flags, `${folder}/${directory}`, [`${folder}/${script}`, texts]);
    };
    await run(v8Flags, "lazy", "evaluate.js");
    await run(`${v8Flags},--no-lazy`, "whole", "compile.js");
    const lazy = readRows(`${folder}/lazy/${DATABASE}`);
    const rows = wholes.map(({ specifier }, i) => {
      const row = lazy.find((row) => row.specifier === specifier);
      if (row === undefined) throw new Error(`Deno kept nothing of ${specifier}`);
      const data = Deno.readFileSync(`${texts}.${i}`);
      data.set(row.data.subarray(FLAGS_AT, FLAGS_AT + FLAGS_BYTES), FLAGS_AT);
      return { ...row, data };
    });
    await Deno.mkdir(`${folder}/tried`);
    const database = `${folder}/tried/${DATABASE}`;
    writeRows(database, version, rows);
    const bytes = await Deno.readFile(database);
    // One that V8 refuses is replaced by Deno.
    await run(v8Flags, "tried", "evaluate.js");
    const kept = readRows(database);
    for (const { specifier, data } of rows) {
      const found = kept.find((row) => row.specifier === specifier);
      if (found?.data.length !== data.length) throw new Error(`V8 refuses that of ${specifier}`);
    }
    return bytes;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function runDeno(deno: string, flags: string, directory: string, args: string[]) {
  const { code, stderr } = await new Deno.Command(deno, {
    args: ["run", "--quiet", "--no-config", "--no-lock", "--ext=js", "-A", flags, ...args],
    env: { DENO_DIR: directory, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(LIMIT_SECONDS * 1000),
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr).trim());
}

function readRows(path: string): Row[] {
  const database = new DatabaseSync(path);
  try {
    const statement = database.prepare("SELECT specifier, type, source_hash, data FROM codecache");
    statement.setReadBigInts(true);
    return statement.all() as unknown as Row[];
  } finally {
    database.close();
  }
}

/** Tables as Deno makes them, in the mode in which it opens them; in larger pages, of which a result is copied faster. */
function writeRows(path: string, version: string, rows: readonly Row[]): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`
      PRAGMA page_size = 16384;
      PRAGMA journal_mode = WAL;
      BEGIN;
      CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE codecache (specifier TEXT NOT NULL,type INTEGER NOT NULL,source_hash INTEGER NOT NULL,data BLOB NOT NULL,PRIMARY KEY (specifier, type));
    `);
    database.prepare("INSERT INTO info VALUES ('CLI_VERSION', ?)").run(version);
    const insert = database.prepare("INSERT INTO codecache VALUES (?, ?, ?, ?)");
    for (const { specifier, type, source_hash, data } of rows) {
      insert.run(specifier, type, source_hash, data);
    }
    database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);");
  } finally {
    database.close();
  }
}
