/**
 * The functions that a start calls: what V8 made of the program (code_cache.ts) has those and no others. With all of
 * them it would be twice as large, and reading it would make V8 collect garbage at each start.
 *
 * start_functions.txt lists them by source file; `deno task start-functions` makes it (list_start.ts). It decides on
 * time and on nothing else: a function that it lacks is compiled when it is called, one that is gone is passed over.
 *
 * A function is known by its source file, its name, and its number among those of one name. In the text that is made
 * small they have other names, but are in the same order. Where they are, V8 says in its log.
 */
import type { Bundle, Whole } from "./bundle.ts";
import { runDeno } from "./run_deno.ts";

/** The list. */
export const LIST = new URL("./start_functions.txt", import.meta.url);

/** A function of a part. */
export interface Place {
  /** `src/os/files.ts readText`, `src/os/files.ts ()*3`: the third without a name. */
  readonly name: string;
  /** Where its parameters begin, in the small text of the part's function. */
  readonly at: number;
}

/** The functions of each part, by its name. */
export type Places = ReadonlyMap<string, readonly Place[]>;

/** V8's flags for such a log. */
export function logFlags(file: string): string {
  return `--log-function-events,--no-logfile-per-isolate,--logfile=${file}`;
}

/** Compiles texts, and runs nothing. */
const COMPILE = `
const { Script } = await import("node:vm");
for (const [filename, text] of JSON.parse(Deno.readTextFileSync(Deno.args[0]))) new Script(text, { filename });`;

/**
 * Where each function is in what `bundle` made.
 *
 * @param deno It runs here.
 * @throws {Error} If V8's log is none that is known.
 */
export async function placesOf(deno: string, functions: Bundle["functions"]): Promise<Places> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-functions-" });
  try {
    const texts = Object.entries(functions).flatMap(([name, { printed, small }]) => [
      [`printed:${name}`, `(${printed})`],
      [`small:${name}`, `(${small})`],
    ]);
    await Deno.writeTextFile(`${folder}/texts`, JSON.stringify(texts));
    await Deno.writeTextFile(`${folder}/compile.js`, COMPILE);
    const flags = `--v8-flags=--no-lazy,${logFlags(`${folder}/log`)}`;
    await runDeno(deno, flags, `${folder}/deno`, [`${folder}/compile.js`, `${folder}/texts`]);
    const found = functionsIn(await Deno.readTextFile(`${folder}/log`));
    const places = new Map<string, Place[]>();
    for (const [name, { printed }] of Object.entries(functions)) {
      const names = namesOf(printed, found.get(`printed:${name}`) ?? []);
      const small = found.get(`small:${name}`) ?? [];
      // esbuild puts functions of its own in front.
      const more = small.length - names.length;
      if (names.length === 0 || more < 0) throw new Error(`V8's log does not have all of ${name}`);
      places.set(name, names.map((name, i) => ({ name, at: small[more + i].at - 1 })));
    }
    return places;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A function in a script: from its parameters to its end. */
interface Found {
  readonly at: number;
  readonly end: number;
  readonly name: string;
}

/** Functions that V8 made code of, by the name of the script, in the order of the text. */
export function functionsIn(log: string): Map<string, Found[]> {
  const scripts = new Map<string, Map<string, Found>>(), names = new Map<string, string>();
  for (const line of log.split("\n")) {
    const [kind, what, id, at, end, , , name = ""] = line.split(",");
    if (kind === "script-details") names.set(what, id);
    if (kind !== "function" || what !== "interpreter") continue;
    const functions = scripts.get(id) ?? new Map<string, Found>();
    scripts.set(id, functions.set(`${at} ${end}`, { at: Number(at), end: Number(end), name }));
  }
  const sorted = [...scripts].map(([id, functions]): [string, Found[]] => {
    const all = [...functions.values()].sort((a, b) => a.at - b.at || b.end - a.end);
    return [names.get(id) ?? "", all];
  });
  return new Map(sorted);
}

/** What esbuild prints before each source file. */
const FILE = /(?:^|"use strict";)\/\/ (?:.*\/)?((?:src|airgap)\/[\w./-]+)$/gm;

/** What is of no source file: the function of a part, which is compiled with the text. */
const NO_FILE = "-";

/** Names of a part's functions. */
function namesOf(printed: string, functions: readonly Found[]): string[] {
  const files = [...printed.matchAll(FILE)].map(({ 1: file, index }) => ({ file, index }));
  const counts = new Map<string, number>();
  return functions.map(({ at, name }) => {
    const { file } = files.findLast(({ index }) => index < at) ?? { file: NO_FILE };
    const plain = `${file} ${name.replaceAll(" ", "_") || "()"}`;
    const count = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, count);
    return count === 1 ? plain : `${plain}*${count}`;
  });
}

/** Where in a text the functions begin whose names are listed. */
export function listedIn(whole: Whole, places: Places, list: ReadonlySet<string>): number[] {
  return Object.entries(whole.at).flatMap(([part, begins]) => {
    return (places.get(part) ?? []).filter(({ name }) => list.has(name)).map(({ at }) =>
      begins + at
    );
  });
}

/** @param text A line a file: its name, then those of functions. */
export function parseList(text: string): Set<string> {
  return new Set(
    text.trim().split("\n").flatMap((line) => {
      const [file, ...names] = line.split(" ");
      return names.map((name) => `${file} ${name}`);
    }),
  );
}

/** The reverse of `parseList`. */
export function listText(names: Iterable<string>): string {
  const files = Map.groupBy([...names].sort(), (name) => name.split(" ")[0]);
  files.delete(NO_FILE);
  const lines = [...files].map(([file, names]) => {
    return [file, ...names.map((name) => name.slice(file.length + 1))].join(" ");
  });
  return `${lines.join("\n")}\n`;
}
