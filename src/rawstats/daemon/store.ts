/**
 * The raw stats files of one host: `DIR/HOST/current`, also linked as `DIR/HOST/EPOCHSECONDS`.
 *
 * A record group is one write, so that a kill at any byte leaves at most one cut line at the end,
 * which readers skip and the next start removes. When nothing can be written the file is left as it
 * was, the monitor goes on, and the first record that can be written again has a mark `%gap`.
 * @module
 */
import { lockDirectory, storeDirectory } from "./store_directory.ts";
import { parseRawStats, type RawRecord } from "../format/rawstats.ts";

const encoder = new TextEncoder();
/** The end of a file in which its last record is looked for. */
const TAIL_BYTES = 1 << 22;

/** Result of a write. */
export type RawWriteResult = { readonly ok: true } | { readonly ok: false; reason: string };

/** Writes the files of one host. */
export class RawStore {
  readonly directory: string;
  readonly #lock: Disposable;
  /** Time of the last record in the file; NaN: the next record begins a new file. */
  lastUs = NaN;
  /** Was something lost since the last record? Then the next one has the mark. */
  hasGap = false;
  #file: Deno.FsFile | undefined;
  /** Bytes of the file up to our last record. */
  #size = 0;

  /** @throws {AccessError} If the directory cannot be made, or others write there: `storeDirectory`. */
  constructor(dir: string, host: string) {
    this.directory = storeDirectory(dir, host);
    this.#lock = lockDirectory(this.directory);
  }

  get #current(): string {
    return `${this.directory}/current`;
  }

  /**
   * Goes on with the file that an earlier run left, if its header is the same and it is of the same
   * day; else the next record begins a new one.
   *
   * @param header As it would be written now; the file's may have another uptime, of the same boot.
   * @param nowUs Microseconds since the epoch.
   * @throws If the directory cannot be made.
   */
  resume(header: string, nowUs: number, isSameDay: (timeUs: number) => boolean): void {
    Deno.mkdirSync(this.directory, { recursive: true, mode: 0o755 });
    let bytes: Uint8Array;
    try {
      bytes = Deno.readFileSync(this.#current);
    } catch {
      return;
    }
    const end = bytes.lastIndexOf(10) + 1;
    if (end === 0 || headerOf(bytes) !== withoutUptime(header)) return;
    const last = lastRecord(bytes.subarray(0, end));
    if (last === undefined || !isSameDay(last.timeUs)) return;
    // Readers know a boot by the uptime of a header.
    const uptimeS = Number(/^\$uptime (\d+)/m.exec(header)?.[1] ?? NaN);
    if (last.timeUs < nowUs - uptimeS * 1e6) return;
    const file = Deno.openSync(this.#current, { append: true });
    if (end < bytes.length) {
      using cut = Deno.openSync(this.#current, { write: true });
      cut.truncateSync(end);
    }
    this.#file = file;
    this.#size = end;
    this.lastUs = last.timeUs;
    this.hasGap = true;
  }

  /** The next record begins a new file. */
  rotate(): void {
    this.#file?.close();
    this.#file = undefined;
    this.lastUs = NaN;
  }

  /** Will the next record begin a new file? */
  get isNew(): boolean {
    return this.#file === undefined;
  }

  /** Was the file moved, removed or cut under us? Then what is appended to it is lost. */
  get isLost(): boolean {
    if (this.#file === undefined) return false;
    try {
      const [now, ours] = [Deno.statSync(this.#current), this.#file.statSync()];
      return now.ino !== ours.ino || now.dev !== ours.dev || ours.size < this.#size;
    } catch {
      return true;
    }
  }

  /** Appends one record group whole, or nothing. */
  append(record: Uint8Array, timeUs: number): RawWriteResult {
    const file = this.#file!;
    const before = file.statSync().size;
    const failed = writeWhole(file, record);
    if (failed !== undefined) this.#truncate(before);
    else this.#size = before + record.length;
    return this.#result(failed, timeUs);
  }

  /** Begins a new file with its header and first record group. */
  begin(header: string, record: Uint8Array, timeUs: number): RawWriteResult {
    const beside = `${this.directory}/.current.new`;
    try {
      Deno.mkdirSync(this.directory, { recursive: true, mode: 0o755 });
      const file = Deno.openSync(beside, { write: true, create: true, truncate: true });
      const head = encoder.encode(header);
      const whole = new Uint8Array(head.length + record.length);
      whole.set(head);
      whole.set(record, head.length);
      const failed = writeWhole(file, whole);
      file.close();
      if (failed !== undefined) {
        Deno.removeSync(beside);
        return this.#result(failed, timeUs);
      }
      this.#link(beside, Math.floor(timeUs / 1e6));
      Deno.renameSync(beside, this.#current);
      this.#file = Deno.openSync(this.#current, { append: true });
      this.#size = whole.length;
    } catch (error) {
      return this.#result(reasonOf(error), timeUs);
    }
    return this.#result(undefined, timeUs);
  }

  /** @param failed Why the record is not written. */
  #result(failed: string | undefined, timeUs: number): RawWriteResult {
    this.hasGap = failed !== undefined;
    if (failed !== undefined) return { ok: false, reason: failed };
    this.lastUs = timeUs;
    return { ok: true };
  }

  /** The second name; two files of one second get different ones. */
  #link(path: string, seconds: number): void {
    for (let i = 0; i < 100; i++) {
      try {
        Deno.linkSync(path, `${this.directory}/${seconds + i}`);
        return;
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
    }
  }

  #truncate(size: number): void {
    try {
      using file = Deno.openSync(this.#current, { write: true });
      if (file.statSync().size > size) file.truncateSync(size);
    } catch {
      // the next start removes it
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = undefined;
    this.#lock[Symbol.dispose]();
  }
}

/** Why not all was written, or nothing. */
function writeWhole(file: Deno.FsFile, bytes: Uint8Array): string | undefined {
  let done = 0;
  try {
    while (done < bytes.length) {
      const n = file.writeSync(bytes.subarray(done));
      if (n === 0) return "nothing was written";
      done += n;
    }
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}

function withoutUptime(header: string): string {
  return header.replace(/^\$uptime .*\n/m, "");
}

/** The header of a file, without its uptime. */
function headerOf(bytes: Uint8Array): string {
  let end = 0;
  while (end + 1 < bytes.length && !(bytes[end] === 10 && bytes[end + 1] === 10)) end++;
  return withoutUptime(new TextDecoder().decode(bytes.subarray(0, end + 1)));
}

/** The last record of a file that ends in a whole line. */
function lastRecord(bytes: Uint8Array): RawRecord | undefined {
  const from = Math.max(0, bytes.length - TAIL_BYTES);
  return parseRawStats(bytes.subarray(from)).records.at(-1);
}
