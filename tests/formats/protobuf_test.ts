import { assertEquals } from "@std/assert";
import { ProtoWriter } from "../../src/formats/protobuf.ts";

Deno.test("ProtoWriter writes varints, doubles, texts and nested messages", () => {
  const out = new ProtoWriter();
  out.uint(1, 150);
  const at = out.begin(2);
  out.text(3, "é");
  out.double(4, 1);
  out.end(at);
  out.uint(16, 2 ** 53);
  assertEquals([...out.bytes], [
    ...[0x08, 0x96, 0x01],
    ...[0x12, 0x90, 0x80, 0x80, 0x00],
    ...[0x1a, 0x82, 0x80, 0x80, 0x00, 0xc3, 0xa9],
    ...[0x21, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
    ...[0x80, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10],
  ]);
  out.clear();
  out.text(1, "x".repeat(10000));
  assertEquals(out.bytes.length, 10005);
});
