/** The pages that are looked at in a browser, and the screens. */
import { Browser } from "../../_support/browser.ts";
import { compare } from "../../../src/show/analysis/comparison.ts";
import { comparePage } from "../../../src/show/page/compare_page.ts";
import type { PageData } from "../../../src/show/page/data.ts";
import { loadDeflate } from "../../../src/show/page/deflate.ts";
import { pageHtml } from "../../../src/show/page/html.ts";
import { reportPage } from "../../../src/show/page/page.ts";
import { faultsOf, printed, type Screen, showOn, useAll } from "./_checks.ts";
import { comparedRuns, type GeneratedPage, largeJob } from "./_pages.ts";

/** Names that a program may give its regions. */
const HOSTILE = [
  "</script><img src=x onerror=alert(1)>",
  "a".repeat(300),
  "\u202Eright to left",
  "<b>&amp;\"'",
  "x\u0000y\u001b[31m",
];

/** Pages and screens. */
export interface Matrix {
  readonly pages: readonly (GeneratedPage & {
    readonly hosts: number;
    /** Its controls are used in the light theme alone. */
    readonly isQuick?: boolean;
  })[];
  readonly screens: readonly Screen[];
}

/** Those of each run of the tests. */
export const FEW: Matrix = {
  pages: [
    { regions: 3, hosts: 1, names: HOSTILE },
    { regions: 60, hosts: 8 },
    { regions: 10_000, hosts: 50, isQuick: true },
    { regions: 60, hosts: 1, names: HOSTILE, functions: "alone", isQuick: true },
    { regions: 60, hosts: 1, names: HOSTILE, functions: "with regions" },
    { regions: 3, hosts: 1, names: HOSTILE, growth: 0.1 },
    { regions: 60, hosts: 1, growth: 0.001, isQuick: true },
  ],
  screens: [
    { width: 360, dark: false, uses: false },
    { width: 360, dark: true, uses: true },
    { width: 1600, dark: false, uses: true },
    { width: 1600, dark: true, uses: false },
  ],
};

/** All of them. */
export const ALL: Matrix = {
  pages: [
    ...[3, 60, 3000, 10_000].flatMap((regions) => {
      return [1, 50, 2000].map((hosts) => ({ regions, hosts, names: HOSTILE }));
    }),
    ...[3, 3000].flatMap((regions) =>
      (["alone", "with regions"] as const).map((functions) => {
        return { regions, hosts: 1, names: HOSTILE, functions };
      })
    ),
    ...[-0.1, 0, 3].map((growth) => ({ regions: 60, hosts: 1, names: HOSTILE, growth })),
  ],
  screens: [360, 800, 1600, 3840].flatMap((width) => [
    { width, dark: false, uses: true },
    { width, dark: true, uses: true },
  ]),
};

/**
 * Faults of all pages on all screens, each with its page and screen.
 *
 * @param log Called with each page and screen that was looked at.
 */
export async function checkPages(
  { pages, screens }: Matrix,
  log: (line: string) => void = () => {},
): Promise<string[]> {
  await loadDeflate();
  const folder = Deno.makeTempDirSync({ prefix: "joulemark-pages-" });
  const faults: string[] = [];
  try {
    await using browser = await Browser.open();
    await browser.send("Browser.setDownloadBehavior", { behavior: "deny" });
    for (const page of pages) {
      const what = page.growth !== undefined
        ? "regions compared"
        : page.functions === undefined
        ? "regions"
        : `functions ${page.functions}`;
      const path = `${folder}/${page.regions}-${what}-${page.hosts}.html`;
      const html = pageHtml(dataOf(page));
      if (html.length > 1_000_000) faults.push(`${path}: ${html.length} bytes`);
      Deno.writeTextFileSync(path, html);
      for (const screen of screens) {
        const where = `${page.regions} ${what}, ${page.hosts} hosts, ${screen.width} px, ${
          screen.dark ? "dark" : "light"
        }`;
        browser.errors.length = browser.requests.length = 0;
        await showOn(browser, path, screen);
        const found = [
          ...await faultsOf(browser),
          ...screen.uses && !(page.isQuick && screen.dark) ? await useAll(browser) : [],
          ...screen.dark ? await printed(browser) : [],
        ];
        faults.push(...new Set(found.map((fault) => `${where}: ${fault}`)));
        log(`${where}: ${found.length} faults`);
      }
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  return faults;
}

function dataOf(page: Matrix["pages"][number]): PageData {
  if (page.growth === undefined) {
    const { report, files } = largeJob(page);
    return reportPage(report, files);
  }
  const sets = comparedRuns(page, page.growth);
  return comparePage(compare(sets.a, sets.b), sets, { overruled: [] });
}

if (import.meta.main) {
  const faults = await checkPages(ALL, console.log);
  for (const fault of faults) console.log(fault);
  console.log(`${ALL.pages.length * ALL.screens.length} combinations, ${faults.length} faults`);
  Deno.exit(faults.length === 0 ? 0 : 1);
}
