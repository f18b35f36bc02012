/** When a monitor keeps what a kill would cost. */
import { assert, assertEquals } from "@std/assert";
import { cpuSeconds } from "../../../src/os/clock.ts";
import { Safekeeping } from "../../../src/run/session/safekeeping.ts";

Deno.test("Safekeeping writes a journal a second, a checkpoint after one, and both as requested", () => {
  const calls: string[] = [];
  let nowS = 0;
  const keeping = new Safekeeping({
    checkpointS: 3,
    checkpoint: () => calls.push(`C ${nowS.toFixed(1)}`),
    journal: () => calls.push(`J ${nowS.toFixed(1)}`),
  });
  for (let k = 0; k < 1000; k++) {
    nowS = k * 0.005;
    // A signal that may be the last.
    keeping.look(nowS, k === 500, "plain");
  }
  assertEquals(calls.filter((call) => call[0] === "C"), ["C 1.0", "C 2.5"]);
  const entries = calls.filter((call) => call[0] === "J").map((call) => Number(call.slice(2)));
  assert(entries.length === 5, entries.join());
  // At most a second apart.
  assert(entries.every((at, i) => at - (entries[i - 1] ?? 0) <= 1), entries.join());
});

Deno.test("Safekeeping has fewer checkpoints where each takes long, but for signals", () => {
  const at: number[] = [];
  let nowS = 0;
  const keeping = new Safekeeping({
    checkpointS: 0.01,
    checkpoint() {
      at.push(nowS);
      for (const endS = cpuSeconds() + 0.02; cpuSeconds() < endS;) continue;
    },
    journal() {},
  });
  for (let k = 0; k < 1000; k++) {
    nowS = k * 0.005;
    keeping.look(nowS, k === 300, "plain");
  }
  assert(at.includes(1.5), at.join());
  // The first one is no measure.
  const later = at.filter((s) => s > 1.5);
  assert(later.length > 2 && later.every((s, i) => s - (later[i - 1] ?? 1.5) >= 0.2), at.join());
});
