/**
 * Places of the separate debug file of a program or library: by its build id, or by the name and the checksum in its
 * section .gnu_debuglink. Truth: GDB's manual, "Separate Debug Files".
 * @module
 */
import { crc32 } from "../core/hash.ts";
import { type ElfFile, piece, type ReadAt, textAt, viewOf } from "./elf.ts";

/** Directory with the debug files of the system's packages. */
export const SYSTEM_DEBUG = "/usr/lib/debug";
const LINK_MOST = 4096;
/** Bytes that are read at once, and the largest file whose checksum is computed. */
const CHUNK_BYTES = 1 << 18, SUMMED_MOST = 1 << 28;

/** The name of a debug file, and its CRC-32. */
export interface DebugLink {
  readonly name: string;
  readonly sum: number;
}

/** The section .gnu_debuglink of a file; `undefined`: it has none. */
export function debugLinkOf({ sections }: ElfFile, read: ReadAt): DebugLink | undefined {
  const section = sections.find(({ name }) => name === ".gnu_debuglink");
  if (section === undefined || section.size > LINK_MOST) return undefined;
  const bytes = piece(read, section.offset, section.size), name = textAt(bytes, 0);
  const at = Math.ceil((name.length + 1) / 4) * 4;
  if (!/^[^/]+$/.test(name) || at + 4 > bytes.length) return undefined;
  return { name, sum: viewOf(bytes).getUint32(at, true) };
}

/** Paths where the debug file of a module may be, those of the user's directories first. */
export function debugPaths(
  { path, buildId }: { readonly path: string; readonly buildId: string },
  name: string | undefined,
  directories: readonly string[],
): string[] {
  const all = [...directories, SYSTEM_DEBUG], folder = path.slice(0, path.lastIndexOf("/"));
  const byId = buildId.length < 4
    ? []
    : all.map((one) => `${one}/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`);
  if (name === undefined) return byId;
  return [
    ...byId,
    ...directories.map((one) => `${one}/${name}`),
    ...[`${folder}/${name}`, `${folder}/.debug/${name}`, `${SYSTEM_DEBUG}${folder}/${name}`],
  ];
}

/** Has a file this CRC-32? */
export function hasSum(read: ReadAt, sum: number): boolean {
  let found = 0;
  for (let at = 0; at < SUMMED_MOST; at += CHUNK_BYTES) {
    const bytes = read(at, CHUNK_BYTES);
    found = crc32(bytes, found);
    if (bytes.length < CHUNK_BYTES) break;
  }
  return found === sum;
}
