/** Rings of perf's records, in a file that has the kernel's layout: perf_event_open(2). */
import { assertEquals } from "@std/assert";
import { closeFile, O, openFile, writeAt } from "../../../src/os/files.ts";
import { PerfRing } from "../../../src/os/devices/perf_ring.ts";
import { pageBytes } from "../../../src/os/page.ts";

/** Offsets in struct perf_event_mmap_page. */
const HEAD_AT = 1024, TAIL_AT = 1032, DATA_AT = 1040;

Deno.test("records are copied over the end of a ring, and room is made only by free()", () => {
  const path = Deno.makeTempFileSync(), page = pageBytes(), length = page;
  Deno.writeFileSync(path, new Uint8Array(page + length));
  const fd = openFile(path, O.RDWR);
  const word = (value: number) => new Uint8Array(new BigInt64Array([BigInt(value)]).buffer);
  const tail = () =>
    Number(new DataView(Deno.readFileSync(path).buffer).getBigInt64(TAIL_AT, true));
  try {
    writeAt(fd, word(page), DATA_AT);
    using ring = PerfRing.map(fd, length)!;
    assertEquals([ring.look(), ring.from], [0, 0]);
    writeAt(fd, word(length - 8), HEAD_AT);
    assertEquals(ring.look(), length - 8);
    ring.free();
    assertEquals([tail(), ring.from], [length - 8, length - 8]);
    // 24 bytes: 8 at the end, 16 at the begin.
    writeAt(fd, new Uint8Array(8).fill(1), page + length - 8);
    writeAt(fd, new Uint8Array(16).fill(2), page);
    writeAt(fd, word(length + 16), HEAD_AT);
    const into = new Uint8Array(26);
    assertEquals(ring.look(), 24);
    ring.copy(ring.from, 24, into, 1);
    assertEquals([...into], [0, ...new Array(8).fill(1), ...new Array(16).fill(2), 0]);
    assertEquals(tail(), length - 8);
    ring.free();
    assertEquals(tail(), length + 16);
  } finally {
    closeFile(fd);
    Deno.removeSync(path);
  }
});

Deno.test("a position that no kernel writes is not followed", () => {
  const path = Deno.makeTempFileSync(), page = pageBytes(), length = page;
  Deno.writeFileSync(path, new Uint8Array(page + length));
  const fd = openFile(path, O.RDWR);
  try {
    using ring = PerfRing.map(fd, length)!;
    for (const head of [length + 8, -8, 2 ** 60]) {
      writeAt(fd, new Uint8Array(new BigInt64Array([BigInt(head)]).buffer), HEAD_AT);
      assertEquals([ring.look(), ring.from], [0, 0]);
    }
  } finally {
    closeFile(fd);
    Deno.removeSync(path);
  }
});
