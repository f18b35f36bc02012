/** Files that are mapped over pages of a buffer. */
import { assert, assertEquals } from "@std/assert";
import { closeFile, O, openFile, writeAt } from "../../../src/os/files.ts";
import { openPerfEvent } from "../../../src/os/devices/perf_event.ts";
import { errno, libc } from "../../../src/os/libc.ts";
import { MappedBytes } from "../../../src/os/devices/mapped_bytes.ts";
import { pageBytes } from "../../../src/os/page.ts";

const EBADF = 9;
const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;

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

Deno.test("memory that another thread gets while a device refuses to be mapped stays its own", () => {
  // PERF_COUNT_SW_CPU_CLOCK. Three pages of records are no power of two: perf refuses them, not mmap(2).
  const fd = openPerfEvent({ type: 1, config: 0, cpu: 0 }), length = 4 * pageBytes();
  if (fd < 0) return console.log("skipped: this user may open no event");
  const calls = libc(),
    { mmap } = calls,
    page = new Uint8Array(pageBytes()).fill(7),
    taken: bigint[] = [];
  const inTheHole: typeof mmap = (address, length, protection, flags, fd, offset) => {
    const at = mmap(address, length, protection, flags, fd, offset);
    if (fd < 0) return at;
    taken.push(mmap(address, BigInt(page.length), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n));
    calls.poke(taken[0], page, BigInt(page.length));
    return at;
  };
  Object.defineProperty(calls, "mmap", { value: inTheHole, configurable: true });
  try {
    assertEquals(MappedBytes.map(fd, length), undefined);
    const read = new Uint8Array(page.length);
    calls.peek(read, taken[0], BigInt(page.length));
    assertEquals(read, page);
  } finally {
    Object.defineProperty(calls, "mmap", { value: mmap, configurable: true });
    for (const at of taken) calls.munmap(at, BigInt(page.length));
    closeFile(fd);
  }
});
