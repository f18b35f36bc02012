import { assertEquals } from "@std/assert";
import { PAGES } from "./_support/docs.ts";
import { timed } from "./_support/time_limit.ts";

for (const [path, page] of Object.entries(PAGES)) {
  timed(`${path} is what "deno task docs" makes of the program`, async () => {
    assertEquals(Deno.readTextFileSync(new URL(`../${path}`, import.meta.url)), await page());
  });
}

timed("deno doc --lint has nothing to say about the library", () => {
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["doc", "--quiet", "--lint", "mod.ts"],
    cwd: new URL("..", import.meta.url),
    stdout: "null",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).outputSync();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
});

timed("the code in docs/how-to/add-a-reader.md is that of the reader that it walks through", () => {
  const text = (path: string) => Deno.readTextFileSync(new URL(`../${path}`, import.meta.url));
  const linesOf = (code: string) => code.split("\n").map((line) => line.trim());
  const reader = new Set(linesOf(text("src/sources/readers/thermal.ts")));
  const parts = [...text("docs/how-to/add-a-reader.md").matchAll(/```ts\n(.*?)```/gs)];
  const shown = parts.flatMap(([, code]) => linesOf(code));
  assertEquals(parts.length, 3);
  assertEquals(shown.filter((line) => !reader.has(line)), []);
});
