/**
 * Compressions that are not read here, by the first bytes of a file.
 *
 * @module
 */
import { UsageError } from "../../core/errors.ts";

const FORMATS: readonly (readonly [name: string, program: string, ...magic: number[]])[] = [
  ["xz", "xz -dc", 0xfd, 0x37, 0x7a, 0x58, 0x5a],
  ["zstd", "zstd -dc", 0x28, 0xb5, 0x2f, 0xfd],
  ["bzip2", "bzip2 -dc", 0x42, 0x5a, 0x68],
  ["lz4", "lz4 -dc", 0x04, 0x22, 0x4d, 0x18],
  ["compress", "gzip -dc", 0x1f, 0x9d],
  ["zip", "unzip -p", 0x50, 0x4b, 0x03, 0x04],
];

/** @throws {UsageError} If a file that begins so is packed in a way that is not read here. */
export function refusePacked(path: string, head: Uint8Array): void {
  const found = FORMATS.find(([, , ...magic]) => magic.every((byte, i) => head[i] === byte));
  if (found === undefined) return;
  const [name, program] = found;
  throw new UsageError({
    action: "read",
    target: path,
    expected: "raw stats, plain or gzip",
    found: `data compressed by ${name}`,
    remedy: `read it with: ${program} ${path} | joulemark stats -`,
  });
}
