/**
 * For comparisons of two clocks: a machine that takes the CPU away between the program's look at its
 * clock and ours makes them differ by that much, whoever is right. What is wrong is wrong each time.
 * @module
 */

/** Runs the body until it passes. @throws What the last try threw. */
export function bestOf(tries: number, body: () => void): void {
  for (let left = tries; left > 1; left--) {
    try {
      return body();
    } catch {
      // Once more.
    }
  }
  body();
}
