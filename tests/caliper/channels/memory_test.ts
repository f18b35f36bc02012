/** ProcessMemory over the test's own process, as proc(5) shows it. */
import { assert, assertEquals } from "@std/assert";
import { ProcessMemory } from "../../../src/caliper/channels/process_memory.ts";
import { timed } from "../../_support/time_limit.ts";

function statm(): number[] {
  return Deno.readTextFileSync("/proc/self/statm").split(" ").map(Number);
}

timed("ProcessMemory reads the pages of a process, again and again", () => {
  using memory = new ProcessMemory();
  const before = statm();
  const read = [
    memory.memory(Deno.pid, "size"),
    memory.memory(Deno.pid, "resident"),
    memory.memory(Deno.pid, "data"),
  ];
  const after = statm();
  [0, 1, 5].forEach((field, i) => {
    // Other threads of the runtime come and go meanwhile.
    const low = Math.min(before[field], after[field]) * 0.9;
    const high = Math.max(before[field], after[field]) * 1.1;
    assert(read[i] >= low && read[i] <= high, `field ${field}: ${read[i]}, not ${low} to ${high}`);
  });
  const block = new Uint8Array(64 << 20).fill(1);
  const grown = memory.memory(Deno.pid, "resident") - read[1];
  assert(grown > 8000, `${grown} pages more for ${block.length} bytes`);
});

timed("ProcessMemory of a process that is not there, or has gone, is NaN", () => {
  using memory = new ProcessMemory();
  assertEquals(memory.memory(2 ** 22 + 1, "size"), NaN);
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  try {
    assert(memory.memory(child.pid, "size") > 0);
  } finally {
    child.kill("SIGKILL");
  }
  return child.status.then(() => {
    assertEquals(memory.memory(child.pid, "size"), NaN);
  });
});
