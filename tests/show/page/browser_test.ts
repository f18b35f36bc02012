/**
 * Pages in a real browser: no overflow, no texts that overlap or leave their plot, contrast, no error, no request,
 * controls and keys, print. `deno task page-checks` looks at all combinations, this test at few.
 */
import { assertEquals } from "@std/assert";
import { BROWSER } from "../../_support/browser.ts";
import { skippedWithout, unless } from "../../_support/skipped.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";
import { checkPages, FEW } from "./_matrix.ts";

const LIMIT_S = 300;

Deno.test({
  ...skippedWithout(
    "pages of regions, functions and comparisons are free of faults on all screens",
    unless(BROWSER !== undefined, "no Chromium"),
  ),
  async fn() {
    await withTimeLimit(async () => assertEquals(await checkPages(FEW), []), LIMIT_S);
  },
});
