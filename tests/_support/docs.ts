/**
 * Writes the pages of docs/ that are made from the program: `deno task docs`.
 *
 * @module
 */
import { cliPage } from "./cli_page.ts";
import { signalsPage } from "./signals_page.ts";

/** Generated pages by their path below the top. */
export const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/cli.md": cliPage,
  "docs/signals.md": signalsPage,
};

if (import.meta.main) {
  for (const [path, page] of Object.entries(PAGES)) {
    Deno.writeTextFileSync(new URL(`../../${path}`, import.meta.url), await page());
    console.log(path);
  }
}
