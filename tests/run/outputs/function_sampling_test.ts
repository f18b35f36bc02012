/** How often the rings of samples are emptied. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { turnNs } from "../../../src/run/outputs/function_sampling.ts";

/** 199 samples of 16 KiB a second, in a ring of 512 KiB. */
const RING = { bytes: 1 << 19, bytesPerNs: 199 * 16384 / 1e9, sinceNs: 100e6, fullest: 0.1 };

Deno.test("turnNs() is short for a high rate, and for a small ring that came later", () => {
  assertEquals(turnNs(RING), 100e6);
  const fast = turnNs({ ...RING, bytesPerNs: 4 * RING.bytesPerNs });
  assertAlmostEquals(fast, 32 / 4 / 199 * 1e9 / 1.5);
  assertAlmostEquals(turnNs({ ...RING, bytes: RING.bytes / 4 }), fast);
});

Deno.test("turnNs() follows records of switches, which are more than samples of the rate", () => {
  let sinceNs = 100e6;
  // 32 records fill the ring in 20 ms.
  for (let i = 0; i < 10; i++) {
    sinceNs = turnNs({ ...RING, sinceNs, fullest: Math.min(0.97, sinceNs / 20e6) });
  }
  assertAlmostEquals(sinceNs, 20e6 / 1.5);
  assertEquals(turnNs({ ...RING, sinceNs, fullest: 0 }), 100e6);
  // No turns without end where they are too many.
  assertEquals(turnNs({ ...RING, sinceNs: 1e6, fullest: 1 }), 5e6);
});
