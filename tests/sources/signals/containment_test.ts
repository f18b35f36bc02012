import { assertEquals } from "@std/assert";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { aliasesWith } from "../../../src/sources/signals/alias.ts";
import { wholesOf } from "../../../src/sources/signals/containment.ts";
import { DERIVED } from "../../../src/sources/signals/derived.ts";

Deno.test("every whole is a name that exists", () => {
  const names = [
    ...READERS.flatMap((r) => r.signals.map((s) => s.name)),
    ...DERIVED.map((d) => d.row.name),
    ...aliasesWith(READERS).map((a) => a.row.name),
  ];
  const unknown = names.flatMap(wholesOf).filter((whole) => !names.includes(whole));
  assertEquals(unknown, []);
});
