/**
 * Raw stats files of many nodes, in order and in pieces: plain or gzip, of any size.
 *
 * @module
 */
import { FormatError, UsageError } from "../core/errors.ts";
import { type RawHandler, RawScanner } from "../formats/rawstats/scanner.ts";
import { RawOutline, type RawPart } from "./outline.ts";

const PIECE_BYTES = 1 << 20;
/** gzip makes a thousand bytes of one, and the runtime's stream gives all of a piece at once. */
const PACKED_PIECE_BYTES = 1 << 14;
/** What of a damaged piece came out before the damage is lost: small ones. */
const MEMBER_PIECE_BYTES = 1 << 10;

/** What one host has in one file. */
export interface RawFile extends Partial<RawPart> {
  readonly path: string;
  readonly host: string;
  /** Microseconds since the epoch of its first record; NaN where it has none. */
  readonly firstUs: number;
  /** As stored, packed or not. */
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
    const { dev, ino, size } = Deno.statSync(path);
    if (ino !== null && seen.has(`${dev}:${ino}`)) continue;
    seen.add(`${dev}:${ino}`);
    const parts = await lookAt(path);
    for (const part of parts) {
      const bytes = parts.length === 1 ? size : Math.min(part.to, size) - Math.min(part.from, size);
      files.push({ ...part, path, bytes });
    }
  }
  return files.sort((a, b) =>
    a.host !== b.host ? (a.host < b.host ? -1 : 1) : (a.firstUs || 0) - (b.firstUs || 0)
  );
}

/** A directory stands for the files in it and below. */
function expand(path: string): string[] {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (!info.isDirectory) return [path];
  return [...Deno.readDirSync(path)]
    .filter((entry) => !entry.name.startsWith("."))
    .map((entry) => `${path}/${entry.name}`).sort().flatMap(expand);
}

function unreadable(path: string, cause: unknown): UsageError {
  const found = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  return new UsageError({
    action: "read",
    target: path,
    expected: "a raw stats file",
    found,
    cause,
  });
}

async function lookAt(path: string): Promise<RawPart[]> {
  const outline = new RawOutline();
  try {
    for await (const piece of readPieces(path)) outline.push(piece);
  } catch (error) {
    // Errors in a gzip file are logged when it is read.
    if (error instanceof UsageError) throw error;
  }
  return outline.end();
}

/**
 * Reads one file through a scanner.
 *
 * @throws {UsageError} If it cannot be opened.
 */
export async function scanRawFile(file: RawFile, handler: RawHandler): Promise<void> {
  const scanner = new RawScanner(file.path, handler);
  for await (const piece of piecesFor(scanner, file, handler)) scanner.push(piece);
  scanner.end();
}

/** The pieces of a file that its scanner is to get, the scanner gets their offsets. */
export async function* piecesFor(
  scanner: RawScanner,
  { path, from = 0, to, linesAbove = 0, header }: RawFile,
  handler: RawHandler,
): AsyncGenerator<Uint8Array> {
  try {
    if (header !== undefined) {
      scanner.linesAbove(header.linesAbove);
      yield* readPieces(path, header);
    }
    scanner.linesAbove(linesAbove);
    yield* readPieces(path, { from, to: to ?? Infinity });
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
    if (n >= 2 && piece[0] === 0x1f && piece[1] === 0x8b) {
      opened.seekSync(0, Deno.SeekMode.Start);
      yield* cut(inflate(opened), span);
    } else if (span.from === 0) yield* cut(plain(opened, piece, n), span);
    else {
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
 * What a gzip file holds. One of several members, as `cat` makes of several files, is read on where the
 * runtime's own stream gives up behind the first.
 */
async function* inflate(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
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
async function* inflateOne(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
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
async function* inflateAll(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
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
