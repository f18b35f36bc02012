import { assertEquals } from "@std/assert";
import { PAGES } from "./_support/docs.ts";

for (const [path, page] of Object.entries(PAGES)) {
  Deno.test(`${path} is what "deno task docs" makes of the program`, async () => {
    assertEquals(Deno.readTextFileSync(new URL(`../${path}`, import.meta.url)), await page());
  });
}
