/**
 * Texts as names: of files, in lists, in order.
 * @module
 */

/** A text as a file name: short, and nothing but letters, digits, dots and dashes. */
export function asFileName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9.-]/g, "_");
  return plain.length <= 100 ? plain : `${plain.slice(0, 80)}-${checksum(text)}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A short checksum that distinguishes long names (FNV-1a, 32 bits). */
export function checksum(text: string): string {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) h = Math.imul(h ^ byte, 0x01000193);
  return (h >>> 0).toString(16).padStart(8, "0");
}

/** Order of texts by their code units, the same in every locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names between commas, without blanks around them; none if nothing is given. */
export function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").map((word) => word.trim()).filter((word) => word !== "");
}
