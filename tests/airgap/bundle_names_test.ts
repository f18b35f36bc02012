/** Names of the parts of the packed program: the same for everybody, wherever npm's packages are kept. */
import { assertEquals } from "@std/assert";
import { renamed } from "../../airgap/pack/bundle.ts";

Deno.test("renamed() names parts by the order in which they are needed, not by esbuild's hashes", () => {
  const program = (a: string, b: string) => ({
    [`./chunk-${b}.js`]: `give({ b: "./chunk-NOPART.js" }); need("./chunk-${a}.js");`,
    "./main.js": `need("./chunk-${a}.js"); load("./run-${b}${a}.js");`,
    [`./chunk-${a}.js`]: "give({ a: 1 });",
    [`./run-${b}${a}.js`]: `need("./chunk-${b}.js"); need("./main.js");`,
  });
  const one = renamed(program("ZZ", "AA"), "./main.js");
  assertEquals(Object.entries(one), [
    ["./main.js", 'need("./chunk-1.js"); load("./run-2.js");'],
    ["./chunk-1.js", "give({ a: 1 });"],
    ["./run-2.js", 'need("./chunk-3.js"); need("./main.js");'],
    ["./chunk-3.js", 'give({ b: "./chunk-NOPART.js" }); need("./chunk-1.js");'],
  ]);
  assertEquals(Object.entries(renamed(program("BB", "CC"), "./main.js")), Object.entries(one));
});
