/**
 * Files that the user named: reports, traces, recordings, queries.
 *
 * Through libc like everything else: the runtime's own file API refuses /dev/shm, where node-local
 * results of HPC jobs often go, unless the program may do everything.
 * @module
 */
import { grown } from "../core/grow.ts";
import { closeFile, O, openFile, readAt, statPath } from "./files.ts";
import { ERRNO, errno, errorText, isPassing, libc } from "./libc.ts";
import { awaitPipe, SILENT } from "./pipes.ts";
import { pollEntry, POLLOUT } from "./poll.ts";

/** A system call that failed; the message is strerror(3)'s. */
export class OsError extends Error {
  readonly errno: number;
  /** @param what The message. */
  constructor(number: number, what = errorText(number)) {
    super(what);
    this.name = "OsError";
    this.errno = number;
  }
}

/** Is it the error of a file that is not there? */
export function isMissing(error: unknown): boolean {
  return error instanceof OsError &&
    (error.errno === ERRNO.ENOENT || error.errno === ERRNO.ENOTDIR);
}

const S_IFMT = 0o170000, S_IFDIR = 0o040000, S_IFREG = 0o100000, S_IFIFO = 0o010000;
const SEEK_SET = 0;
const CHUNK_BYTES = 65536;
/** Maximum number of bytes that wait for the reader of a pipe. */
const QUEUE_BYTES = 16 << 20;
/** A reader that takes nothing for so long at the end is left behind. */
const READER_MS = 2000;

let waits = true;

/** From now on this process waits for no reader of a pipe: what one does not take is queued. */
export function neverWaitForReaders(): void {
  waits = false;
}

function checked(result: number | bigint): number {
  if (result >= 0) return Number(result);
  const number = errno() || ERRNO.EIO;
  // Nothing interrupts but the bound on calls that block: deadline.ts.
  throw new OsError(number === ERRNO.EINTR ? ERRNO.ETIMEDOUT : number);
}

/** Content of a whole file: text, bytes, or pieces of text that are made one after the other. */
export type Content = string | Uint8Array | Iterable<string>;

const encoder = new TextEncoder();

/** An open file; reads and writes go on where the last one ended. */
export class UserFile implements Disposable {
  #fd: number;
  /** Bytes that the reader of a pipe has not taken yet; `undefined`: writing waits for it. */
  #queue: Uint8Array[] | undefined;
  #queued = 0;
  /** True for a pipe that is left out if it stays silent. */
  #isHurried = false;
  #hasData = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * @param options `waits`: for the writer of a pipe, for ever; else a pipe may be silent for 2 s. @default waits
   * @throws {OsError} If it cannot be opened, is a directory, or a pipe of another user, who may never write.
   */
  static read(path: string, { waits = true } = {}): UserFile {
    const facts = statPath(path), kind = (facts?.mode ?? 0) & S_IFMT;
    if (kind === S_IFDIR) throw new OsError(ERRNO.EISDIR);
    const isFile = kind === S_IFREG;
    if (facts !== undefined && !isFile && !isDescriptor(path)) {
      const isOurs = facts.uid === 0 || facts.uid === libc().geteuid();
      if (!isOurs) throw new OsError(ERRNO.EPERM, otherKind(path));
    }
    // What took a file's name since is not waited for either.
    const isHurried = !waits && kind === S_IFIFO;
    const fd = openFile(path, isFile || isHurried ? O.RDONLY | O.NONBLOCK : O.RDONLY);
    if (fd < 0) throw new OsError(-fd);
    const file = new UserFile(fd);
    file.#isHurried = isHurried;
    return file;
  }

  /**
   * Opens a file whose name no user gave: only a plain file, as a pipe would wait for a writer.
   * @throws {OsError}
   */
  static found(path: string): UserFile {
    const kind = otherKind(path);
    if (kind !== undefined) throw new OsError(ERRNO.EPERM, kind);
    return UserFile.read(path);
  }

  /** Hands over its descriptor: it does not close that any more. */
  release(): number {
    const fd = this.#fd;
    this.#fd = -1;
    return fd;
  }

  /** File of a descriptor, which is closed with it. */
  static of(fd: number): UserFile {
    return new UserFile(fd);
  }

  /**
   * Writes into an existing file: a device, a pipe or a descriptor of ours; nothing is made or emptied.
   *
   * @param open Opens it with these flags: a descriptor, or −errno.
   * @throws {OsError} If it cannot be written, or is a pipe without a reader.
   */
  static into(open: (flags: number) => number): UserFile {
    // Opened like this a pipe without a reader answers at once.
    const first = open(O.WRONLY | O.NONBLOCK);
    if (first < 0) throw new OsError(-first);
    const fd = open(O.WRONLY | O.APPEND | (waits ? 0 : O.NONBLOCK));
    closeFile(first);
    if (fd < 0) throw new OsError(-fd);
    const file = new UserFile(fd);
    if (!waits) file.#queue = [];
    return file;
  }

  /** Bytes read, `null` at the end. @throws {OsError} */
  readSync(into: Uint8Array): number | null {
    const n = this.#isHurried ? this.#readHurried(into) : this.#read(into);
    const read = checked(n);
    return read === 0 && into.length > 0 ? null : read;
  }

  #read(into: Uint8Array): number {
    return Number(libc().read(this.#fd, into as Uint8Array<ArrayBuffer>, BigInt(into.length)));
  }

  #readHurried(into: Uint8Array): number {
    let n = this.#read(into);
    while (n < 0 ? errno() === ERRNO.EAGAIN : n === 0 && !this.#hasData) {
      if (!awaitPipe(this.#fd)) throw new OsError(ERRNO.ETIMEDOUT, SILENT);
      // A writer that came and went without a byte.
      this.#hasData = true;
      n = this.#read(into);
    }
    this.#hasData = true;
    return n;
  }

  /** Fills a stretch from any place, without moving. @throws {OsError} Also if the file ends. */
  readAt(into: Uint8Array, at: number): void {
    for (let got = 0; got < into.length;) {
      const n = checked(readAt(this.#fd, into.subarray(got), at + got));
      if (n === 0) throw new OsError(ERRNO.EIO);
      got += n;
    }
  }

  /** The rest of it. @throws {OsError} */
  readAll(): Uint8Array {
    let bytes = new Uint8Array(CHUNK_BYTES);
    let length = 0;
    for (;;) {
      if (length === bytes.length) bytes = grown(bytes);
      const n = this.readSync(bytes.subarray(length));
      if (n === null) return bytes.subarray(0, length);
      length += n;
    }
  }

  /** The rest of it, chunk by chunk. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      pull: (controller) => {
        const chunk = new Uint8Array(CHUNK_BYTES);
        const n = this.readSync(chunk);
        if (n === null) controller.close();
        else controller.enqueue(chunk.subarray(0, n));
      },
    });
  }

  /** Bytes written, at least one. @throws {OsError} */
  writeSync(bytes: Uint8Array): number {
    return checked(libc().write(this.#fd, bytes as Uint8Array<ArrayBuffer>, BigInt(bytes.length)));
  }

  /** Writes all of it. @throws {OsError} */
  writeAll(bytes: Uint8Array): void {
    if (this.#queue !== undefined) return this.#enqueue(bytes);
    for (let at = 0; at < bytes.length;) at += this.writeSync(bytes.subarray(at));
  }

  /** Writes a whole content, pieces of text one after the other. @throws {OsError} */
  writeContent(content: Content): void {
    if (content instanceof Uint8Array) return this.writeAll(content);
    if (typeof content === "string") return this.writeAll(encoder.encode(content));
    let buffer = new Uint8Array(CHUNK_BYTES);
    let used = 0;
    for (const piece of content) {
      const most = piece.length * 3;
      if (used + most > buffer.length) {
        this.writeAll(buffer.subarray(0, used));
        used = 0;
        if (most > buffer.length) buffer = new Uint8Array(2 * most);
      }
      used += encoder.encodeInto(piece, buffer.subarray(used)).written;
    }
    this.writeAll(buffer.subarray(0, used));
  }

  /** Cuts it to a size and goes on there. @throws {OsError} */
  truncate(size: number): void {
    checked(libc().ftruncate(this.#fd, BigInt(size)));
    checked(libc().lseek(this.#fd, BigInt(size), SEEK_SET));
  }

  /** Waits until it survives a crash of the machine; of a pipe there is nothing to wait for. */
  sync(): void {
    if (libc().fsync(this.#fd) === 0) return;
    const number = errno();
    if (number !== ERRNO.EINVAL && number !== ERRNO.EROFS) throw new OsError(number || ERRNO.EIO);
  }

  /**
   * @throws {OsError} If the reader of a pipe did not take everything, or a file server tells only now that it has
   * no room: close(2).
   */
  close(): void {
    const left = this.#fd < 0 ? 0 : this.#drainToEnd();
    const failed = this.#fd >= 0 && libc().close(this.#fd) !== 0 ? errno() : 0;
    this.#fd = -1;
    if (left > 0) throw new OsError(ERRNO.ETIMEDOUT);
    if (!isPassing(failed)) throw new OsError(failed);
  }

  #enqueue(bytes: Uint8Array): void {
    this.#drain();
    if (this.#queued + bytes.length > QUEUE_BYTES) throw new OsError(ERRNO.ETIMEDOUT);
    this.#queue!.push(bytes.slice());
    this.#queued += bytes.length;
    this.#drain();
  }

  /** Writes what the reader takes now. @throws {OsError} */
  #drain(): void {
    const queue = this.#queue!;
    while (queue.length > 0) {
      const first = queue[0] as Uint8Array<ArrayBuffer>;
      const n = Number(libc().write(this.#fd, first, BigInt(first.length)));
      if (n < 0) {
        const number = errno();
        if (number === ERRNO.EAGAIN || number === ERRNO.EINTR) return;
        throw new OsError(number || ERRNO.EIO);
      }
      this.#queued -= n;
      if (n === first.length) queue.shift();
      else queue[0] = first.subarray(n);
    }
  }

  /** Gives the reader some time. @returns How many bytes it left. */
  #drainToEnd(): number {
    if (this.#queue === undefined) return 0;
    const spec = pollEntry(this.#fd, POLLOUT);
    while (this.#queued > 0) {
      const before = this.#queued;
      if (libc().poll(spec, 1n, READER_MS) === 0) break;
      try {
        this.#drain();
      } catch {
        break; // the reader is gone
      }
      if (this.#queued === before) break;
    }
    return this.#queued;
  }

  [Symbol.dispose](): void {
    this.#queue = undefined;
    closeFile(this.#fd);
    this.#fd = -1;
  }
}

/** Is this a directory? */
export function isDirectory(path: string): boolean {
  const facts = statPath(path);
  return facts !== undefined && (facts.mode & S_IFMT) === S_IFDIR;
}

/** Is this a file, no pipe and no device? Links are followed. */
export function isPlainFile(path: string): boolean {
  const facts = statPath(path);
  return facts !== undefined && (facts.mode & S_IFMT) === S_IFREG;
}

/** Kind and owner of a name that is not a file: `a pipe of user 1000`. */
export function otherKind(path: string): string | undefined {
  const facts = statPath(path);
  const kind = kindOf(facts?.mode ?? S_IFREG);
  return kind === "a file" ? undefined : `${kind} of user ${facts!.uid}`;
}

/** Kind of a file by its mode. */
export function kindOf(mode: number): string {
  const kind = mode & S_IFMT;
  if (kind === S_IFREG) return "a file";
  return kind === S_IFIFO ? "a pipe" : kind === S_IFDIR ? "a directory" : "a device or socket";
}

/** Names of descriptors of this process, for any target. */
const DESCRIPTOR = /^\/dev\/(?:stdout|stderr|stdin|fd\/)|^\/proc\//;

/** Is it the name of something that this process has open? */
export function isDescriptor(path: string): boolean {
  return DESCRIPTOR.test(path);
}

/** The whole text of a file that the user named. @throws {OsError} */
export function readUserText(path: string): string {
  return textOf(UserFile.read(path));
}

/** Text of a file that a command waits for: a pipe may not be silent for 2 s. @throws {OsError} */
export function readTextSoon(path: string): string {
  return textOf(UserFile.read(path, { waits: false }));
}

/** Text of a file whose name no user gave. @throws {OsError} */
export function readFoundText(path: string): string {
  return textOf(UserFile.found(path));
}

function textOf(opened: UserFile): string {
  using file = opened;
  return new TextDecoder().decode(file.readAll());
}
