/** msr-safe's batch call against a stand-in of the module that reads and writes the same memory. */
import { assert, assertEquals } from "@std/assert";
import { libc } from "../../../src/os/libc.ts";
import { encodeOperations, MsrBatch, versionNumber } from "../../../src/os/devices/msr_batch.ts";
import { FakeHost } from "../../_support/fake_host.ts";

const OP_BYTES = 32;

/** A node with two CPUs and one register each. */
function node() {
  const host = new FakeHost();
  for (const cpu of [0, 1]) {
    host.msr.set(cpu, new Map([[0x611, BigInt(100 + cpu)], [0xc001029b, 0x1_8000_0001n]]));
  }
  return host;
}

/** The module: checks the header, does the operations, or fails as a whole. */
function module(host: FakeHost, offline = new Set<number>()) {
  const seen = { calls: 0, request: 0n, version: 0 };
  const call = (_fd: number, request: bigint, header: Uint8Array) => {
    const view = new DataView(header.buffer);
    const count = view.getUint32(0, true);
    seen.calls++;
    seen.request = request;
    seen.version = view.getUint32(4, true);
    const address = view.getBigUint64(8, true);
    const bytes = new Uint8Array(count * OP_BYTES);
    libc().peek(bytes, address, BigInt(bytes.length));
    const ops = new DataView(bytes.buffer);
    let failed = 0;
    for (let at = 0; at < bytes.length; at += OP_BYTES) {
      assertEquals(ops.getUint16(at + 2, true), 1, "reads, never writes");
      if (!offline.has(ops.getUint16(at, true))) continue;
      ops.setInt32(at + 4, -6, true);
      failed = -1;
    }
    for (let at = 0; failed === 0 && at < bytes.length; at += OP_BYTES) {
      const value = host.msr.get(ops.getUint16(at, true))!.get(ops.getUint32(at + 8, true));
      ops.setInt32(at + 4, typeof value === "bigint" ? 0 : -5, true);
      if (typeof value === "bigint") ops.setBigUint64(at + 16, value, true);
    }
    libc().poke(address, bytes, BigInt(bytes.length));
    return failed;
  };
  return { seen, call };
}

function batchOver(host: FakeHost, call: ReturnType<typeof module>["call"]) {
  const operations = [0, 1].flatMap((cpu) => {
    const device = host.registers(cpu);
    return [0x611, 0xc001029b, 0x639].map((register) => ({ cpu, register, device }));
  });
  const batch = new MsrBatch(-1, operations, { version: 0x20000, call });
  return {
    batch,
    read: () =>
      operations.map(({ register }, i) => {
        const errno = batch.cells[i].read(register);
        return errno === 0 ? [batch.cells[i].high >>> 0, batch.cells[i].low >>> 0] : errno;
      }),
  };
}

Deno.test("encodeOperations() lays out struct msr_batch_op", () => {
  const device = node().registers(0);
  const bytes = encodeOperations([{ cpu: 258, register: 0xc001029b, device }]);
  assertEquals(bytes.length, OP_BYTES);
  assertEquals([...bytes.slice(0, 12)], [2, 1, 1, 0, 0, 0, 0, 0, 0x9b, 0x02, 0x01, 0xc0]);
  assert(bytes.slice(12).every((b) => b === 0));
});

Deno.test("versionNumber() packs the module's version", () => {
  assertEquals([versionNumber("2.0.0\n"), versionNumber("1.7.12"), versionNumber("")], [
    0x20000,
    0x1070c,
    0,
  ]);
});

Deno.test("one call reads all registers; one that faults has its own errno", () => {
  const host = node();
  const { seen, call } = module(host);
  const { batch, read } = batchOver(host, call);
  using _ = batch;
  batch.run();
  const expected = [[0, 100], [1, 0x80000001], 5, [0, 101], [1, 0x80000001], 5];
  assertEquals(read(), expected);
  assertEquals(seen, { calls: 1, request: 0xc01063a2n, version: 0x20000 });
  assertEquals(host.reads, 0);
  host.msr.get(0)!.set(0x611, 107n);
  batch.run();
  assertEquals(read()[0], [0, 107]);
});

Deno.test("a batch that fails as a whole is replaced by single reads, and later given up", () => {
  const host = node();
  const offline = new Set([1]);
  const { seen, call } = module(host, offline);
  const { batch, read } = batchOver(host, call);
  using _ = batch;
  batch.run();
  assertEquals(read()[0], [0, 100], "the CPU that is there is read");
  assertEquals(host.reads, 6);
  offline.clear();
  batch.run();
  assertEquals([read()[0], host.reads], [[0, 100], 6]);
  offline.add(1);
  for (let i = 0; i < 10; i++) batch.run();
  assertEquals(seen.calls, 5, "three failures in a row are enough");
});
