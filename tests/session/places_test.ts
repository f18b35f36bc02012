/** What a running monitor may still open follows from its readers, its outputs and its session. */
import { assertEquals } from "@std/assert";
import { READERS } from "../../src/readers/with_raw.ts";
import { placesOf } from "../../src/session/places.ts";

const places = (sources: string[], root = "") => {
  const run = { readers: READERS, batch: { sources: new Set(sources) }, request: { root } };
  return placesOf({ ...run, session: { base: "/dev/shm/j", sweep() {} } }, ["/a/b.report"]);
};

Deno.test("placesOf() reads /proc and /sys, and writes to the session and to outputs", () => {
  assertEquals(places(["PROCSTAT", "CNL"]), {
    reads: ["/proc", "/sys"],
    own: ["/dev/shm/j"],
    outputs: ["/a/b.report"],
  });
});

Deno.test("placesOf() adds devices of readers that are in use, and the tree", () => {
  assertEquals(places(["MSR"]).reads, ["/proc", "/sys", "/dev/cpu/"]);
  assertEquals(places([], "/tree").reads, ["/proc", "/sys", "/tree"]);
});

Deno.test("placesOf() leaves the devices of a vendor's library to the process that has it", () => {
  assertEquals(places(["NVML"]).reads, ["/proc", "/sys"]);
});
