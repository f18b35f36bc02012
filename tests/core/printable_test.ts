/** Names that would command a terminal. */
import { assertEquals } from "@std/assert";
import { printable, printableLines } from "../../src/core/printable.ts";
import { quote } from "../../src/core/errors.ts";
import { RawWriter } from "../../src/formats/rawstats/writer.ts";

Deno.test("printable() shows what a terminal would obey, and leaves the rest", () => {
  assertEquals(printable("\x1b[31mred\x07\r\n\tx\x7f"), "\\x1b[31mred\\x07\\x0d\\x0a\\x09x\\x7f");
  assertEquals(printable("\u009b2J and \u202eback"), "\\x9b2J and \\u202eback");
  assertEquals(printable("Größe 北 é"), "Größe 北 é");
  assertEquals(printableLines("a\tb\n\x1bc\n"), "a\tb\n\\x1bc\n");
  assertEquals(quote("a\nb"), '"a\\x0ab"');
});

Deno.test("RawWriter writes no name that commands a terminal", () => {
  const writer = new RawWriter();
  writer.head(1e6, "12\x1b", "no\x1bde");
  writer.mark("begin \x1b[2J");
  writer.line("proc", "a\x1b]0;b\x07/1/0/0", new Uint32Array([7, 0]));
  const expected = "\n1.000000 12\\x1b no\\x1bde\n%begin \\x1b[2J\nproc a\\x1b]0;b\\x07/1/0/0 7\n";
  assertEquals(new TextDecoder().decode(writer.bytes), expected);
});
