/**
 * Counters of the kernel's perf subsystem: perf_event_open(2).
 *
 * struct perf_event_attr, of which we set: type u32 at 0, size u32 at 4, config u64 at 8,
 * read_format u64 at 32, flag bits u64 at 40 (bit 1: inherit). A read gives three u64: count, time
 * enabled, time running; the last two differ when events share a hardware counter by turns.
 * @module
 */
import { closeFile } from "./files.ts";
import { ERRNO, errno, libc } from "./libc.ts";

/** PERF_ATTR_SIZE_VER7. */
const ATTR_BYTES = 128;
const PERF_FORMAT_TIMES = 3n;
const INHERIT = 2n;
const PERF_FLAG_FD_CLOEXEC = 8n;
const SYSCALL: Partial<Record<typeof Deno.build.arch, bigint>> = { x86_64: 298n, aarch64: 241n };

/** What to count, and where. */
export interface PerfEventSpec {
  /** PERF_TYPE_*: 0 hardware, 1 software, else a PMU's `type` file. */
  readonly type: number;
  readonly config: number;
  /** CPU to count on; −1: wherever the process runs. */
  readonly cpu: number;
  /** Process to count; −1: everything on the CPU. @default -1 */
  readonly pid?: number;
  /** Children count too. @default false */
  readonly inherit?: boolean;
}

/** Opens a counter, running from now on: its descriptor, or −errno. */
export function openPerfEvent(spec: PerfEventSpec): number {
  const number = SYSCALL[Deno.build.arch];
  if (number === undefined) return -ERRNO.ENOENT;
  const attr = new DataView(new ArrayBuffer(ATTR_BYTES));
  attr.setUint32(0, spec.type, true);
  attr.setUint32(4, ATTR_BYTES, true);
  attr.setBigUint64(8, BigInt(spec.config), true);
  attr.setBigUint64(32, PERF_FORMAT_TIMES, true);
  attr.setBigUint64(40, spec.inherit === true ? INHERIT : 0n, true);
  const bytes = new Uint8Array(attr.buffer);
  const fd = libc().perfEventOpen(
    number,
    bytes,
    spec.pid ?? -1,
    spec.cpu,
    -1,
    PERF_FLAG_FD_CLOEXEC,
  );
  return fd >= 0n ? Number(fd) : -(errno() || ERRNO.ENOENT);
}

const words = new Uint32Array(6);
const bytes = new Uint8Array(words.buffer);

/** An open counter. */
export class PerfCounter {
  /** Halves of the count at the last read. */
  high = 0;
  low = 0;
  /** Share of the time that the event was really counted, 0 to 1. */
  share = 0;
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** 0, or the errno. */
  read(): number {
    // These descriptors have no offset: pread(2) answers ESPIPE.
    const n = libc().read(this.#fd, bytes, 24n);
    if (n !== 24n) return n < 0n ? errno() || ERRNO.EIO : ERRNO.EIO;
    this.low = words[0];
    this.high = words[1];
    const enabled = words[3] * 4294967296 + words[2];
    this.share = enabled === 0 ? 0 : (words[5] * 4294967296 + words[4]) / enabled;
    return 0;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
