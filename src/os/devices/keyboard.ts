/**
 * Keys from a terminal, one by one as they are pressed, while a program goes on: poll(2) on standard
 * input.
 * @module
 */
import { ERRNO, errno, libc } from "../libc.ts";
import { pollEntry } from "../poll.ts";

const STDIN = 0;

/** Standard input without lines and echo, until it is disposed of. */
export class Keyboard implements Disposable {
  readonly #poll = pollEntry(STDIN);
  readonly #bytes = new Uint8Array(64);
  readonly #decoder = new TextDecoder();

  constructor() {
    Deno.stdin.setRaw(true);
  }

  /** Keys typed within a time; empty: nothing, `undefined`: the terminal is gone. */
  read(milliseconds: number): string | undefined {
    if (libc().poll(this.#poll, 1n, Math.max(0, Math.ceil(milliseconds))) <= 0) return "";
    const n = Number(libc().read(STDIN, this.#bytes, BigInt(this.#bytes.length)));
    if (n > 0) return this.#decoder.decode(this.#bytes.subarray(0, n));
    // A signal came in between, or another process took the key.
    const isPassing = n < 0 && [ERRNO.EINTR, ERRNO.EAGAIN].some((number) => number === errno());
    return isPassing ? "" : undefined;
  }

  [Symbol.dispose](): void {
    try {
      Deno.stdin.setRaw(false);
    } catch {
      // the terminal is gone
    }
  }
}
