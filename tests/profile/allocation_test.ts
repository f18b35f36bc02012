/** Memory that samples take. */
// Alone: other tests would change what the compiler knows of this code.
import { assert, assertEquals } from "@std/assert";
import { Modules } from "../../src/profile/modules.ts";
import { Profile } from "../../src/profile/profile.ts";
import { X86_64 } from "../../src/profile/machine.ts";
import { bytesLeft } from "../_support/bytes_left.ts";
import { comm, mapping, sample, together } from "./_records.ts";

const PERIOD = 5e6, AT = 0x400000, SP = 0x7ffc00000000;

/** A sample of code that a process made, with one caller. */
function hit(timeNs: number): Uint8Array {
  const stack = [0, AT + 0x20, 0, 0], registers = { 16: AT + 0x10, 6: SP, 7: SP };
  return sample(registers, stack, { process: 7, thread: 7, timeNs });
}

Deno.test("a sample leaves nothing behind but a few boxed numbers", () => {
  const modules = new Modules(X86_64, () => ({ refused: "not there" }));
  const profile = new Profile(modules, {
    periodNs: PERIOD,
    withKernel: false,
    offCpu: false,
    event: "cpu-clock",
  });
  const path = 3, count = 100;
  profile.regionsOf = { pathAt: () => path, namesOf: () => ["main", "solve"] };
  const seen = { samples: 0, timeNs: 0, node: -1 };
  profile.onSample = ({ timeNs, node }) => {
    seen.samples++;
    seen.timeNs = timeNs;
    seen.node = node;
  };
  const taken = (records: readonly Uint8Array[]) => {
    const bytes = together(records), to = records.reduce((sum, one) => sum + one.length, 0);
    return () => profile.take([{ records: bytes, cpu: 0, from: 0, to }]);
  };
  taken([
    comm("app", { process: 7, timeNs: 1 }),
    mapping("//anon", AT, 0x1000, { process: 7, timeNs: 2 }),
  ])();
  const turn = taken(Array.from({ length: count }, (_, i) => hit(10e6 + i * 5e6)));
  const bytes = bytesLeft(turn, 100) / count;
  assertEquals([seen.samples % count, seen.timeNs], [0, 10e6 + (count - 1) * 5e6]);
  // Sorting and boxed numbers take 60 bytes; an object for each sample would be 56 bytes and more.
  assert(bytes < 100, `${bytes} bytes a sample`);
});
