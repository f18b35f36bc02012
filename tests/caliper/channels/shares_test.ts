import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { CounterShare, type Sharer } from "../../../src/caliper/channels/shares.ts";
import { Random } from "../../run/session/_random.ts";

const process = (startS: number, endS: number, ...cpus: number[]): Sharer => ({
  startS,
  endS,
  cpus,
});

Deno.test("CounterShare gives a process that is alone all that grew while it ran", () => {
  const share = new CounterShare(), all = [process(1.5, NaN, 0, 1)];
  share.take(1, 100);
  share.take(2, 110);
  share.processes(1.5, all);
  // Between two readings a counter grows evenly: 105 at the start.
  assertEquals(share.used(0, 1.5), 0);
  assertEquals(share.used(0, 1.75), 2.5);
  assertEquals(share.used(0, 2), 5);
  share.take(3, 130);
  share.processes(2.5, [process(1.5, 2.5, 0, 1)]);
  assertEquals(share.used(0, 2.5), 15);
  assertEquals(share.used(0, 3), 15);
});

Deno.test("CounterShare divides by CPUs, and CPUs that several may use equally", () => {
  const share = new CounterShare();
  share.take(0, 0);
  // CPU 0 is the first one's, 1 both use, 2 and 3 the second one's.
  share.processes(0, [process(0, NaN, 0, 1), process(0, NaN, 1, 2, 3)]);
  share.take(1, 8);
  assertEquals([share.used(0, 1), share.used(1, 1)], [3, 5]);
});

Deno.test("CounterShare of a package looks at the CPUs of the package alone", () => {
  const share = new CounterShare([0, 1]);
  share.take(0, 0);
  const all = [process(0, NaN, 0, 2), process(0, NaN, 3), process(0, NaN, 0, 1)];
  share.processes(0, all);
  share.take(1, 8);
  assertEquals(all.map((_, i) => share.used(i, 1)), [2, 0, 6]);
});

Deno.test("CounterShare has nothing before the first reading, after the last, or what was forgotten", () => {
  const share = new CounterShare(), all = [process(0, NaN, 0)];
  assertEquals(share.used(0, 0), NaN);
  share.processes(0, all);
  share.take(1, 5);
  assertEquals([share.used(0, 0.5), share.used(0, 1), share.used(0, 1.5)], [NaN, 0, NaN]);
  share.take(2, 6);
  share.take(3, 7);
  assertEquals([share.used(0, 1.5), share.used(0, 2), share.used(0, 3)], [0.5, 1, 2]);
  share.forget(2.5);
  assertEquals([share.used(0, 1.5), share.used(0, 2), share.used(0, 2.5)], [NaN, 1, 1.5]);
  assertEquals(share.used(7, 3), 0);
});

Deno.test("CounterShare leaves a gap to the next reading, changes in the gap at their own times", () => {
  const share = new CounterShare(), first = process(0, 1.5, 0), second = process(2, NaN, 0);
  share.take(0, 0);
  share.processes(0, [process(0, NaN, 0)]);
  share.take(1, 10);
  share.take(2, NaN);
  share.processes(1.5, [first]);
  assertEquals([share.used(0, 1), share.used(0, 1.5)], [10, NaN]);
  share.take(3, NaN);
  share.processes(2, [first, second]);
  share.take(4, 40);
  // 10 J/s from 1 to 4: 5 to the first, nothing for half a second, 20 to the second.
  assertEquals([share.used(0, 4), share.used(1, 4)], [15, 20]);
});

Deno.test("CounterShare takes a counter that falls as one that restarts", () => {
  const share = new CounterShare();
  share.take(0, 100);
  share.processes(0, [process(0, NaN, 0)]);
  share.take(1, 110);
  share.processes(1, [process(0, NaN, 0)]);
  share.take(2, 3);
  assertEquals(share.used(0, 2), 10);
  share.processes(2, [process(0, NaN, 0)]);
  share.take(3, 8);
  assertEquals(share.used(0, 3), 15);
});

/** A counter with gaps in its readings, and processes that come and go. */
function randomRun(seed: number) {
  const random = new Random(seed);
  const domain = random.next() < 0.5 ? undefined : [0, 1, 2];
  const all = Array.from({ length: random.int(1, 5) }, () => {
    const startS = random.int(0, 60) / 8, endS = startS + random.int(1, 60) / 8;
    const cpus = [0, 1, 2, 3, 4].filter(() => random.next() < 0.5);
    return process(startS, random.next() < 0.3 ? NaN : endS, ...cpus);
  });
  let value = random.int(0, 1000);
  const readings = Array.from({ length: 18 }, (_, timeS): [number, number] => {
    value += random.next() * 20;
    const isGap = timeS > 0 && timeS < 17 && random.next() < 0.3;
    return [timeS, isGap ? NaN : value];
  });
  return { random, domain, all, readings };
}

Deno.test("shares add up to what the counter grew while any process of its CPUs ran", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { random, domain, all, readings } = randomRun(seed);
    const share = new CounterShare(domain);
    const changes = [...new Set(all.flatMap((p) => [p.startS, p.endS]))]
      .filter((timeS) => !Number.isNaN(timeS)).sort((a, b) => a - b);
    const before = all.map(() => 0);
    const look = (timeS: number) => {
      all.forEach((_, i) => {
        const used = share.used(i, timeS);
        if (Number.isNaN(used)) return;
        assert(
          used >= before[i] - 1e-9,
          `seed ${seed}: process ${i} had ${before[i]}, now ${used}`,
        );
        before[i] = used;
      });
    };
    for (const [timeS, value] of readings) {
      share.take(timeS, value);
      while (changes.length > 0 && changes[0] <= timeS) {
        const change = changes.shift()!;
        // Who has not come yet is not in the list's front; numbers do not change.
        share.processes(change, all);
        if (random.next() < 0.5) look(change);
      }
      look(timeS);
    }
    const known = readings.filter(([, value]) => !Number.isNaN(value));
    const at = (timeS: number) => {
      const i = known.findIndex(([t]) => t >= timeS);
      if (known[i][0] === timeS) return known[i][1];
      const [[t0, v0], [t1, v1]] = [known[i - 1], known[i]];
      return v0 + (v1 - v0) * (timeS - t0) / (t1 - t0);
    };
    let wanted = 0;
    for (let eighth = 0; eighth < 17 * 8; eighth++) {
      const timeS = eighth / 8;
      const runs = all.some(({ startS, endS, cpus }) =>
        startS <= timeS && !(endS <= timeS) &&
        cpus.some((cpu) => domain === undefined || domain.includes(cpu))
      );
      if (runs) wanted += at(timeS + 1 / 8) - at(timeS);
    }
    const sum = all.reduce((total, _, i) => total + share.used(i, 17), 0);
    assertAlmostEquals(sum, wanted, 1e-6, `seed ${seed}`);
  }
});
