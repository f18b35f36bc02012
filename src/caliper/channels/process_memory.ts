/**
 * Memory of processes: /proc/PID/statm, proc(5), kept open while they run.
 * @module
 */
import { closeFile, O, openFile } from "../../os/files.ts";
import { libc } from "../../os/libc.ts";
import type { ProcessFacts } from "./machine.ts";

const BYTES = 128;
const FIELDS = { size: 0, resident: 1, data: 5 } as const;

/** The memory of the processes of a run. Pages; NaN if the process is gone. */
export class ProcessMemory implements ProcessFacts, Disposable {
  readonly #files = new Map<number, number>();
  readonly #bytes = new Uint8Array(BYTES);

  memory(pid: number, field: keyof typeof FIELDS): number {
    let fd = this.#files.get(pid);
    if (fd === undefined) this.#files.set(pid, fd = openFile(`/proc/${pid}/statm`, O.RDONLY));
    if (fd < 0) return NaN;
    const n = Number(libc().preadAt(fd, this.#bytes, BigInt(BYTES), 0n));
    return n <= 0 ? NaN : fieldOf(this.#bytes.subarray(0, n), FIELDS[field]);
  }

  [Symbol.dispose](): void {
    for (const fd of this.#files.values()) if (fd >= 0) closeFile(fd);
    this.#files.clear();
  }
}

/** The number at a place in a line of numbers. */
function fieldOf(line: Uint8Array, wanted: number): number {
  let field = 0, value = 0;
  for (const byte of line) {
    if (byte >= 48 && byte <= 57) value = value * 10 + (byte - 48);
    else if (field === wanted) return value;
    else [field, value] = [field + 1, 0];
  }
  return field === wanted ? value : NaN;
}
