/** Notes on keys for readers of raw stats, by type and key; `*` stands for all keys of a type. */
const DIPS = "the value may decrease slightly between two records. Such a decrease is not a reset";

/** Notes by `TYPE:KEY`. */
const NOTES: Readonly<Record<string, string>> = {
  "llite:read_bytes":
    "the value may be too high: it counts the bytes that programs requested, not the bytes " +
    "that they got",
  "cpu:iowait": DIPS,
  "numa:*": DIPS,
};

/** The note of a key; `undefined`: there is none. */
export function keyNote(type: string, key: string): string | undefined {
  return NOTES[`${type}:${key}`] ?? NOTES[`${type}:*`];
}
