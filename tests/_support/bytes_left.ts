/**
 * Bytes that a call leaves behind, the minimum of several rounds without a collection.
 *
 * @module
 */

/** Calls it often. */
export function bytesLeft(action: () => void, calls = 5000): number {
  for (let k = 0; k < 6 * calls; k++) action();
  const rounds = Array.from({ length: 10 }, () => {
    const before = Deno.memoryUsage().heapUsed;
    for (let k = 0; k < calls; k++) action();
    return (Deno.memoryUsage().heapUsed - before) / calls;
  });
  return Math.min(...rounds.filter((bytes) => bytes >= 0));
}
