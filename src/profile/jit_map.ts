/**
 * Names of code by address, as lines of text: /tmp/perf-PID.map, which JIT compilers write, and
 * /proc/kallsyms.
 * @module
 */
import { firstAbove } from "./elf.ts";
import { KERNEL_HIGH } from "./records.ts";

const LINES_MOST = 1 << 21;
const LINE = /^(?:0x)?([0-9a-f]+) (?:0x)?([0-9a-f]+) (.+)$/gm;
const HIGH = 4294967296;
/** Size assumed for the kernel's last function. */
const LAST_BYTES = 4096;

interface NamedCode {
  readonly start: number;
  readonly size: number;
  readonly name: string;
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

  /** Functions of the kernel, by their addresses less its base. A kernel that hides them has zeros. */
  static ofKernel(text: string): JitMap {
    const rows: { start: number; size: number; name: string }[] = [];
    for (const line of text.split("\n")) {
      if (!"tTwW".includes(line[17] ?? " ")) continue;
      const high = parseInt(line.slice(0, 8), 16), low = parseInt(line.slice(8, 16), 16);
      if (high < KERNEL_HIGH) continue;
      // Behind the name of a function of a kernel module stands the module's.
      const [name] = line.slice(19).split("\t", 1);
      rows.push({ start: (high - KERNEL_HIGH) * HIGH + low, size: LAST_BYTES, name });
    }
    rows.sort((a, b) => a.start - b.start);
    for (let i = 0; i + 1 < rows.length; i++) rows[i].size = rows[i + 1].start - rows[i].start;
    return new JitMap(rows.filter(({ size }) => size > 0));
  }

  find(address: number): { readonly name: string; readonly start: number } | undefined {
    const i = firstAbove(this.#starts, this.#starts.length, address) - 1;
    if (i < 0 || address >= this.#ends[i]) return undefined;
    return { name: this.#names[i], start: this.#starts[i] };
  }
}
