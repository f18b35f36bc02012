import { assertEquals } from "@std/assert";
import { walkSync } from "@std/fs";
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

timed("files and functions that the pages for developers name exist", () => {
  const root = new URL("..", import.meta.url).pathname;
  const text = (path: string) => Deno.readTextFileSync(root + path);
  const folders = ["src", "tests", "airgap", "packaging"].map((name) => root + name);
  const files = folders.flatMap((folder) => [...walkSync(folder, { includeDirs: false })])
    .map(({ path }) => path.slice(root.length));
  const program = files.filter((path) => /^(src|tests\/_support)\/.*[.](ts|h|c|in)$/.test(path))
    .map(text).join("\n");
  const words = new Set(program.match(/[A-Za-z_]\w*/g));
  const isFile = (end: string) => {
    return [end, `${end}.in`].some((one) => files.some((path) => `/${path}`.endsWith(`/${one}`)));
  };
  const missing = ["docs/architecture.md", "CONTRIBUTING.md", "docs/how-to/add-a-reader.md"]
    .flatMap((page) => {
      const prose = text(page).replace(/```.*?```/gs, "");
      const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
      const named = spans.filter((span) => /^[\w/.]+[.](ts|c|h)$/.test(span) && !/NAME/.test(span));
      const called = spans.flatMap((span) => {
        return span.match(/[A-Za-z_]\w*(?=[(])|^[A-Z][a-z]+[A-Z]\w*$/g) ?? [];
      });
      return [
        ...named.filter((path) => !isFile(path)),
        ...called.filter((name) => !words.has(name)),
      ].map((name) => `${page}: ${name}`);
    });
  assertEquals(missing, []);
});
