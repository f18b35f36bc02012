/** Rings of threads that sample themselves: whole ones, damaged ones, and what a program may do to them. */
import { assert, assertEquals } from "@std/assert";
import { Random } from "../../../src/core/random.ts";
import { TimerSampling } from "../../../src/os/devices/timer_sampling.ts";
import { Modules } from "../../../src/profile/modules.ts";
import { Profile } from "../../../src/profile/profile.ts";
import { X86_64 } from "../../../src/profile/machine.ts";
import { comm, cpuTime, maps, sample } from "../../profile/_records.ts";

const HEAD_BYTES = 4096, DATA_BYTES = 1 << 18, MAGIC = 0x544d4c4a;
const PERIOD = 5e6, MS = 1e6;

/** A ring as the library makes it. */
class Ring {
  readonly path: string;
  readonly #file: Deno.FsFile;
  #head = 0;

  constructor(session: string, name: string, magic = MAGIC) {
    this.path = `${session}/timer/${name}`;
    this.#file = Deno.openSync(this.path, { read: true, write: true, create: true });
    this.#file.truncateSync(HEAD_BYTES + DATA_BYTES);
    this.#file.lockSync();
    this.put(0, new Uint8Array(new Uint32Array([magic, 1]).buffer));
  }

  put(at: number, bytes: Uint8Array): void {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    this.#file.writeSync(bytes);
  }

  write(...records: Uint8Array[]): void {
    for (const bytes of records) {
      const at = this.#head % DATA_BYTES, first = Math.min(bytes.length, DATA_BYTES - at);
      this.put(HEAD_BYTES + at, bytes.subarray(0, first));
      this.put(HEAD_BYTES, bytes.subarray(first));
      this.#head += bytes.length;
    }
    this.setHead(BigInt(this.#head));
  }

  setHead(head: bigint): void {
    this.put(64, new Uint8Array(new BigUint64Array([head]).buffer));
  }

  get tail(): bigint {
    const word = new Uint8Array(8);
    this.#file.seekSync(128, Deno.SeekMode.Start);
    this.#file.readSync(word);
    return new BigUint64Array(word.buffer)[0];
  }

  truncate(bytes: number): void {
    this.#file.truncateSync(bytes);
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

const name = (n: number) => {
  const hex = (value: number) => value.toString(16).padStart(16, "0");
  return `${hex(Deno.pid)}.${hex(n)}`;
};

function withRings(body: (session: string, source: TimerSampling) => void): void {
  const session = Deno.makeTempDirSync();
  try {
    using source = TimerSampling.open(session)!;
    body(session, source);
  } finally {
    Deno.removeSync(session, { recursive: true });
  }
}

function newProfile(): Profile {
  const modules = new Modules(X86_64, () => ({ refused: "not there" }));
  const sampling = { periodNs: PERIOD, withKernel: false, offCpu: false, event: "timer" } as const;
  return new Profile(modules, sampling);
}

function take(source: TimerSampling, profile: Profile): number {
  source.take(Infinity, profile);
  return profile.facts.samples;
}

const from = { process: 7, timeNs: MS };
const begin = [comm("app", from), maps("400000-401000 r-xp 00000000 00:00 0 \n", from)];
const hit = (timeNs: number, words = 4) =>
  sample({ 16: 0x400010, 7: 0x7000 }, new Array(words).fill(0), { process: 7, timeNs });

Deno.test("records of a ring come once, also those in two pieces", () => {
  withRings((session, source) => {
    using ring = new Ring(session, name(1));
    const profile = newProfile();
    ring.write(...begin);
    let count = 0;
    for (let turn = 0; turn < 6; turn++) {
      for (let i = 0; i < 16; i++) ring.write(hit(++count * PERIOD, 1000));
      assertEquals(take(source, profile), count);
      assertEquals(take(source, profile), count);
    }
    assert(ring.tail > DATA_BYTES);
    assertEquals(profile.finish(source.counts()).map(({ samples }) => samples), [count]);
  });
});

Deno.test("records of the last moments stay for the next turn", () => {
  withRings((session, source) => {
    using ring = new Ring(session, name(1));
    const profile = newProfile();
    ring.write(...begin, hit(PERIOD), hit(1e18));
    source.take(1e18, profile);
    assertEquals(profile.facts.samples, 1);
    assertEquals(take(source, profile), 2);
  });
});

Deno.test("a ring is emptied at once, and its records wait until annotations of their time are known", () => {
  withRings((session, source) => {
    using ring = new Ring(session, name(1));
    const profile = newProfile();
    for (const [knownNs, samples] of [[0, 0], [PERIOD, 1], [2 * PERIOD, 2]]) {
      if (knownNs === 0) ring.write(...begin, hit(PERIOD), hit(2 * PERIOD));
      source.take(knownNs, profile);
      assert(ring.tail > 0n);
      assertEquals([profile.facts.samples, source.takenNs], [samples, knownNs]);
    }
  });
});

Deno.test("a ring that is being made is opened later, and its file then has no name", () => {
  withRings((session, source) => {
    using ring = new Ring(session, name(1), 0);
    const profile = newProfile();
    ring.write(...begin, hit(PERIOD));
    assertEquals(take(source, profile), 0);
    ring.put(0, new Uint8Array(new Uint32Array([MAGIC, 1]).buffer));
    assertEquals(take(source, profile), 1);
    assertEquals([...Deno.readDirSync(`${session}/timer`)], []);
  });
});

Deno.test("a ring is read to its end after its process, and then closed", () => {
  withRings((session, source) => {
    const profile = newProfile(), ring = new Ring(session, name(1));
    const openRings = () =>
      [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
        try {
          return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith(`${session}/timer/`);
        } catch {
          return false;
        }
      }).length;
    ring.write(...begin, hit(PERIOD));
    for (let turn = 0; turn < 3; turn++) assertEquals(take(source, profile), 1);
    ring.write(hit(2 * PERIOD));
    ring[Symbol.dispose]();
    for (const open of [1, 1, 0]) {
      assertEquals([take(source, profile), openRings()], [2, open]);
    }
  });
});

Deno.test("no position, size or file of a ring ends the monitor", () => {
  withRings((session, source) => {
    const profile = newProfile();
    Deno.mkdirSync(`${session}/timer/${name(100)}`);
    Deno.symlinkSync("/etc/passwd", `${session}/timer/${name(101)}`);
    Deno.writeTextFileSync(`${session}/timer/${name(102)}`, "short");
    Deno.writeTextFileSync(`${session}/timer/other`, "short");
    const heads = [1n << 63n, (1n << 64n) - 1n, BigInt(DATA_BYTES) + 8n, 4n, 1n << 60n];
    const rings = heads.map((head, i) => {
      const ring = new Ring(session, name(i));
      ring.setHead(head);
      return ring;
    });
    using whole = new Ring(session, name(50)), cut = new Ring(session, name(51));
    whole.write(...begin, hit(PERIOD));
    cut.write(...begin, hit(PERIOD));
    cut.truncate(HEAD_BYTES + 16);
    assertEquals(take(source, profile), 1);
    // A position that goes back.
    whole.setHead(0n);
    assertEquals(take(source, profile), 1);
    for (const ring of rings) ring[Symbol.dispose]();
  });
});

Deno.test("random and damaged records end in no error, and in little time", () => {
  const random = new Random(42), below = (n: number) => random.below(n);
  withRings((session, source) => {
    const profile = newProfile(), beganMs = performance.now();
    for (let i = 0; i < 300; i++) {
      using ring = new Ring(session, name(i));
      const begins = begin.map((record) => record.slice());
      const records = [...begins, hit(PERIOD), hit(2 * PERIOD, 900), cpuTime(MS, from)];
      if (i % 3 === 0) {
        const noise = Uint8Array.from({ length: 8 * below(1000) }, () => below(256));
        records.splice(below(5), 0, noise);
      }
      for (const record of records) {
        const isDamaged = i % 2 === 0 && record.length > 8;
        for (let k = 0; isDamaged && k < 3; k++) record[below(record.length)] = below(256);
        // Bytes at places that matter: type, size, counts of bytes.
        if (i % 5 === 0) record[[0, 6, 7, 184, 185][below(5)]] = below(256);
      }
      ring.write(...records);
      take(source, profile);
    }
    profile.finish(source.counts());
    assert(performance.now() - beganMs < 20e3);
    assert(profile.facts.samples > 100);
  });
});
