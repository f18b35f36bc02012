/** The version of joulemark; it is written here and in deno.json only. */

/** Version of joulemark. */
export const VERSION = "0.1.0";

/** Date of the version, for the manual page. */
export const VERSION_DATE = "2026-11-22";

/** Version of the report format that we write, which is GEOPM's. */
export const GEOPM_VERSION = "3.1.0";

/** The value of a report's `GEOPM Version`. */
export const REPORT_VERSION = `${GEOPM_VERSION}+joulemark.${VERSION}`;
