/**
 * A simulated node's tree in memory.
 *
 * @module
 */
import type { TreeWriter } from "../../../src/sources/sim/tree_writer.ts";

/** A tree in memory. */
export class MemoryTree implements TreeWriter {
  readonly files = new Map<string, Uint8Array>();
  writes = 0;

  put(path: string, content: string | Uint8Array): void {
    this.files.set(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  }

  patch(path: string, offset: number, bytes: Uint8Array, end = false): void {
    this.writes++;
    const old = this.files.get(path);
    if (old === undefined) throw new Error(`patch of ${path}, which was never put`);
    const size = end ? offset + bytes.length : Math.max(old.length, offset + bytes.length);
    const fresh = new Uint8Array(size);
    fresh.set(old.subarray(0, size));
    fresh.set(bytes, offset);
    this.files.set(path, fresh);
  }

  text(path: string): string {
    return new TextDecoder().decode(this.files.get(path));
  }

  /** A word of a CPU's register file. */
  register(cpu: number, register: number): bigint {
    const file = this.files.get(`/dev/cpu/${cpu}/msr`)!;
    return new DataView(file.buffer, file.byteOffset).getBigUint64(register * 8, true);
  }
}

/** A seed for a test, told so that a failure can be repeated: SEED=… sets it. */
export function testSeed(name: string): number {
  const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: SEED=${seed}`);
  return seed;
}
