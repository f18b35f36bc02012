/**
 * Names of code by address, as lines of text: /tmp/perf-PID.map, which JIT compilers write, and
 * /proc/kallsyms.
 * @module
 */
import { firstAbove } from "./elf.ts";
import { KERNEL_HIGH } from "./records.ts";

const LINES_MOST = 1 << 21;

/** Names by address. */
export class JitMap {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #names: readonly string[];

  /** @param text Lines of start, size (both in hex) and name; of names of one address the last one counts. */
  constructor(text: string) {
    const found = new Map<number, { start: number; size: number; name: string }>();
    for (
      const [, from, bytes, name] of text.matchAll(/^(?:0x)?([0-9a-f]+) (?:0x)?([0-9a-f]+) (.+)$/gm)
    ) {
      const start = parseInt(from, 16), size = parseInt(bytes, 16);
      found.delete(start);
      if (found.size < LINES_MOST) found.set(start, { start, size, name });
    }
    const rows = [...found.values()].sort((a, b) => a.start - b.start);
    this.#starts = Float64Array.from(rows, ({ start }) => start);
    this.#ends = Float64Array.from(rows, ({ start, size }) => start + size);
    this.#names = rows.map(({ name }) => name);
  }

  /** Functions of the kernel, by their addresses less its base. A kernel that hides them has zeros. */
  static ofKernel(text: string): JitMap {
    const high = BigInt(KERNEL_HIGH) << 32n;
    const rows = [...text.matchAll(/^([0-9a-f]{16}) [tTwW] (\S+)/gm)].flatMap(([, hex, name]) => {
      const address = BigInt(`0x${hex}`);
      return address < high ? [] : [{ start: Number(address - high), name }];
    }).sort((a, b) => a.start - b.start);
    const lines = rows.map(({ start, name }, i) => {
      const size = (rows[i + 1]?.start ?? start + 4096) - start;
      return size > 0 ? `${start.toString(16)} ${size.toString(16)} ${name}\n` : "";
    });
    return new JitMap(lines.join(""));
  }

  find(address: number): { readonly name: string; readonly start: number } | undefined {
    const i = firstAbove(this.#starts, this.#starts.length, address) - 1;
    if (i < 0 || address >= this.#ends[i]) return undefined;
    return { name: this.#names[i], start: this.#starts[i] };
  }
}
