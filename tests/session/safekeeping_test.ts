/** When a monitor keeps what a kill would cost. */
import { assert, assertEquals } from "@std/assert";
import { Safekeeping } from "../../src/session/safekeeping.ts";

Deno.test("Safekeeping writes a journal a second, a checkpoint after one, and both as told", () => {
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
