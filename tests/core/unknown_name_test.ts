/** A name that is not known is answered with near names, or with the list. */
import { assertEquals } from "@std/assert";
import { UnknownNameError } from "../../src/core/errors.ts";

const message = (name: string, known: string[]) =>
  new UnknownNameError("word", name, known).message;

Deno.test("an unknown name has near names", () => {
  assertEquals(
    message("enrgy", ["energy", "time"]),
    'unknown word "enrgy". Did you mean energy?',
  );
});

Deno.test("an unknown name without near ones has the list, up to twelve names of it", () => {
  assertEquals(
    message("xyzxyz", ["energy", "time", "energy"]),
    'unknown word "xyzxyz"; available: energy, time',
  );
  const many = Array.from({ length: 14 }, (_, i) => `name number ${i}`);
  assertEquals(
    message("xyz", many).split("available: ")[1],
    `${many.slice(0, 12).join(", ")} and 2 more`,
  );
  const tooMany = Array.from({ length: 1000 }, (_, i) => `name number ${i}`);
  assertEquals(message("xyz", tooMany), 'unknown word "xyz"');
});
