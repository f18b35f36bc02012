/** The counters of the switch port: bytes of the datagrams, and a switch made up of them. */
import { assertEquals } from "@std/assert";
import { MachineHost } from "../../../../src/os/host.ts";
import { RawMachine } from "../../../../src/os/raw_machine.ts";
import {
  type MadDoor,
  type MadTarget,
  umadAnswer,
  umadPacket,
  umadRegistration,
} from "../../../../src/os/devices/umad.ts";
import {
  askCounters,
  askNeighbour,
  readCounters,
  readNeighbour,
} from "../../../../src/sources/readers/raw/_mad.ts";
import { ibSwType } from "../../../../src/sources/readers/raw/ib_sw.ts";
import { accessOf, RawRow } from "../../../../src/sources/readers/raw/raw_type.ts";

/** Bytes that are not zero, by offset. */
const set = (bytes: Uint8Array) =>
  Object.fromEntries([...bytes].map((b, i) => [i, b] as const).filter(([, b]) => b !== 0));

Deno.test("a question to the neighbour has the layout of a directed route SMP", () => {
  const mad = askNeighbour(2, 0x01020304);
  assertEquals(mad.length, 256);
  assertEquals(set(mad), {
    0: 1,
    1: 0x81,
    2: 1,
    3: 1, // base version, class, class version, Get
    7: 1, // hop count; the pointer before it is 0
    12: 1,
    13: 2,
    14: 3,
    15: 4, // lower half of the transaction
    17: 0x15, // PortInfo
    32: 0xff,
    33: 0xff,
    34: 0xff,
    35: 0xff, // permissive LIDs
    129: 2, // leaves by this port
  });
});

Deno.test("a question for counters has the layout of a performance datagram", () => {
  assertEquals(set(askCounters(17, 9)), {
    0: 1,
    1: 4,
    2: 1,
    3: 1,
    15: 9,
    17: 0x1d, // PortCountersExtended
    65: 17, // port select
  });
});

/** An answer to a question, with data put in by hand. */
function answer(asked: Uint8Array, data: Record<number, number>, status = 0): Uint8Array {
  const mad = asked.slice();
  mad[3] = 0x81;
  mad[4] = status >> 8;
  mad[5] = status & 0xff;
  for (const [at, byte] of Object.entries(data)) mad[64 + Number(at)] = byte;
  return mad;
}

Deno.test("answers are read where they belong to the question and report success", () => {
  const who = askNeighbour(1, 7);
  const info = { 16: 0x12, 17: 0x34, 28: 22 };
  // the direction bit is no trouble
  assertEquals(readNeighbour(answer(who, info, 0x8000), who), { lid: 0x1234, port: 22 });
  assertEquals(readNeighbour(answer(who, info, 0x800c), who), undefined);
  assertEquals(readNeighbour(answer(askNeighbour(1, 8), info), who), undefined);
  assertEquals(readNeighbour(who, who), undefined);
  assertEquals(readNeighbour(answer(who, info).subarray(0, 255), who), undefined);
  const what = askCounters(22, 8);
  const counters = { 8: 0x80, 15: 1, 23: 2, 31: 3, 39: 4, 47: 5 };
  assertEquals(readCounters(answer(what, counters), what), {
    xmitData: 0x8000000000000001n,
    rcvData: 2n,
    xmitPackets: 3n,
    rcvPackets: 4n,
  });
  assertEquals(readCounters(answer(what, counters, 4), what), undefined);
});

Deno.test("the kernel's header has its own numbers little-endian, the wire's big-endian", () => {
  const mad = new Uint8Array(256).fill(7);
  const packet = umadPacket(3, { mgmtClass: 4, lid: 0x1234, queuePair: 1 }, mad);
  assertEquals(packet.length, 320);
  assertEquals(set(packet.subarray(0, 64)), {
    0: 3,
    8: 15, // milliseconds
    12: 3, // retries
    16: 0x40,
    17: 1, // length 320
    23: 1, // queue pair 1
    24: 0x80,
    25: 1, // its key, 80010000h
    28: 0x12,
    29: 0x34,
  });
  assertEquals(umadAnswer(packet), mad);
  packet[4] = 110; // ETIMEDOUT
  assertEquals(umadAnswer(packet), undefined);
  assertEquals(umadAnswer(packet.subarray(0, 100)), undefined);
  assertEquals(set(umadRegistration(0x81, 0)), { 21: 0x81, 22: 1 });
  assertEquals(set(umadRegistration(4, 1)), { 20: 1, 21: 4, 22: 1 });
  assertEquals(umadRegistration(4, 1).length, 28);
});

/** A switch with LID 5 whose port 22 leads to the node. */
class FakeSwitch implements MadDoor {
  closed = false;
  silent = false;
  readonly asked: MadTarget[] = [];

  ask(target: MadTarget, mad: Uint8Array): Uint8Array | undefined {
    this.asked.push(target);
    if (this.silent) return undefined;
    if (mad[1] === 0x81) return answer(mad, { 17: 5, 28: 22 }, 0x8000);
    assertEquals(mad[65], 22);
    return answer(mad, { 10: 1, 15: 11, 23: 22, 31: 33, 39: 44 });
  }

  [Symbol.dispose](): void {
    this.closed = true;
  }
}

Deno.test("ib_sw asks where it was named, and exchanges what is sent and received", () => {
  const root = Deno.makeTempDirSync();
  for (
    const [path, text] of [
      ["infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n"],
      ["infiniband/mlx5_1/ports/1/state", "1: DOWN\n"],
      ["infiniband_mad/umad0/ibdev", "mlx5_1\n"],
      ["infiniband_mad/umad0/port", "1\n"],
      ["infiniband_mad/umad1/ibdev", "mlx5_0\n"],
      ["infiniband_mad/umad1/port", "1\n"],
    ]
  ) {
    const file = `${root}/sys/class/${path}`;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(file, text);
  }
  const door = new FakeSwitch();
  const opened: string[] = [];
  const type = ibSwType((name) => {
    opened.push(name);
    return door;
  });
  const machine = new RawMachine(new MachineHost(root));
  const lines: string[] = [];
  const row: RawRow = new RawRow(4, (device) => {
    lines.push(`${device} ${row.values.join(" ")}`);
  });
  const collect = (isNamed: boolean) => {
    const collector = type.open({ ...accessOf(type, machine), isNamed })!;
    row.begin();
    collector.collect(row);
    return collector;
  };
  collect(false);
  // a tree has no switch to ask, whatever is named
  assertEquals(accessOf(type, machine, undefined, new Set(["ib_sw"])).isNamed, false);
  assertEquals([opened.length, lines.length], [0, 0]);
  const collector = collect(true);
  assertEquals(opened, ["umad1"]);
  // sent by the switch: 2^40 + 11 words and 33 packets
  assertEquals(lines, [`mlx5_0/1 ${2 ** 40 + 11} 33 22 44`]);
  assertEquals(door.asked, [
    { mgmtClass: 0x81, lid: 0xffff, queuePair: 0 },
    { mgmtClass: 4, lid: 5, queuePair: 1 },
  ]);
  door.silent = true;
  row.begin();
  collector.collect(row);
  assertEquals([lines.length, row.emitted], [1, 0]);
  collector[Symbol.dispose]!();
  assertEquals(door.closed, true);
  Deno.removeSync(root, { recursive: true });
});
