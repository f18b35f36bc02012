/** The code that the kernel maps into this process. */
import { assert } from "@std/assert";
import { ownVdso } from "../../src/os/memory/vdso.ts";
import { openElf, SymbolTable } from "../../src/profile/elf.ts";
import { OWN_MACHINE } from "../../src/profile/machine.ts";
import { memoryReader } from "../../src/profile/modules.ts";

Deno.test("ownVdso() has the whole file, with its sections and functions", () => {
  const bytes = ownVdso();
  assert(bytes !== undefined);
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const text = file.sections.find(({ name }) => name === ".text");
  assert(text !== undefined && text.offset + text.size <= bytes.length);
  assert(new SymbolTable(file, read).count > 0);
});
