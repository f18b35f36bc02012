/** Messages for people. */
import { assertEquals } from "@std/assert";
import { AccessError } from "../../src/core/errors.ts";

Deno.test("a reason of the system for a file that cannot be written is in the sentence as a word", () => {
  for (const found of ["No space left on device", "Disk quota exceeded", "File too large"]) {
    const { message } = new AccessError({ action: "write", target: "a", found });
    assertEquals(message, `cannot write "a": ${found[0].toLowerCase()}${found.slice(1)}`);
  }
});
