/** Files that are mapped over pages of a buffer. */
import { assert, assertEquals } from "@std/assert";
import { closeFile, O, openFile, writeAt } from "../../../src/os/files.ts";
import { errno } from "../../../src/os/libc.ts";
import { MappedBytes } from "../../../src/os/devices/mapped_bytes.ts";
import { pageBytes } from "../../../src/os/page.ts";

const EBADF = 9;

Deno.test("mapped bytes are those of the file, in both directions, and later memory of their own", () => {
  const path = Deno.makeTempFileSync(), length = 2 * pageBytes();
  try {
    Deno.writeFileSync(path, new Uint8Array(length).fill(1));
    const fd = openFile(path, O.RDWR);
    const mapped = MappedBytes.map(fd, length)!, { bytes } = mapped;
    assertEquals([bytes.length, bytes[0], bytes.at(-1)], [length, 1, 1]);
    writeAt(fd, new Uint8Array([2]), 0);
    closeFile(fd);
    bytes[1] = 3;
    assertEquals([bytes[0], ...Deno.readFileSync(path).subarray(0, 2)], [2, 2, 3]);
    mapped[Symbol.dispose]();
    bytes.fill(4);
    assertEquals(Deno.readFileSync(path).subarray(0, 2), new Uint8Array([2, 3]));
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("what cannot be mapped leaves no hole in memory", () => {
  for (let i = 0; i < 20; i++) {
    assertEquals(MappedBytes.map(-1, pageBytes()), undefined);
    assertEquals(errno(), EBADF);
  }
  // Memory of this size is used again.
  const buffers = Array.from({ length: 200 }, () => new Uint8Array(2 * pageBytes()).fill(1));
  assert(buffers.every((bytes) => bytes.at(-1) === 1));
});
