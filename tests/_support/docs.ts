/**
 * Writes the pages of docs/ that are made from the program: `deno task docs`.
 *
 * @module
 */
import { answeredPage, answeredTable } from "./answered_page.ts";
import { cliPage } from "./cli_page.ts";
import { glossaryPage, reportPage } from "./words_pages.ts";
import { withKindTables } from "./kind_tables.ts";
import { withPictures } from "./pictures.ts";
import { signalsPage } from "./signals_page.ts";

/** Generated pages by their path below the top. */
export const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/reference/annotation-apis.csv": answeredTable,
  "docs/reference/annotation-apis.md": answeredPage,
  "docs/reference/cli.md": cliPage,
  "docs/reference/formats/recording.md": () =>
    withKindTables("docs/reference/formats/recording.md"),
  "docs/reference/formats/report.md": reportPage,
  "docs/reference/formats/ring.md": () => withKindTables("docs/reference/formats/ring.md"),
  "docs/reference/glossary.md": glossaryPage,
  "docs/reference/signals.md": signalsPage,
  "docs/tutorials/first-report.md": () => withPictures("docs/tutorials/first-report.md"),
};

if (import.meta.main) {
  for (const [path, page] of Object.entries(PAGES)) {
    Deno.writeTextFileSync(new URL(`../../${path}`, import.meta.url), await page());
    console.log(path);
  }
}
