/** A ring file that lies: nothing in it may throw, hang, or make the monitor grow without bound. */
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { assert, assertEquals } from "@std/assert";
import type { RingMemory } from "../../../src/core/events/ring_memory.ts";
import {
  FLAG,
  HEADER,
  NAME,
  NAMES_MAX,
  PATH_CHUNKS,
  RECORD_BYTES,
  RING_MAGIC,
  RING_VERSION,
  SLOT,
  THREAD,
} from "../../../src/core/events/ring_layout.ts";
import { RingProcess } from "../../../src/marks/rings/ring_process.ts";

/** A file in memory. */
class Memory implements RingMemory {
  constructor(readonly bytes: Uint8Array) {}
  read(offset: number, into: Uint8Array): number {
    if (!(offset >= 0) || offset >= this.bytes.length) return 0;
    const part = this.bytes.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }
  write(offset: number, bytes: Uint8Array): void {
    if (offset + bytes.length <= this.bytes.length) this.bytes.set(bytes, offset);
  }
  [Symbol.dispose](): void {}
}

const RECORDS = 64;
const NAMES_AT = HEADER.bytes;
const THREADS_AT = NAMES_AT + 256 * NAME.bytes;
const RING_AT = THREADS_AT + 8 * THREAD.bytes;
const TEXT_AT = RING_AT + RECORDS * RECORD_BYTES;

/** A sound file with one thread and `pairs` visits of the region "solve". */
function sound(pairs: number): Uint8Array {
  const bytes = new Uint8Array(TEXT_AT + 64);
  const view = new DataView(bytes.buffer);
  const long = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  bytes.set(new TextEncoder().encode(RING_MAGIC));
  bytes[7] = RING_VERSION;
  view.setUint32(HEADER.pid, 42, true);
  view.setUint32(HEADER.state, 1, true);
  view.setUint32(HEADER.names, 2, true);
  view.setUint32(HEADER.threads, 1, true);
  long(HEADER.startNs, 1000);
  long(HEADER.nameChunks, NAMES_AT);
  long(HEADER.threadChunks, THREADS_AT);
  bytes[HEADER.affinity] = 3;
  const text = new TextEncoder().encode("[joulemark] othersolve");
  bytes.set(text, TEXT_AT);
  long(NAMES_AT, TEXT_AT);
  view.setUint32(NAMES_AT + NAME.length, 17, true);
  long(NAMES_AT + NAME.bytes, TEXT_AT + 17);
  view.setUint32(NAMES_AT + NAME.bytes + NAME.length, 5, true);
  long(THREADS_AT + THREAD.head, 2 * pairs);
  view.setUint32(THREADS_AT + THREAD.tid, 42, true);
  long(THREADS_AT + THREAD.ringOffset, RING_AT);
  view.setUint32(THREADS_AT + THREAD.ringRecords, RECORDS, true);
  for (let i = 0; i < 2 * pairs; i++) {
    const at = RING_AT + i * RECORD_BYTES;
    long(at, 2000 + i);
    bytes[at + 8] = i % 2 === 0 ? KIND.enter : KIND.exit;
    bytes[at + 9] = FLAG.process | FLAG.nanoseconds;
    view.setUint32(at + 12, 1, true);
  }
  return bytes;
}

function drain(process: RingProcess): number {
  let events = 0;
  for (const thread of process.threads) {
    for (; thread.nextNs !== Infinity; thread.advance()) {
      assert(thread.nextNs === thread.nextNs);
      if (++events > 100_000) throw new Error("does not end");
    }
  }
  return events;
}

Deno.test("RingProcess reads a sound file", () => {
  const process = RingProcess.open(new Memory(sound(3)), 0n);
  assert(process instanceof RingProcess);
  assertEquals(process.poll(), 6);
  assertEquals(drain(process), 6);
  assertEquals(process.names.map((n) => n.name), ["[joulemark] other", "solve"]);
  assertEquals(process.cpus, [0, 1]);
  assertEquals(process.garbage, 0);
});

Deno.test("RingProcess survives any byte of a file", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor(state / 0x80000000 * below);
  };
  const interesting = [0, 1, 2, 7, 0x7f, 0x80, 0xff];
  for (let round = 0; round < 4000; round++) {
    const bytes = sound(1 + random(30));
    const length = bytes.length;
    for (let n = 1 + random(12); n > 0; n--) {
      // Most of the mischief goes where the structure is.
      const at = random(3) === 0 ? random(length) : [
        random(HEADER.affinity),
        NAMES_AT + random(64),
        THREADS_AT + random(THREAD.bytes),
        RING_AT + random(RECORDS * RECORD_BYTES),
      ][random(4)];
      bytes[at] = random(2) === 0 ? random(256) : interesting[random(interesting.length)];
    }
    const cut = random(10) === 0 ? bytes.subarray(0, random(length)) : bytes;
    const process = RingProcess.open(new Memory(cut), 0n);
    if (!(process instanceof RingProcess)) continue;
    for (let poll = 0; poll < 3; poll++) {
      process.poll();
      drain(process);
      for (const fold of process.takeFolds()) assert(fold.ns >= 0 && fold.visits > 0);
      process.takeFoldedEpochs();
    }
    assert(process.names.length <= NAMES_MAX);
    assert(process.threads.length <= 1016);
    process.stopNs();
  }
});

Deno.test("RingProcess reads no more names than a file can hold, with any claimed number", () => {
  const bytes = sound(3);
  const view = new DataView(bytes.buffer);
  view.setUint32(HEADER.names, NAMES_MAX, true);
  let reads = 0;
  class Counting extends Memory {
    override read(offset: number, into: Uint8Array): number {
      reads++;
      return super.read(offset, into);
    }
  }
  const process = RingProcess.open(new Counting(bytes), 0n);
  assert(process instanceof RingProcess);
  for (let poll = 0; poll < 100; poll++) {
    process.poll();
    process.hasName(70_000);
  }
  // The first chunk of names is in the file, the others are not.
  assertEquals([process.names.length, process.names[1].name], [256, "solve"]);
  assert(process.garbage > 0 && reads < 2000, `${reads} reads`);
});

Deno.test("RingPaths takes possible figures only, for any bytes in place of paths", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  let state = seed, taken = 0;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor(state / 0x80000000 * below);
  };
  for (let round = 0; round < 2000; round++) {
    const bytes = sound(1 + random(30)), view = new DataView(bytes.buffer);
    const entry = THREADS_AT;
    view.setUint32(entry + THREAD.paths, random(4) === 0 ? random(2 ** 31) : random(64), true);
    for (let k = 0; k < PATH_CHUNKS; k++) {
      const at = random(3) === 0 ? random(2 ** 31) : random(bytes.length);
      view.setBigUint64(entry + THREAD.pathChunks + 8 * k, BigInt(at), true);
    }
    view.setUint32(entry + THREAD.path, random(64), true);
    view.setBigUint64(entry + THREAD.pathSince, BigInt(random(2 ** 31)), true);
    const process = RingProcess.open(new Memory(bytes), 0n);
    if (!(process instanceof RingProcess)) throw new Error("expected a ring");
    for (let look = 1; look <= 3; look++) {
      for (let n = random(200); n > 0; n--) {
        bytes[RING_AT + random(RECORDS * RECORD_BYTES)] = random(256);
      }
      process.poll();
      for (const { paths } of process.threads) {
        paths!.read(look * 1e9, (path, { count, ns, squares, selfNs }) => {
          taken++;
          assert(path >= 0 && path < paths!.count && count >= 0 && ns >= 0);
          assert([count, ns, squares, selfNs].every(Number.isFinite));
          assert(paths!.parent[path] < path);
          paths!.readBuckets(path, (bucket, visits) => assert(bucket >= 0 && visits <= 2 ** 53));
        });
      }
    }
  }
  assert(taken > 0, "nothing was taken");
});

Deno.test("RingProcess.open() rejects what is no ring, and waits for what is not ready", () => {
  assertEquals(RingProcess.open(new Memory(new Uint8Array(0)), 0n), "wait");
  assertEquals(RingProcess.open(new Memory(new Uint8Array(8192)), 0n), "wait");
  const other = sound(1);
  other[7] = RING_VERSION + 1;
  assert("refused" in (RingProcess.open(new Memory(other), 0n) as { refused: string }));
  const noise = new Uint8Array(8192).fill(65);
  assert("refused" in (RingProcess.open(new Memory(noise), 0n) as { refused: string }));
});

Deno.test("RingProcess refuses counts that no clock reaches, names them once, and goes on", () => {
  const bytes = sound(3);
  const view = new DataView(bytes.buffer);
  const refused: string[] = [];
  const ring = RingProcess.open(new Memory(bytes), 0n, (what) => refused.push(what));
  assert(ring instanceof RingProcess);
  view.setBigUint64(HEADER.otherVisits, 2n ** 64n - 1n, true);
  view.setBigUint64(HEADER.lostVisits, 2n ** 64n - 1n, true);
  for (let poll = 0; poll < 3; poll++) ring.poll();
  assertEquals(ring.otherVisits, 0);
  assertEquals(ring.lostVisits, 0);
  assertEquals(refused.length, 2);
  assert(/^1\.84e\+19 visits to others in [\d.e+]+ s left out/.test(refused[0]), refused[0]);
  // Folded visits: a slot of the second name.
  const slots = bytes.length - 64 - 2 * SLOT.bytes;
  const fold = (visits: bigint, ns: bigint, folds: number) => {
    view.setBigUint64(THREADS_AT + THREAD.slotChunks, BigInt(slots), true);
    view.setBigUint64(slots + SLOT.bytes + SLOT.visits, visits, true);
    view.setBigUint64(slots + SLOT.bytes + SLOT.ns, ns, true);
    view.setUint32(THREADS_AT + THREAD.folds, folds, true);
    ring.poll();
    return ring.takeFolds().map((f) => [f.visits, f.ns]);
  };
  assertEquals(fold(5n, 500n, 1), [[5, 500]]);
  assertEquals(fold(2n ** 63n, 600n, 2), []);
  assertEquals(fold(2n ** 63n + 4096n, 700n, 3), [[4096, 100]]);
  assertEquals(fold(2n ** 63n + 8192n, 2n ** 63n, 4), []);
  assertEquals(refused.length, 4);
});
