/**
 * What V8 makes of the program's texts, made when the executable is made: a start then reads it instead of
 * looking through 600 kB of text and compiling one function after the other, some 40 ms.
 *
 * Deno keeps such results in `v8_code_cache_v2`, a database of SQLite in its directory DENO_DIR, by the name
 * of the text and its hash. The guardian lays the one that is made here beside the session, for one start
 * (src/job/guardian/code_cache.h).
 *
 * V8 stores the functions that it had to compile so far: here those that a start calls (start_functions.ts).
 * Whether the result is taken, is tried.
 */
import { DatabaseSync } from "node:sqlite";
import { runDeno } from "./run_deno.ts";

/** Deno's name for it, in its directory. */
const DATABASE = "v8_code_cache_v2";

/** A text that is compiled at once. */
export interface Compiled {
  readonly specifier: string;
  readonly text: string;
  /** Where in it the functions begin that are compiled. */
  readonly functions: readonly number[];
}

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
  if (made === null) throw new Error(specifier);
}`;

/**
 * Writes what V8 makes of every text, one file a text. A debugger that asks where it could stop in a function has
 * it compiled.
 */
const COMPILE = `
const { Session } = await import("node:inspector");
const { Script } = await import("node:vm");
const session = new Session();
session.connect();
const ask = (method, what) => new Promise((done, fail) => {
  session.post(method, what, (error, answer) => error ? fail(error) : done(answer));
});
const ids = new Map();
session.on("Debugger.scriptParsed", ({ params: { url, scriptId } }) => ids.set(url, scriptId));
await ask("Debugger.enable", {});
const texts = JSON.parse(Deno.readTextFileSync(Deno.args[0]));
for (const [i, { specifier, text, functions }] of texts.entries()) {
  const script = new Script(text, { filename: specifier });
  script.runInThisContext();
  // What it tells of the script comes before an answer.
  await ask("Debugger.setSkipAllPauses", { skip: true });
  for (const at of functions) {
    const before = text.slice(0, at).split("\\n");
    const start = { scriptId: ids.get(specifier), lineNumber: before.length - 1, columnNumber: before.at(-1).length };
    await ask("Debugger.getPossibleBreakpoints", { start, end: { ...start, columnNumber: start.columnNumber + 1 } });
  }
  Deno.writeFileSync(Deno.args[0] + "." + i, script.createCachedData());
}`;

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
  compiled: readonly Compiled[],
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-code-cache-" });
  try {
    const texts = `${folder}/texts`;
    await Deno.writeTextFile(texts, JSON.stringify(compiled));
    await Deno.writeTextFile(`${folder}/evaluate.js`, EVALUATE);
    await Deno.writeTextFile(`${folder}/compile.js`, COMPILE);
    const run = (directory: string, script: string) => {
      return runDeno(deno, v8Flags, `${folder}/${directory}`, [`${folder}/${script}`, texts]);
    };
    await run("lazy", "evaluate.js");
    await run("compiled", "compile.js");
    const lazy = readRows(`${folder}/lazy/${DATABASE}`);
    const rows = compiled.map(({ specifier }, i) => {
      const row = lazy.find((row) => row.specifier === specifier);
      if (row === undefined) throw new Error(`Deno kept nothing of ${specifier}`);
      return { ...row, data: Deno.readFileSync(`${texts}.${i}`) };
    });
    await Deno.mkdir(`${folder}/tried`);
    const database = `${folder}/tried/${DATABASE}`;
    writeRows(database, version, rows);
    const bytes = await Deno.readFile(database);
    // One that V8 refuses is replaced by Deno.
    await run("tried", "evaluate.js");
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
    // Deno, which opens it with PRAGMA optimize, would do that at each start.
    database.exec("COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);");
  } finally {
    database.close();
  }
}
