/** Which joulemark this is: the one place that says so beside deno.json. */

/** Version of joulemark. */
export const VERSION = "0.1.0";

/** Version of the report format that we write, which is GEOPM's. */
export const GEOPM_VERSION = "3.1.0";

/** What stands in a report's `GEOPM Version`. */
export const REPORT_VERSION = `${GEOPM_VERSION}+joulemark.${VERSION}`;
