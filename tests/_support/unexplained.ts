/** Which keys of a report `joulemark explain` does not know. */
import { VERBS } from "../../src/cli/all.ts";
import { allEntries, entriesFor } from "../../src/cli/explanations/entries.ts";

const entries = allEntries(await Promise.all(VERBS.map((entry) => entry.load())));
/** Below these, names of the program or of the machine. */
const NAMED =
  /^( {2}\w[^ ]*|.*across hosts: Regions: [^:]+|.*(sources|mistakes|notes|refused calls|visits out of order): .*)$/;

/** Keys that have no explanation as a field or signal, with the keys around them. */
export function unexplained(report: string): string[] {
  const bad = new Set<string>(), around: string[] = [];
  for (const line of report.split("\n")) {
    // An item of a list is as deep as its keys.
    const [, blanks, key] = /^( *)"?([^":]+)"?:( |$)/.exec(line.replace(/^( *)- (?=\S)/, "$1  ")) ??
      [];
    if (key === undefined) continue;
    around.length = blanks.length;
    around[blanks.length] = key;
    if (around[0] === "Hosts" && blanks.length === 2) continue;
    const path = around.filter((one) => one !== undefined).join(": ");
    if (NAMED.test(path)) continue;
    const known = entriesFor(key.replace(/@\w+-\d+$/, ""), entries);
    if (!known.some(({ kind }) => kind === "field" || kind === "signal")) bad.add(path);
  }
  return [...bad];
}
