/** Files with the code that samples have hit. */
import { assertEquals } from "@std/assert";
import { openCodeFile } from "../../../src/os/files/code_files.ts";

Deno.test("openCodeFile() says as a part of a function's name why there is no file", () => {
  assertEquals(openCodeFile("/nowhere/libfoo.so"), { refused: "no such file" });
  assertEquals(openCodeFile("/"), { refused: "not a file" });
});
