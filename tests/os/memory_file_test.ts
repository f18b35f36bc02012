import { assertEquals, assertThrows } from "@std/assert";
import { AccessError } from "../../src/core/errors.ts";
import { MemoryFile } from "../../src/os/memory/memory_file.ts";

Deno.test("MemoryFile gives back what any process wrote", () => {
  using file = MemoryFile.create("test")!;
  assertEquals(file.readAll().length, 0);
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);
  file.append(bytes.subarray(0, 3));
  file.append(bytes.subarray(3));
  assertEquals(file.readAll(), bytes);
  assertEquals(MemoryFile.inherited(file.fd).readAll(), bytes);
});

Deno.test("MemoryFile.readAll() reports a descriptor that is none", () => {
  assertThrows(() => MemoryFile.inherited(99_999).readAll(), AccessError, "descriptor 99999");
});
