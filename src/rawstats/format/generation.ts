/**
 * The generation of a raw stats file, by the first line of its header.
 *
 * @module
 */
import { FormatError } from "../../core/errors.ts";

/** The first generation with other rows, names and units. */
const NEXT_MAJOR = 3;

/**
 * Why a file cannot be read: rows of hpcperfstats 3 have tiers, and its energies another unit.
 *
 * @param path The file.
 * @param name Name of a property, and its value.
 * @returns Nothing for older generations, and for other properties.
 */
export function nextGeneration(path: string, name: string, value: string): FormatError | undefined {
  if (name !== "hpcperfstats" && name !== "tacc_stats") return undefined;
  if (!(Number.parseInt(value) >= NEXT_MAJOR)) return undefined;
  return new FormatError(path, 1, {
    action: "read",
    expected: "raw stats of version 1.0 to 2.3.5",
    found: `${name} ${value.trim()}, which this version does not read`,
    remedy: "leave the file out",
  });
}
