/** Records that are copied out of rings, and wait there until the annotations of their time are known. */
import { assert, assertEquals } from "@std/assert";
import { HINT_UNKNOWN } from "../../../src/core/hints.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { Random } from "../../../src/core/random.ts";
import { OrderedEvents } from "../../../src/marks/tracker/ordered_events.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { RecordPool } from "../../../src/os/devices/record_pool.ts";
import { Modules } from "../../../src/profile/modules.ts";
import { FRAME, Profile } from "../../../src/profile/profile.ts";
import { RegionHistory } from "../../../src/run/outputs/region_history.ts";
import { X86_64 } from "../../../src/profile/machine.ts";
import { comm, mapping, sample, task } from "../../profile/_records.ts";

const AT = 0x400000, MS = 1e6, PID = 7, CHILD = 9;
const NAMES = ["solve", "rest"];

/** Rings of two CPUs, with whatever was written. */
class Source extends RecordPool {
  #written: { cpu: number; bytes: Uint8Array }[] = [];

  write(cpu: number, ...records: Uint8Array[]): void {
    for (const bytes of records) this.#written.push({ cpu, bytes });
  }

  /** @returns False: too many wait. */
  take(profile: Profile, knownNs: number, rings = 2): boolean {
    this.begin();
    const length = this.#written.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const isCopied = this.hasRoom(length, rings);
    for (const cpu of isCopied ? [0, 1] : []) {
      const all = this.#written.filter((one) => one.cpu === cpu);
      const size = all.reduce((sum, { bytes }) => sum + bytes.length, 0);
      let at = this.reserve(size);
      for (const { bytes } of all) {
        this.bytes.set(bytes, at);
        at += bytes.length;
      }
      this.copied(cpu, size);
    }
    if (isCopied) this.#written = [];
    profile.take(this.upTo(knownNs, profile));
    return isCopied;
  }
}

function newProfile(): Profile {
  const modules = new Modules(X86_64, () => ({ refused: "not there" }));
  const event = "cpu-clock" as const;
  return new Profile(modules, { periodNs: MS, withKernel: false, offCpu: false, event });
}

const begin = (process: number, timeNs = 1) => [
  comm("app", { process, timeNs }),
  mapping("//anon", AT, 0x1000, { process, timeNs }),
];
const hit = (timeNs: number, process = PID) =>
  sample({ 16: AT + 0x10, 7: 0x7000 }, [0, 0], { process, timeNs });

/** Names of the regions that a sample's stack begins with. */
function regionsIn({ trie, processes }: Profile, node: number): string {
  return trie.path(node).filter((at) => trie.module(at) === FRAME.region)
    .map((at) => processes.names[trie.address(at)]).join("");
}

Deno.test("records after the known time wait for a later turn, and each comes once and in order", () => {
  const source = new Source(), profile = newProfile(), times: number[] = [];
  profile.onSample = ({ timeNs }) => times.push(timeNs / MS);
  source.write(0, ...begin(PID), hit(1 * MS), hit(4 * MS), hit(5 * MS));
  source.write(1, hit(2 * MS), hit(3 * MS));
  source.take(profile, 2 * MS);
  assertEquals(times, [1, 2]);
  // Nothing new is known, and further records come.
  source.write(1, hit(6 * MS));
  source.take(profile, 2 * MS);
  source.write(0, hit(7 * MS));
  source.take(profile, 5.5 * MS);
  assertEquals(times, [1, 2, 3, 4, 5]);
  source.take(profile, Infinity);
  assertEquals(times, [1, 2, 3, 4, 5, 6, 7]);
});

Deno.test("records that wait have a bound: the others stay in their rings", () => {
  const source = new Source(), profile = newProfile();
  const large = sample({ 16: AT, 7: 0x7000 }, new Array(8000).fill(0), {
    process: PID,
    timeNs: MS,
  });
  let count = 0;
  for (let isCopied = true; isCopied; count++) {
    source.write(0, large);
    isCopied = source.take(profile, 0, 1);
    assertEquals(source.wasFull, !isCopied);
    assert(count < 400);
  }
  assertEquals(profile.facts.samples, 0);
  // What waits goes first; the next turn has the rest.
  source.take(profile, MS, 1);
  assertEquals(profile.facts.samples, count - 1);
  source.take(profile, MS, 1);
  assertEquals(profile.facts.samples, count);
});

/** Annotations of a program, which are handed on later than they happen. */
class LateMarks {
  readonly tracker = new RegionTracker({
    topology: PlatformTopology.regular({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 }),
  });
  /** Index of the region that is open now; -1: none. */
  open = -1;
  readonly #events = new OrderedEvents(this.tracker);
  readonly #waiting: [ns: number, emit: (timeS: number) => void][] = [];
  #process = -1;
  readonly #regions: number[] = [];

  begin(ns: number): void {
    this.open = -1;
    this.#at(ns, (timeS) => {
      if (this.#process >= 0) this.#events.died(timeS, this.#process);
      const process = this.#process = this.#events.start(timeS, PID, [0, 1]);
      NAMES.forEach((name, i) => {
        this.#regions[i] = this.#events.region(timeS, process, name, HINT_UNKNOWN);
      });
    });
  }

  /** Begins a region, or ends the one that is open. */
  turn(ns: number, region: number): void {
    const isBegin = this.open < 0, at = isBegin ? region : this.open;
    this.open = isBegin ? region : -1;
    this.#at(ns, (timeS) => {
      if (isBegin) this.#events.enter(timeS, this.#process, this.#regions[at], HINT_UNKNOWN, PID);
      else this.#events.exit(timeS, this.#process, this.#regions[at], PID);
    });
  }

  handOn(knownNs: number): void {
    const due = this.#waiting.filter(([ns]) => ns <= knownNs);
    this.#waiting.splice(0, due.length);
    for (const [ns, emit] of due) emit(ns / 1e9);
  }

  #at(ns: number, emit: (timeS: number) => void): void {
    this.#waiting.push([ns, emit]);
  }
}

for (const change of ["nothing else", "a child", "another program"]) {
  Deno.test(`a sample has the regions of its time, however late these are known: ${change}`, () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = new Random(seed), source = new Source(), profile = newProfile();
      const marks = new LateMarks(), history = new RegionHistory(marks.tracker);
      const truth: string[] = [], seen: string[] = [];
      profile.regionsOf = {
        pathAt: (thread, timeNs) => history.pathAt(thread, timeNs / 1e9),
        namesOf: (path) => history.namesOf(path),
      };
      profile.onSample = ({ process, timeNs, node }) => {
        seen.push(`${timeNs} ${process} ${regionsIn(profile, node)}`);
      };
      source.write(0, ...begin(PID));
      marks.begin(2);
      for (let ns = 10; ns < 10_000; ns += 2 + random.below(40)) {
        const isChanged = random.below(20) === 0;
        if (isChanged && change === "another program") marks.begin(ns);
        else marks.turn(ns, random.below(NAMES.length));
        const regions = marks.open < 0 ? "" : `{${NAMES[marks.open]}}`;
        source.write(random.below(2), hit(ns + 1));
        truth.push(`${ns + 1} ${PID} ${regions}`);
        if (isChanged && change === "a child") {
          const at = { process: CHILD, timeNs: ns + 1 };
          source.write(0, task("fork", PID, at), hit(ns + 1, CHILD), task("exit", PID, at));
          truth.push(`${ns + 1} ${CHILD} `);
        }
        if (random.below(3) > 0) continue;
        const knownNs = ns - random.below(500);
        marks.handOn(knownNs);
        source.take(profile, knownNs);
        history.takenS = knownNs / 1e9;
      }
      marks.handOn(Infinity);
      source.take(profile, Infinity);
      assertEquals(seen.toSorted(), truth.toSorted(), `seed ${seed}`);
    }
  });
}
