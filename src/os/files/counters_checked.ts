/**
 * Results of `joulemark doctor --energy` on this node, kept for later reports: one JSON document of
 * the user's, `$XDG_STATE_HOME/joulemark/counters-HOST.json`, else below `~/.local/state`.
 *
 *   {"simulated": false, "tried at": "2026-…", "seconds": 30, "counters": [{"counter": "package", …}]}
 * @module
 */
import type { Nested } from "../../core/report.ts";
import { ownHostName } from "../host_name.ts";
import { makeDirectories } from "../output_place.ts";
import { readFoundText } from "../user_file.ts";
import { writeDocument } from "./whole_file.ts";

const MAX_CHARACTERS = 65_536;

/** Path of the document for this node; `undefined`: this user has no home. */
export function countersCheckedPath(
  env: (name: string) => string | undefined,
): string | undefined {
  const host = ownHostName();
  if (host === "") return undefined;
  const state = env("XDG_STATE_HOME") ?? "";
  const home = env("HOME") ?? "";
  const base = state.startsWith("/") ? state : home.startsWith("/") ? `${home}/.local/state` : "";
  return base === "" ? undefined : `${base}/joulemark/counters-${host.replaceAll("/", "_")}.json`;
}

/** Keeps a document there. @throws {AccessError} If it cannot be written. */
export function keepCountersChecked(path: string, content: string): void {
  makeDirectories(path.slice(0, path.lastIndexOf("/")));
  writeDocument(path, content);
}

/** A report's statement of the check: from which length of visits each counter is accurate; else empty. */
export function countersChecked(path: string | undefined): Nested | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFoundText(path);
    return text.length > MAX_CHARACTERS ? undefined : summary(JSON.parse(text));
  } catch {
    // Not checked on this node, or not our document: then nothing is reported.
    return undefined;
  }
}

function summary(data: { "tried at"?: unknown; counters?: unknown }): Nested | undefined {
  if (typeof data["tried at"] !== "string" || !Array.isArray(data.counters)) return undefined;
  const facts: { [key: string]: Nested } = { "tried at": data["tried at"] };
  for (const { counter, trusted, "visits (s)": lengthS } of data.counters) {
    if (typeof counter !== "string" || typeof lengthS !== "number") continue;
    const key = `${counter} trusted at (s)`;
    const list = facts[key] ??= [];
    if (trusted === true && Array.isArray(list)) list.push(lengthS);
  }
  return facts;
}
