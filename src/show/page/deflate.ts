/**
 * Compression of a page's data. It is loaded when a page is asked for, since each start would pay for it.
 * @module
 */

let deflateRaw: ((bytes: Uint8Array) => Uint8Array) | undefined;

/** Loads it; to be called before `deflated`. */
export async function loadDeflate(): Promise<void> {
  const { deflateRawSync } = await import("node:zlib");
  deflateRaw = (bytes) => deflateRawSync(bytes, { level: 9 });
}

/** Raw deflate of a text as base64; `undefined`: it was not loaded. */
export function deflated(text: string): string | undefined {
  return deflateRaw?.(new TextEncoder().encode(text)).toBase64();
}
