/**
 * Raw stats files of many nodes, in order and in pieces: plain, gzip or tar, of any size; pipes too.
 *
 * @module
 */
import { FormatError, UsageError } from "../../core/errors.ts";
import { type RawHandler, RawScanner } from "../format/scanner.ts";
import type { SeenTimes } from "../format/seen_times.ts";
import { UserFile } from "../../os/user_file.ts";
import { RawOutline, type RawPart } from "./outline.ts";
import { refusePacked } from "./packed.ts";
import { isTar, TarReader } from "./untar.ts";

const PIECE_BYTES = 1 << 20;
/** gzip makes a thousand bytes of one, and the runtime's stream gives all of a piece at once. */
const PACKED_PIECE_BYTES = 1 << 14;
/**
 * Size of the pieces in which a damaged file is unpacked: small ones lose less before the damage.
 */
const MEMBER_PIECE_BYTES = 1 << 10;

/** Part of one host in one file. */
export interface RawFile extends RawPart {
  readonly path: string;
  /** Size as stored, packed or not. */
  readonly bytes: number;
}

/**
 * Finds out whose records these are; by host, then by time, then as given. A file given under two
 * names, as the monitor's `current` and its hard link are, is read once; files that were joined by
 * `cat` are taken as the files that they were.
 *
 * @throws {UsageError} If one cannot be read.
 */
export async function lookAtRawFiles(paths: readonly string[]): Promise<RawFile[]> {
  const files: RawFile[] = [];
  const seen = new Set<string>();
  for (const path of paths.flatMap(expand)) {
    const size = pipes.get(path)?.length ?? sizeOf(path, seen);
    if (size === undefined) continue;
    const parts = await lookAt(path);
    for (const part of parts) {
      const bytes = parts.length === 1 ? size : Math.min(part.to, size) - Math.min(part.from, size);
      files.push({ ...part, path, bytes });
    }
  }
  return withWholeNames(files).sort((a, b) =>
    a.host !== b.host ? (a.host < b.host ? -1 : 1) : (a.firstUs || 0) - (b.firstUs || 0)
  );
}

/** Bytes of a file; `undefined` for a file that was seen under another name. */
function sizeOf(path: string, seen: Set<string>): number | undefined {
  const { dev, ino, size } = Deno.statSync(path);
  const isKnown = ino !== null && seen.has(`${dev}:${ino}`);
  seen.add(`${dev}:${ino}`);
  return isKnown ? undefined : size;
}

/** A host that occurs with one domain and without any is one host. */
function withWholeNames(files: readonly RawFile[]): RawFile[] {
  const hosts = new Set(files.map(({ host }) => host));
  const wholeName = (short: string) => {
    const longer = [...hosts].filter((host) => host.startsWith(`${short}.`));
    const [longest = short] = longer.sort((a, b) => b.length - a.length);
    return longer.every((host) => `${longest}.`.startsWith(`${host}.`)) ? longest : short;
  };
  const names = new Map([...hosts].map((host) => [host, wholeName(host)]));
  return files.map((file) => ({ ...file, host: names.get(file.host)! }));
}

/** Content of pipes: they can be read only once. */
const pipes = new Map<string, Uint8Array>();
const STDIN = "-";
const MAX_PIPE_BYTES = 512 << 20;

/** @throws {UsageError} If it is too long for memory. */
function readPipe(path: string): void {
  const pieces: Uint8Array[] = [];
  let length = 0;
  using file = path === STDIN ? undefined : UserFile.read(path);
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    const n = file === undefined ? Deno.stdin.readSync(piece) : file.readSync(piece);
    if (n === null || n === 0) break;
    pieces.push(piece.subarray(0, n));
    length += n;
    if (length > MAX_PIPE_BYTES) {
      throw unreadable(path, new Error(`a pipe of more than ${MAX_PIPE_BYTES} bytes; take a file`));
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  pipes.set(path, all);
}

/** Are there inputs that another process cannot read? */
export function hasPipes(): boolean {
  return pipes.size > 0;
}

/** A directory stands for the files in it and below. */
function expand(path: string): string[] {
  if (pipes.has(path)) return [path];
  let info: Deno.FileInfo;
  try {
    if (path === STDIN || path.startsWith("/dev/")) {
      readPipe(path);
      return [path];
    }
    info = Deno.statSync(path);
    if (info.isFifo) readPipe(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadable(path, error);
  }
  if (!info.isDirectory) return [path];
  return [...Deno.readDirSync(path)]
    .filter((entry) => !entry.name.startsWith("."))
    .map((entry) => `${path}/${entry.name}`).sort().flatMap(expand);
}

function unreadable(path: string, cause: unknown): UsageError {
  const text = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  // Deno opens no memory of processes and the like.
  const isForbidden = cause instanceof Deno.errors.NotCapable;
  const found = isForbidden ? "permission denied" : text.replace(/ \(os error.*$/, "");
  return new UsageError({ action: "read", target: path, found, cause });
}

async function lookAt(path: string): Promise<RawPart[]> {
  const outline = new RawOutline(path);
  try {
    for await (const piece of readPieces(path)) outline.push(piece);
  } catch (error) {
    // Errors in a gzip file are logged when it is read.
    if (error instanceof UsageError) throw error;
  }
  if (outline.refusal !== undefined) throw outline.refusal;
  return outline.end();
}

/**
 * Reads one file through a scanner.
 *
 * @param seen Times of the host's records that were read: each counts once.
 * @throws {UsageError} If it cannot be opened.
 */
export async function scanRawFile(
  file: RawFile,
  handler: RawHandler,
  seen: SeenTimes,
): Promise<void> {
  const scanner = new RawScanner(file.path, handler, () => seen);
  for await (const piece of piecesFor(scanner, file, handler)) scanner.push(piece);
  scanner.end();
}

/** The pieces of a file that its scanner is to get, the scanner gets their offsets. */
export async function* piecesFor(
  scanner: RawScanner,
  { path, from, to, linesAbove, header }: RawFile,
  handler: RawHandler,
): AsyncGenerator<Uint8Array> {
  try {
    if (header !== undefined) {
      scanner.linesAbove(header.linesAbove);
      yield* readPieces(path, header);
      scanner.skipUptime();
    }
    scanner.linesAbove(linesAbove);
    yield* readPieces(path, { from, to });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // A gzip file that ends early: what came out of it counts.
    scanner.unreadable();
    const found = error instanceof Error ? error.message : String(error);
    handler.error(new FormatError(path, 0, { action: "read", expected: "whole gzip data", found }));
  }
}

/** One buffer for one file after the other: a thousand of them are slow to be collected. */
let spare: Uint8Array<ArrayBuffer> | undefined;

const WHOLE = { from: 0, to: Infinity };

/** The pieces of a file, or of a part of it; each is valid until the next one. */
async function* readPieces(
  path: string,
  span: { readonly from: number; readonly to: number } = WHOLE,
): AsyncGenerator<Uint8Array> {
  const bytes = pipes.get(path);
  if (bytes !== undefined) {
    yield* cut(unpacked(path, bytes), span);
    return;
  }
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  using opened = file;
  const piece = spare ?? new Uint8Array(PIECE_BYTES);
  spare = undefined;
  try {
    const n = opened.readSync(piece) ?? 0;
    refusePacked(path, piece.subarray(0, n));
    if (isGzip(piece)) {
      opened.seekSync(0, Deno.SeekMode.Start);
      yield* cut(maybeTar(inflate(opened)), span);
    } else if (span.from === 0 || isTar(piece.subarray(0, n))) {
      yield* cut(maybeTar(plain(opened, piece, n)), span);
    } else {
      opened.seekSync(span.from, Deno.SeekMode.Start);
      yield* cut(plain(opened, piece, opened.readSync(piece) ?? 0), {
        from: 0,
        to: span.to - span.from,
      });
    }
  } finally {
    spare = piece;
  }
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** The text of bytes that are in memory. */
async function* unpacked(path: string, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  refusePacked(path, bytes);
  if (!isGzip(bytes)) yield* maybeTar([bytes]);
  else yield* maybeTar(inflate(new BytesFile(bytes)));
}

/** The files of an archive; anything else as it is. */
async function* maybeTar(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let archive: TarReader | undefined;
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst && isTar(piece)) archive = new TarReader();
    isFirst = false;
    if (archive === undefined) yield piece;
    else yield* archive.push(piece);
  }
}

/** Bytes in memory, read as a file is. */
class BytesFile {
  #at = 0;

  constructor(readonly bytes: Uint8Array) {}

  readSync(into: Uint8Array): number | null {
    const piece = this.bytes.subarray(this.#at, this.#at + into.length);
    into.set(piece);
    this.#at += piece.length;
    return piece.length === 0 ? null : piece.length;
  }

  seekSync(offset: number): number {
    return this.#at = offset;
  }
}

/** Source that a packed file is read through. */
type PackedFile = Pick<Deno.FsFile, "readSync" | "seekSync"> | BytesFile;

function* plain(
  opened: Deno.FsFile,
  piece: Uint8Array<ArrayBuffer>,
  first: number,
): Generator<Uint8Array> {
  for (let k: number | null = first; k !== null && k > 0; k = opened.readSync(piece)) {
    yield piece.subarray(0, k);
  }
}

/** The part of the pieces inside the span. */
async function* cut(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of pieces) {
    const [first, last] = [Math.max(from - at, 0), Math.min(to - at, piece.length)];
    if (first < last) yield piece.subarray(first, last);
    at += piece.length;
    if (at >= to) return;
  }
}

/**
 * Content of a gzip file. If it has several members, as `cat` makes from several files, reading
 * goes on after the first, if the runtime's own stream gives up.
 */
async function* inflate(file: PackedFile): AsyncGenerator<Uint8Array> {
  let given = 0;
  try {
    for await (const piece of inflateOne(file)) {
      given += piece.length;
      yield piece;
    }
  } catch (error) {
    file.seekSync(0, Deno.SeekMode.Start);
    try {
      yield* cut(inflateAll(file), { from: given, to: Infinity });
    } catch {
      throw error;
    }
  }
}

/** The only member; whatever stands behind it is an error. */
async function* inflateOne(file: PackedFile): AsyncGenerator<Uint8Array> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const bytes = new Uint8Array(PACKED_PIECE_BYTES);
      const n = file.readSync(bytes);
      if (n === null) controller.close();
      else controller.enqueue(bytes.subarray(0, n));
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => {});
  }
}

/** All members, as far as they are whole; slower to begin with. */
async function* inflateAll(file: PackedFile): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import("node:zlib");
  const all = createGunzip();
  const ready: Uint8Array[] = [];
  let failure: Error | undefined;
  all.on("data", (piece: Uint8Array) => void ready.push(piece));
  all.on("error", (error: Error) => failure ??= error);
  for (let isOver = false; !isOver;) {
    const bytes = new Uint8Array(MEMBER_PIECE_BYTES);
    const n = file.readSync(bytes);
    isOver = n === null;
    await new Promise<void>((resolve) => {
      if (n !== null) all.write(bytes.subarray(0, n), () => resolve());
      else {
        all.on("close", resolve);
        all.end();
      }
    });
    yield* ready.splice(0);
    if (failure !== undefined) throw failure;
  }
}
