/**
 * Standard output and error, whole, synchronously.
 *
 * The runtime's own `console` would buffer nothing but also hide short writes; pipes that are
 * closed early end the program quietly, as for any Unix tool.
 * @module
 */

const encoder = new TextEncoder();

function writeAll(to: { writeSync(bytes: Uint8Array): number }, data: string | Uint8Array): void {
  let bytes = typeof data === "string" ? encoder.encode(data) : data;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(to.writeSync(bytes));
    } catch (error) {
      // A terminal or pipe that another process made non-blocking: try again.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    }
  }
}

/** Data. */
export function writeStdout(data: string | Uint8Array): void {
  writeAll(Deno.stdout, data);
}

/** Talk. Nobody listening is no reason to fail. */
export function writeStderr(text: string): void {
  try {
    writeAll(Deno.stderr, text);
  } catch {
    // Standard error is closed: there is nobody left to tell.
  }
}
