/**
 * Model specific registers of one CPU: msr(4), msr-safe's device, or a tree's stand-in.
 *
 * A real device answers a `pread` of 8 bytes at the register's number. A tree given by `--root` has
 * either `dev/cpu/N/msr`, a file of 8-byte words at 8 × register, or `dev/cpu/N/msr.json`,
 * `{"0x611": "0x…"}`.
 * @module
 */
import type { Registers } from "../../core/machine/host.ts";
import { closeFile, linkCount, O, openFile, readText } from "../files.ts";
import { ERRNO, errno, libc } from "../libc.ts";

const words = new Uint32Array(2);
const bytes = new Uint8Array(words.buffer);

/** A character device whose offsets are register numbers. */
export class DeviceRegisters implements Registers {
  low = 0;
  high = 0;
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(register: number): number {
    const n = libc().pread(this.#fd, bytes, 8, register);
    if (n !== 8) return n < 0 ? errno() || ERRNO.EIO : ERRNO.EIO;
    this.low = words[0];
    this.high = words[1];
    return 0;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}

/** A tree's register file. */
export class FileRegisters implements Registers {
  low = 0;
  high = 0;
  #fd: number;
  readonly #path: string;
  /** Offsets as the bigints that the fast call path needs, made once per register. */
  readonly #offsets = new Map<number, bigint>();
  /** The register that a tick reads first: seeing it again means a new tick. */
  #first = -1;

  constructor(fd: number, path: string) {
    this.#fd = fd;
    this.#path = path;
  }

  read(register: number): number {
    if (register === this.#first && linkCount(this.#fd) === 0) {
      closeFile(this.#fd);
      this.#fd = openFile(this.#path, O.RDONLY | O.NONBLOCK);
    }
    if (this.#first < 0) this.#first = register;
    if (this.#fd < 0) return ERRNO.ENOENT;
    let offset = this.#offsets.get(register);
    if (offset === undefined) {
      offset = BigInt(register) * 8n;
      this.#offsets.set(register, offset);
    }
    // Past the end there is nothing: a register that this CPU does not have.
    if (libc().preadAt(this.#fd, bytes, 8n, offset) !== 8n) return ERRNO.EIO;
    this.low = words[0];
    this.high = words[1];
    return 0;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }
}

/** Maximum number of reads of a file that was caught half-written. */
const MAX_READS = 4;

/** A tree's `msr.json`, parsed again when a register is requested a second time. */
export class JsonRegisters implements Registers {
  low = 0;
  high = 0;
  readonly #path: string;
  #values: Map<number, bigint> | undefined;
  readonly #seen = new Set<number>();

  constructor(path: string) {
    this.#path = path;
  }

  read(register: number): number {
    if (this.#values === undefined || this.#seen.has(register)) {
      this.#seen.clear();
      this.#values = this.#load();
      if (this.#values === undefined) return ERRNO.EIO;
    }
    this.#seen.add(register);
    const value = this.#values.get(register);
    if (value === undefined) return ERRNO.EIO;
    this.low = Number(value & 0xffffffffn);
    this.high = Number((value >> 32n) & 0xffffffffn);
    return 0;
  }

  #load(): Map<number, bigint> | undefined {
    for (let i = 0; i < MAX_READS; i++) {
      const text = readText(this.#path);
      if (text === undefined) continue;
      try {
        const values = Object.entries(JSON.parse(text) as Record<string, unknown>);
        return new Map(values.map(([key, v]) => [Number(key.toLowerCase()), hexadecimal(v)]));
      } catch {
        continue;
      }
    }
    return undefined;
  }

  [Symbol.dispose](): void {}
}

/** Values are hexadecimal text, with or without 0x, in either case. */
function hexadecimal(value: unknown): bigint {
  if (typeof value === "number") return BigInt(value);
  const text = String(value).trim().toLowerCase();
  return BigInt(text.startsWith("0x") ? text : "0x" + text);
}
