/**
 * The text of each host in a report, unchanged: what is not changed is not printed again.
 * @module
 */

const HOSTS = "\nHosts:\n";

/** Texts of the hosts in the order of the file, each with its heading, ending in LF. */
export function hostTexts(text: string): string[] {
  const start = text.indexOf(HOSTS) + HOSTS.length;
  const from: number[] = [];
  let end = text.length;
  for (let at = start; at < text.length;) {
    // A heading is two blanks deep, everything of its host deeper.
    if (text.charCodeAt(at) !== 32) {
      end = at;
      break;
    }
    if (text.charCodeAt(at + 2) !== 32) from.push(at);
    const next = text.indexOf("\n", at);
    if (next < 0) break;
    at = next + 1;
  }
  return from.map((at, i) => text.slice(at, from[i + 1] ?? end));
}
