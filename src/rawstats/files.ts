/**
 * Raw stats files of many nodes, in order and in pieces: plain or gzip, of any size.
 *
 * @module
 */
import { FormatError, UsageError } from "../core/errors.ts";
import { type RawHandler, RawScanner } from "../formats/rawstats/scanner.ts";

const PIECE_BYTES = 1 << 20;
/** A header with all 55 types has 12 kB. */
const PEEK_BYTES = 1 << 18;

/** A file, and what its beginning says. */
export interface RawFile {
  readonly path: string;
  readonly host: string;
  /** Microseconds since the epoch of its first record; NaN where it has none. */
  readonly firstUs: number;
  /** As it lies there, packed or not. */
  readonly bytes: number;
}

/**
 * Finds out whose files these are; by host, then by time. A file given under two names, as the
 * monitor's `current` and its hard link are, is read once.
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
    files.push({ ...await lookAt(path), bytes: size });
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

async function lookAt(path: string): Promise<Omit<RawFile, "bytes">> {
  let host = "";
  let firstUs = NaN;
  const scanner = new RawScanner(path, {
    property(name, value) {
      if (name === "hostname") host = value;
    },
    record(head) {
      if (firstUs === firstUs) return;
      firstUs = head.timeUs;
      if (host === "") host = head.host;
    },
    error() {},
  });
  await readPieces(path, (piece) => {
    scanner.push(piece);
    return firstUs !== firstUs;
  }, PEEK_BYTES);
  return { path, host: host === "" ? "unknown" : host, firstUs };
}

/**
 * Reads one file through a scanner.
 *
 * @throws {UsageError} If it cannot be opened.
 */
export async function scanRawFile(path: string, handler: RawHandler): Promise<void> {
  const scanner = new RawScanner(path, handler);
  try {
    await readPieces(path, (piece) => {
      scanner.push(piece);
      return true;
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // A gzip file that ends early: what came out of it counts.
    const found = error instanceof Error ? error.message : String(error);
    handler.error(new FormatError(path, 0, { action: "read", expected: "whole gzip data", found }));
  }
  scanner.end();
}

/** One buffer for one file after the other: a thousand of them are slow to be collected. */
let spare: Uint8Array<ArrayBuffer> | undefined;

/** Hands a file over in pieces until the taker has enough or a limit is reached. */
async function readPieces(
  path: string,
  take: (piece: Uint8Array) => boolean,
  limit = Infinity,
): Promise<void> {
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
    await pass(opened, piece, take, limit);
  } finally {
    spare = piece;
  }
}

async function pass(
  opened: Deno.FsFile,
  piece: Uint8Array<ArrayBuffer>,
  take: (piece: Uint8Array) => boolean,
  limit: number,
): Promise<void> {
  let done = 0;
  const n = opened.readSync(piece) ?? 0;
  if (n >= 2 && piece[0] === 0x1f && piece[1] === 0x8b) {
    opened.seekSync(0, Deno.SeekMode.Start);
    await inflate(opened, (bytes) => take(bytes) && (done += bytes.length) < limit);
    return;
  }
  for (let k: number | null = n; k !== null && k > 0; k = opened.readSync(piece)) {
    if (!take(piece.subarray(0, k)) || (done += k) >= limit) return;
  }
}

async function inflate(file: Deno.FsFile, take: (bytes: Uint8Array) => boolean): Promise<void> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const bytes = new Uint8Array(PIECE_BYTES >> 2);
      const n = file.readSync(bytes);
      if (n === null) controller.close();
      else controller.enqueue(bytes.subarray(0, n));
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!take(value)) {
      await reader.cancel();
      return;
    }
  }
}

/**
 * A whole file, unpacked.
 *
 * @throws {UsageError} If it cannot be read.
 */
export async function readWholeRawFile(path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  await readPieces(path, (piece) => pieces.push(piece.slice()) > 0);
  const whole = new Uint8Array(pieces.reduce((n, piece) => n + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
