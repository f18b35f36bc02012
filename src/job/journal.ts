/**
 * The journal of a run: what its report would be if its monitor ended now, beside the rings.
 *
 * ```
 * two slots, each:  "JMJRNL\0" version | number u64 | bytes u32 | FNV-1a of the bytes u32 | bytes
 * bytes:            path of the report, LF, the report so far
 * ```
 *
 * Slots are written in turn, so that a monitor that is killed while it writes leaves the other one.
 * The space is taken when the file is made, by writing all of it: later there may be none. The file
 * lies in memory and goes with the session; whoever removes a session makes its report first.
 * @module
 */
import { closeFile, O, openFile, readWhole } from "../os/files.ts";
import { cString, libc } from "../os/libc.ts";

const MAGIC = new TextEncoder().encode("JMJRNL\0\x01");
const HEADER_BYTES = 24;
/** First size of a slot; a larger report takes a larger file. */
const SLOT_BYTES = 65536;
const FILE = "journal";

/** Writes the journal of a session. */
export class Journal implements Disposable {
  readonly #path: string;
  readonly #reportPath: string;
  readonly #encoder = new TextEncoder();
  #fd = -1;
  #slotBytes = 0;
  #number = 0;
  #failed = false;

  /** @param reportPath Absolute. */
  constructor(directory: string, reportPath: string) {
    this.#path = `${directory}/${FILE}`;
    this.#reportPath = reportPath;
    this.#grow(SLOT_BYTES);
  }

  /** Writes the report so far into the older slot. Where there is no room it ends, without a word. */
  write(report: string): void {
    if (this.#failed) return;
    const bytes = this.#encoder.encode(`${this.#reportPath}\n${report}`);
    if (HEADER_BYTES + bytes.length > this.#slotBytes) {
      this.#grow(2 * (HEADER_BYTES + bytes.length));
    }
    if (this.#failed) return;
    const slot = new Uint8Array(HEADER_BYTES + bytes.length);
    const view = new DataView(slot.buffer);
    slot.set(MAGIC);
    view.setBigUint64(8, BigInt(++this.#number), true);
    view.setUint32(16, bytes.length, true);
    view.setUint32(20, fnv(bytes), true);
    slot.set(bytes, HEADER_BYTES);
    const at = BigInt(this.#number % 2 * this.#slotBytes);
    libc().pwriteAt(this.#fd, slot, BigInt(slot.length), at);
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }

  /** A file with room for larger slots, in place of the old one once it holds what that held. */
  #grow(slotBytes: number): void {
    const fresh = `${this.#path}.new`;
    const fd = openFile(fresh, O.RDWR | O.CREAT | O.TRUNC | O.NOFOLLOW, 0o600);
    const space = new Uint8Array(2 * slotBytes);
    const old = this.#fd < 0 ? undefined : readWhole(this.#path);
    if (old !== undefined) {
      space.set(old.subarray(0, this.#slotBytes));
      space.set(old.subarray(this.#slotBytes, 2 * this.#slotBytes), slotBytes);
    }
    const size = BigInt(space.length);
    this.#failed = fd < 0 || libc().pwriteAt(fd, space, size, 0n) !== size ||
      libc().rename(cString(fresh), cString(this.#path)) !== 0;
    closeFile(this.#fd);
    this.#fd = fd;
    this.#slotBytes = slotBytes;
    if (this.#failed) libc().unlink(cString(fresh));
  }
}

/** The newest sound slot of a session's journal; `undefined`: there is none. */
export function readJournal(
  directory: string,
): { reportPath: string; report: string } | undefined {
  const file = readWhole(`${directory}/${FILE}`, 1 << 30);
  if (file === undefined || file.length < 2 * HEADER_BYTES) return undefined;
  const half = file.length >> 1;
  const slots = [slotOf(file.subarray(0, half)), slotOf(file.subarray(half))]
    .filter((slot) => slot !== undefined)
    .sort((a, b) => b.number - a.number);
  if (slots.length === 0) return undefined;
  const text = new TextDecoder().decode(slots[0].bytes);
  const end = text.indexOf("\n");
  return { reportPath: text.slice(0, end), report: text.slice(end + 1) };
}

function slotOf(slot: Uint8Array): { number: number; bytes: Uint8Array } | undefined {
  const view = new DataView(slot.buffer, slot.byteOffset, slot.byteLength);
  if (!MAGIC.every((byte, i) => slot[i] === byte)) return undefined;
  const length = view.getUint32(16, true);
  if (HEADER_BYTES + length > slot.length) return undefined;
  const bytes = slot.subarray(HEADER_BYTES, HEADER_BYTES + length);
  if (view.getUint32(20, true) !== fnv(bytes)) return undefined;
  return { number: Number(view.getBigUint64(8, true)), bytes };
}

function fnv(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}
