/** Go's own table of functions, whole and damaged. */
import { assertEquals } from "@std/assert";
import { X86_64 } from "../../src/profile/machine.ts";
import { GoTable } from "../../src/profile/go_table.ts";
import { memoryReader } from "../../src/profile/modules.ts";
import { Random } from "../fuzz/random.ts";

const TEXT = 0x401000;
/** Begins of functions from the code's address, and their names. */
const FUNCTIONS = [[0, "runtime.text"], [0x40, "main.heavy"], [0x90, "main.(*T).Fill"]] as const;
const END = 0x100;

/** A table as Go 1.20 writes it: header, names, then rows and functions. */
function tableBytes(): Uint8Array {
  const names = new TextEncoder().encode(FUNCTIONS.map(([, name]) => `${name}\0`).join(""));
  const namesAt = 72, rowsAt = namesAt + Math.ceil(names.length / 8) * 8;
  const placesAt = 8 * FUNCTIONS.length + 4;
  const bytes = new Uint8Array(rowsAt + placesAt + 8 * FUNCTIONS.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xfffffff1, true);
  bytes.set([1, 8], 6);
  const words = { 8: FUNCTIONS.length, 24: TEXT, 32: namesAt, 64: rowsAt };
  for (const [at, value] of Object.entries(words)) {
    view.setBigUint64(Number(at), BigInt(value), true);
  }
  bytes.set(names, namesAt);
  let nameAt = 0;
  FUNCTIONS.forEach(([begin, name], i) => {
    view.setUint32(rowsAt + 8 * i, begin, true);
    view.setUint32(rowsAt + 8 * i + 4, placesAt + 8 * i, true);
    view.setUint32(rowsAt + placesAt + 8 * i, begin, true);
    view.setUint32(rowsAt + placesAt + 8 * i + 4, nameAt, true);
    nameAt += name.length + 1;
  });
  view.setUint32(rowsAt + 8 * FUNCTIONS.length, END, true);
  return bytes;
}

function tableOf(bytes: Uint8Array) {
  const section = { kind: 1, flags: 2, link: 0, address: 0x500000, offset: 0, entrySize: 0 };
  const sections = [Object.assign(section, { name: ".gopclntab", size: bytes.length })];
  return GoTable.of({ machine: X86_64, segments: [], sections, buildId: "" }, memoryReader(bytes));
}

Deno.test("GoTable has the functions of a stripped program by their addresses", () => {
  const table = tableOf(tableBytes())!;
  FUNCTIONS.forEach(([begin, name]) => {
    const start = TEXT + begin;
    assertEquals([table.find(start), table.find(start + 0x3f)], [{ name, start }, { name, start }]);
  });
  assertEquals([table.find(TEXT - 1), table.find(TEXT + END)], [undefined, undefined]);
});

Deno.test("GoTable of damaged bytes gives a function or nothing", () => {
  const random = new Random(20260314), whole = tableBytes();
  for (let i = 0; i < 2000; i++) {
    const bytes = whole.slice();
    for (let k = random.below(8); k >= 0; k--) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    const table = tableOf(
      bytes.subarray(0, random.once(4) ? random.below(bytes.length) : undefined),
    );
    for (let at = TEXT - 8; at < TEXT + END + 8; at += 13) table?.find(at);
  }
});
