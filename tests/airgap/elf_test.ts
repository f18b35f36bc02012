/** Which files can be packed, on small files made here, laid out as elf(5) says. */
import { assertEquals, assertThrows } from "@std/assert";
import { findPlace, inject } from "../../airgap/pack/elf.ts";

const LINKER = "/lib64/ld-linux-x86-64.so.2\0";
const [LOAD, DYNAMIC, INTERP, NOTE] = [1, 2, 3, 4];
const HIDDEN_INTERP = 0x6a6d6b49;

/** A program header: type, offset (= address), size. */
type Header = [number, number, number];

/** 4096 bytes: ELF header, program headers, linker's name at 1024. */
function makeElf(headers: Header[], { machine = 62, type = 3, linker = LINKER } = {}): Uint8Array {
  const file = new Uint8Array(4096);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, type, true);
  view.setUint16(18, machine, true);
  view.setBigUint64(24, 0x500n, true);
  view.setBigUint64(32, 64n, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, headers.length, true);
  headers.forEach(([kind, offset, size], i) => {
    const at = 64 + i * 56;
    view.setUint32(at, kind, true);
    for (const field of [8, 16, 24]) view.setBigUint64(at + field, BigInt(offset), true);
    for (const field of [32, 40]) view.setBigUint64(at + field, BigInt(size), true);
  });
  file.set(new TextEncoder().encode(linker), 1024);
  return file;
}

const GOOD: Header[] = [
  [INTERP, 1024, LINKER.length],
  [LOAD, 0, 4096],
  [DYNAMIC, 1400, 64],
  [NOTE, 1500, 32],
];

Deno.test("findPlace() puts the block above the last address and behind the end", () => {
  assertEquals(findPlace(makeElf(GOOD), "x"), {
    machine: "x86_64",
    entry: 0x500,
    address: 0x10000,
    offset: 0x10000,
    header: 64 + 3 * 56,
    interpreter: 64,
  });
});

Deno.test("inject() makes the header of notes map the block, and the block the entry", () => {
  const file = makeElf(GOOD);
  const place = findPlace(file, "x");
  const out = inject(file, place, new Uint8Array([1, 2, 3]));
  const view = new DataView(out.buffer);
  assertEquals([...out.subarray(0x10000)], [1, 2, 3]);
  assertEquals(view.getBigUint64(24, true), 0x10000n);
  assertEquals(view.getUint32(place.header, true), LOAD);
  assertEquals(view.getUint32(place.header + 4, true), 5);
  assertEquals(view.getUint32(place.interpreter, true), HIDDEN_INTERP);
  assertThrows(() => findPlace(out, "x"), Error, "one with a guardian already");
});

Deno.test("findPlace() reports why a file cannot be packed", () => {
  const other = makeElf(GOOD);
  other[4] = 1;
  const rows: [Uint8Array, string][] = [
    [new TextEncoder().encode("#!/bin/sh\n"), "expected an ELF file"],
    [new Uint8Array(0), "expected an ELF file"],
    [other, "expected 64 bits"],
    [makeElf(GOOD, { machine: 8 }), "expected an x86-64 or aarch64 program, found machine 8"],
    [makeElf(GOOD, { machine: 183 }), "expected a program for glibc (/lib/ld-linux-aarch64.so.1)"],
    [makeElf(GOOD, { type: 2 }), "expected a position-independent program"],
    [makeElf(GOOD, { linker: "/lib/ld-musl-x86_64.so.1\0\0\0\0" }), "expected a program for glibc"],
    [makeElf(GOOD.filter(([kind]) => kind !== INTERP)), "expected a program for glibc"],
    [makeElf(GOOD.filter(([kind]) => kind !== NOTE)), "stripped, or already packed"],
    [makeElf([GOOD[0], GOOD[3], GOOD[1], GOOD[2]]), "behind the mapped ones"],
  ];
  for (const [file, reason] of rows) assertThrows(() => findPlace(file, "x"), Error, reason);
});
