/**
 * Names of code by address, as lines of text: /tmp/perf-PID.map, which JIT compilers write, and
 * /proc/kallsyms.
 * @module
 */
import { firstAbove } from "./elf.ts";
import { KERNEL_HIGH, KERNEL_LEAST, kernelAddress } from "./records.ts";

const LINES_MOST = 1 << 21;
const LINE = /^(?:0x)?([0-9a-f]+) (?:0x)?([0-9a-f]+) (.+)$/gm;
const HIGH = 4294967296;
/** Size assumed for the kernel's last function. */
const LAST_BYTES = 4096;

interface NamedStart {
  readonly name: string;
  readonly start: number;
}

interface NamedCode extends NamedStart {
  readonly size: number;
}

/** Names by address. */
export class JitMap {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #names: readonly string[];

  private constructor(rows: readonly NamedCode[]) {
    this.#starts = Float64Array.from(rows, ({ start }) => start);
    this.#ends = Float64Array.from(rows, ({ start, size }) => start + size);
    this.#names = rows.map(({ name }) => name);
  }

  /** @param text Lines of start, size (both in hex) and name; of names of one address the last one counts. */
  static of(text: string): JitMap {
    const found = new Map<number, NamedCode>();
    for (const [, from, bytes, name] of text.matchAll(LINE)) {
      const start = parseInt(from, 16), size = parseInt(bytes, 16);
      if (found.size < LINES_MOST) found.set(start, { start, size, name });
    }
    return new JitMap([...found.values()].sort((a, b) => a.start - b.start));
  }

  /** Functions in lines of /proc/kallsyms, in any order; each goes on to the next one. */
  static ofSymbols(text: string): JitMap {
    const rows = text.split("\n").map(symbolOf).filter((symbol) => symbol !== undefined)
      .sort((a, b) => a.start - b.start);
    return new JitMap(
      rows.map(({ name, start }, i) => {
        return { name, start, size: (rows[i + 1]?.start ?? start + LAST_BYTES) - start };
      }).filter(({ size }) => size > 0),
    );
  }

  find(address: number): NamedStart | undefined {
    const i = firstAbove(this.#starts, this.#starts.length, address) - 1;
    if (i < 0 || address >= this.#ends[i]) return undefined;
    return { name: this.#names[i], start: this.#starts[i] };
  }
}

/** Bytes of an address in /proc/kallsyms, and of what stands before a name: type, blanks. */
const ADDRESS_CHARACTERS = 16, NAME_AT = 19;
/** Lines of data that may stand between an address and the function that holds it. */
const DATA_LINES_MOST = 1000;

/** Functions of the kernel, by their addresses less its base: /proc/kallsyms, a hundred thousand lines. */
export class KernelMap {
  /** Lines by address: the kernel's own. */
  readonly #core: string;
  readonly #modules: JitMap;

  /** @param text A kernel that hides its addresses has zeros. */
  constructor(text: string) {
    // Behind the name of a function of a kernel module stands the module's.
    const first = text.indexOf("\t["), end = first < 0 ? text.length : lineStart(text, first);
    this.#core = text.slice(0, end);
    this.#modules = JitMap.ofSymbols(text.slice(end));
  }

  find(address: number): NamedStart | undefined {
    return this.#modules.find(address) ?? this.#findInCore(address);
  }

  #findInCore(address: number): NamedStart | undefined {
    const text = this.#core, wanted = kernelAddress(address).toString(16);
    let low = 0, high = text.length;
    while (low < high) {
      const at = lineStart(text, (low + high) >> 1);
      if (text.slice(at, at + ADDRESS_CHARACTERS) > wanted) high = at;
      else low = lineEnd(text, at);
    }
    for (let lines = 0; low > 0 && lines < DATA_LINES_MOST; lines++) {
      const at = lineStart(text, low - 1), symbol = symbolOf(text.slice(at, low - 1));
      if (symbol !== undefined) return symbol;
      low = at;
    }
  }
}

/**
 * The lines of /proc/kallsyms that name some addresses: those of the kernel near them, and all of its modules.
 *
 * @param pieces Of the text, one after the other.
 * @param addresses In the kernel, less its base.
 */
export function kernelLines(pieces: Iterable<string>, addresses: readonly number[]): string {
  const wanted = addresses.map((address) => kernelAddress(address).toString(16)).sort();
  // Lines that are taken; those before the last ones, without an address; the last ones; a line that is cut.
  let taken = "", before = "", last = "", rest = "", areOfModules = false, i = 0;
  for (const piece of pieces) {
    const text = rest + piece, end = text.lastIndexOf("\n") + 1, lines = text.slice(0, end);
    rest = text.slice(end);
    if (end === 0) continue;
    if (!areOfModules) {
      areOfModules = lines.includes("\t[");
      const isNear = areOfModules || wanted[i] < lines.slice(0, ADDRESS_CHARACTERS);
      while (wanted[i] < lines.slice(0, ADDRESS_CHARACTERS)) i++;
      // The function of an address may begin in the lines before.
      if (isNear) taken += before + last;
      before = isNear ? "" : last;
      last = "";
    }
    if (areOfModules) taken += lines;
    else last = lines;
  }
  return taken + before + last + rest;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** The function of a line; `undefined`: it is data, or hidden. */
function symbolOf(line: string): NamedStart | undefined {
  if (!"tTwW".includes(line[ADDRESS_CHARACTERS + 1] ?? " ")) return undefined;
  const high = parseInt(line.slice(0, 8), 16), low = parseInt(line.slice(8, 16), 16);
  const [name] = line.slice(NAME_AT).split("\t", 1);
  // $x marks code on aarch64.
  if (high < KERNEL_LEAST || name[0] === "$") return undefined;
  return { start: (high - KERNEL_HIGH) * HIGH + low, name };
}
