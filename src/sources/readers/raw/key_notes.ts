/** Notes on keys for readers of raw stats, by type and key; `*` stands for all keys of a type. */
const DIPS = "may step back a little between two records: that is no reset";

/** Notes by `TYPE:KEY`. */
const NOTES: Readonly<Record<string, string>> = {
  "llite:read_bytes": "counts bytes that were requested, not those that were returned: too high",
  "cpu:iowait": DIPS,
  "numa:*": DIPS,
};

/** The note of a key; `undefined`: there is none. */
export function keyNote(type: string, key: string): string | undefined {
  return NOTES[`${type}:${key}`] ?? NOTES[`${type}:*`];
}
