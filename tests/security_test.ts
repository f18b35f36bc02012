/** SECURITY.md names the test that holds each attack off: it is there, by that name. */
import { assert } from "@std/assert";

const ROOT = new URL("../", import.meta.url);

Deno.test("each attack of SECURITY.md has the test that it names", () => {
  const page = Deno.readTextFileSync(new URL("SECURITY.md", ROOT));
  const rows = [...page.matchAll(/^\|[^|]*\| `(tests\/[^`]*)`: "([^"]*)" \|$/gm)];
  assert(rows.length >= 10, `${rows.length} rows`);
  for (const [, file, name] of rows) {
    const text = Deno.readTextFileSync(new URL(file, ROOT));
    assert(text.includes(name), `${file}: expected a test "${name}"`);
  }
});
