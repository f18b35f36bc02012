import { assert } from "@std/assert";
import { giveBackProgramPages } from "../../src/os/memory/program_pages.ts";

function residentFileKib(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/^RssFile:\s*(\d+)/m.exec(status)![1]);
}

Deno.test("giveBackProgramPages() leaves little of the program in memory, and it runs on", () => {
  const before = residentFileKib();
  assert(giveBackProgramPages() > 1 << 20, "nothing given back");
  const after = residentFileKib();
  assert(after < before - 10_000, `${before} KiB before, ${after} after`);
  const text = JSON.stringify([...new Intl.Segmenter().segment("works")].length);
  assert(text === "5", text);
});
