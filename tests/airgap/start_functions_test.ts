/** The list of functions that a start calls, by which V8's result is made (airgap/pack/start_functions.ts). */
import { assert, assertEquals } from "@std/assert";
import {
  functionsIn,
  LIST,
  listedIn,
  listText,
  parseList,
} from "../../airgap/pack/start_functions.ts";

Deno.test("listText() and parseList() are the reverse of each other", () => {
  const names = ["src/a.ts open", "src/a.ts ()*3", "src/b/c.ts #read*2"];
  assertEquals(listText(names), "src/a.ts ()*3 open\nsrc/b/c.ts #read*2\n");
  assertEquals([...parseList(listText(names))].sort(), [...names].sort());
});

Deno.test("functionsIn() reads what V8 compiled, and nothing else, in the order of the text", () => {
  const log = `script-details,6,printed:./a.js,0,0,
function,parse-function,6,30,40,0.035,18446,inner
function,interpreter,6,30,40,0.019,18526,inner
function,interpreter,6,9,99,0.019,18520,outer
function,interpreter,6,30,40,0.019,18720,inner
function,first-execution,6,50,60,0,18530,other
function,interpreter,7,1,2,0.019,18720
`;
  assertEquals(functionsIn(log).get("printed:./a.js"), [
    { at: 9, end: 99, name: "outer" },
    { at: 30, end: 40, name: "inner" },
  ]);
});

Deno.test("listedIn() finds the functions of the list by where their parts are", () => {
  const places = new Map([["./a.js", [{ name: "src/a.ts f", at: 5 }, {
    name: "src/a.ts g",
    at: 9,
  }]]]);
  const whole = { specifier: "file:///a.js", text: "", at: { "./a.js": 100, "./b.js": 200 } };
  assertEquals(listedIn(whole, places, new Set(["src/a.ts g", "src/b.ts f"])), [109]);
});

Deno.test("the list names source files that there are; else: deno task start-functions", () => {
  const root = new URL("../../", import.meta.url).pathname;
  const files = Deno.readTextFileSync(LIST).trim().split("\n").map((line) => line.split(" ")[0]);
  assert(files.length > 200);
  const gone = files.filter((file) => {
    try {
      return !Deno.statSync(root + file).isFile;
    } catch {
      return true;
    }
  });
  assertEquals(gone, []);
});
