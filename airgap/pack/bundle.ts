/**
 * Bundles the program into a script that starts fast, and parts that are read when they are wanted.
 *
 * What a process pays before its first line is the reading and parsing of text, and 128 processes of a
 * job start at once. So the script holds what every verb needs and nothing else; all other parts lie
 * beside it in the executable and are evaluated when first asked for: `joulemark run` never reads the
 * query language. As one text the program would cost 8 ms per process (236 kB, 2 cores), as a module,
 * which Deno parses itself to find imports, 27 ms.
 *
 * esbuild splits the program where it has `await import()`. The parts are then turned from modules into
 * functions of (need, give, load), which need no file to be loaded from: a part takes what it needs into
 * variables of its own, and gives an object of what it has when it is evaluated. esbuild's own form of this has
 * two functions for each name that is given, and every use of one is a call. Only the second pass makes the text
 * small: between the two, declarations are made safe from it.
 *
 * What every verb needs is one text in the executable. A run, which a job starts many times, needs 70 parts
 * more, and a query of a small file some 20; those of each lie there once more as one text, which is read and
 * compiled at once. Such texts are evaluated by Deno's own `evalContext`, where there is one: by their names it
 * finds what V8 has made of them when the executable was made (code_cache.ts).
 */

import { LIBC_PATHS } from "../../src/os/bind.ts";

const O_RDONLY_CLOEXEC = 0o2000000;

/** Long enough for esbuild to come over a slow line; never for ever. */
const BUNDLE_SECONDS = 120;

/** `deno bundle` for browsers: for Deno it begins with `node:module`, which costs 15 ms. */
const COMMON = ["bundle", "--quiet", "--platform", "browser"];

/** Part of the program by its name, `./run-DYR2OPXT.js`. */
type Parts = Record<string, string>;

/** The bundled program. */
export interface Bundle {
  /** Parts that the script reads from the executable, one behind the other. */
  readonly stored: Uint8Array;
  /** Texts that are evaluated as a whole: that of every verb first, then one a list of `together`. */
  readonly wholes: readonly Whole[];
  /** Each part as a function, as it was printed and as it is in the executable. */
  readonly functions: Readonly<
    Record<string, { readonly printed: string; readonly small: string }>
  >;
  /**
   * The script.
   *
   * @param storedAt Where `stored` begins in the file that runs; without it the script holds all.
   */
  script(storedAt?: number): string;
}

/** A text of several parts. */
export interface Whole {
  /** How the script calls it when it has it evaluated. */
  readonly specifier: string;
  readonly text: string;
  /** Where in it the function of a part begins. */
  readonly at: Readonly<Record<string, number>>;
}

/** Declarations with `using` in the small text, by the name of the part. */
type Resources = Record<string, number>;

/**
 * The program, bundled.
 *
 * @param deno The Deno that bundles.
 * @param map Its configuration, with the import map.
 * @param entry The first module; it starts the program.
 * @param together Lists of modules that are loaded on demand one after the other, by their names: each by
 * those before it or by the first part. Those of a list are compiled as one text. @default none
 * @throws {Error} If a module is missing or has a `node:` import at its top, or without esbuild.
 */
export async function bundle(
  deno: string,
  map: string,
  entry: string,
  together: readonly (readonly string[])[] = [],
): Promise<Bundle> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-bundle-" });
  try {
    const modules = `${folder}/modules`;
    await run(deno, [
      ...["--config", map, "--format", "esm", "--code-splitting"],
      ...["--outdir", modules, entry],
    ]);
    const first = `./${entry.split("/").at(-1)!.replace(/\.\w+$/, ".js")}`;
    const printed = [...Deno.readDirSync(modules)].map(({ name }) => {
      return [`./${name}`, Deno.readTextFileSync(`${modules}/${name}`)];
    });
    const [named, functions] = [`${folder}/named`, `${folder}/functions`];
    Deno.mkdirSync(named);
    const resources: Resources = {}, bodies: Parts = {};
    // Before the text is made small: what names are short is chosen by the letters that are in it.
    const parted = Object.entries(renamed(Object.fromEntries(printed), first));
    const files = parted.map(([name, module]) => {
      const file = `${named}/${name}`;
      const { text, count } = keepDisposals(module);
      Deno.writeTextFileSync(file, bodies[name] = asFunctionBody(text));
      resources[name] = count;
      return file;
    });
    await run(deno, [
      ...["--no-config", "--minify", "--format", "cjs", "--external", "./*"],
      ...["--outdir", functions, ...files],
    ]);
    const parts = readParts(functions);
    refuseLostDisposals(parts, resources);
    return bundleOf(parts, bodies, first, together);
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

/** What a module takes from parts, and what it gives, as esbuild prints them: first, and last but for licences. */
const IMPORT = /^import (?:\{([^}]*)\} from )?("\.\/[\w.-]+\.js");\n/;
const EXPORT = /^export \{([^}]*)\};\s*(\/\*[^]*\*\/\s*)?$(?![^])/m;

/**
 * A module without imports and exports. It needs two things: nothing that is exported changes once its module is
 * evaluated, there is no `export let` in this program; and no part is needed by one that it needs, since modules
 * that need each other are reached by the same entries, and esbuild puts those into one part.
 *
 * @param text As esbuild prints it without `--minify`.
 */
export function asFunctionBody(text: string): string {
  const names = (list: string, printed: (name: string, as: string) => string) => {
    const all = list.split(",").map((one) => one.trim()).filter((one) => one !== "");
    return `{ ${all.map((one) => printed(...pairOf(one.split(" as ")))).join(", ")} }`;
  };
  let taken = "", rest = text;
  for (;;) {
    const [all, list, part] = IMPORT.exec(rest) ?? [];
    if (all === undefined) break;
    rest = rest.slice(all.length);
    const into = list === undefined
      ? ""
      : `const ${names(list, (name, as) => `${name}: ${as}`)} = `;
    taken += `${into}need(${part});\n`;
  }
  refuse(rest, /^import [^(\n]*"\.\/[\w.-]+\.js";$/m, "import of this form");
  return taken +
    rest.replace(EXPORT, (_, list, licences = "") => {
      return `give(${names(list, (name, as) => `${as}: ${name}`)});\n${licences}`;
    });
}

function pairOf([name, as = name]: string[]): [string, string] {
  return [name, as];
}

function namesNeeded(text: string): string[] {
  return [...text.matchAll(/\bneed\("(\.\/[\w.-]+\.js)"\)/g)].map(([, name]) => name);
}

/** A declaration with `using` as esbuild prints it, at the beginning of a line. */
const USING = /^( *)((?:await )?using )[\w$]+ = /;

/**
 * Adds an empty resource to each declaration with `using`.
 *
 * esbuild 0.25 puts the value of a variable that is used once, in the next statement, where it is
 * used, also where the variable is declared by `using`, and with it goes the disposal:
 * `using file = open(); file.read();` becomes `open().read()`, and the file stays open. It does so
 * with the last variable of a declaration only, and only if that one is used. The language allows
 * `null` as a resource and does nothing at its end.
 *
 * @param text A module as esbuild prints it without `--minify`: indented, semicolons everywhere.
 * @returns The text, and how many declarations must be left when it has been made small.
 */
export function keepDisposals(text: string): { text: string; count: number } {
  refuse(
    text,
    /\bfor (?:await )?\((?:await )?using /,
    "for (using ...), which is not made safe yet",
  );
  const lines = text.split("\n");
  let made = 0;
  let count = 0;
  let before = "";
  for (let i = 0; i < lines.length; i++) {
    const [, indent, keyword] = USING.exec(lines[i]) ?? ["", "", ""];
    if (keyword !== "") {
      i = endOfStatement(lines, i, indent);
      lines[i] = lines[i].replace(/;$/, `, $kept${++made} = null;`);
      // Neighbours become one declaration.
      if (indent + keyword !== before) count++;
    }
    before = indent + keyword;
  }
  return { text: lines.join("\n"), count };
}

/** The line that ends a statement: it is indented as the first one and ends in a semicolon. */
function endOfStatement(lines: string[], first: number, indent: string): number {
  for (let i = first; i < lines.length; i++) {
    if (!lines[i].startsWith(indent) || (i > first && lines[i][indent.length] === " ")) continue;
    if (lines[i].endsWith(";")) return i;
  }
  throw new Error(`Cannot pack: expected the end of ${lines[first].trim()}`);
}

/** Every resource that was declared must still be: what makes text small must not change it. */
function refuseLostDisposals(parts: Parts, resources: Resources): void {
  for (const [name, expected] of Object.entries(resources)) {
    const found = [...parts[name].matchAll(/\busing [\w$]+=/g)].length;
    if (found === expected) continue;
    throw new Error(
      `Cannot pack: ${name}: expected ${expected} using declarations, found ${found}`,
    );
  }
}

function readParts(folder: string): Parts {
  const parts: Parts = {};
  for (const { name } of Deno.readDirSync(folder)) {
    // the names of parts end in a hash, so nothing else in the text looks like this
    const text = Deno.readTextFileSync(`${folder}/${name}`)
      .replace(/\bimport\("(\.\/[\w.-]+\.js)"\)/g, 'load("$1")');
    refuse(text, /\brequire\("node:\w+"\)/, "node: import at the top of a file");
    refuse(text, /\bmodule\.exports\b/, "export of another form");
    refuse(text, /\bimport\(["'`]\.\/.*?\)/, "import of a part that was not recognised");
    parts[`./${name}`] = text;
  }
  return parts;
}

/** A part's name in the text of another one: with esbuild's hash, in which there is where npm's cache is. */
const PART = /"(\.\/([\w.]+)-\w+\.js)"/g;

/**
 * Gives parts names that anybody's build gives them: numbers in the order in which the first part, and those that
 * it needs, name them.
 */
export function renamed(parts: Parts, first: string): Parts {
  const names = new Map([[first, first]]);
  // A map that grows is gone through to its end.
  for (const [name] of names) {
    for (const [, other, stem] of parts[name].matchAll(PART)) {
      if (other in parts && !names.has(other)) names.set(other, `./${stem}-${names.size}.js`);
    }
  }
  const all = [...names].map(([old, name]) => {
    const text = parts[old].replace(PART, (all, other) => {
      const now = names.get(other);
      return now === undefined ? all : `"${now}"`;
    });
    return [name, text];
  });
  return Object.fromEntries(all);
}

function refuse(text: string, pattern: RegExp, what: string): void {
  const found = pattern.exec(text);
  if (found !== null) throw new Error(`Cannot pack: expected no ${what}, found ${found[0]}`);
}

/** Parts that are evaluated with a part, itself included. */
function neededBy(name: string, parts: Parts, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const other of namesNeeded(parts[name])) neededBy(other, parts, found);
  return found;
}

/** Parts that are evaluated behind the first ones, and the one that begins them. */
function findTogether(
  modules: readonly string[],
  parts: Parts,
  atOnce: ReadonlySet<string>,
): { first: string; names: string[] } {
  const names = new Set<string>();
  const begins = modules.map((module) => {
    const pattern = new RegExp(`\\bload\\("(\\./${module}-\\w+\\.js)"\\)`, "g");
    const loadedBy = (from: ReadonlySet<string>) => {
      return new Set([...from].flatMap((name) => {
        return [...parts[name].matchAll(pattern)].map(([, part]) => part);
      }));
    };
    // A verb may have the name of a module that is loaded later.
    const later = loadedBy(names.difference(atOnce));
    const found = later.size > 0 ? later : loadedBy(atOnce);
    if (found.size !== 1) {
      throw new Error(`Cannot bundle: expected one part ${module}, found ${found.size}`);
    }
    const [part] = found;
    neededBy(part, parts, names);
    return part;
  });
  return { first: begins[0], names: [...names.difference(atOnce)].sort() };
}

function bundleOf(
  parts: Parts,
  printed: Parts,
  first: string,
  together: readonly (readonly string[])[],
): Bundle {
  const names = Object.keys(parts).sort();
  if (!names.includes(first)) throw new Error(`Cannot bundle: expected a part ${first}`);
  const atOnce = neededBy(first, parts);
  const later = names.filter((name) => !atOnce.has(name)).map((name) => {
    return { name, bytes: new TextEncoder().encode(parts[name]) };
  });
  const whole = (begins: string, names: Iterable<string>): Whole => {
    // In parentheses they are compiled at once, and not looked through first.
    const at: Record<string, number> = {};
    let text = "({";
    for (const name of names) {
      text += `\n${JSON.stringify(name)}: (`;
      at[name] = text.length;
      text += `${functionOf(parts[name])}),`;
    }
    return { specifier: specifierOf(begins), text: `${text}\n})`, at };
  };
  const wholes = [whole(first, [...atOnce].sort())];
  /** By the part that begins them, how the text of all is called. */
  const texts: Record<string, string> = { [first]: wholes[0].specifier };
  for (const modules of together) {
    const { first: begins, names } = findTogether(modules, parts, atOnce);
    wholes.push(whole(begins, names));
    texts[begins] = specifierOf(begins);
  }
  for (const { specifier, text } of wholes) {
    later.push({ name: specifier, bytes: new TextEncoder().encode(text) });
  }
  const stored = new Uint8Array(later.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let end = 0;
  const places = later.map(({ name, bytes }) => {
    stored.set(bytes, end);
    end += bytes.length;
    return { name, at: end - bytes.length, size: bytes.length };
  });
  const row = (name: string, value: unknown) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const functions = Object.fromEntries(names.map((name) => {
    return [name, { printed: functionOf(printed[name]), small: functionOf(parts[name]) }];
  }));
  return {
    stored,
    wholes,
    functions,
    script(storedAt) {
      const rows = storedAt === undefined
        ? names.map((name) => row(name, parts[name]))
        : places.map(({ name, at, size }) => row(name, [storedAt + at, size]));
      return scriptOf(rows, first, storedAt === undefined ? {} : texts);
    },
  };
}

/** Deno wants an address; nothing is looked for there. */
function specifierOf(begins: string): string {
  return `file:///joulemark/${begins.replace(/^\.\/|-\d+(?=\.js$)/g, "")}`;
}

/** A part as a function: what stands before it and behind it in the script below. */
function functionOf(text: string): string {
  return `${FUNCTION}${text}\n}`;
}

const FUNCTION = 'function (need, give, load) {"use strict";';

/**
 * The first line lets the program tell which form of the executable it is in. Deno opens nothing below
 * /proc for a program without all permissions, so the executable is read by libc.
 */
function scriptOf(
  rows: readonly string[],
  first: string,
  texts: Readonly<Record<string, string>>,
): string {
  return `globalThis.__JOULEMARK_FORM = "packed";
const parts = {
${rows.join(",\n")}
};
let libc, file;
// With a structure as parameter no code is compiled for a function: it is bound in a tenth of the time.
const unread = { struct: ["u64"] }, nothing = new Uint8Array(8);
function open() {
  for (const path of ${JSON.stringify(LIBC_PATHS)}) {
    try {
      libc = Deno.dlopen(path, {
        open: { parameters: ["buffer", "i32", "i32", unread], result: "i32" },
        pread64: { parameters: ["i32", "buffer", "usize", "i64", unread], result: "isize" },
      }).symbols;
      break;
    } catch {
      // Another distribution keeps it elsewhere.
    }
  }
  if (libc === undefined) throw new Error("no libc where it is expected: ${LIBC_PATHS.join(", ")}");
  file = libc.open(new TextEncoder().encode("/proc/self/exe\\0"), ${O_RDONLY_CLOEXEC}, 0, nothing);
}
function textOf(part) {
  if (typeof part === "string") return part;
  if (libc === undefined) open();
  const bytes = new Uint8Array(part[1]);
  for (let have = 0, failures = 0; have < bytes.length;) {
    const rest = bytes.subarray(have);
    const n = Number(libc.pread64(file, rest, BigInt(rest.length), BigInt(part[0] + have), nothing));
    // a signal may have come between
    if (n <= 0 && ++failures > 9) throw new Error("the executable cannot be read");
    if (n > 0) have += n;
  }
  return new TextDecoder().decode(bytes);
}
const loaded = new Map();
const texts = ${JSON.stringify(texts)};
const together = {};
function compiled(name) {
  return together[name] ?? (0, eval)('(${FUNCTION}' + textOf(parts[name]) +
    "\\n})\\n//# sourceURL=joulemark" + name.slice(1));
}
function need(name) {
  if (!loaded.has(name)) {
    loaded.set(name, {});
    compiled(name)(need, (given) => loaded.set(name, given), load);
  }
  return loaded.get(name);
}
function whole(name) {
  const specifier = texts[name];
  if (specifier === undefined) return;
  const text = textOf(parts[specifier]);
  const [made] = Deno[Deno.internal]?.core?.evalContext?.(text, specifier) ?? [];
  Object.assign(together, made ?? (0, eval)(text + "\\n//# sourceURL=" + specifier));
}
async function load(name) {
  whole(name);
  return need(name);
}
whole(${JSON.stringify(first)});
need(${JSON.stringify(first)});
`;
}
