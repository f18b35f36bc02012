/**
 * Names of C++ and Rust as people write them, by gecko-profiler-demangle: `_ZN4heat6Solver4stepEi` is
 * `heat::Solver::step`. Arguments, results and qualifiers are left out, as `c++filt -p` leaves them out.
 * @module
 */
import made from "./demangler.txt" with { type: "text" };

/** Exports of the module, as wasm-bindgen makes them. */
interface Demangler {
  readonly memory: WebAssembly.Memory;
  readonly demangle_any: (at: number, bytes: number) => [at: number, bytes: number];
  readonly __wbindgen_malloc: (bytes: number, align: number) => number;
  readonly __wbindgen_free: (at: number, bytes: number, align: number) => void;
}

/** A longer name is a broken file's: it stays as it is. */
const NAME_MOST = 1 << 16;
/** Letters of a name in which its end is looked for. */
const LETTERS_MOST = 1000;
/** A function that corrects `this` and goes on in another one. */
const THUNK = /^\{virtual override thunk\(\{((?:virtual )?offset)\([^)]*\)\}, (.*)\)\}$/s;
/** The name of an operator; parentheses and angle brackets in it open nothing. */
const OPERATOR = /\boperator(?:\(\)|<=>|->\*?|<<=?|>>=?|<=?|>=?)/y;
const QUALIFIERS = /(?: const\b| volatile\b| ?&&?)*/y;
const NAMELESS = "(anonymous namespace)";
/** Numbers among the arguments of a template: `8u` rather than `(unsigned int)8`. */
const NUMBER = /\((unsigned int|(?:unsigned )?long(?: long)?)\)(-?\d+)/g;
let demangler: Demangler | undefined;

/** The name without arguments; `undefined` if it is no mangled name. */
export function demangled(name: string): string | undefined {
  if (!/^(_Z|_R|__Z)/.test(name) || name.length > NAME_MOST) return undefined;
  const found = knownName(name);
  if (found === undefined) return undefined;
  const [, offset, target] = THUNK.exec(found) ?? [];
  if (target === undefined) return withoutArguments(found);
  const kind = offset.startsWith("virtual") ? "virtual" : "non-virtual";
  return `${kind} thunk to ${withoutArguments(target)}`;
}

/**
 * The whole name. The module does not know some forms of arguments and results, such as that of `std::swap`: then
 * it is the name in front of them, which ends with the arguments of a template.
 */
function knownName(name: string): string | undefined {
  const found = madeReadable(name);
  if (found !== undefined || !name.startsWith("_Z")) return found;
  const ends = name.slice(0, LETTERS_MOST).matchAll(/E/g).map(({ index }) => index + 1);
  return ends.map((end) => madeReadable(name.slice(0, end))).find((one) => one !== undefined);
}

function madeReadable(name: string): string | undefined {
  const found = wholeName(name);
  // Of a name that is none it drops the underscore of other systems.
  return found === name || found === name.slice(1) ? undefined : found;
}

function wholeName(name: string): string {
  const { memory, demangle_any, __wbindgen_malloc, __wbindgen_free } = demangler ??= load();
  const bytes = new TextEncoder().encode(name), at = __wbindgen_malloc(bytes.length, 1);
  new Uint8Array(memory.buffer).set(bytes, at);
  const [from, length] = demangle_any(at, bytes.length);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, from, length));
  __wbindgen_free(from, length, 1);
  return text;
}

function load(): Demangler {
  // The licence stands above.
  const base64 = made.trimEnd().split("\n").at(-1)!;
  const module = new WebAssembly.Module(Uint8Array.fromBase64(base64));
  const glue = { __wbindgen_init_externref_table: () => {} };
  const { exports } = new WebAssembly.Instance(module, { "./index_bg.js": glue });
  return exports as unknown as Demangler;
}

/** A whole name without the lists of arguments that are in no template and no lambda. */
function withoutArguments(name: string): string {
  let text = "", nesting = 0;
  for (let at = 0; at < name.length;) {
    const sign = name[at];
    let end = at + 1;
    if (sign === "o") end = Math.max(end, endOf(OPERATOR, name, at));
    else if (name.startsWith("->", at)) end++;
    else if (name.startsWith(NAMELESS, at)) end = at + NAMELESS.length;
    else if (sign === "(" && nesting === 0) {
      at = endOf(QUALIFIERS, name, closing(name, at));
      continue;
    } else if ("(<[{".includes(sign)) nesting++;
    else if (")>]}".includes(sign)) nesting--;
    text += name.slice(at, end);
    at = end;
  }
  return text.replaceAll(", >", ">").replace(NUMBER, (_, type: string, digits: string) => {
    return digits + type.replace("int", "").replaceAll(/(\w)\w*\W*/g, "$1");
  });
}

/** End of what a sticky pattern finds; −1: it finds nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The place behind the parenthesis that closes the one at a place. */
function closing(text: string, at: number): number {
  for (let nesting = 0, i = at; i < text.length; i++) {
    if (text[i] === "(") nesting++;
    else if (text[i] === ")" && --nesting === 0) return i + 1;
  }
  return text.length;
}
