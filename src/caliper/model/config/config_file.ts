/**
 * Texts of `caliper.config` files: groups of variables.
 *
 *     CALI_LOG_VERBOSITY=1
 *     # a comment, or the beginning of a group:
 *     # [my-profile]
 *     CALI_SERVICES_ENABLE=event,trace,recorder
 *     CALI_REPORT_CONFIG="select * format table"
 *
 * Lines before the first group belong to the group `default`, which always holds. A value is
 * one word; quotes protect blanks. Lines without `=` are skipped.
 *
 * Truth: Caliper manual, Configuration, "Configuration files".
 * @module
 */

import { WordReader } from "./word_reader.ts";

/** The group that always holds. */
export const DEFAULT_GROUP = "default";

/** Variables by group. */
export type Groups = Map<string, Record<string, string>>;

/** Adds the groups of a text; its value of a variable replaces an earlier one. */
export function addGroups(groups: Groups, text: string): Groups {
  let group = DEFAULT_GROUP;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) {
      group = /^#[^[]*\[([^\]]+)\]/.exec(line)?.[1] ?? group;
      continue;
    }
    const at = line.indexOf("=");
    if (at <= 0) continue;
    const variables = groups.getOrInsertComputed(group, () => ({}));
    variables[line.slice(0, at)] = new WordReader(line.slice(at + 1)).word("");
  }
  return groups;
}
