/**
 * Target to which a simulated node writes its tree.
 * @module
 */

/** Paths are absolute and as on a real machine. */
export interface TreeWriter {
  /** Makes or replaces a file. @param mode Permission bits. @default 0o644 */
  put(path: string, content: string | Uint8Array, mode?: number): void;
  /**
   * Overwrites bytes of a file in place.
   *
   * @param end The file ends behind them. @default false
   */
  patch(path: string, offset: number, bytes: Uint8Array, end?: boolean): void;
}

/** Keeps nothing: for simulations whose counters are asked directly. */
export const NO_TREE: TreeWriter = { put() {}, patch() {} };

/** Makes files of a directory, a line each. */
export function putLines(
  writer: TreeWriter,
  directory: string,
  lines: Readonly<Record<string, string | number>>,
): void {
  for (const [name, line] of Object.entries(lines)) writer.put(`${directory}/${name}`, `${line}\n`);
}
