/** What V8 makes of a text when the executable is made (airgap/pack/code_cache.ts): Deno takes it, or it is refused. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { makeCodeCache } from "../../airgap/pack/code_cache.ts";
import { placesOf } from "../../airgap/pack/start_functions.ts";

const FLAGS = "--v8-flags=--no-sparkplug";
/** Its code is larger than a page of the database. */
const LONG = Array.from({ length: 4000 }, (_, i) => `x=x*3+y.a${i}`).join(";");
const TEXT = `({\n"./a.js": (function () {function long(x,y){${LONG};return x}return long})\n})`;

Deno.test("makeCodeCache() has a function's code where it is asked for, and only there; twice the same", async () => {
  const make = (functions: number[]) => {
    const texts = [{ specifier: "file:///joulemark/a.js", text: TEXT, functions }];
    return makeCodeCache(Deno.execPath(), FLAGS, Deno.version.deno, texts);
  };
  const at = TEXT.indexOf("(x,y)");
  const [none, one, again] = [await make([]), await make([at]), await make([at])];
  assert(one.length > none.length + 16384, `${none.length}, then ${one.length} bytes`);
  assertEquals(one, again);
});

Deno.test("makeCodeCache() refuses what V8 cannot read", async () => {
  const texts = [{ specifier: "file:///joulemark/a.js", text: "({", functions: [] }];
  await assertRejects(
    () => makeCodeCache(Deno.execPath(), FLAGS, Deno.version.deno, texts),
    Error,
    "file:///joulemark/a.js",
  );
});

Deno.test("placesOf() finds functions of a text in the one that was made small", async () => {
  const head = 'function (need, give, load) {"use strict";';
  const printed = `${head}// src/a.ts
function open(path) {
  return [path].map((one) => one);
}
// src/b.ts
class Reader {
  read() { return open("b").map((one) => one + 1); }
}
give({ open, Reader });
}`;
  // esbuild may put a function of its own in front.
  const small =
    `${head}var q=(z)=>z;function o(p){return[p].map(t=>t)}class R{read(){return o("b").map(t=>t+1)}}` +
    "give({open:o,Reader:R});\n}";
  const places = (await placesOf(Deno.execPath(), { "./a.js": { printed, small } })).get("./a.js")!;
  const found = new Map(places.map(({ name, at }) => [name, small.slice(at, at + 4)]));
  assertEquals(found.get("src/a.ts open"), "(p){");
  assertEquals(found.get("src/a.ts ()"), "t=>t");
  assertEquals(found.get("src/b.ts read"), "(){r");
  assertEquals(found.get("src/b.ts ()"), "t=>t");
  assertEquals(small.slice(places.at(-1)!.at).startsWith("t=>t+1"), true);
});
