/** Names that would command a terminal. */
import { assertEquals } from "@std/assert";
import { jsonText, printable, printableBytes, printableLines } from "../../src/core/printable.ts";
import { quote } from "../../src/core/errors.ts";
import { RawWriter } from "../../src/rawstats/format/writer.ts";

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

Deno.test("printableBytes() gives the same wherever the bytes are cut, and leaves what is no UTF-8", () => {
  const text = "a\x1b[1m\u009bb\u00a0é…\u202ec\u2066\td\n\x7f";
  const bytes = new Uint8Array([...new TextEncoder().encode(text), 0xc2, 0x20, 0xe2, 0x80, 0x20]);
  const shown = (form: "text" | "json", cut: number) => {
    const out: number[] = [];
    const write = printableBytes(form, (piece) => void out.push(...piece));
    write(bytes.subarray(0, cut));
    write(bytes.subarray(cut));
    return out;
  };
  const end = [0xc2, 0x20, 0xe2, 0x80, 0x20];
  const expected = {
    text: "a\\x1b[1m\\x9bb\u00a0é…\\u202ec\\u2066\td\n\\x7f",
    json: "a\\u001b[1m\\u009bb\u00a0é…\\u202ec\\u2066\td\n\\u007f",
  };
  for (const form of ["text", "json"] as const) {
    const wanted = [...new TextEncoder().encode(expected[form]), ...end];
    for (let cut = 0; cut <= bytes.length; cut++) {
      assertEquals(shown(form, cut), wanted, `${form}, cut at ${cut}`);
    }
  }
});

Deno.test("jsonText() means the same, and commands no terminal", () => {
  const value = { "a\u009b": ["\x1b\x7f\u202e\u2028\n", null, 1] };
  assertEquals(JSON.parse(jsonText(value, 2)), value);
  assertEquals(jsonText(value), '{"a\\u009b":["\\u001b\\u007f\\u202e\\u2028\\n",null,1]}');
});
