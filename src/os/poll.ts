/**
 * Events that poll(2) waits for.
 *
 * @module
 */

/** There is something to read, or room to write. */
export const POLLIN = 1, POLLOUT = 4;

/** struct pollfd of one descriptor: its number, events, results. */
export function pollEntry(fd: number, events = POLLIN): Uint8Array<ArrayBuffer> {
  const entry = new DataView(new ArrayBuffer(8));
  entry.setInt32(0, fd, true);
  entry.setInt16(4, events, true);
  return new Uint8Array(entry.buffer);
}
