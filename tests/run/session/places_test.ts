/** What a running monitor may still open follows from its readers, its outputs and its session. */
import { assertEquals } from "@std/assert";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { placesOf } from "../../../src/run/session/places.ts";

const places = (sources: string[], root = "", dialects: string[] = [], reads: string[] = []) => {
  const request = { root, preload: { dialects } };
  const run = { readers: READERS, reads, batch: { sources: new Set(sources) }, request };
  return placesOf({ ...run, session: { base: "/dev/shm/j" } }, ["/a/b.report"]);
};

Deno.test("placesOf() reads /proc and /sys, and writes to the session and to outputs", () => {
  assertEquals(places(["PROCSTAT", "CNL"]), {
    reads: ["/proc", "/sys"],
    devices: [],
    own: ["/dev/shm/j"],
    outputs: ["/a/b.report"],
  });
});

Deno.test("placesOf() adds devices of readers that are in use, and the tree", () => {
  assertEquals(places(["MSR"]).reads, ["/proc", "/sys", "/dev/cpu/"]);
  assertEquals(places(["IPMI"]).devices, ["/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"]);
  assertEquals(places([], "/tree").reads, ["/proc", "/sys", "/tree"]);
});

Deno.test("placesOf() adds what outputs open", () => {
  assertEquals(places([], "", [], ["/"]).reads, ["/proc", "/sys", "/"]);
});

Deno.test("placesOf() leaves the devices of a vendor's library to the process that has it", () => {
  assertEquals(places(["NVML"]).reads, ["/proc", "/sys"]);
});

Deno.test("placesOf() leaves all places to a program that names its logs itself", () => {
  assertEquals(places([], "", ["pm_mpi"]).own, ["/dev/shm/j", "/"]);
});
