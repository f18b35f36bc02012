/** The IPMI device's calls against a stand-in of the driver that follows the same pointers. */
import { assert, assertEquals } from "@std/assert";
import { closeFile, O, openFile } from "../../../src/os/files.ts";
import type { DeviceCall } from "../../../src/os/devices/ioctl.ts";
import { DeviceDoor } from "../../../src/os/devices/ipmi.ts";
import { libc } from "../../../src/os/libc.ts";

const SEND = 0x8028690dn;
const RECEIVE_TRUNC = 0xc030690bn;
const REQUEST = { netfn: 0x2c, command: 2, data: Uint8Array.of(0xdc, 1, 0, 0) };

function peek(address: bigint, length: number): number[] {
  const bytes = new Uint8Array(length);
  libc().peek(bytes, address, BigInt(length));
  return [...bytes];
}

/** What a request says, by the layout of struct ipmi_req. */
function decode(buffer: Uint8Array) {
  assertEquals(buffer.length, 40);
  const view = new DataView(buffer.buffer, buffer.byteOffset);
  return {
    address: peek(view.getBigUint64(0, true), view.getUint32(8, true)),
    id: view.getBigInt64(16, true),
    netfn: view.getUint8(24),
    command: view.getUint8(25),
    data: peek(view.getBigUint64(32, true), view.getUint16(26, true)),
  };
}

/** Puts a message where struct ipmi_recv wants it, as the driver does. */
function answer(buffer: Uint8Array, id: bigint, data: readonly number[]): void {
  assertEquals(buffer.length, 48);
  const view = new DataView(buffer.buffer, buffer.byteOffset);
  assertEquals([view.getUint32(16, true), view.getUint16(34, true)], [40, 272], "room offered");
  libc().poke(view.getBigUint64(8, true), Uint8Array.of(12, 0, 0, 0, 15, 0, 0, 0), 8n);
  libc().poke(view.getBigUint64(40, true), Uint8Array.from(data), BigInt(data.length));
  view.setInt32(0, 1, true);
  view.setUint32(16, 8, true);
  view.setBigInt64(24, id, true);
  view.setUint8(32, 0x2d);
  view.setUint8(33, 2);
  view.setUint16(34, data.length, true);
}

/** A door over /dev/null, which poll(2) always finds ready. */
function door(call: DeviceCall): DeviceDoor {
  const fd = openFile("/dev/null", O.RDWR);
  assert(fd >= 0);
  return new DeviceDoor(fd, "/dev/ipmi0", REQUEST, call);
}

Deno.test("send() leads the driver to address, number and data", () => {
  const seen: unknown[] = [];
  using open = door((_fd, request, buffer) => {
    seen.push(request, decode(buffer));
    return 0;
  });
  assertEquals(open.send(0x12345678), 0);
  assertEquals(seen, [SEND, {
    // IPMI_SYSTEM_INTERFACE_ADDR_TYPE, IPMI_BMC_CHANNEL, LUN 0
    address: [0x0c, 0, 0, 0, 0x0f, 0, 0, 0],
    id: 0x12345678n,
    netfn: 0x2c,
    command: 2,
    data: [0xdc, 1, 0, 0],
  }]);
  assertEquals(open.send(7), 0);
  assertEquals((seen[3] as { id: bigint }).id, 7n);
});

Deno.test("fetch() takes messages of any length, one after the other", () => {
  const longest = Array.from({ length: 272 }, (_, i) => i & 0xff);
  const waiting: [bigint, number[]][] = [[7n, [0, 0xdc, 44]], [8n, longest], [9n, []]];
  using open = door((_fd, request, buffer) => {
    assertEquals(request, RECEIVE_TRUNC);
    const [id, data] = waiting.shift()!;
    answer(buffer, id, data);
    return 0;
  });
  assertEquals(open.fetch(), 1);
  assertEquals(open.message, { type: 1, id: 7, netfn: 0x2d, command: 2, length: 3 });
  assertEquals([...open.bytes.subarray(0, 3)], [0, 0xdc, 44]);
  assertEquals(open.fetch(), 1);
  assertEquals([...open.bytes.subarray(0, open.message.length)], longest);
  assertEquals(open.fetch(), 1);
  assertEquals([open.message.id, open.message.length], [9, 0]);
});

Deno.test("a call of the kernel that fails answers its errno, a pipe without message nothing", () => {
  // /dev/null has no such call: ENOTTY from the kernel itself.
  const real = Deno.dlopen(libcPath(), {
    ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  });
  {
    using open = door(real.symbols.ioctl);
    assertEquals([open.send(1), open.fetch()], [-25, -25]);
  }
  real.close();
  // Nothing was written into the pipe, so the call is not even made.
  const [read, write] = pipe();
  {
    using open = new DeviceDoor(read, "/dev/ipmi0", REQUEST, () => {
      throw new Error("not asked for");
    });
    assertEquals(open.fetch(), 0);
    const before = performance.now();
    open.wait(30);
    assert(performance.now() - before >= 25, "sleeps instead of returning at once");
  }
  closeFile(write);
});

function libcPath(): string {
  const maps = Deno.readTextFileSync("/proc/self/maps");
  return /\/\S*libc\.so\.6$/m.exec(maps)![0];
}

function pipe(): [number, number] {
  const library = Deno.dlopen(libcPath(), { pipe: { parameters: ["buffer"], result: "i32" } });
  const ends = new Int32Array(2);
  assertEquals(library.symbols.pipe(new Uint8Array(ends.buffer)), 0);
  library.close();
  return [ends[0], ends[1]];
}
