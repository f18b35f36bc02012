/** When a monitor keeps what a kill would cost. */
import { assert, assertEquals } from "@std/assert";
import { cpuSeconds } from "../../../src/os/clock.ts";
import { Safekeeping } from "../../../src/run/session/safekeeping.ts";

Deno.test("Safekeeping writes an entry and flushes after a second, then as often as asked, and at signals", () => {
  const calls: string[] = [];
  let nowS = 0;
  const keeping = new Safekeeping({
    flushS: 3,
    flush: () => calls.push(`F ${nowS.toFixed(1)}`),
    journalS: 0.9,
    journal: (isUrgent) => calls.push(`${isUrgent ? "U" : "J"} ${nowS.toFixed(1)}`),
  });
  for (let k = 0; k < 1000; k++) {
    nowS = k * 0.005;
    const before = calls.length, isDue = nowS > keeping.dueS;
    // A signal that may be the last.
    keeping.look(nowS, k === 500, "plain");
    assertEquals(calls.length > before, isDue || k === 500);
  }
  assertEquals(calls.filter((call) => call[0] === "F"), ["F 1.0", "F 2.5"]);
  const entries = calls.filter((call) => call[0] !== "F").map((call) => Number(call.slice(2)));
  assertEquals(calls.filter((call) => call[0] === "U"), ["U 2.5"]);
  assert(entries.length === 5, entries.join());
  // At most a second apart.
  assert(entries.every((at, i) => at - (entries[i - 1] ?? 0) <= 1), entries.join());
});

Deno.test("Safekeeping has fewer entries where each takes long, but for signals", () => {
  const at: number[] = [];
  let nowS = 0;
  const keeping = new Safekeeping({
    flushS: 100,
    flush() {},
    journalS: 0.01,
    journal() {
      at.push(nowS);
      for (const endS = cpuSeconds() + 0.01; cpuSeconds() < endS;) continue;
    },
  });
  for (let k = 0; k < 1000; k++) {
    nowS = k * 0.005;
    keeping.look(nowS, k === 300, "plain");
  }
  assert(at.includes(1.5), at.join());
  // The first one is no measure.
  const later = at.filter((s) => s > 1.5);
  assert(later.length > 2 && later.every((s, i) => s - (later[i - 1] ?? 1.5) >= 0.3), at.join());
});
