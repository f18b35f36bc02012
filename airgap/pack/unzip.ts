/**
 * One file of a zip archive, as Deno's base runtime comes: stored or deflated, found by the central
 * directory at the end (PKWARE's APPNOTE.TXT, 4.3: end record 0x06054b50, entries 0x02014b50).
 */
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** @throws {Error} If the archive is none, or has no such file. */
export async function unzip(archive: Uint8Array, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error("Cannot unzip: expected a zip archive, found something else");
  let at = view.getUint32(end + 16, true);
  for (let n = view.getUint16(end + 10, true); n > 0; n--) {
    if (view.getUint32(at, true) !== ENTRY) break;
    const [nameSize, extra, comment] = [28, 30, 32].map((field) =>
      view.getUint16(at + field, true)
    );
    const found = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + nameSize));
    if (found === name) {
      const header = view.getUint32(at + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) +
        view.getUint16(header + 28, true);
      const bytes = new Uint8Array(archive.subarray(start, start + view.getUint32(at + 20, true)));
      if (view.getUint16(at + 10, true) !== DEFLATED) return bytes;
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    }
    at += 46 + nameSize + extra + comment;
  }
  throw new Error(`Cannot unzip: expected a file "${name}" in the archive, found none`);
}
