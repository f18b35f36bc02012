/**
 * A tree of files in a directory of our own, kept up to date in place: where the simulated node
 * writes.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import { closeFile, O, openFile } from "../../os/files.ts";
import { cString, errno, errorText, libc } from "../../os/libc.ts";
import type { TreeWriter } from "./tree_writer.ts";

const encoder = new TextEncoder();

/** A file that stays open: it is patched, or only root may open it again by its mode. */
interface Kept {
  readonly fd: number;
  readonly path: string;
  size: bigint;
}

/** The owner's right to write, of a file's mode. */
const OWNER_WRITE = 0o200;

/** Sizes and offsets as the bigints that the fast call path needs, made once. */
const WHOLE: bigint[] = [];

/** Writes the tree into a directory. */
export class DirectoryTreeWriter implements TreeWriter, Disposable {
  readonly #root: string;
  readonly #kept = new Map<string, Kept>();
  readonly #made = new Set<string>();

  /** @param root An existing directory. */
  constructor(root: string) {
    this.#root = root.replace(/\/+$/, "");
  }

  /** @throws {AccessError} If it cannot be written. */
  put(path: string, content: string | Uint8Array, mode = 0o644): void {
    const name = this.#root + path;
    this.#makeParents(path);
    this.#forget(path);
    const beside = `${name}.new`;
    const fd = openFile(beside, O.RDWR | O.CREAT | O.TRUNC | O.NOFOLLOW, mode);
    if (fd < 0) throw refused(name, -fd);
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    const n = libc().write(fd, bytes as Uint8Array<ArrayBuffer>, BigInt(bytes.length));
    if (n !== BigInt(bytes.length) || libc().rename(cString(beside), cString(name)) !== 0) {
      const number = errno();
      closeFile(fd);
      throw refused(name, number);
    }
    // The mode counts only at opening the file; a plain user could not open it to patch it.
    if ((mode & OWNER_WRITE) === 0) this.#keep(path, fd);
    else closeFile(fd);
  }

  /** @throws {AccessError} If it cannot be written, also when the file system is full. */
  patch(path: string, offset: number, bytes: Uint8Array, end = false): void {
    const kept = this.#kept.get(path) ?? this.#open(path);
    const length = whole(bytes.length);
    const n = libc().pwriteAt(kept.fd, bytes as Uint8Array<ArrayBuffer>, length, whole(offset));
    if (n !== length) throw refused(kept.path, errno());
    if (!end) return;
    const size = whole(offset + bytes.length);
    if (size < kept.size) libc().ftruncate(kept.fd, size);
    kept.size = size;
  }

  /** Closes all files; the tree stays. */
  [Symbol.dispose](): void {
    for (const { fd } of this.#kept.values()) closeFile(fd);
    this.#kept.clear();
  }

  #open(path: string): Kept {
    const name = this.#root + path;
    const fd = openFile(name, O.RDWR | O.NOFOLLOW);
    if (fd < 0) throw refused(name, -fd);
    return this.#keep(path, fd);
  }

  #keep(path: string, fd: number): Kept {
    const kept = { fd, path: this.#root + path, size: BigInt(Number.MAX_SAFE_INTEGER) };
    this.#kept.set(path, kept);
    return kept;
  }

  #forget(path: string): void {
    const kept = this.#kept.get(path);
    if (kept === undefined) return;
    closeFile(kept.fd);
    this.#kept.delete(path);
  }

  #makeParents(path: string): void {
    for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
      const directory = path.slice(0, at);
      if (this.#made.has(directory)) continue;
      this.#made.add(directory);
      // An existing one is no error.
      libc().mkdir(cString(this.#root + directory), 0o755);
    }
  }
}

function whole(n: number): bigint {
  return WHOLE[n] ??= BigInt(n);
}

function refused(path: string, number: number): AccessError {
  return new AccessError({
    action: "write",
    target: path,
    found: errorText(number),
  });
}
