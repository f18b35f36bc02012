/**
 * Outputs that would be written at one place: the later one would replace the other.
 * @module
 */
import { BESIDE_REPORT, IS_REPORT, timelinePath } from "../../job/place/part_files.ts";
import { unusable } from "../../core/errors.ts";
import type { OptionValues } from "../../core/option.ts";
import { isWrittenInto, placeOf } from "../../os/output_place.ts";
import { isPlainFile } from "../../os/user_file.ts";
import { madeOptions } from "./all.ts";

/** Values without those that another output takes, and a line for each of these. */
export interface OwnPlaces {
  readonly values: OptionValues;
  readonly lines: readonly string[];
}

/**
 * Gives each output a place of its own. A device or a pipe may be the place of several.
 *
 * @param reportPath Where the report goes if no option names it; `undefined`: nowhere.
 * @throws {UsageError} If two of the caller's own options name one place, or one would replace a report.
 */
export function atOwnPlaces(values: OptionValues, reportPath: string | undefined): OwnPlaces {
  const kept = new Map(values), lines: string[] = [];
  const taken = new Map<string, { name: string; option: string; isForeign: boolean }>();
  for (const option of madeOptions()) {
    const value = values.get(option);
    const path = value?.text ?? (option === "report" ? reportPath : undefined);
    if (path === undefined || path === "" || isWrittenInto(path)) continue;
    if (option === "report" && !values.has("no-timeline")) {
      taken.set(placeOf(timelinePath(path)), {
        name: BESIDE_REPORT,
        option: "no-timeline",
        isForeign: false,
      });
    }
    const isForeign = value?.origin === "foreign";
    // Files of GEOPM's variables get the name of the host, except the report.
    const place = placeOf(path) + (isForeign && option !== "report" ? "-HOST" : "");
    const name = value?.name ?? "the report";
    if (!isForeign && option !== "report" && IS_REPORT.test(path) && isPlainFile(path)) {
      const remedy = "give another path: this output would replace the report";
      throw unusable(`${name}=${path}`, "a path without a report", "an earlier report", remedy);
    }
    const other = taken.get(place);
    if (other === undefined) {
      taken.set(place, { name, option, isForeign });
      continue;
    }
    if (!isForeign && !other.isForeign) {
      const remedy = "give each output a different path";
      throw unusable(
        `${name}=${path}`,
        "a path that no other output has",
        `the path of ${other.name}`,
        remedy,
      );
    }
    const [left, stays] = isForeign ? [name, other.name] : [other.name, name];
    lines.push(`${left}=${path} is ignored: ${stays} has the same path`);
    kept.delete(isForeign ? option : other.option);
    if (!isForeign) taken.set(place, { name, option, isForeign });
  }
  return { values: kept, lines };
}
