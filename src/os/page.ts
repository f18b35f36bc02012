/**
 * Pages of memory: getauxval(3).
 * @module
 */
import { libc } from "./libc.ts";

const AT_PAGESZ = 6n;

/** Bytes of a page: 4 KiB, on aarch64 also 16 or 64 KiB. */
export function pageBytes(): number {
  return Number(libc().getauxval(AT_PAGESZ));
}
