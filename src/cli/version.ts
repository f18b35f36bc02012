/** Which joulemark this is, and in which form it was built. */

/** Version of joulemark. */
export const VERSION = "0.1.0";

/** Version of the report format that we write, which is GEOPM's. */
export const GEOPM_VERSION = "3.1.0";

/** What stands in a report's `GEOPM Version`. */
export const REPORT_VERSION = `${GEOPM_VERSION}+joulemark.${VERSION}`;

/** `compiled` by deno compile, `packed` into Deno by the packer, or run from `source`. */
export function form(): "compiled" | "packed" | "source" {
  if ((globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed") return "packed";
  return Deno.build.standalone ? "compiled" : "source";
}
